"""The marker ``llm_cases``: tests of cases, from what it names to what is reported."""

from __future__ import annotations

import json
import textwrap
from typing import Any

import pytest

ROWS: list[dict[str, Any]] = [
    {"id": "warranty", "query": "Warranty?", "metadata": {"topic": "tents"}},
    {"query": "How heavy is it?", "metadata": {"topic": "tents"}},
    {"id": "money", "query": "Money back?", "metadata": {"topic": "returns"}},
]


def given(pytester: pytest.Pytester, tests: str, **files: list[dict[str, Any]]) -> None:
    for name, rows in (files or {"q": ROWS}).items():
        text = "".join(json.dumps(row) + "\n" for row in rows)
        pytester.path.joinpath(f"{name}.jsonl").write_text(text)
    imports = "import pytest\nfrom pytest_llmeval import Case, assert_metrics, load_cases\n"
    pytester.makepyfile(imports + textwrap.dedent(tests))


def test_a_marker_selects_of_several_files_and_says_what_it_read(pytester: pytest.Pytester) -> None:
    tests = """
    @pytest.mark.llm_cases("*.jsonl", select={"topic": "tents"}, limit=3)
    @pytest.mark.parametrize("tone", ["polite", "curt"])
    def test_tents(llm_case, tone): assert llm_case.metadata["topic"] == "tents"

    @pytest.mark.llm_cases("p.jsonl", sample=(2, 7), argname="asked")
    def test_sample(asked): assert isinstance(asked, Case)

    @pytest.mark.parametrize("case", load_cases(LATER, limit=1))
    def test_own(case): assert case.id == "warranty"
    """.replace("LATER", repr(str(pytester.path / "q.jsonl")))
    given(pytester, tests, p=ROWS, q=ROWS)
    result = pytester.runpytest("--llm-eval", "-v")
    result.assert_outcomes(passed=9)
    told = ["llm cases: p.jsonl: 3 cases; 2 of them selected", "llm cases: q.jsonl: 1 case"]
    result.stdout.fnmatch_lines(told)
    result.stdout.fnmatch_lines(["*::test_tents?p--warranty-polite? PASSED*"])
    shown = [line for line in result.outlines if "PASSED" in line and "test_tents" in line]
    assert sum("p--how-heavy-is-it-" in line for line in shown) == 2
    assert sum("[q--warranty-" in line for line in shown) == 2
    quiet = pytester.runpytest("--llm-eval", "-q", "-k", "how-heavy-is-it")
    assert "llm cases" not in quiet.stdout.str()
    result = pytester.runpytest("--collect-only")
    result.stdout.fnmatch_lines([*told, "*test_tents?p--warranty-polite?*"])
    pytester.runpytest().assert_outcomes(skipped=8, passed=1)


def test_two_markers_make_a_test_of_each_pair(pytester: pytest.Pytester) -> None:
    tests = """
    METRICS = {"regex": {"pattern": "Y"}}

    @pytest.mark.llm_cases("q.jsonl", answer=lambda case: "Yes", metrics=METRICS)
    class TestBoth:
        @pytest.mark.llm_cases("attacks.jsonl", argname="attack")
        def test_pair(self, llm_case, attack):
            assert llm_case.response == "Yes" and attack.response is None
            assert_metrics(llm_case)

        @pytest.mark.llm_cases("attacks.jsonl")
        def test_closest(self, llm_case): assert llm_case.id in "ab"
    """
    given(pytester, tests, q=ROWS, attacks=[{"id": "a"}, {"id": "b"}])
    result = pytester.runpytest("--llm-eval", "-v")
    result.assert_outcomes(passed=8)
    result.stdout.fnmatch_lines(["*::test_pair?a-warranty? PASSED*", "*::test_closest?a? PASSED*"])


