"""Trials as tests: the app is run anew for each, and no more often than it takes to decide."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from pytest_llmeval import Run, load_run
from pytest_llmeval.rates.case_values import weights_of
from pytest_llmeval.rates.pass_rate import metric_rows
from pytest_llmeval.reports.markdown import markdown
from pytest_llmeval.reports.merged import merged
from pytest_llmeval.statistics.stopped import unbiased_rate
from pytest_llmeval.statistics.trials import pass_at_k, pass_hat_k

HEAD = """
import pytest, random, threading
from unittest import TestCase
from pytest_llmeval import Case, assert_f1, assert_grounded, assert_metrics, together
from pytest_llmeval.errors import JudgeUnavailable
from pytest_llmeval.testing import ScriptedJudge

YES = {"f1": {"at_least": 0.5}}
def rows(count): return [{"id": f"c{n}", "ground_truth": "yes"} for n in range(count)]

class App:
    '''Says what it is told to for a case, in turn, and is seeded with the case alone.'''
    def __init__(self, says):
        self.says, self.asked = says, {}
    async def __call__(self, case):  # on one loop, so that turns come in order
        asked = self.asked[case.id] = self.asked.get(case.id, 0) + 1
        said = self.says(case, asked)
        return said if isinstance(said, str) else "yes" if said else "no"

flaky = App(lambda case, n: random.Random(f"{case.id}:{n}").random() < 0.7)
"""


def ran(
    pytester: pytest.Pytester, tests: str, *options: str, head: str = HEAD
) -> tuple[pytest.RunResult, Run]:
    pytester.makepyfile(test_it=head + tests)
    result = pytester.runpytest("--llm-eval", "--llm-eval-report=run.json", "-rs", *options)
    return result, load_run(pytester.path / "run.json")


def trials_in(run: Run) -> dict[str, list[tuple[int, bool]]]:
    """The trials of each test and whether they passed."""
    found: dict[str, list[tuple[int, bool]]] = {}
    for record in run.records:
        assert record.trial is not None
        found.setdefault(record.test, []).append((record.trial, record.outcome == "passed"))
    return {test: sorted(trials) for test, trials in found.items()}


def test_each_trial_is_a_test_and_one_trial_changes_no_id(pytester: pytest.Pytester) -> None:
    tests = """
@pytest.mark.llm_cases(rows(2), trials=2)
@pytest.mark.parametrize("tone", ["curt"])
def test_cases(llm_case, tone, llm_trial): assert llm_trial in (1, 2)

@pytest.mark.llm_eval(trials=2)
class TestAll:
    def test_bare(self): pass
    @pytest.mark.llm_eval(trials=1)
    def test_once(self, llm_trial): assert llm_trial == 1
    @pytest.mark.llm_cases(rows(1), max_trials=3)
    async def test_more(self, llm_case): pass

@pytest.mark.llm_eval(deferred=True)
def test_by_default(): pass

def test_plain(llm_trial): assert llm_trial == 1
class TestUnit(TestCase):
    @pytest.mark.llm_eval
    def test_unit(self): pass
"""
    ids = [f"test_cases[c{n}-curt-trial{k}]" for n in (0, 1) for k in (1, 2)]
    ids += ["TestAll::test_bare[trial1]", "TestAll::test_bare[trial2]", "TestAll::test_once"]
    ids += [f"TestAll::test_more[c0-trial{k}]" for k in (1, 2, 3)]
    last = ["test_plain", "TestUnit::test_unit"]
    for options, more in (
        ((), ["test_by_default"]),
        (("--llm-eval-trials=2",), ["test_by_default[trial1]", "test_by_default[trial2]"]),
    ):
        pytester.makepyfile(test_it=HEAD + tests)
        result = pytester.runpytest("--collect-only", "-q", *options)
        found = [line.partition("::")[2] for line in result.outlines if "::" in line]
        assert found == [*ids, *more, *last]
    pytester.runpytest().assert_outcomes(skipped=len(ids) + 2, passed=1)
    result = pytester.runpytest("--llm-eval", "-o", "asyncio_mode=auto", "-k", "trial2 or once")
    result.assert_outcomes(passed=5, deselected=8)


@pytest.mark.parametrize(
    ("test", "told"),
    [
        ("llm_eval(trials=0)", "trials= is how many runs of the app, 1 or more; got 0"),
        ("llm_eval(trials=True)", "trials= is how many runs of the app, 1 or more; got True"),
        (
            "llm_cases(rows(1), max_trials='3')",
            "llm_cases: max_trials= is how many runs of the app",
        ),
        (
            "llm_eval(trials=3, max_trials=2)",
            "max_trials= is no less than trials=, which is 3; got",
        ),
        (
            "llm_eval(max_trials=9, min_pass_rate=0)",
            "min_pass_rate is above 0 and at most 1; got 0",
        ),
        (
            "llm_eval(tries=2)",
            "llm_eval has no tries=: did you mean 'trials'?",
        ),
        ("llm_eval(trials=2)", "Test::test_it: llm_eval: a unittest.TestCase has no trials; make"),
    ],
)
def test_what_is_no_number_of_trials_is_refused(
    pytester: pytest.Pytester, test: str, told: str
) -> None:
    base = "TestCase" if "unittest" in told else "object"
    tests = f"@pytest.mark.{test}\nclass Test({base}):\n    def test_it(self): pass\n"
    pytester.makepyfile(HEAD + tests)
    result = pytester.runpytest("--collect-only", "-q")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert told in result.stdout.str()


def test_a_flaky_app_is_run_for_each_trial_and_agrees_with_the_closed_form(
    pytester: pytest.Pytester,
) -> None:
    tests = """
