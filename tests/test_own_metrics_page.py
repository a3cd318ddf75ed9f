"""The page on metrics of one's own: what it shows is run as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_llmeval import JudgedMetric, Scale, load_run
from pytest_llmeval.metrics.own.declared import scale_of

PAGE = Path(__file__).parent.parent.joinpath("docs/own-metrics.md").read_text(encoding="utf-8")
SCRIPT = """
from pytest_llmeval.testing import ScriptedJudge
from pytest_llmeval.judges import choice

def reply(question):
    values = {"reason": "r", "score": 5, "verdict": "warm", "polite": True, "ungrounded": []}
    return {name: values[name] for name in question.reply.model_fields}

judge = ScriptedJudge(reply)
choice.JudgeChoice._configured = lambda self, settings: judge
"""
MORE = """

@pytest.mark.llm_eval
def test_the_others():
    case = Case(query="q", response="On its way. Thank you.", context=["It is on its way."])
    assert_metric(case, "always_polite")
    assert_metric(case, "groundedness")
    assert_metric(case, "relevance")
    import script
    texts = [messages[1][1] for messages in script.judge.messages]
    assert any("2P means: for two people.\\n\\nOf domain.\\n\\nReply" in text for text in texts)
    assert any(text.startswith("To the point?") for text in texts)
"""


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_everything_that_the_page_shows_works_together(pytester: pytest.Pytester) -> None:
    declaration, functions, tests, hook, scripted, rubrics = blocks("python")
    (courtesy,) = blocks("markdown")
    pytester.mkdir("metrics").joinpath("courtesy.md").write_text(courtesy)
    folder = pytester.mkdir("rubrics")
    folder.joinpath("domain.md").write_text("Of domain.\n")
    folder.joinpath("relevance.md").write_text(
        "To the point?\n{{ query }}\n{{ response }}\n{{ levels }}\n"
    )
    settings = [block.partition("\n")[2] for block in blocks("toml")]
    pytester.makepyprojecttoml(
        "[tool.pytest.ini_options]\npythonpath = ['.']\nllm_eval_mode = 'off'\n" + "".join(settings)
    )
    pytester.makepyfile(shop_metrics=f"{declaration}\n{functions}", script=SCRIPT)
    pytester.makeconftest(f"import script\n{hook}\n{rubrics}")
    pytester.makepyfile(
        test_shop=f"from shop_metrics import tone\n{tests}{MORE}", test_scripted=scripted
    )
    result = pytester.runpytest_subprocess("--llm-eval", "--llm-eval-report=run.json")
    result.assert_outcomes(passed=3)
    rows = {row.metric for row in load_run(pytester.path / "run.json").metrics}
    assert rows >= {"tone", "courtesy", "brevity", "always_polite", "groundedness", "relevance"}


def test_the_template_that_the_page_shows_is_one() -> None:
    (template,) = blocks("jinja")
    declared = JudgedMetric("shown", prompt=template, scale="yes_no")
    assert declared.needs == ("response", "context", "ground_truth")


def test_the_scales_that_the_page_names_are_there() -> None:
    row = next(line for line in PAGE.splitlines() if line.startswith("| `scale` |"))
    named = re.findall(r'`"([^"]+)"`', row)
    assert len(named) == 6
    assert all(isinstance(scale_of(name), Scale) for name in named)
