"""pytest-timeout beside ours: what opening a judge's line takes is nobody's own time."""

from __future__ import annotations

import pytest

TESTS = """
import time
import pytest
from pytest_llmeval import assert_relevant
from pytest_llmeval.testing import ScriptedJudge

class Slow(ScriptedJudge):
    "Takes as long to begin as the import of LiteLLM does."
    def prepare(self, notice): time.sleep(0.6)

SLOW = Slow({"reason": "r", "score": 5})
pytestmark = [pytest.mark.llm_eval, pytest.mark.timeout(0.4)]

def test_first():
    assert_relevant("a", query="q", judge=SLOW)

def test_itself_too_slow():
    assert_relevant("b", query="q", judge=SLOW)
    time.sleep(0.6)
"""


@pytest.mark.parametrize("options", [(), ("-o", "timeout_func_only=true")])
def test_the_first_test_has_its_whole_time_and_no_test_has_more(
    pytester: pytest.Pytester, options: tuple[str, ...]
) -> None:
    pytester.makepyfile(TESTS)
    result = pytester.runpytest("--llm-eval", *options)
    result.assert_outcomes(passed=1, failed=1)
    told = ["E *Failed: Timeout (>0.4s)*", "FAILED *::test_itself_too_slow*"]
    result.stdout.fnmatch_lines(told)
