"""The page for those who come from other tools: its files are read as it says, its tests run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from suite_judge import saying

from pytest_llmeval import JudgedMetric, load_cases
from pytest_llmeval.judges.choice import JudgeChoice
from pytest_llmeval.metrics import CATALOGUE
from pytest_llmeval.metrics.measures import measure

PAGE = Path(__file__).parent.parent.joinpath("docs/moving.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"<!-- (\S+\.jsonl?) -->\n```json\n(.*?)```", PAGE, re.DOTALL))
TOOLS = ("azure", "databricks", "deepeval", "langsmith", "promptfoo", "ragas", "spring")


@pytest.fixture
def here(pytester: pytest.Pytester) -> Path:
    for name, text in FILES.items():
        pytester.path.joinpath(name).write_text(text, encoding="utf-8")
    return pytester.path


@pytest.mark.usefixtures("here")
def test_every_tool_has_a_file_that_is_recognised_as_the_page_says() -> None:
    assert sorted(name.partition(".")[0] for name in FILES) == [*TOOLS]
    told = re.findall(r"^```text\n(.*?)\n```$", PAGE, re.MULTILINE | re.DOTALL)
    assert told == [line for name in FILES for line in load_cases(name).told]


@pytest.mark.usefixtures("here")
def test_the_tests_of_the_page_run_on_these_files(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    pytester.makepyfile("\n".join(blocks))
    judge = saying()
    monkeypatch.setattr(JudgeChoice, "_configured", lambda self, settings: judge)
    monkeypatch.setattr(JudgeChoice, "of", lambda self, meant: judge)
    pytester.runpytest("--llm-eval").assert_outcomes(passed=10)


def test_the_judge_of_ones_own_that_the_page_shows_can_be_declared() -> None:
    (code,) = re.findall(r"^`(JudgedMetric\(.*\))`\.$", PAGE, re.MULTILINE)
    assert eval(code, {"JudgedMetric": JudgedMetric}).row == "tone"


def test_the_metrics_that_the_page_names_are_ours() -> None:
    rows = PAGE.partition("<!-- metrics -->\n")[2].splitlines()[2:]
    cells = [row.split("|")[2] for row in rows if row.startswith("|")]
    ours = {name for cell in cells for name in re.findall(r"`([a-z][\w\[\]]*)`", cell)}
    assert [measure(name, CATALOGUE).row for name in sorted(ours - {"azure"})] == sorted(
        ours - {"azure"}
    )
    judged = {name for name in CATALOGUE if CATALOGUE[name].judged}
    assert {*judged} - {name.partition("[")[0] for name in ours} == {"source_reliability"}
