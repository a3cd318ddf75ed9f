"""A run as a whole, where judges, tests and interrupts do what nobody expects."""

from __future__ import annotations

import asyncio
import textwrap
import time

import pytest

JUDGES = """
import asyncio, pytest, unittest
from pytest_llmeval import assert_grounded, evaluate, together
from pytest_llmeval.errors import JudgeUnavailable
from pytest_llmeval.judges.base import BaseJudge, Said
from pytest_llmeval.testing import ScriptedJudge
GOOD = '{"ungrounded": [], "reason": "r", "score": 5}'
class J(BaseJudge):
    name = "odd"
    def __init__(self, say): self._say = say
    def connect(self, timeout, notice): return self
    async def say(self, question, messages):
        said = self._say()
        return await said if asyncio.iscoroutine(said) else said
    async def close(self): raise RuntimeError("closing")
def boom(error):
    def say(): raise error
    return say
def check(judge): return assert_grounded("x", context=["x"], judge=judge)
"""


def run(pytester: pytest.Pytester, tests: str, *options: str) -> pytest.RunResult:
    pytester.makepyfile(JUDGES + textwrap.dedent(tests))
    return pytester.runpytest("--llm-eval", *options)


@pytest.mark.parametrize(
    "judge",
    [
        "J(boom(AssertionError('down')))",
        "J(boom(ValueError('odd')))",
        "J(boom(TimeoutError()))",
        "J(boom(asyncio.CancelledError()))",
        "J(boom(SystemExit(3)))",
        "J(boom(KeyboardInterrupt()))",
        "J(lambda: None)",
        "J(lambda: 'text')",
        "J(lambda: Said(None))",
        "ScriptedJudge(lambda question: {}['groundedness'])",
        "42",
    ],
)
def test_whatever_a_judge_does_wrongly_is_a_recorded_error_that_xfail_does_not_absorb(
    pytester: pytest.Pytester, judge: str
) -> None:
    tests = f"""
    @pytest.mark.llm_eval
    @pytest.mark.xfail(raises=BaseException, strict=True)
    def test_it(): check({judge})
    @pytest.mark.llm_eval
    def test_next(): check(J(lambda: Said(GOOD)))
    """
    result = run(pytester, tests)
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["errors: 1, each a check without a verdict"])
    assert result.ret == 1


def test_a_judge_that_cannot_be_hashed_or_opened_is_an_error(pytester: pytest.Pytester) -> None:
    tests = """
    class Unhashable(J):
        def __eq__(self, other): return True
    class Closed(J):
        def connect(self, timeout, notice): raise OSError("no such line")
    @pytest.mark.llm_eval
    @pytest.mark.parametrize("kind", [Unhashable, Closed])
    def test_it(kind): check(kind(lambda: Said(GOOD)))
    """
    run(pytester, tests).assert_outcomes(errors=2)


def test_a_local_judge_that_hangs_ends_with_its_time(pytester: pytest.Pytester) -> None:
    tests = """
    @pytest.mark.llm_eval
    def test_it(): check(J(lambda: asyncio.sleep(1000)))
    """
    result = run(pytester, tests, "--llm-eval-timeout=0.1")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*did not answer in*"])


def test_a_judge_that_answers_nobody_is_asked_no_more(pytester: pytest.Pytester) -> None:
    tests = """
    asked = []
    def say():
        asked.append(1)
        raise JudgeUnavailable("no connection")
    JUDGE = J(say)
    @pytest.mark.llm_eval
    @pytest.mark.parametrize("n", range(12))
    def test_it(n): check(JUDGE)
    def test_asked(): assert len(asked) == 5
    """
    result = run(pytester, tests)
    result.assert_outcomes(errors=12, passed=1)
    result.stdout.fnmatch_lines(["*7 × groundedness: odd is asked no more: 5 questions in a row*"])


def test_one_answer_in_between_and_the_count_begins_anew(pytester: pytest.Pytester) -> None:
    tests = """
    replies = [*[JudgeUnavailable("gone")] * 4, GOOD, *[JudgeUnavailable("gone")] * 4, GOOD]
    JUDGE = ScriptedJudge(replies)
    @pytest.mark.llm_eval
    @pytest.mark.parametrize("n", range(10))
    def test_it(n): check(JUDGE)
    """
    run(pytester, tests).assert_outcomes(errors=8, passed=2)


