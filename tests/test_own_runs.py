"""Metrics of one's own in real runs: where they come from, and all that a built-in one has."""

from __future__ import annotations

import pytest

from pytest_llmeval import Outcome, load_run

OWN = """
from pytest_llmeval import JudgedMetric, metric
from pytest_llmeval.testing import ScriptedJudge

tone = JudgedMetric("tone", scale="1-5", prompt="Is it kind?\\n{{ response }}")

@metric(needs="response", scale="0-1", at_least=0.5)
def brevity(case):
    return min(1, 10 / len(case.response)), "counted"

def score(question):
    kind = "kind" in question.inputs["response"]
    return {"reason": "r", "score": 4 if kind else 2}

judge = ScriptedJudge(score, kept=True)
"""
CONFTEST = """
from own import brevity, tone

def pytest_llm_eval_metrics():
    return [tone, brevity]
"""
TESTS = """
import pytest
from pytest_llmeval import Case, assert_metric, assert_metrics, evaluate
from own import judge

@pytest.mark.llm_eval
def test_by_name():
    assert_metric("tone", response="A kind word.", judge=judge)
    assert_metric("brevity", response="A kind word.")

@pytest.mark.llm_cases("cases.jsonl", metrics={"tone": {"judge": judge}, "brevity": {}})
def test_by_marker(llm_case):
    assert_metrics(llm_case)

@pytest.mark.llm_eval
def test_evaluated():
    assert evaluate(Case(response="A kind word."), "tone", judge=judge).score == 4
"""


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makepyfile(own=OWN)
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_suite=TESTS)
    pytester.makeini("[pytest]\npythonpath = .\n")
    pytester.path.joinpath("cases.jsonl").write_text(
        '{"id": "1", "response": "A kind reply."}\n{"id": "2", "response": "Go away, you all."}\n'
    )
    return pytester


def test_a_metric_of_ones_own_has_all_that_a_built_in_one_has(suite: pytest.Pytester) -> None:
    first = suite.runpytest("--llm-eval", "--llm-eval-report=run.json")
    first.assert_outcomes(passed=3, failed=1)
    first.stdout.fnmatch_lines(
        [
            "E  *tone 2 is below 4   (scripted)",
            "*verdicts: *",
            "brevity *3/3 *",
            "tone *3/4 *",
        ]
    )
    second = suite.runpytest("--llm-eval", "--llm-eval-mode=replay")
    second.assert_outcomes(passed=3, failed=1)
    second.stdout.fnmatch_lines(["E  *tone 2 is below 4   (scripted)"])
    records = load_run(suite.path / "run.json").records
    tones = [record for record in records if record.metric == "tone"]
    assert {record.prompts[0].partition("@")[0] for record in tones} == {"tone+"}
    assert [record.outcome for record in tones].count(Outcome.FAILED) == 1
    assert all(record.keys for record in tones)


def test_workers_know_them_too(suite: pytest.Pytester) -> None:
    result = suite.runpytest("--llm-eval", "-n2", "--llm-eval-threshold=tone=2")
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(["tone *4/4 *"])


def test_a_threshold_is_held_to_the_scale_of_a_registered_metric(suite: pytest.Pytester) -> None:
    result = suite.runpytest("--llm-eval", "--llm-eval-threshold=tone=7")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*threshold tone: at_least=7 is off the scale*"])
    result = suite.runpytest("--llm-eval", "--llm-eval-threshold=tome=4")
    result.stderr.fnmatch_lines(["*there is no metric 'tome': did you mean 'tone'?"])


def test_without_the_switch_no_hook_is_asked_and_no_file_read(suite: pytest.Pytester) -> None:
    suite.makeconftest(CONFTEST + "\ndef pytest_llm_eval_metrics(): raise Exception('asked')\n")
    suite.makeini(
        "[pytest]\npythonpath = .\nllm_eval_metrics = nowhere.md\nllm_eval_rubric = x=y\n"
    )
    suite.runpytest().assert_outcomes(skipped=4)


