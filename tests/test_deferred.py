"""Deferred tests: what overlaps, what waits, what ends a run, and what they do differently."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import _pytest.timing
import pytest
from awaited import GUARD, until
from late_judge import GIVEN, LateJudge, ToldJudge
from twice import Reports, Seen, compared

from pytest_llmeval.hooks.deferring import HELD_PER_PLACE
from pytest_llmeval.session import Session
from pytest_llmeval.stack import active

HEAD = """
import threading
import pytest
from late_judge import DOCS, GIVEN
from pytest_llmeval import Case, CheckFailed, assert_grounded, evaluate, together

pytestmark = pytest.mark.llm_eval(deferred=True)

@pytest.fixture(scope="session")
def judge(): return GIVEN[-1]
@pytest.fixture
def ok(judge): return lambda text="fine": assert_grounded(text, context=DOCS, judge=judge)
"""


class Waits:
    """A plugin that does something whenever the run begins to wait for a verdict."""

    def __init__(self, then: Callable[[], object]) -> None:
        self._then = then

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self) -> None:
        session = active()
        assert isinstance(session, Session)
        watch = session.watch

        def watched(future: Future[Any]) -> None:
            self._then()
            watch(future)

        session.watch = watched


class SetUps:
    """A plugin that counts the tests that were set up."""

    set_up = 0

    def pytest_runtest_setup(self) -> None:
        self.set_up += 1


def run(pytester: pytest.Pytester, tests: str, *options: Any, judge: LateJudge) -> Seen:
    pytester.makepyfile(test_checks=HEAD + tests)
    reports = Reports()
    plugins = [reports, *[each for each in options if not isinstance(each, str)]]
    GIVEN.append(judge)
    named = [each for each in options if isinstance(each, str)]
    result = pytester.runpytest_inprocess(
        *("--llm-eval", "-p", "no:cacheprovider", "-W", "default", *named),
        plugins=plugins,
        no_reraise_ctrlc=True,
    )
    return Seen(reports.rows, result)


def text_of(seen: Seen, test: str) -> str:
    rows = [row for row in seen.rows if row.get("when") == "call" and test in row["nodeid"]]
    return str(rows[0]["longrepr"])


# -- what overlaps


def test_verdicts_of_several_tests_are_on_their_way_at_once(pytester: pytest.Pytester) -> None:
    judge = ToldJudge(answers_at=5)
    tests = "@pytest.mark.parametrize('n', range(5))\ndef test_it(ok, n): ok(f'fine {n}')"
    seen = run(pytester, tests, judge=judge)
    seen.result.assert_outcomes(passed=5)
    assert judge.most == 5


def test_verdicts_of_several_modules_are_on_their_way_at_once(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_another=HEAD + "def test_it(ok): ok()")
    judge = ToldJudge(answers_at=2)
    run(pytester, "def test_it(ok): ok()", judge=judge).result.assert_outcomes(passed=2)


def test_verdicts_of_async_tests_are_on_their_way_at_once(pytester: pytest.Pytester) -> None:
    tests = """
@pytest.mark.asyncio
async def test_one(ok): ok("bad")
@pytest.mark.asyncio
async def test_two(ok): ok()
@pytest.fixture
def anyio_backend(): return "asyncio"
@pytest.mark.anyio
async def test_three(ok): ok()
"""
    judge = ToldJudge(answers_at=3)
    seen = run(pytester, tests, judge=judge)
    assert seen.outcomes() == {"test_one": "failed", "test_two": "passed", "test_three": "passed"}


def test_a_window_bounds_how_many_tests_are_held(pytester: pytest.Pytester) -> None:
    judge, set_ups, seen_at_waits = ToldJudge(), SetUps(), []

    def wait() -> None:
        seen_at_waits.append(set_ups.set_up)
        judge.tell()

    tests = "@pytest.mark.parametrize('n', range(30))\ndef test_it(ok, n): ok()"
    seen = run(pytester, tests, "--llm-eval-concurrency=1", set_ups, Waits(wait), judge=judge)
    seen.result.assert_outcomes(passed=30)
    assert seen_at_waits[0] == HELD_PER_PLACE + 1


# -- what waits


class LivingJudge(ToldJudge):
    """Answers when the run waits for it or its fixture is gone; errs where it is."""

    alive = True

    def begin(self) -> None:
        self.alive = True
        self._told.clear()

    def end(self) -> None:
        self.alive = False
        self.tell()

    async def wait(self, text: str) -> None:
        await super().wait(text)
        assert self.alive, "its fixture is gone"


@pytest.mark.parametrize("scope", ["class", "module", "package", "session"])
def test_verdicts_are_in_before_a_wider_fixture_ends(pytester: pytest.Pytester, scope: str) -> None:
    pytester.makepyfile(test_plain="def test_plain(): pass")
    tests = f"""
