"""Which judge is meant: what is set for one judge is never dropped in favour of another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_llmeval.errors import NoJudge, UsageError
from pytest_llmeval.judges.choice import JudgeChoice
from pytest_llmeval.judges.lexical import LexicalJudge
from pytest_llmeval.judges.model import Judge
from pytest_llmeval.settings import Settings

STRICT = ["strict=openai/gpt-5 temperature=1"]


def choice(
    command_line: dict[str, Any] | None = None,
    environment: dict[str, str] | None = None,
    ini: dict[str, Any] | None = None,
) -> JudgeChoice:
    settings = Settings.read(
        command_line=lambda option: (command_line or {}).get(option.name),
        environment=environment or {},
        ini=lambda option: (ini or {}).get(option.name),
        ini_folder=Path("/root"),
    )
    return JudgeChoice(settings, "none is set")


UNHEEDED = {
    "base_url": "http://here/v1",
    "key_env": "MY_KEY",
    "temperature": "0",
    "seed": "1",
    "reply_tokens": "4096",
    "param": ["top_k=4"],
}


@pytest.mark.parametrize("model", ["strict", "lexical"])
@pytest.mark.parametrize("name", UNHEEDED)
def test_a_setting_that_the_named_judge_would_not_heed_is_refused(model: str, name: str) -> None:
    given = {"model": model, "judge": STRICT, name: UNHEEDED[name]}
    with pytest.raises(UsageError, match=model) as caught:
        choice(given)
    assert f"--llm-eval-{name.replace('_', '-')}" in str(caught.value)


def test_the_refusal_names_every_setting_and_where_they_go() -> None:
    with pytest.raises(UsageError) as caught:
        choice({"model": "strict", "judge": STRICT, **UNHEEDED})
    told = str(caught.value)
    assert "--llm-eval-base-url, --llm-eval-key-env, --llm-eval-temperature" in told
    assert "put that into the line, as in 'strict = MODEL base_url=URL" in told


def test_a_setting_that_overrides_what_the_model_is_set_beside_counts_too() -> None:
    with pytest.raises(UsageError, match="--llm-eval-seed"):
        choice({"seed": "1"}, {"LLM_EVAL_MODEL": "lexical"})
    with pytest.raises(UsageError, match="--llm-eval-base-url"):
        choice({"base_url": "http://a"}, ini={"model": "strict", "judge": STRICT})


def test_another_judge_may_be_named_for_one_run_over_what_the_ini_says_of_its_model() -> None:
    ini = {"model": "openai/m", "base_url": "http://here/v1", "seed": 1, "judge": STRICT}
    assert isinstance(choice({"model": "lexical"}, ini=ini).configured, LexicalJudge)
    assert choice({"model": "strict"}, ini=ini).configured == Judge(
        "openai/gpt-5", temperature=1, name="strict (openai/gpt-5)"
    )
    configured = choice(ini=ini).configured
    assert configured == Judge("openai/m", base_url="http://here/v1", seed=1)


@pytest.mark.parametrize("model", [None, "lexical", "strict", "openai/m"])
@pytest.mark.parametrize(
    ("setting", "message"),
    [({"param": ["top_k"]}, "KEY=VALUE"), ({"base_url": "ftp://x"}, "base_url starts with")],
)
def test_what_can_not_be_is_refused_whoever_judges(
    model: str | None, setting: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        choice({"model": model}, ini={"judge": STRICT, **setting})


def test_no_model_can_be_called_as_the_judge_that_asks_none() -> None:
    with pytest.raises(UsageError, match="'lexical = …': lexical is the judge that asks no model"):
        choice({"judge": ["lexical=openai/x"]})


def test_an_override_takes_a_judge_a_name_or_a_model_and_nothing_else() -> None:
    judges = choice({"judge": STRICT})
    assert judges.of("strict") == Judge("openai/gpt-5", temperature=1, name="strict (openai/gpt-5)")
    assert judges.of("openai/m") == Judge("openai/m")
    assert judges.of(Judge("openai/m")) == Judge("openai/m")
    for given in (5, {"model": "m"}, Judge):
        with pytest.raises(UsageError, match="expected a judge, a name or a model"):
            judges.of(given)  # type: ignore[arg-type]
    with pytest.raises(NoJudge, match="none is set"):
        judges.of(None)