def test_nothing_of_it_is_imported_in_a_run_without_the_switch(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        "import sys\n"
        "def pytest_llm_eval_metrics(): return []\n"
        "def pytest_unconfigure():\n"
        "    ours = [name for name in sys.modules if name.startswith('pytest_llmeval.metrics')]\n"
        "    print('loaded:', ours)\n"
    )
    pytester.makepyfile("def test_it(): pass")
    result = pytester.runpytest_subprocess("-s")
    result.stdout.fnmatch_lines(["*loaded: []*"])


NESTED = """
from pytest_llmeval import metric

@metric(needs="response", scale="yes_no")
def shouts(case): return "yes" if "!" in case.response else "no"

def pytest_llm_eval_metrics(): return [shouts]
"""


def test_a_nested_conftest_gives_metrics_to_the_tests_below_it(suite: pytest.Pytester) -> None:
    below = suite.mkdir("sub").joinpath("deep")
    below.mkdir()
    below.joinpath("conftest.py").write_text(NESTED)
    below.joinpath("test_below.py").write_text(
        "import pytest\nfrom pytest_llmeval import assert_metric\n"
        "@pytest.mark.llm_eval\n"
        "def test_it(): assert_metric('shouts', response='Hi!')\n"
        "@pytest.mark.llm_cases('../../cases.jsonl', metrics=['shouts'])\n"
        "def test_marked(llm_case): assert not llm_case.query\n"
    )
    for options in ([], ["-n2"]):
        suite.runpytest("--llm-eval", "-k", "below", *options).assert_outcomes(
            passed=3, deselected=0 if options else 4
        )


@pytest.mark.parametrize(
    ("below", "told"),
    [
        (
            NESTED.replace("shouts", "tone"),
            "*the metric 'tone' is declared twice: in *conftest.py and in *conftest.py*",
        ),
        (
            "def pytest_llm_eval_metrics(): return 5",
            "*pytest_llm_eval_metrics gives a list; got int*",
        ),
        ("def pytest_llm_eval_metrics(): return [5]", "*expected metrics, made by *; got int 5*"),
        ("def pytest_llm_eval_rubrics(): return [5]", "*rubrics hold for the whole run*"),
        ("def pytest_llm_eval_metrics(): 1 / 0", "*raised ZeroDivisionError: division by zero*"),
        ("import pytest\ndef pytest_llm_eval_metrics(): pytest.skip('no')", "*raised Skipped: no*"),
        ("def pytest_llm_eval_metrics(): raise SystemExit(3)", "*raised SystemExit: 3*"),
    ],
)
@pytest.mark.parametrize("options", [[], ["-n1"]])
def test_what_a_nested_conftest_gives_amiss_is_an_error_of_collection(
    suite: pytest.Pytester, below: str, told: str, options: list[str]
) -> None:
    folder = suite.mkdir("sub").joinpath("deep")
    folder.mkdir()
    folder.joinpath("conftest.py").write_text(below)
    folder.joinpath("test_below.py").write_text("def test_below(): pass")
    result = suite.runpytest("--llm-eval", "sub", *options)
    assert result.ret in (pytest.ExitCode.INTERRUPTED, pytest.ExitCode.TESTS_FAILED)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([told])


