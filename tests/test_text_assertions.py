"""The assertions that ask no judge, as users call them: they pass, fail, and err."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from active_session import active_session
from pydantic import BaseModel

import pytest_llmeval as llm
from pytest_llmeval import Case, CheckFailed, EvalError, Result, UsageError
from pytest_llmeval.results import Outcome
from pytest_llmeval.session import Session
from pytest_llmeval.settings import Settings

TRUTH = "The tent sleeps two people."
GOOD = Case.model_validate(
    {
        "response": "The tent sleeps two people in it.",
        "ground_truth": TRUTH,
        "context": [{"content": "It sleeps two.", "id": "1"}],
        "expected_context": ["1"],
        "measured": {"seconds": 1, "input_tokens": 10, "output_tokens": 5},
    }
)
BAD = GOOD.model_copy(
    update={
        "response": "Bananas grow quickly",
        "expected_context": ["2"],
        "measured": {"seconds": 9, "input_tokens": 1000, "output_tokens": 500},
    }
)


class Answer(BaseModel):
    sleeps: int


CHECKS: dict[str, tuple[Callable[..., Result], dict[str, Any]]] = {
    "f1": (llm.assert_f1, {"at_least": 0.6}),
    "bleu": (llm.assert_bleu, {"at_least": 0.4}),
    "rouge": (llm.assert_rouge, {"at_least": 0.6, "variant": "rouge1", "measure": "recall"}),
    "gleu": (llm.assert_gleu, {"at_least": 0.4}),
    "meteor": (llm.assert_meteor, {"at_least": 0.6}),
    "chrf": (llm.assert_chrf, {"at_least": 0.5}),
    "document_recall": (llm.assert_document_recall, {"at_least": 1}),
    "document_precision": (llm.assert_document_precision, {"at_least": 1}),
    "latency_seconds": (llm.assert_latency, {"at_most": 2}),
    "total_token_count": (llm.assert_tokens, {"at_most": 15}),
    "total_input_token_count": (llm.assert_tokens, {"at_most": 10, "of": "input"}),
    "total_output_token_count": (llm.assert_tokens, {"at_most": 5, "of": "output"}),
}


@pytest.fixture(autouse=True)
def session(tmp_path: Path) -> Iterator[Session]:
    """A run without a judge."""
    with active_session(store=tmp_path / "store", threshold=("gleu=0.4",)) as session:
        yield session


@pytest.mark.parametrize("name", CHECKS)
def test_each_passes_fails_and_errs_without_a_judge(name: str) -> None:
    check, how = CHECKS[name]
    result = check(GOOD, **how)
    assert (result.outcome, result.judge) == (Outcome.PASSED, None)
    assert result.metric.partition("[")[0] == name
    assert result.usage.asked == result.usage.stored == 0
    with pytest.raises(CheckFailed, match=rf"{name}(\[\S+\])? \S+ is (below|above) ") as failed:
        check(BAD, **how)
    assert "reason" in str(failed.value)
    with pytest.raises(EvalError, match=f"{name} needs "):
        check(Case(response="It sleeps two."), **how)


@pytest.mark.parametrize("name", [name for name in CHECKS if name != "gleu"])
def test_without_a_mark_an_assertion_is_refused_and_evaluate_measures(name: str) -> None:
    check, how = CHECKS[name]
    rest = {key: value for key, value in how.items() if key not in ("at_least", "at_most")}
    with pytest.raises(UsageError, match="has no pass mark of its own"):
        check(GOOD, **rest)
    assert llm.evaluate(GOOD, name).outcome is Outcome.MEASURED


def test_a_mark_may_come_from_the_settings() -> None:
    assert llm.assert_gleu(GOOD).outcome is Outcome.PASSED
    with pytest.raises(CheckFailed, match=r"gleu 0 is below 0\.4"):
        llm.assert_gleu(BAD)


@pytest.mark.parametrize("mark", [0, 1.5, -1, float("nan")])
def test_a_mark_that_tells_nothing_is_refused(mark: float) -> None:
    with pytest.raises(UsageError):
        llm.assert_f1(GOOD, at_least=mark)


def test_text_and_ground_truth_may_be_given_side_by_side() -> None:
    llm.assert_f1("It sleeps two.", ground_truth="it sleeps two", at_least=0.99)
    llm.assert_f1("Bananas", ground_truth=TRUTH, at_most=0.1)
    with pytest.raises(CheckFailed, match=r"f1\[at_most\] 1 is above 0\.5"):
        llm.assert_f1(TRUTH, ground_truth=TRUTH, at_most=0.5)


def test_a_failure_shows_both_texts_and_what_they_do_not_share() -> None:
    with pytest.raises(CheckFailed) as failed:
        llm.assert_f1("It sleeps three.", ground_truth="It sleeps two.", at_least=0.9)
    assert [" ".join(line.split()) for line in str(failed.value).splitlines()] == [
        "f1 0.667 is below 0.9",
        "reason shared words: 2, of 3 in the response and 3 in the ground truth (tokenizer words)",
        'missing "two"',
        'extra "three"',
        "response It sleeps three.",
        "ground_truth It sleeps two.",
    ]


def test_an_exact_match_passes_fails_and_errs() -> None:
    llm.assert_exact_match(" YES ", ground_truth="yes", ignore_case=True, ignore_space=True)
    with pytest.raises(CheckFailed, match="exact_match is fail, not pass"):
        llm.assert_exact_match("YES", ground_truth="yes")
    with pytest.raises(EvalError, match="exact_match needs ground_truth"):
        llm.assert_exact_match("YES")


def test_a_pattern_passes_fails_and_errs() -> None:
    llm.assert_matches("It sleeps two.", r"two\.", where="search")
    llm.assert_matches(GOOD, "The tent .*", where="fullmatch")
    with pytest.raises(CheckFailed, match="regex is fail, not pass"):
        llm.assert_matches("It sleeps two.", "three")
    with pytest.raises(CheckFailed, match="the response is empty"):
        llm.assert_matches("", "^$")
    with pytest.raises(UsageError, match="no regular expression"):
        llm.assert_matches("It sleeps two.", "(two")
    with pytest.raises(EvalError, match="regex needs response"):
        llm.assert_matches(Case(), "two")


@pytest.mark.parametrize("schema", [Answer, {"properties": {"sleeps": {"type": "integer"}}}])
def test_json_passes_fails_and_errs(schema: Any) -> None:
    llm.assert_json('{"sleeps": 2}', schema)
    with pytest.raises(CheckFailed, match=r"(?s)json_schema is fail.*at \$\.sleeps: "):
        llm.assert_json('{"sleeps": "two"}', schema)
    with pytest.raises(EvalError, match="json_schema needs response"):
        llm.assert_json(Case(), schema)


def test_tokens_of_something_else_are_refused() -> None:
    with pytest.raises(UsageError, match="of is one of total, input, output; got 'all'"):
        llm.assert_tokens(GOOD, at_most=5, of="all")  # type: ignore[arg-type]


def test_the_setting_for_wordnet_reaches_meteor(tmp_path: Path) -> None:
    session = Session(Settings(store=tmp_path / "store", wordnet=tmp_path / "none"))
    result = session.evaluate(GOOD, "meteor")
    session.close()
    assert isinstance(result.error, UsageError)
    assert "holds no WordNet" in str(result.error)


def test_a_run_of_such_checks_needs_no_judge_and_imports_no_library_of_judges(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(
        """
        import pytest, sys
        from pytest_llmeval import assert_bleu, assert_metrics, assert_matches

        @pytest.mark.llm_eval
        def test_it():
            assert_bleu("It sleeps two people.", ground_truth="It sleeps two.", at_least=0.3)
            assert_matches("It sleeps two.", "two")
            assert not {"litellm", "openai", "nltk"} & set(sys.modules)

        METRICS = {"f1": {"at_least": 0.5}, "meteor": {"at_least": 0.3}}

        @pytest.mark.llm_cases("q.jsonl", metrics=METRICS)
        def test_all(llm_case):
            assert_metrics(llm_case)
        """
    )
    row = '{"query": "Who?", "response": "It sleeps two.", "ground_truth": "It sleeps two people."}'
    pytester.path.joinpath("q.jsonl").write_text(row + "\n")
    result = pytester.runpytest_subprocess("--llm-eval", "-W", "error", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=2)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["f1 *1/1*"])


def test_what_asks_no_judge_is_not_measured_ahead(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest
        from pytest_llmeval import assert_metrics
        from pytest_llmeval.metrics.built_in import built_in
        from pytest_llmeval.results import Verdict
        from pytest_llmeval.scales import FRACTION, Threshold

        CALLS = []

        @built_in(needs=("response",), scale=FRACTION, rule=Threshold("at_least", 1), judged=False)
        async def length(case, ask):
            CALLS.append(case)
            return Verdict(1, "long enough")

        @pytest.mark.llm_cases("q.jsonl", metrics=[length])
        def test_it(llm_case):
            assert_metrics(llm_case)
            assert len(CALLS) == 1
        """
    )
    pytester.path.joinpath("q.jsonl").write_text('{"query": "Who?", "response": "Two."}\n')
    result = pytester.runpytest("--llm-eval", "--llm-eval-model=openai/none")
    result.assert_outcomes(passed=1)
