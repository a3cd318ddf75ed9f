"""The page on suites: what it shows is run as it stands, and what it lists is what there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from active_session import active_session

from pytest_llmeval import load_run

PAGE = Path(__file__).parent.parent.joinpath("docs/suites.md").read_text(encoding="utf-8")
SCRIPTED = """
import pytest
from types import SimpleNamespace
from suite_judge import saying
from pytest_llmeval.judges import choice

judge = saying()
choice.JudgeChoice._configured = lambda self, settings: judge
choice.JudgeChoice.of = lambda self, meant: judge

@pytest.fixture
def app():
    reply = SimpleNamespace(query="How long?", text="Two years, for seams and poles.", seconds=1.5,
                            documents=["Two years, for seams and poles."])
    return SimpleNamespace(ask=lambda query: reply)
"""


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.usefixtures("measured")
def test_everything_that_the_page_shows_works_together(pytester: pytest.Pytester) -> None:
    first, own, hook, marked = blocks("python")
    settings, wordless = blocks("toml")
    with active_session(suite=tuple(re.findall(r'"(\w+ = .*)"', wordless))) as session:
        rows = [
            each.metric.row for each in session.names.suites.wanted(session.names.suites["words"])
        ]
        assert "safety" not in rows
        assert "computed" in session.names.suites
    support = Path(__file__).parent / "support"
    pytester.makepyprojecttoml(
        settings.replace("options]\n", f"options]\npythonpath = ['.', {str(support)!r}]\n")
    )
    pytester.makeconftest(f"{SCRIPTED}\n{hook}")
    pytester.path.joinpath("questions.jsonl").write_text(
        '{"query": "q", "response": "r", "context": ["c"], "measured": {"seconds": 3.0}}\n'
    )
    pytester.makepyfile(test_shop="\n".join([first, own, marked]))
    result = pytester.runpytest_subprocess("--llm-eval", "--llm-eval-report=run.json")
    result.assert_outcomes(passed=3)
    names = {row.suite for row in load_run(pytester.path / "run.json").suites}
    assert names == {"databricks", "shop", "answers"}


@pytest.mark.parametrize("suite", ["databricks", "azure"])
def test_the_metrics_that_the_page_lists_are_those_of_the_suite(suite: str) -> None:
    table = PAGE.partition(f"| `{suite}` | is asked |\n")[2].partition("\n\n")[0]
    cells = [line.split("|")[1] for line in table.splitlines()]
    with active_session() as session:
        rows = [
            each.metric.row for each in session.names.suites.wanted(session.names.suites[suite])
        ]
    assert sorted(re.findall(r"`(\S+)`", " ".join(cells))) == sorted(rows)