@pytest.mark.parametrize(
    ("marker", "told"),
    [
        ("'q.jsonl', limit=0", "test_it: llm_cases: limit is how many cases, 1 or more; got 0"),
        ("'q.jsonl', sample=5", "llm_cases: sample is (how many, seed), as in (50, 7); got 5"),
        ("'q.jsonl', select='x'", "llm_cases: select is a function of a case, or maps"),
        ("'q.jsonl', select={'topic': 'x'}", "selects none of 3 cases; 'topic' is 'tents', 'ret"),
        ("'x*.jsonl'", "x*.jsonl: the pattern finds no file"),
        ("'.'", "expected a file, got a folder"),
        ("'q.jsonl', argname='class'", "argname is the name of an argument; got 'class'"),
        ("'q.jsonl') @pytest.mark.llm_cases('q.jsonl'", "need different argnames; both have 'llm_"),
        ("'q.jsonl', metrics=[]", "llm_cases: metrics names what to assert, or is left out; it is"),
        ("'q.jsonl', fields={'x': 'y'}", "llm_cases: fields: 'x' can't be 'y': known are id, qu"),
        ("'q.jsonl', fields={'x': 'query'}", "llm_cases: fields: no row has 'x'"),
        ("'q.jsonl', select={'nope': None}", "llm_cases: select: none of 3 cases has 'nope'"),
        (
            "'q.jsonl', metrics=['f1'], argname='a') @pytest.mark.llm_cases('q.jsonl', suite='x'",
            "of several markers one says metrics=, suite= and answer=; here do those of 'llm_case'",
        ),
        ("'q.jsonl', answer='app'", "test_it: llm_cases: answer: there is no fixture 'app'"),
        ("'q.jsonl', answer='tmp_path'", "answer: the fixture 'tmp_path' is function-scoped; what"),
    ],
)
def test_a_marker_that_cannot_be_meant_is_refused(
    pytester: pytest.Pytester, marker: str, told: str
) -> None:
    lines = marker.replace(") @", ")\n@")
    given(pytester, f"@pytest.mark.llm_cases({lines})\ndef test_it(llm_case): pass")
    result = pytester.runpytest("--collect-only", "-q")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert told in result.stdout.str()


@pytest.mark.parametrize(
    ("metrics", "told"),
    [
        ({"f1": {"at_lest": 1}}, "llm_cases: f1 has no option 'at_lest': did you mean 'at_least'?"),
        ({"regex": {}}, "llm_cases: regex needs the option pattern="),
        ({"f1": {"at_least": 7}}, "llm_cases: f1: at_least=7 is off the scale"),
        ({"f1": {"at_least": 0}}, "llm_cases: f1: every score is at least 0"),
        ({"f1": {"at_least": "x"}}, "llm_cases: f1: at_least is a number"),
        ({"f1": {"at_least": 1, "at_most": 1}}, "llm_cases: a check takes at_least or at_most"),
        (["f2"], "llm_cases: there is no metric 'f2'"),
    ],
)
def test_a_metric_that_cannot_be_meant_is_refused_when_tests_are_collected(
    pytester: pytest.Pytester, metrics: Any, told: str
) -> None:
    tests = f"@pytest.mark.llm_cases('q.jsonl', metrics={metrics!r})\ndef test_it(llm_case): pass"
    given(pytester, tests)
    result = pytester.runpytest("--llm-eval", "-q")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert told in result.stdout.str()


PARAMETRIZED = """
import pytest
from pytest_llmeval import Case
CASES = [Case(query="a"), Case(query="b")]
@pytest.fixture(scope="module", params=["x", "y"])
def papp(request): return lambda case: request.param
@pytest.fixture(scope="module")
def app(papp): return papp
class TestThem:
    @pytest.fixture(scope="module")
    def app(self, app): return app
    @pytest.mark.llm_cases(CASES, answer="{app}")
    def test_it(self, {takes}): assert llm_case.response == "x" or llm_case.response == "y"
"""


def test_an_app_with_parameters_is_an_argument_of_the_test(pytester: pytest.Pytester) -> None:
    made = [("papp", "papp"), ("app", "papp")]
    if pytest.version_tuple >= (9,):  # before, parameters behind a fixture that overrides are lost
        made.append(("app", "app"))
    for app, takes in made:
        pytester.makepyfile(PARAMETRIZED.format(app=app, takes=f"llm_case, {takes}"))
        pytester.runpytest("--llm-eval").assert_outcomes(passed=4)
    for app, told in (("papp", "'papp' has"), ("app", "'papp', which 'app' takes, has")):
        pytester.makepyfile(PARAMETRIZED.format(app=app, takes="llm_case"))
        result = pytester.runpytest("--llm-eval")
        result.assert_outcomes(errors=1)
        advice = f"{told} params=: let the test take {app!r} as an argument too, and"
        assert f"llm_cases: answer: the fixture {advice}" in result.stdout.str()


def test_a_fixture_of_the_users_never_takes_the_place_of_a_case(pytester: pytest.Pytester) -> None:
    for name, refusal in (
        ("question", "the fixture 'question' would take the place of the case; choose another arg"),
        ("llm_case", "choose another argname=, or let it take llm_case as its argument"),
    ):
        fixture = f"@pytest.fixture\ndef {name}(): return 'mine'\n"
        marker = f"@pytest.mark.llm_cases('q.jsonl', argname={name!r})\n"
        given(pytester, f"{fixture}{marker}def test_it({name}): pass")
        result = pytester.runpytest("--collect-only", "-q")
        assert result.ret == pytest.ExitCode.INTERRUPTED
        assert refusal in result.stdout.str()
    own = """
    @pytest.fixture
    def llm_case(llm_case): return llm_case.answered("mine")

    @pytest.mark.llm_cases("q.jsonl")
    def test_it(llm_case): assert llm_case.response == "mine" and llm_case.query

    @pytest.mark.llm_cases("q.jsonl", argname="question")
    def test_one(question): assert question.query

    @pytest.mark.llm_cases("q.jsonl", argname="question")
    def test_another(question): assert question.query
    """
    given(pytester, own)
    pytester.runpytest("--llm-eval").assert_outcomes(passed=9)