@pytest.fixture(scope="{scope}", params=["x", "y"])
def served(request, judge):
    judge.begin()
    yield judge
    judge.end()
class TestThem:
    def test_one(self, ok, served): ok("fine one")
    def test_two(self, ok, served): ok("fine two")
def test_plain(judge): assert not judge.alive or "{scope}" in ("module", "package", "session")
"""
    judge = LivingJudge()
    seen = run(pytester, tests, Waits(judge.tell), judge=judge)
    assert set(seen.outcomes().values()) == {"passed"}


def test_checks_in_setup_and_teardown_are_judged_at_once(pytester: pytest.Pytester) -> None:
    tests = """
@pytest.fixture
def around(ok):
    with pytest.raises(CheckFailed): ok("bad in setup")
    yield
    with pytest.raises(CheckFailed): ok("bad in teardown")
def test_it(around, ok): ok()
def test_other(): pass
"""
    run(pytester, tests, judge=LateJudge()).result.assert_outcomes(passed=2)


def test_a_pending_result_waits_when_it_is_read_and_is_no_truth_value(
    pytester: pytest.Pytester,
) -> None:
    tests = """
def test_it(ok, judge):
    result = ok("bad")
    judge.tell()
    with pytest.raises(TypeError): bool(result)
    assert result.score == 2
    assert not result.passed
def test_other(): pass
"""
    seen = run(pytester, tests, judge=ToldJudge())
    assert seen.outcomes() == {"test_it": "failed", "test_other": "passed"}


def test_what_another_thread_checks_is_judged_there(pytester: pytest.Pytester) -> None:
    tests = """
def test_it(ok):
    raised = []
    def check():
        try: ok("bad in a thread")
        except CheckFailed: raised.append(1)
    thread = threading.Thread(target=check)
    thread.start(); thread.join()
    assert raised
def test_other(): pass
"""
    run(pytester, tests, judge=LateJudge()).result.assert_outcomes(passed=2)


# -- what a failure says


def test_code_after_a_check_runs_and_all_failures_are_told_at_once(
    pytester: pytest.Pytester,
) -> None:
    tests = """
def test_it(ok):
    ok("bad one")
    ok("boom two")
    ok("fine")
    ok("bad three")
    print("went on")
    raise ValueError("because of it")
def test_skips(ok): ok("bad"); pytest.skip("all the same")
def test_errs(ok): ok("boom one"); ok("boom two")
"""
    seen = run(pytester, tests, judge=LateJudge())
    seen.result.assert_outcomes(failed=2, errors=1)
    told = text_of(seen, "test_it")
    for part in (
        '>       ok("bad one")',
        "2 of 4 checks failed",
        "read bad one",
        "read bad three",
        "1 more got no verdict",
        "boom two: the judge timed out",
        "then the test raised ValueError: because of it",
    ):
        assert part in told
    assert "then the test raised Skipped: all the same" in text_of(seen, "test_skips")
    assert "2 of 2 checks got no verdict" in text_of(seen, "test_errs")
    records = [row["llm_eval"] for row in seen.rows if row.get("llm_eval")]
    assert [len(each) for each in records] == [4, 1, 2]


def test_a_check_on_a_loop_of_the_tests_own_fails_on_the_users_line(
    pytester: pytest.Pytester,
) -> None:
    tests = """
import asyncio
async def main(judge):
    await asyncio.sleep(0)
    assert_grounded("bad", context=DOCS, judge=judge)
def test_it(judge): asyncio.run(main(judge))
def test_task(judge):
    async def tasks(): await asyncio.gather(main(judge), asyncio.create_task(main(judge)))
    asyncio.run(tasks())
"""
    seen = run(pytester, tests, judge=LateJudge())
    assert '>       assert_grounded("bad", context=DOCS, judge=judge)' in text_of(seen, "test_it")
    assert "2 of 2 checks failed" in text_of(seen, "test_task")


# -- time limits


def clocks() -> int:
    """How many clocks of pytest-timeout run, of whichever method."""
    timers = [each for each in threading.enumerate() if each.name.startswith("pytest_timeout ")]
    return len(timers) + (signal.getitimer(signal.ITIMER_REAL)[0] > 0)


@pytest.mark.parametrize("method", ["signal", "thread"])
def test_no_tests_clock_runs_while_others_are_waited_for_and_each_does_in_its_own_code(
    pytester: pytest.Pytester, method: str
) -> None:
    tests = """