def test_an_error_that_unittest_expects_as_a_failure_is_an_error(
    pytester: pytest.Pytester,
) -> None:
    tests = """
    pytestmark = pytest.mark.llm_eval
    class TestIt(unittest.TestCase):
        @unittest.expectedFailure
        def test_error(self): check(J(boom(ValueError("odd"))))
        @unittest.expectedFailure
        def test_failure(self):
            check(ScriptedJudge({"ungrounded": [], "reason": "r", "score": 1}))
    """
    run(pytester, tests).assert_outcomes(errors=1, xfailed=1)


def test_a_doctest_that_got_no_verdict_is_an_error(pytester: pytest.Pytester) -> None:
    tests = '''
    def documented():
        """
        >>> check(J(boom(ValueError("odd"))))
        """
    '''
    pytester.makeconftest("")
    result = run(pytester, tests, "--doctest-modules", "--doctest-continue-on-failure")
    result.assert_outcomes(errors=1)


def test_an_interrupt_keeps_the_verdicts_of_the_test_that_it_ends(
    pytester: pytest.Pytester,
) -> None:
    tests = """
    @pytest.mark.llm_eval
    def test_it():
        check(J(lambda: Said(GOOD)))
        check(J(lambda: Said(GOOD)))
        raise KeyboardInterrupt
    """
    pytester.makepyfile(JUDGES + textwrap.dedent(tests))
    result = pytester.runpytest_subprocess("--llm-eval")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.re_match_lines([r"groundedness +2/2 "])


def test_a_module_fixtures_verdict_outlives_the_rerun_of_its_first_test(
    pytester: pytest.Pytester,
) -> None:
    tests = """
    times = []
    @pytest.fixture(scope="module")
    def checked(): return check(J(lambda: Said(GOOD)))
    @pytest.mark.flaky(reruns=2)
    @pytest.mark.llm_eval
    def test_it(checked):
        check(J(lambda: Said(GOOD)))
        times.append(1)
        assert len(times) == 3
    """
    result = run(pytester, tests)
    result.assert_outcomes(passed=1)
    result.stdout.re_match_lines([r"groundedness +2/2 "])


@pytest.mark.skipif(pytest.version_tuple < (9,), reason="subtests came with pytest 9")
def test_in_junit_a_failure_after_an_error_is_a_failure(pytester: pytest.Pytester) -> None:
    tests = """
    class TestIt(unittest.TestCase):
        def test_it(self):
            with self.subTest("error"): check(J(boom(ValueError("odd"))))
            with self.subTest("failure"): self.fail("really")
    """
    pytester.makeini("[pytest]\nmarkers = x\n")
    tests = "\npytestmark = pytest.mark.llm_eval\n" + textwrap.dedent(tests)
    run(pytester, tests, "--junitxml=j.xml")
    text = pytester.path.joinpath("j.xml").read_text()
    assert "<failure" in text
    assert "really" in text.split("<failure")[1]


def test_without_a_judge_a_run_that_stops_early_also_ends_with_4(
    pytester: pytest.Pytester,
) -> None:
    tests = """
    @pytest.mark.llm_eval
    @pytest.mark.parametrize("n", range(4))
    def test_it(n): assert_grounded("x", context="x")
    """
    assert run(pytester, tests, "-n2", "-x").ret == pytest.ExitCode.USAGE_ERROR
    assert run(pytester, tests, "-x").ret == pytest.ExitCode.USAGE_ERROR


def test_what_was_said_in_vain_is_paid_and_counted(pytester: pytest.Pytester) -> None:
    tests = """
    PAID = Said("no verdict", input_tokens=10, output_tokens=5, cost=0.25)
    @pytest.mark.llm_eval
    def test_it(): check(J(lambda: PAID))
    @pytest.mark.llm_eval
    def test_refused(): check(J(lambda: Said("no", "refused", None, 10, 5, 0.25)))
    """
    result = run(pytester, tests)
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(["judge odd · no verdict · 45 tokens · $0.7500*"])


def test_errors_that_differ_in_their_time_only_are_one_kind(pytester: pytest.Pytester) -> None:
    tests = """
    @pytest.mark.llm_eval
    @pytest.mark.parametrize("n", range(3))
    def test_it(n):
        check(J(boom(JudgeUnavailable(f"no connection (tried 6 times in 11.{n} s)"))))
    """
    run(pytester, tests).stdout.fnmatch_lines(["  3 × groundedness: no connection"])


def test_time_that_a_test_froze_does_not_stop_time_outs(monkeypatch: pytest.MonkeyPatch) -> None:
    from pytest_llmeval.judges.loop import LoopThread

    monkeypatch.setattr(time, "monotonic", lambda: 1.0)
    loop = LoopThread()
    assert loop.submit(asyncio.sleep(0.01, "awake")).result(60) == "awake"
    loop.close()
