"""Prefetch: what coming tests will ask is asked ahead, and nothing else about them changes."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator

import pytest
from loopback import LoopbackJudge, status

from pytest_llmeval import Case
from pytest_llmeval.hooks.app_answers import AppAnswers

TESTS = """
import pytest
from pytest_llmeval import assert_metrics, assert_grounded

@pytest.mark.llm_cases("qa.jsonl", metrics=["groundedness", "relevance"])
def test_it(llm_case):
    results = assert_metrics(llm_case)
    assert [*results] == ["groundedness", "relevance"]
    assert results["groundedness"].score == 5
"""


@pytest.fixture
def server() -> Iterator[LoopbackJudge]:
    with LoopbackJudge("openai") as running:
        running.values = {"score": 5, "verdict": "yes"}
        yield running


def cases(pytester: pytest.Pytester, count: int = 6, **more: object) -> None:
    rows = [
        {"id": f"c{n}", "query": f"q{n}", "response": f"r{n}", "context": ["c"], **more}
        for n in range(count)
    ]
    pytester.path.joinpath("qa.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def run(
    pytester: pytest.Pytester, server: LoopbackJudge, tests: str, *options: str
) -> pytest.RunResult:
    pytester.makepyfile(textwrap.dedent(tests))
    return pytester.runpytest(
        "--llm-eval",
        "--llm-eval-model=openai/judge",
        f"--llm-eval-base-url={server.url}",
        "--llm-eval-timeout=600",  # of two workers, one may be long in importing LiteLLM
        *options,
    )


def test_what_the_marker_names_is_asked_ahead_and_asserted_once(
    pytester: pytest.Pytester, server: LoopbackJudge
) -> None:
    cases(pytester)
    server.parties = 12
    first = run(pytester, server, TESTS)
    first.assert_outcomes(passed=6)
    assert len(server.bodies) == 12
    assert server.most_in_flight == 12
    first.stdout.fnmatch_lines(["*12 verdicts: 0 stored, 12 asked*"])
    again = run(pytester, server, TESTS)
    again.assert_outcomes(passed=6)
    again.stdout.fnmatch_lines(["*12 verdicts: 12 stored, 0 asked*"])
    assert len(server.bodies) == 12
    assert "asked ahead" not in first.stdout.str() + again.stdout.str()


WAITING = """
    from awaited import until
    from pytest_llmeval.stack import active
    until(lambda: active().engine.tally.done == 6)
    return
    results = {}
"""


def test_what_is_asked_ahead_in_vain_is_counted_and_shown(
    pytester: pytest.Pytester, server: LoopbackJudge
) -> None:
    cases(pytester, 3)
    tests = TESTS.replace("    results = assert_metrics(llm_case)", WAITING)
    server.usage = (10, 5)
    result = run(pytester, server, tests)
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["asked ahead, and asserted by no test: 6 · 90 tokens · *"])


def test_tests_that_will_not_run_are_not_asked_ahead(
    pytester: pytest.Pytester, server: LoopbackJudge
) -> None:
    cases(pytester, 3)
    run(pytester, server, TESTS.replace("@pytest", "@pytest.mark.skip\n@pytest", 1))
    run(pytester, server, TESTS, "--collect-only")
    assert not server.bodies
    run(pytester, server, TESTS, "-k", "c1")
    assert len(server.bodies) == 2


def test_an_error_met_ahead_ends_the_test_that_it_belongs_to(
    pytester: pytest.Pytester, server: LoopbackJudge
) -> None:
    cases(pytester, 3)
    server.default = status(401)
    result = run(pytester, server, TESTS, "--llm-eval-concurrency=1")
    result.assert_outcomes(errors=3)
    assert len(server.bodies) == 1


def test_the_order_and_the_text_of_failures_is_as_without(
    pytester: pytest.Pytester, server: LoopbackJudge
) -> None:
    cases(pytester, 3)
    server.values = {"score": 2}
    result = run(pytester, server, TESTS, "-v", "-x")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*[[]c0] FAILED*", "E *2 of 2 checks failed", "E *groundedness 2 is below 4*"]
    )


def test_thresholds_options_and_judges_stand_in_the_marker(
    pytester: pytest.Pytester, server: LoopbackJudge
) -> None:
    cases(pytester, 2)
    server.values = {"score": 3, "verdict": "yes"}
    tests = """
    import pytest
    from pytest_llmeval import assert_metrics
    @pytest.mark.llm_cases("qa.jsonl", metrics={
        "groundedness": {"at_least": 3},
        "fact_check": {"claims": "sentences", "judge": "other"},
    })
    def test_it(llm_case):
        results = assert_metrics(llm_case)
        assert results["fact_check"].judge == "other"
    """
    other = f"--llm-eval-judge=other = openai/other base_url={server.url} name=other"
    run(pytester, server, tests, other).assert_outcomes(passed=2)
    assert sorted(body["model"] for body in server.bodies) == ["judge", "judge", "other", "other"]


APPS = """
import asyncio, pytest, threading, time
from pytest_llmeval import Case, assert_metrics

def app(case): return f"answer to {case.query}"
async def async_app(case):
    await asyncio.sleep(0)
    return case.model_copy(update={"response": f"answer to {case.query}"})
@pytest.fixture(scope="session")
def session_app(): return app
@pytest.fixture(scope="module")
def module_app(): return async_app

MARK = dict(metrics=["relevance"], argname="question")
@pytest.mark.llm_cases("qa.jsonl", answer=APP, **MARK)
def test_it(question):
    assert question.response == f"answer to {question.query}"
    assert question.measured.seconds >= 0
    assert_metrics(question)