@pytest.fixture(scope="module", params=["x", "y"])
def wide(clocks): yield; assert clocks() == 1
@pytest.fixture
def narrow(clocks): assert clocks() == 1; yield; assert clocks() == 1
@pytest.mark.parametrize("n", range(12))
def test_it(ok, clocks, wide, narrow, n):
    assert clocks() == 1
    ok("bad" if n == 3 else f"fine {n}")
"""
    judge, running = ToldJudge(), []

    class Looks:
        @pytest.fixture(name="clocks", scope="session")
        def _clocks(self) -> Callable[[], int]:
            return clocks

        def pytest_runtest_logreport(self) -> None:
            running.append(clocks())

    def wait() -> None:
        running.append(clocks())
        judge.tell()

    options = ("--llm-eval-concurrency=1", f"--timeout={GUARD:g}", f"--timeout-method={method}")
    seen = run(pytester, tests, *options, Looks(), Waits(wait), judge=judge)
    seen.result.assert_outcomes(passed=22, failed=2)
    assert len(running) > 3 * 24
    assert not any(running[:-1])  # the last of all reports its own teardown


# -- durations


class Clock:
    """Stands still but for the second that verdicts take, all that are under way together."""

    def __init__(self, judge: ToldJudge, questions: int) -> None:
        self.now = 1_800_000_000.0
        self._judge = judge
        self._questions = questions

    def __call__(self) -> float:
        return self.now

    def pass_on(self) -> None:
        """Let the second pass, unless it has, once every question is with the judge."""
        until(lambda: len(self._judge.asked) == self._questions)
        self.now = 1_800_000_001.0
        self._judge.tell()


def test_a_tests_duration_counts_its_verdicts_as_if_asked_in_turn(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(judge := ToldJudge(), questions=4)
    durations: dict[str, float] = {}

    class Durations:
        def pytest_runtest_logreport(self, report: Any) -> None:
            assert report.stop - report.start == report.duration
            if report.when == "call":
                durations[report.nodeid.rpartition("::")[2]] = report.duration

    tests = """
def test_one(ok): ok("fine")
def test_two(ok): ok("fine"); ok("boom")
def test_none(): pass
def test_read(ok): assert ok("fine").score == 5
def test_after(): pass
"""
    with monkeypatch.context() as patch:
        for module in (time, _pytest.timing):
            patch.setattr(module, "time", clock)
            patch.setattr(module, "perf_counter", clock)
        run(pytester, tests, Durations(), Waits(clock.pass_on), judge=judge)
    took = {"test_one": 1, "test_two": 2, "test_none": 0, "test_read": 1, "test_after": 0}
    assert durations == took


# -- what ends a run


def test_what_was_run_past_the_end_of_the_run_is_told(pytester: pytest.Pytester) -> None:
    tests = "def test_it(ok): ok('bad')\n" + "def test_on(): pass\n"
    judge = ToldJudge()
    seen = run(pytester, tests + "def test_more(judge): judge.tell()", "-x", judge=judge)
    seen.result.assert_outcomes(failed=1)
    told = "deferred: 2 more had been run when the run ended; not counted"
    seen.result.stdout.fnmatch_lines([f"*{told}*"])


INTERRUPTED = """
DONE = []
def test_done(ok): DONE.append(ok("bad done"))
def test_never(ok): ok("fine never")
def test_plain(): pass
def test_interrupts(judge):
    assert judge.both.wait(60)
    assert DONE[0].score == 2
    raise {}