@pytest.mark.llm_cases(rows(40), answer=flaky, metrics=YES, trials=3)
def test_it(llm_case): assert_metrics(llm_case)

def test_each_ran(): assert {*flaky.asked.values()} == {3}
"""
    result, run = ran(pytester, tests)
    (row,) = run.metrics
    (trials,) = row.trials
    passed = [sum(came for _, came in each) for each in trials_in(run).values()]
    assert len(passed) == 40
    at, hat = (sum(of(n, 3, 3) for n in passed) / 40 for of in (pass_at_k, pass_hat_k))
    assert (trials.pass_at_k, trials.pass_hat_k) == pytest.approx((at, hat))
    assert at == pytest.approx(1 - 0.3**3, abs=0.05)
    assert hat == pytest.approx(0.7**3, abs=0.15)
    assert {record.case_id for record in run.records} == {f"c{n}" for n in range(40)}
    told = f"f1: pass@3 {at:.2f} · pass^3 {hat:.2f} over 40 cases × 3 trials"
    assert told in result.outlines
    low, high = row.interval
    assert f"[{100 * low:.1f}–{100 * high:.1f}]" in result.stdout.str()
    assert "answers of the app: 120" in result.stdout.str()


def test_the_same_question_about_equal_answers_is_asked_once(pytester: pytest.Pytester) -> None:
    tests = """
judge = ScriptedJudge({"reason": "r", "score": 5, "ungrounded": []}, name="kept", kept=True)
@pytest.mark.llm_eval(trials=3)
def test_it(): assert_grounded("It sleeps two.", context=["It sleeps two."], judge=judge)
def test_asked(): assert len(judge.questions) == 1
"""
    result, run = ran(pytester, tests, "--llm-eval-record", "--llm-eval-verdicts=kept")
    result.assert_outcomes(passed=4)
    (file,) = pytester.path.joinpath("kept").rglob("*.jsonl")
    (line,) = file.read_text().splitlines()
    assert '["test_it"]' in line  # once, whatever the number of trials
    assert [each.usage.stored for each in run.records] == [0, 1, 1]
    assert {each.case_id for each in run.records} == {"test_it.py::test_it:groundedness:1"}


UNEVEN = """
def says(case, n):
    if case.id == "c1" and n == 2: raise ValueError("the app is down")
    return n != 3 or case.id != "c2"
uneven = App(says)
@pytest.mark.llm_cases(rows(4), answer=uneven, metrics=YES, trials=3)
def test_it(llm_case): assert_metrics(llm_case)
"""


@pytest.mark.parametrize(
    ("options", "counts", "told"),
    [
        ([], (4, 2, 3, 1), "pass@3 1.00 · pass^3 0.67 over 3 cases × 3 trials (1 more had"),
        (["-x"], (4, 0, 3, 3), "pass@3 1.00 · pass^3 1.00 over 1 case × 3 trials (3 more had"),
        (["-k", "c0 or c1"], (2, 2, 3, 1), "pass@3 1.00 · pass^3 1.00 over 1 case × 3 trials (1 "),
        (["-k", "trial3"], (4, 1, 1, 4), "4 cases × 1 trial; none was judged 3 times, as pass@3"),
    ],
)
def test_cases_with_too_few_trials_are_left_out_and_counted(
    pytester: pytest.Pytester, options: list[str], counts: tuple[int, ...], told: str
) -> None:
    result, run = ran(pytester, UNEVEN, *options)
    (row,) = run.metrics[0].trials
    assert (row.cases, row.fewest, row.most, row.left_out) == counts
    assert f"f1: {told}" in result.stdout.str()


DOWN = """
def says(case, n):  # p passes, b is blank, e raises and s is skipped
    word = {"c0": "ppe", "c1": "ppp", "c2": "eee", "c3": "bbb", "c4": "sss"}[case.id]
    if word[n - 1] == "e": raise ValueError("the app is down")
    if word[n - 1] == "s": pytest.skip("not today")
    return word[n - 1] == "p" or " "