"""


@pytest.mark.parametrize("app", ["app", "async_app", "'session_app'", "'module_app'"])
def test_the_app_answers_ahead_of_the_tests(
    pytester: pytest.Pytester, server: LoopbackJudge, app: str
) -> None:
    cases(pytester, response=None)
    server.parties = 6
    result = run(pytester, server, APPS.replace("APP", app))
    result.assert_outcomes(passed=6)
    assert server.most_in_flight == 6
    result.stdout.re_match_lines([r"answers of the app: 6, median \d+\.\d\d s, longest \d"])


def test_what_the_app_raises_lands_in_the_right_test(
    pytester: pytest.Pytester, server: LoopbackJudge
) -> None:
    cases(pytester, 4)
    tests = """
    import pytest
    from pytest_llmeval import assert_metrics
    def app(case):
        if case.id == "c1": raise ValueError("no such price")
        if case.id == "c2": pytest.skip("not today")
        if case.id == "c3": return {"text": "x"}
        return "fine"
    @pytest.mark.llm_cases("qa.jsonl", metrics=["relevance"], answer=app)
    def test_it(llm_case): assert_metrics(llm_case)
    """
    result = run(pytester, server, tests, "-v")
    result.assert_outcomes(passed=1, errors=2, skipped=1)
    result.stdout.fnmatch_lines(
        [
            "*[[]c0] PASSED*",
            "*[[]c1] ERROR*",
            "*[[]c2] SKIPPED*",
            "*[[]c3] ERROR*",
            "*ValueError: no such price",
            "*answer=: none of its names is one of a case: text; expected the response as text, *",
        ]
    )


def test_no_more_answers_are_under_way_than_allowed(
    pytester: pytest.Pytester, server: LoopbackJudge
) -> None:
    cases(pytester, 12)
    tests = """
    import asyncio, pytest
    here, most, all_begun = 0, 0, False
    @pytest.fixture(scope="module", autouse=True)
    def first():
        global all_begun
        all_begun = True
    async def app(case):
        global here, most
        here += 1
        most = max(most, here)
        async with asyncio.timeout(60):
            while not all_begun or most < 3: await asyncio.sleep(0.001)
        for _ in range(200): await asyncio.sleep(0)  # turns in which a fourth could come
        here -= 1
        return "fine"
    @pytest.mark.llm_cases("qa.jsonl", answer=app)
    def test_it(llm_case): assert llm_case.response == "fine"
    def test_most(): assert most == 3
    """
    run(pytester, server, tests, "--llm-eval-answer-concurrency=3").assert_outcomes(passed=13)


@pytest.mark.usefixtures("measured")
def test_workers_ask_ahead_what_they_know_and_each_question_is_one_request(
    pytester: pytest.Pytester, server: LoopbackJudge
) -> None:
    cases(pytester, 20)
    server.parties = 5
    result = run(pytester, server, TESTS, "-n2", "-pno:cacheprovider")
    result.assert_outcomes(passed=20)
    assert len(server.bodies) == 40
    assert server.most_in_flight > 4
    result.stdout.fnmatch_lines(["*40 verdicts: 0 stored, 40 asked*"])


def test_of_a_test_that_is_run_again_the_app_is_asked_again(
    pytester: pytest.Pytester, server: LoopbackJudge
) -> None:
    cases(pytester, 1)
    tests = """
    import pytest
    calls = []
    def app(case):
        calls.append(case.id)
        return "fine"
    @pytest.mark.flaky(reruns=1)
    @pytest.mark.llm_cases("qa.jsonl", answer=app)
    def test_it(llm_case): assert len(calls) == 2
    """
    run(pytester, server, tests).assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("marker", "told"),
    [
        ("'qa.jsonl', metrics='groundedness'", "metrics is a list of names"),
        ("'qa.jsonl', metrics={'groundedness': 5}", "metrics maps a name to arguments"),
        ("'qa.jsonl', metrics=['groundednes']", "did you mean 'groundedness'?"),
        ("'qa.jsonl', answer=3", "answer is a function from a case"),
        ("'qa.jsonl', argname='a b'", "argname is the name of an argument"),
        ("'qa.jsonl', metric=[]", "llm_cases has no metric=: did you mean 'metrics'?"),
    ],
)
def test_a_marker_that_cannot_be_meant_is_refused_at_collection(
    pytester: pytest.Pytester, server: LoopbackJudge, marker: str, told: str
) -> None:
    cases(pytester, 1)
    tests = f"""
    import pytest
    @pytest.mark.llm_cases({marker})
    def test_it(llm_case): pass
    """
    result = run(pytester, server, tests)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert told in result.stdout.str()


def test_assert_metrics_says_where_the_metrics_would_have_to_stand(
    pytester: pytest.Pytester, server: LoopbackJudge
) -> None:
    tests = """
    import pytest
    from pytest_llmeval import Case, assert_metrics
    @pytest.mark.llm_eval
    def test_it(): assert_metrics(Case(response="x"))
    """
    result = run(pytester, server, tests)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["E *assert_metrics asserts what the test's marker names*"])


def test_a_whole_case_for_an_answer_keeps_what_the_file_says_and_it_does_not() -> None:
    answers = AppAnswers(1)
    asked = Case(id="one", query="Which?", ground_truth="Two years.", response="old")

    def app(case: Case) -> Case:
        return Case(query="Which tent?", response="new", context=["Two years."])

    given = answers.take("t", asked, app).case
    answers.close()
    assert (given.id, given.query, given.response) == ("one", "Which tent?", "new")
    assert (given.ground_truth, given.context[0].content) == ("Two years.", "Two years.")
    assert given.measured is not None
