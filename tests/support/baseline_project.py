"""A suite whose judge says what it is told, run again and again beside its baseline."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

SUITE = """
import json, os, pytest
from pathlib import Path
from pytest_llmeval import Case, assert_grounded, evaluate
from pytest_llmeval.errors import JudgeUnavailable
from pytest_llmeval.testing import ScriptedJudge
pytestmark = pytest.mark.llm_eval
SAYS = json.loads(Path(__file__).with_name("says.json").read_text())
def judge(case):
    said = SAYS.get(case, 5)
    if said == "down": return ScriptedJudge(JudgeUnavailable("down"), name=SAYS.get("judge", "j"))
    said = {"reason": f"{case} gets {said}", "score": said, "ungrounded": []}
    return ScriptedJudge(said, name=SAYS.get("judge", "j"))
def check(case, **more):
    assert_grounded(Case(id=case, response=f"r {SAYS.get(case, 5)}", context=["c"], **more),
                    judge=judge(case))
"""
TEN = """
@pytest.mark.parametrize("case", [f"c{n}" for n in range(10)])
def test_it(case): check(case)
"""
COMPARE = ("--llm-eval", "--llm-eval-baseline=b.json")
UPDATE = (*COMPARE, "--llm-eval-update-baseline")


_MADE: list[bytes] = []


class Project:
    """A suite whose judge says what it is told, run again and again."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self._pytester = pytester
        self.path = pytester.path
        self.file = self.path / "b.json"
        self.write(test_a=TEN)
        self.says()

    def write(self, **tests: str) -> None:
        self._pytester.makepyfile(**{name: SUITE + text for name, text in tests.items()})

    def says(self, **said: Any) -> None:
        """What the judge gives to cases; 5 to those that are not told."""
        (self.path / "says.json").write_text(json.dumps(said))

    def have_baseline(self) -> None:
        """The baseline of the suite as it is laid out, made but once."""
        if not _MADE:
            assert self.run(*UPDATE).ret == 0
            _MADE.append(self.file.read_bytes())
        self.file.write_bytes(_MADE[0])

    def run(self, *options: str) -> pytest.RunResult:
        return self._pytester.runpytest(*options)

    def rows(self) -> dict[str, list[dict[str, Any]]]:
        """The checks of the baseline by test."""
        found: dict[str, list[dict[str, Any]]] = json.loads(self.file.read_text())["tests"]
        return found


def summary(result: pytest.RunResult) -> str:
    return result.stdout.str().partition("= llm eval =")[2]


def gate(result: pytest.RunResult) -> str:
    found = re.findall(r"^gate baseline   (.*)$", result.stdout.str(), re.MULTILINE)
    return found[0] if len(found) == 1 else f"{found}"


def worse(count: int, score: Any = 2) -> dict[str, Any]:
    """What the judge gives where so many cases became worse."""
    return {f"c{n}": score for n in range(count)}
