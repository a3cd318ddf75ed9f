"""The page on gates: what it shows is run as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_llmeval.gates.rule import RELATIONS, STATISTICS

PAGE = Path(__file__).parent.parent.joinpath("docs/gates.md").read_text(encoding="utf-8")
APP = """
import pytest

@pytest.fixture(scope="session")
def app(): return lambda case: case.response
"""
CASES = """{"id": "refund", "response": "a", "ground_truth": "a"}
{"id": "parcel", "response": "a", "ground_truth": "a", "metadata": {"tags": ["support"]}}
{"id": "tent", "response": "b", "ground_truth": "a"}
"""


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_everything_that_the_page_shows_works_together(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    (settings,) = blocks("toml")
    marked, read = blocks("python")
    pytester.makepyprojecttoml(settings)
    pytester.makeconftest(APP)
    pytester.makepyfile(test_shop=marked)
    pytester.path.joinpath("questions.jsonl").write_text(CASES, encoding="utf-8")
    result = pytester.runpytest("--llm-eval", "--llm-eval-report=run.json")
    assert result.parseoutcomes() == {"passed": 2, "tolerated": 1, "failed": 3}
    capsys.readouterr()
    exec(compile(read, "docs/gates.md", "exec"), {})
    assert capsys.readouterr().out.splitlines() == [
        "groundedness.pass_rate >= 90% not decided no check was made",
        "latency_seconds.mean <= 2 not decided no check was made",
        (
            "support min_pass_rate=0.8 not decided 1/1 passed, must pass and is not in the group: "
            "refund (test_shop.py::test_answers[refund] has no tag 'support', which would put it "
            "there)"
        ),
        "test_shop.py::test_answers min_pass_rate=0.6 held 2/3 passed",
    ]


def test_every_statistic_and_relation_is_on_the_page() -> None:
    assert all(f"| `{each}` |" in PAGE for each in STATISTICS)
    assert all(f"`{each}`" in PAGE for each in RELATIONS)