@pytest.mark.parametrize(
    ("added", "told"),
    [
        (
            "def pytest_llm_eval_metrics(): return 'tone'",
            "*conftest.py: pytest_llm_eval_metrics gives a list; got str",
        ),
        ("def pytest_llm_eval_metrics(): return [tone, 5]", "*expected metrics, made by *"),
        (
            "import dataclasses\ndef pytest_llm_eval_metrics(): return [tone, TWIN]\n".replace(
                "TWIN", "dataclasses.replace(tone)"
            ),
            "*the metric 'tone' is declared twice: in *conftest.py and in *conftest.py",
        ),
        *(
            (
                f"import pytest\ndef pytest_llm_eval_{hook}():\n    {does}\n    yield",
                f"*conftest.py: pytest_llm_eval_{hook} raised {told}",
            )
            for hook in ("metrics", "rubrics")
            for does, told in (
                ("raise ValueError('a')", "ValueError: a"),
                ("pytest.skip('no')", "Skipped: no"),
                ("raise SystemExit", "SystemExit"),
            )
        ),
        ("def pytest_llm_eval_rubrics(): return ['x']", "*expected a Rubric or a RubricExtension*"),
    ],
)
def test_what_the_root_gives_amiss_ends_the_run_in_one_line(
    suite: pytest.Pytester, added: str, told: str
) -> None:
    suite.makeconftest(f"{CONFTEST}\n{added}\n")
    result = suite.runpytest("--llm-eval")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([told])


def test_a_function_that_asks_no_judge_runs_once_and_not_ahead(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        test_once="""
        import pytest
        from own import judge
        from pytest_llmeval import assert_metrics, metric

        calls = []

        @metric(needs="response", scale="yes_no")
        def counted(case):
            calls.append(case.id)
            return True

        @pytest.mark.llm_cases("cases.jsonl", metrics={counted: {}, "tone": {"judge": judge}})
        def test_it(llm_case):
            assert "1" not in calls or llm_case.id == "2"
            assert_metrics(llm_case)
            assert calls.count(llm_case.id) == 1
        """
    )
    options = ("--llm-eval-model=openai/none", "--llm-eval-threshold=tone=2")
    suite.runpytest("--llm-eval", *options, "test_once.py").assert_outcomes(passed=2)


def test_another_packages_plugin_gives_metrics(suite: pytest.Pytester) -> None:
    suite.makepyfile(other_plugin=NESTED)
    suite.makepyfile(
        test_other="import pytest\nfrom pytest_llmeval import assert_metric\n"
        "@pytest.mark.llm_eval\ndef test_it(): assert_metric('shouts', response='Hi!')\n"
    )
    suite.runpytest("--llm-eval", "-p", "other_plugin", "test_other.py").assert_outcomes(passed=1)


def test_of_a_failing_metric_in_a_test_the_run_tells_an_error_and_no_failure(
    suite: pytest.Pytester,
) -> None:
    suite.makepyfile(
        test_broken="""
        import pytest
        from pytest_llmeval import assert_metric, metric

        @metric(needs="response", scale="yes_no")
        def broken(case): assert case.response == "x"

        @pytest.mark.llm_eval
        @pytest.mark.xfail
        def test_it(): assert_metric(broken, response="y")
        """
    )
    result = suite.runpytest("--llm-eval", "test_broken.py")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*broken raised AssertionError*", "errors: 1*"])


IN_RUNS = """
from contextvars import ContextVar
import pytest
from pytest_llmeval import JudgedMetric, assert_metric, assert_metrics, metric
from pytest_llmeval.testing import ScriptedJudge

tenant = ContextVar("tenant", default="nobody")
warmth = JudgedMetric("warmth", scale={"cold": 0, "warm": 1, "hot": 2}, prompt="{{ response }}")
judge = ScriptedJudge({"reason": "r", "verdict": "warm"})

@metric(needs="response", scale="0-1", at_least=1)
def for_shop(case):
    return tenant.get() == "shop", tenant.get()

@pytest.mark.llm_eval(deferred=True)
def test_deferred():
    tenant.set("shop")
    assert_metric(for_shop, response="Hi.")
    tenant.set("nobody")

@pytest.mark.llm_cases("cases.jsonl", metrics={warmth: {"at_least": "hot", "judge": judge}})
def test_marked(llm_case):
    assert_metrics(llm_case)
"""


def test_a_marker_takes_a_word_for_a_mark_and_a_deferred_check_its_context(
    suite: pytest.Pytester,
) -> None:
    suite.makepyfile(test_suite=IN_RUNS)
    result = suite.runpytest("--llm-eval")
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(["E  *warmth warm is below hot   (scripted)"])