@pytest.mark.llm_cases(rows(5), answer=App(says), MARK, trials=3)
def test_it(llm_case): CHECK(llm_case)
"""


@pytest.mark.parametrize(
    ("mark", "check"),
    [("metrics=YES", "assert_metrics"), ("suite='own'", "assert_quality")],
)
def test_a_case_of_which_every_trial_raised_is_left_out_and_counted(
    pytester: pytest.Pytester, mark: str, check: str
) -> None:
    tests = DOWN.replace("MARK", mark).replace("CHECK", check)
    tests = f"from pytest_llmeval import assert_quality\n{tests}"
    result, run = ran(pytester, tests, "--llm-eval-suite=own = f1 >= 0.5, exact_match")
    trials = [each.trials for each in run.metrics] + [each.trials for each in run.suites]
    for (row,) in trials:
        assert (row.cases, row.fewest, row.left_out) == (4, 0, 2)
    told = "pass@3 0.50 · pass^3 0.50 over 2 cases × 3 trials (2 more had fewer than 3 judged)"
    for each in (*run.metrics, *run.suites):
        name = getattr(each, "metric", "quality (own)")
        assert f"{name}: {told}" in result.stdout.str()
        assert f"{name}: {told}" in markdown(run)
    assert merged([("run.json", run)]).metrics == run.metrics


STOPPING = """
says = {"c0": lambda n: True, "c1": lambda n: False, "c2": lambda n: n % 2}
app = App(lambda case, n: says[case.id](n))
@pytest.mark.llm_eval(MARK)
@pytest.mark.llm_cases(rows(3), answer=app, metrics=YES, trials=2, max_trials=20)
def test_it(llm_case): assert_metrics(llm_case)
"""


@pytest.mark.parametrize(
    ("mark", "options", "counts"),
    [
        ("", (), (7, 7, 20)),
        ("min_pass_rate=0.9", (), (20, 2, 8)),
        ("deferred=True", (), (7, 7, 20)),
        ("", ("--reruns=1",), (7, 7, 7)),
        ("", ("--llm-eval-shard=1/3",), (7,)),
        ("", ("--dist=loadscope", "-n2"), (7, 7, 20)),
        ("", ("--dist=load",), (7, 7, 20)),  # to no workers
    ],
    ids=["alone", "target", "deferred", "rerun", "shard", "loadscope", "idle"],
)
def test_trials_end_when_they_have_decided(
    pytester: pytest.Pytester, mark: str, options: tuple[str, ...], counts: tuple[int, ...]
) -> None:
    result, run = ran(pytester, STOPPING.replace("MARK", mark), *options)
    found = trials_in(run)
    assert [len(each) for each in found.values()] == [*counts]
    for each in found.values():  # nothing is missing between
        assert [number for number, _ in each] == [*range(1, len(each) + 1)]
    spared = 20 * len(counts) - sum(counts)
    assert result.parseoutcomes()["skipped"] == spared
    told = f"trials: {spared} not needed, since their cases were decided before"
    assert told in run.notices
    side = "below 0.9" if mark.startswith("min") else "above 0.5"
    assert f"decided after {min(counts)} trials: {side}" in result.stdout.str()
    if len(counts) == 3:
        again = result.parseoutcomes().get("rerun", 0)  # c1 fails twice, c2 passes the second time
        assert again == (7 + 6 if "--reruns=1" in options else 0)
        assert f"answers of the app: {sum(counts) + again}," in result.stdout.str()
        (row,) = run.metrics
        (tried,) = row.trials
        assert (tried.k, tried.fewest, tried.most) == (2, min(counts), max(counts))
    assert {row.soonest for row in run.tests if row.state in ("passed", "failed")} == {min(counts)}


@pytest.mark.usefixtures("measured")
@pytest.mark.parametrize(
    ("dist", "mode"), [("load", "auto"), ("load", "replay"), ("loadgroup", "auto")]
)
def test_trials_end_early_under_xdist_only_where_they_are_together(
    pytester: pytest.Pytester, dist: str, mode: str
) -> None:
    options = ("-n2", f"--dist={dist}", f"--llm-eval-mode={mode}")
    result, run = ran(pytester, STOPPING.replace("MARK", ""), *options)
    why = {
        "load": "no process knows all trials of a case",
        "loadgroup": f"pytest-xdist is too old to group tests under pytest {pytest.__version__}",
    }[dist]
    alone = f"under --dist={dist} here, where {why}; --dist=loadscope ends them early"
    alone += ", as a replay needs where they ended early when recorded" * (mode == "replay")
    counts = Counter(record.case_id for record in run.records)
    if dist == "loadgroup" and "@trials-" in str([record.nodeid for record in run.records]):
        assert counts == {"c0": 7, "c1": 7, "c2": 20}
    else:  # an xdist that can't group tests under this pytest says nothing of it
        assert any(notice.endswith(alone) for notice in run.notices)
        assert counts == {"c0": 20, "c1": 20, "c2": 20}
        assert {row.soonest for row in run.tests} == {None}
    assert [*trials_in(run)] == [f"test_it.py::test_it[c{n}]" for n in range(3)]
    assert "INTERNAL" not in result.stdout.str()


def test_a_trial_without_a_verdict_decides_nothing(pytester: pytest.Pytester) -> None:
    tests = """