def test_not_run(): pass
"""


class OnceJudge(ToldJudge):
    """Answers all but what is never to be answered; knows what was cancelled.

    ``both`` is set when it has been asked twice.
    """

    def __init__(self) -> None:
        super().__init__()
        self.both = threading.Event()
        self.cancelled: list[str] = []

    async def wait(self, text: str) -> None:
        if len(self.asked) == 2:
            self.both.set()
        if "never" in text:
            try:
                await super().wait(text)
            finally:
                self.cancelled.append(text)


def test_an_interrupt_reports_what_is_done_and_cancels_the_rest(
    pytester: pytest.Pytester,
) -> None:
    judge = OnceJudge()
    seen = run(pytester, INTERRUPTED.format("KeyboardInterrupt"), judge=judge)
    assert seen.result.ret == pytest.ExitCode.INTERRUPTED
    assert seen.outcomes() == {"test_done": "failed", "test_plain": "passed"}
    assert judge.cancelled == ["fine never"]
    seen.result.stdout.fnmatch_lines(["*= llm eval =*", "groundedness*0/1*"])


def test_an_exit_asked_for_by_a_test_comes_after_all_reports_before_it(
    pytester: pytest.Pytester,
) -> None:
    tests = INTERRUPTED.format("pytest.exit.Exception('enough')").replace("never", "slow")
    seen = run(pytester, tests, judge=OnceJudge())
    assert list(seen.outcomes()) == ["test_done", "test_slow", "test_plain"]
    assert seen.result.ret == pytest.ExitCode.INTERRUPTED


def test_a_stop_asked_for_by_a_test_comes_after_its_own_report(pytester: pytest.Pytester) -> None:
    tests = """
def test_done(ok): ok("bad")
def test_stops(ok, request): ok(); request.session.shouldstop = "enough"
def test_not_run(): pass
"""
    seen = run(pytester, tests, judge=LateJudge())
    assert seen.outcomes() == {"test_done": "failed", "test_stops": "passed"}
    assert seen.result.ret == pytest.ExitCode.INTERRUPTED


CTRL_C = """
import asyncio
import late_judge
class Judge(late_judge.LateJudge):
    async def wait(self, text):
        if "never" in text: await asyncio.sleep(600)
JUDGE = Judge()
def test_done(): assert_grounded("bad", context=DOCS, judge=JUDGE)
def test_never(): assert_grounded("never", context=DOCS, judge=JUDGE)
def test_after(): pass
"""
TELLS_OF_WAITING = """
import pathlib
from pytest_llmeval.stack import active
reported = []
def pytest_runtest_logreport(report): reported.append(report.nodeid)
def pytest_runtestloop():
    session = active()
    watch = session.watch
    def watched(future):
        if reported: pathlib.Path("waits").touch()
        watch(future)
    session.watch = watched
"""


@pytest.mark.usefixtures("measured")
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for one process")
def test_ctrl_c_while_verdicts_are_waited_for_ends_the_run_with_its_summary(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(test_checks=HEAD + CTRL_C)
    pytester.makeconftest(TELLS_OF_WAITING)
    support = Path(__file__).parent / "support"
    command = [sys.executable, "-m", "pytest", "--llm-eval", "-p", "no:cacheprovider"]
    process = subprocess.Popen(
        [*command, "-o", f"pythonpath={support}"], stdout=subprocess.PIPE, text=True
    )
    until(Path("waits").exists, of=lambda: process.poll() is None)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=GUARD)
    assert process.returncode == pytest.ExitCode.INTERRUPTED
    assert "1 failed" in out
    assert "groundedness" in out[out.index("llm eval ==") :]


# -- where it is asked for, and where it is not


def test_the_marker_the_setting_and_the_closest_of_both_decide(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nllm_eval_deferred = true")
    tests = """
pytestmark = []
def test_not_ours(judge): assert_grounded("fine", context=DOCS, judge=judge)
@pytest.mark.llm_eval
def test_by_setting(ok): assert type(ok()).__name__ == "Pending"
@pytest.mark.llm_eval(deferred=False)
class TestOut:
    def test_out(self, ok): assert type(ok()).__name__ == "Result"
    @pytest.mark.llm_eval(deferred=True)
    def test_in(self, ok): assert type(ok()).__name__ == "Pending"
    @pytest.mark.llm_eval
    def test_still_out(self, ok): assert type(ok()).__name__ == "Result"
"""
    run(pytester, tests, judge=LateJudge()).result.assert_outcomes(passed=5)


@pytest.mark.parametrize("given", ["'yes'", "1", "None"])
def test_the_marker_takes_nothing_but_true_and_false(pytester: pytest.Pytester, given: str) -> None:
    pytester.makepyfile(f"import pytest\n@pytest.mark.llm_eval(deferred={given})\ndef test_it(): 0")
    result = pytester.runpytest("--llm-eval")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines([f"*llm_eval takes deferred=True or *; got deferred={given}"])


@pytest.mark.parametrize("option", ["--pdb", "--trace", "--setup-show"])
def test_a_run_that_is_stepped_through_holds_nothing(
    pytester: pytest.Pytester, option: str
) -> None:
    config = pytester.parseconfigure("--llm-eval", option)
    assert not config.pluginmanager.has_plugin("llm_eval_deferral")
    assert pytester.parseconfigure("--llm-eval").pluginmanager.has_plugin("llm_eval_deferral")


@pytest.mark.parametrize(("options", "there"), [([], False), (["--llm-eval-deferred"], True)])
def test_what_holds_tests_is_there_where_a_test_is_deferred(
    pytester: pytest.Pytester, options: list[str], there: bool
) -> None:
    pytester.makepyfile(
        "import pytest\n@pytest.mark.llm_eval\ndef test_it(pytestconfig):\n"
        f"    assert pytestconfig.pluginmanager.has_plugin('llm_eval_deferred') is {there}"
    )
    pytester.runpytest("--llm-eval", *options).assert_outcomes(passed=1)


@pytest.mark.usefixtures("measured")
def test_a_worker_of_xdist_holds_nothing_and_the_counts_are_the_same(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(
        test_checks=HEAD
        + """