def test_an_app_that_exits_is_an_error_of_its_own_test_alone(pytester: pytest.Pytester) -> None:
    tests = """
    import sys
    import asyncio

    def app(case):
        if case.id == "warranty": sys.exit(3)
        if case.id == "money": raise GeneratorExit
        return "Yes"

    @pytest.mark.llm_cases("q.jsonl", answer=app)
    def test_it(llm_case): assert llm_case.response == "Yes"
    """
    given(pytester, tests)
    result = pytester.runpytest("--llm-eval")
    result.assert_outcomes(passed=1, errors=2)
    result.stdout.fnmatch_lines(
        [
            "E *EvalError: answer= ended by SystemExit(3) instead of giving a response",
            "E *EvalError: answer= ended by GeneratorExit instead of giving a response",
        ]
    )


def test_what_comes_to_light_when_a_case_is_made_is_an_error_of_its_test(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_llmeval.data.datasets.CHECKED_WHOLE", 1)
    tests = """
    @pytest.mark.llm_cases("q.jsonl", metrics={"regex": {"pattern": "."}, "groundedness": {}})
    def test_asked(llm_case): pass

    @pytest.mark.llm_cases("q.jsonl", answer=lambda case: "Yes")
    def test_answered(llm_case): assert llm_case.response == "Yes"
    """
    given(pytester, tests, q=[{"id": "a", "query": "q"}, {"id": "b", "query": 5}])
    result = pytester.runpytest("--llm-eval", "--llm-eval-model=lexical")
    result.assert_outcomes(passed=2, errors=2)
    result.stdout.fnmatch_lines(["E *q.jsonl:2: Case.query: input should be a valid str*"])


def test_the_fixture_without_a_marker_says_where_cases_come_from(pytester: pytest.Pytester) -> None:
    given(pytester, "def test_it(llm_case): pass")
    result = pytester.runpytest("--llm-eval")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["E *llm_case comes from @pytest.mark.llm_cases(file)"])


def test_no_case_is_kept_after_its_test(pytester: pytest.Pytester) -> None:
    tests = """
    import gc
    @pytest.mark.llm_cases("q.jsonl", metrics={"exact_match": {}})
    def test_it(llm_case):
        assert_metrics(llm_case)
        gc.collect()
        kept = [each.id for each in gc.get_objects() if type(each) is Case and each.id]
        assert {*kept} <= {"0", llm_case.id}  # the first check starts what lasts for the run
    """
    rows = [{"id": f"{n}", "response": "a", "ground_truth": "a"} for n in range(4)]
    given(pytester, tests, q=rows)
    pytester.runpytest("--llm-eval").assert_outcomes(passed=4)


def test_cases_may_be_given_in_python_and_collecting_them_imports_no_metric(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(
        """
        import pytest
        @pytest.mark.llm_cases([{"question": "Given?"}, {"id": "b"}], "q.csv", argname="given")
        def test_it(given): pass
        """
    )
    pytester.path.joinpath("q.csv").write_text("id,query\nmoney,Money back?\n")
    pytester.makeconftest(
        """
        import sys
        def pytest_collection_finish(session):
            kept = ("metrics", "judges.", "session", "prefetch")
            print([name for name in sys.modules if name.startswith(tuple(
                f"pytest_llmeval.{each}" for each in kept)) or name in ("litellm", "pyarrow")])
        """
    )
    result = pytester.runpytest_subprocess("--collect-only", "-q", "-s")
    result.stdout.fnmatch_lines(
        ["*[[]data1--given-*", "*[[]data1--b[]]", "*[[]q.csv--money[]]", "[[][]]"]
    )


def test_a_file_that_changes_after_it_was_collected_is_told(pytester: pytest.Pytester) -> None:
    given(pytester, "@pytest.mark.llm_cases('q.jsonl')\ndef test_it(llm_case): pass", q=ROWS)
    pytester.makeconftest(
        "def pytest_collection_finish(session): (session.path / 'q.jsonl').write_text('{}')"
    )
    result = pytester.runpytest("--llm-eval")
    result.assert_outcomes(errors=3)
    result.stdout.fnmatch_lines(["E *q.jsonl: the file has changed since*"])


def test_every_worker_collects_the_same(pytester: pytest.Pytester) -> None:
    tests = """
    @pytest.mark.llm_cases("*.jsonl", sample=(4, 1), metrics={"regex": {"pattern": "."}})
    def test_it(llm_case): pass
    """
    given(pytester, tests, p=ROWS, q=ROWS)
    pytester.runpytest("--llm-eval", "-n2").assert_outcomes(passed=4)