down = ScriptedJudge(JudgeUnavailable("down"))
@pytest.mark.llm_eval(max_trials=8)
class Test:
    def test_error(self): assert_grounded("a", context=["a"], judge=down)
    def test_crash(self): raise ValueError("the app is down")
    def test_skip(self): pytest.skip("not here")
    @pytest.mark.xfail
    def test_xfail(self): assert_f1("no", ground_truth="yes", at_least=0.5)
    def test_own_assert(self): assert not "an answer"
    def test_fail(self): pytest.fail("no answer")
    def test_block(self):
        with together(): assert_f1("no", ground_truth="yes", at_least=0.5)
"""
    result, _ = ran(pytester, tests, "-v", "--tb=no")
    count = Counter(re.findall(r"Test::(\w+)\[trial\d+\] (\w+)", result.stdout.str()))
    for name in ("test_error", "test_crash", "test_skip", "test_xfail"):
        assert sum(found for (test, _), found in count.items() if test == name) == 8
        assert not count[name, "SKIPPED"] or name == "test_skip"
    for name in ("test_own_assert", "test_fail", "test_block"):
        assert count[name, "FAILED"] == 7
        assert count[name, "SKIPPED"] == 1
    assert "trials: 3 not needed, since their cases were decided before" in result.outlines


def test_shards_keep_together_the_trials_that_may_end_early(pytester: pytest.Pytester) -> None:
    tests = """