from late_judge import LateJudge
@pytest.fixture
def judge(): return LateJudge()
@pytest.mark.parametrize("text", ["fine", "bad", "boom", "fine too"])
def test_it(ok, text, request):
    result = ok(text)
    assert type(result).__name__ == "Result"
    assert not request.config.pluginmanager.has_plugin("llm_eval_deferred")
"""
    )
    support = Path(__file__).parent / "support"
    result = pytester.runpytest_subprocess(
        "--llm-eval", "--llm-eval-deferred", "-n2", "-o", f"pythonpath={support}"
    )
    result.assert_outcomes(passed=2, failed=1, errors=1)


def test_directories_of_failed_tests_are_kept_where_only_those_are(
    pytester: pytest.Pytester,
) -> None:
    pytester.makeini("[pytest]\ntmp_path_retention_policy = failed")
    tests = """
def test_bad(ok, tmp_path): tmp_path.joinpath("kept.txt").write_text("x"); ok("bad")
def test_fine(ok, tmp_path): tmp_path.joinpath("gone.txt").write_text("x"); ok()
"""
    run(pytester, tests, "--basetemp=here", judge=LateJudge())
    assert {path.name for path in pytester.path.glob("here/*/*.txt")} == {"kept.txt"}


def test_a_run_inside_a_deferred_test_judges_for_itself(pytester: pytest.Pytester) -> None:
    inner = json.dumps(
        "import pytest\nfrom late_judge import DOCS, LateJudge\n"
        "from pytest_llmeval import assert_grounded\n"
        "@pytest.mark.llm_eval\n"
        "def test_it(): assert_grounded('bad', context=DOCS, judge=LateJudge())\n"
    )
    tests = f"""
def test_outer(pytester, ok):
    ok("fine before")
    pytester.makepyfile({inner})
    pytester.runpytest_inprocess("--llm-eval").assert_outcomes(failed=1)
    ok("fine after")
def test_other(): pass
"""
    pytester.makeconftest("pytest_plugins = ['pytester']")
    seen = run(pytester, tests, judge=LateJudge())
    assert seen.outcomes()["test_outer"] == "passed", text_of(seen, "test_outer")


def test_records_and_notices_ride_on_the_reports_of_their_own_tests(
    pytester: pytest.Pytester,
) -> None:
    tests = """
@pytest.fixture
def around(ok): ok("fine setup"); yield; ok("fine teardown")
@pytest.mark.parametrize("n", range(6))
def test_it(around, ok, n): ok(f"fine {n}")
@pytest.mark.llm_eval(deferred=False)
def test_at_once(ok): ok("fine at once")
"""
    seen = run(pytester, tests, judge=LateJudge())
    rode = [row for row in seen.rows if row.get("llm_eval")]
    assert len(rode) == 6 * 3 + 1
    for row in rode:
        (record,) = row["llm_eval"]
        assert record["nodeid"] == row["nodeid"]
        assert record["reason"].removeprefix("read fine ")[:2] in (
            {"setup": "se", "teardown": "te"}.get(row["when"], record["reason"][10:12])
        )


def test_a_record_with_no_report_of_its_own_rides_on_the_next(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        """
import late_judge
from pytest_llmeval import Case, evaluate
def pytest_runtest_logfinish(nodeid):
    if nodeid.endswith("first"):
        evaluate(Case(response="fine", context="x"), "groundedness", judge=late_judge.LateJudge())
"""
    )
    pytester.makepyfile(HEAD + "def test_first(): pass\ndef test_second(): pass")
    blocking, deferred = compared(pytester)
    for seen in (blocking, deferred):
        assert [row["nodeid"][-11:] for row in seen.rows if row.get("llm_eval")] == ["test_second"]