@pytest.mark.llm_cases(rows(2), max_trials=4)
def test_early(llm_case): pass
@pytest.mark.llm_eval(trials=4)
def test_fixed(): pass
"""
    pytester.makepyfile(HEAD + tests)
    shards = []
    for number in (1, 2):
        result = pytester.runpytest("--collect-only", "-q", f"--llm-eval-shard={number}/2")
        shards.append(sorted(line.split("::")[1] for line in result.outlines if "::" in line))
    early = [{each.split("-")[0] for each in shard if "early" in each} for shard in shards]
    assert sorted(map(sorted, early)) == [["test_early[c0"], ["test_early[c1"]]
    assert sorted(map(len, shards)) == [6, 6]


def test_the_page_on_trials_is_as_it_shows(pytester: pytest.Pytester) -> None:
    page = Path(__file__).parent.parent.joinpath("docs/trials.md").read_text(encoding="utf-8")
    block = re.search(r"<!-- test_shop.py -->\n```python\n(.*?)```", page, re.DOTALL)
    assert block is not None
    pytester.makepyfile(test_shop=block[1])
    result = pytester.runpytest("--llm-eval", "-v")
    shown = page.partition("```console\n")[2].partition("```")[0].splitlines()[1:]
    lines = [re.sub(r"[\[\]]", "?", line) for line in shown]
    result.stdout.fnmatch_lines([f"{line}*" for line in lines])


EARLY = """
says = {"c0": 1, "c1": 1, "c2": 0}
app = App(lambda case, n: says[case.id])
@pytest.mark.llm_eval(min_pass_rate=0.8)
@pytest.mark.llm_cases(rows(3), answer=app, metrics=YES, max_trials=8)
def test_it(llm_case): assert_metrics(llm_case)
"""


def test_a_case_that_is_decided_early_weighs_as_much_as_one_that_is_not(
    pytester: pytest.Pytester,
) -> None:
    gates = ["--llm-eval-gate=f1.lower >= 0.2", "--llm-eval-gate=f1.mean >= 0.7"]
    for options, passed, judged in (((), 16, 19), (("-n2", "--dist=loadscope"), 16, 19)):
        result, run = ran(pytester, EARLY, *gates, *options)
        (row,) = run.metrics
        assert (row.passed, row.judged) == (passed, judged)
        assert row.rate == row.mean == pytest.approx(2 / 3)
        low, high = row.interval
        told = f"f1  {passed}/{judged}  66.7 % [{100 * low:.1f}–{100 * high:.1f}]  0.67"
        assert told in re.sub("  +", "  ", result.stdout.str())
        of_checks = f"of the checks {100 * passed / judged:.1f} % passed"
        made = "is the mean of the cases' rates, each without the bias of stopping early"
        assert f"f1: 66.7 % {made}; {of_checks}" in result.outlines
        assert [(gate.state, gate.says) for gate in run.gates] == [
            ("broken", f"{passed}/{judged}, at least {100 * low:.1f} % by cases"),
            ("broken", f"0.6667 over {judged} by cases"),
            ("broken", f"{passed}/{judged} passed, 66.7 % by cases"),
        ]
        page = markdown(run)
        assert f"66.7 % [{100 * low:.1f}–{100 * high:.1f}]" in page
        assert of_checks in page
        assert all(gate.says in page for gate in run.gates)
        again = merged([("run.json", run)])
        assert (again.metrics, again.aggregates) == (run.metrics, run.aggregates)
        assert again.gates == run.gates
        assert result.ret == 1


def test_trials_that_stop_early_are_weighed_without_bias_in_what_they_tell(
    pytester: pytest.Pytester,
) -> None:
    tests = """
says = {"c0": "FPPPPPPPPPP", "c1": "PPPPPPP"}
app = App(lambda case, n: says[case.id][n - 1] == "P")
@pytest.mark.llm_cases(rows(2), answer=app, metrics=YES, max_trials=20)
def test_it(llm_case): assert_metrics(llm_case)
"""
    _, run = ran(pytester, tests, "--llm-eval-gate=f1.pass_rate >= 0.9")
    (row,) = run.metrics
    count = row.judged - 7
    rate = unbiased_rate(count - 1, 1, 0.5, 1)
    assert rate < (count - 1) / count - 0.01
    assert row.rate == pytest.approx((1 + rate) / 2)
    assert run.aggregates["response/text/f1/average"].value == pytest.approx(row.rate)
    weights = [test.weight for test in run.tests if "c0" in test.nodeid and test.weight != 1]
    assert sum(weights) == pytest.approx(count)
    assert metric_rows(run.records, weights_of(run.tests))[0].rate == row.rate


MUST_PASS = """
import pytest
from pytest_llmeval import assert_exact_match
CASES = [{"id": f"c{n}", "response": "a", "ground_truth": "a"} for n in range(3)]

@pytest.mark.llm_eval(min_pass_rate=0.5, must_pass=["c0"])
@pytest.mark.llm_cases(CASES, max_trials=10)
def test_early(llm_case): assert_exact_match(llm_case)

@pytest.mark.llm_eval(min_pass_rate=0.5, must_pass=["c0", "test_some"])
@pytest.mark.llm_cases(CASES, trials=3)
def test_some(llm_case, llm_trial, request):
    if llm_case.id == "c0" and llm_trial == 2: pytest.skip("later")
    if llm_case.id == "c0" and llm_trial == 3: request.applymarker(pytest.mark.xfail)
    assert_exact_match("b" if llm_trial == 3 else "a", ground_truth="a")
"""


def test_trials_that_are_skipped_or_xfailed_count_nothing_where_their_case_must_pass(
    pytester: pytest.Pytester,
) -> None:
    result = ran(pytester, "", head=MUST_PASS)[0]
    told = {line.split()[1]: line for line in result.outlines if line.startswith("gate ")}
    assert told["test_it.py::test_early"].endswith("held: 21/21 passed, 100.0 % by cases")
    assert told["test_it.py::test_some"].endswith(
        "BROKEN: 5/7 passed, 77.8 % by cases, "
        "must pass and failed: test_some (5 passed, 1 skipped, 1 xfailed, 2 failed)"
    )
