"""The main job as users run it: real LiteLLM, a judge over real HTTP.

Whatever a process of its own could change has one; the others take the LiteLLM that is here."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Literal

import loopback
import pytest
from active_session import active_session
from loopback import Behaviour, LoopbackJudge

from pytest_llmeval import Case, evaluate

MODELS = {"openai": "openai/judge", "anthropic": "anthropic/claude-x", "ollama": "ollama_chat/q"}
TESTS = """
import pytest, sys
from pytest_llmeval import assert_grounded, assert_relevant, assert_fact_checked

DOCS = ["The tent sleeps two.", "Its outer fabric is nylon."]
pytestmark = pytest.mark.llm_eval

def test_grounded(): assert_grounded("It sleeps two.", context=DOCS, query="Who?")
def test_relevant(): assert_relevant("It sleeps two.", query="How many sleep in it?")
def test_checked(): assert_fact_checked("It is nylon.", context=DOCS)
"""
NEEDLESS = {
    *("litellm", "openai", "httpx", "jinja2", "json_repair", "numpy", "doctest"),
    *(
        f"pytest_llmeval.{each}"
        for each in (
            *("data.traces.trace", "gates.baseline", "gates.baseline_gate", "gates.versus"),
            *("judges.committed", "judges.litellm", "judges.transfer", "judges.verdict_line"),
            *("judges.prose", "judges.quoted", "judges.wrapped", "metrics.own", "reports.versus"),
        )
    ),
}
"""What is of no use to a run that the store answers, without baseline or committed verdicts."""
UNLOADED = f"""
import sys
def pytest_unconfigure():
    print("loaded:", sorted({NEEDLESS} & set(sys.modules)))
"""


@pytest.fixture(autouse=True, scope="module")
def _loaded() -> None:
    """What LiteLLM loads for its first answer and its first fault: not in every inner run anew."""
    with LoopbackJudge("openai") as server:
        server.script(loopback.status(401))
        with active_session(model="openai/judge", base_url=server.url, mode="off"):
            for _ in range(2):
                evaluate(Case(response="r", context="c"), "groundedness")


@pytest.fixture
def server() -> Iterator[LoopbackJudge]:
    with LoopbackJudge("openai") as running:
        running.values = {"score": 5, "verdict": "yes"}
        yield running


def asking(server: LoopbackJudge) -> list[str]:
    """The options of a run that asks ``server``."""
    model = f"--llm-eval-model={MODELS[server.protocol]}"
    return ["--llm-eval", model, f"--llm-eval-base-url={server.url}"]


def process(pytester: pytest.Pytester, server: LoopbackJudge, *options: str) -> pytest.RunResult:
    """The tests, in a process of their own."""
    pytester.makepyfile(test_app=TESTS)
    return pytester.runpytest_subprocess(*asking(server), *options)


def run(
    pytester: pytest.Pytester, server: LoopbackJudge, *options: str, tests: str = TESTS
) -> pytest.RunResult:
    """The tests, in this process."""
    pytester.makepyfile(test_app=tests)
    return pytester.runpytest_inprocess(*asking(server), *options)


def one(pytester: pytest.Pytester, server: LoopbackJudge, *options: str) -> pytest.RunResult:
    """One grounded check."""
    return run(pytester, server, "-k", "grounded", *options)


def verdict_lines(result: pytest.RunResult) -> list[str]:
    lines = result.stdout.lines
    return [line for line in lines if re.match(r"groundedness|relevance|fact_check|E  ", line)]


@pytest.mark.processes
@pytest.mark.parametrize("protocol", ["openai", "anthropic", "ollama"])
def test_a_suite_runs_against_each_protocol_without_warnings_and_reruns_without_a_request(
    pytester: pytest.Pytester, protocol: Literal["openai", "anthropic", "ollama"]
) -> None:
    with LoopbackJudge(protocol) as server:
        server.values = {"score": 5, "verdict": "yes"}
        pytester.makeconftest(UNLOADED)
        first = process(pytester, server, "-W", "error", "-s", "-p", "no:cacheprovider")
        first.assert_outcomes(passed=3)
        assert len(server.bodies) == 3
        first.stdout.fnmatch_lines(
            ["*3 verdicts: 0 stored, 3 asked · 450 tokens*", "importing LiteLLM took *"]
        )
        second = process(pytester, server, "-W", "error", "-s", "-p", "no:cacheprovider")
        second.assert_outcomes(passed=3)
        assert len(server.bodies) == 3
        second.stdout.fnmatch_lines(["*3 verdicts: 3 stored, 0 asked*", "loaded: []"])
        assert verdict_lines(first) == verdict_lines(second)


@pytest.mark.processes
def test_a_rerun_gives_the_same_failure_and_so_do_workers(
    pytester: pytest.Pytester, server: LoopbackJudge
) -> None:
    server.values = {"score": 2, "verdict": "no", "reason": "Not in the docs."}
    server.script(Behaviour(text="no idea"))  # the first reply has to be asked for again
    first = process(pytester, server)
    first.assert_outcomes(failed=3)
    assert len(server.bodies) == 4
    for options in ([], ["-n", "2"], ["--llm-eval-mode=replay"]):
        again = process(pytester, server, *options)
        again.assert_outcomes(failed=3)
        assert sorted(verdict_lines(again)) == sorted(verdict_lines(first))
    assert len(server.bodies) == 4


def test_only_what_changed_is_asked_again(pytester: pytest.Pytester, server: LoopbackJudge) -> None:
    run(pytester, server).assert_outcomes(passed=3)
    run(pytester, server, "--llm-eval-threshold=groundedness=5").assert_outcomes(passed=3)
    run(pytester, server, tests=TESTS.replace("def test_", "def test_other_")).assert_outcomes(
        passed=3
    )
    assert len(server.bodies) == 3
    run(pytester, server, tests=TESTS.replace("outer", "inner")).assert_outcomes(passed=3)
    assert len(server.bodies) == 5  # the two checks that see the documents
    run(pytester, server, "-k", "relevant", "--llm-eval-seed=1").assert_outcomes(
        passed=1, deselected=2
    )
    assert len(server.bodies) == 6


READABLE = [loopback.fenced(), loopback.with_prose(), loopback.status(429, retry_after="0")]
ERRORS = [
    ([loopback.cut(), loopback.cut()], "the token limit ended the reply", 2),
    ([loopback.empty_at_limit()] * 2, "the token limit was used up", 2),
    ([loopback.declines()], "declined to answer: I cannot help", 1),
    ([loopback.filtered()], "the provider's filter held the answer back", 1),
    ([loopback.says('{"score": 42, "reason": "r", "ungrounded": []}')] * 2, "'score' was 42", 2),
    ([loopback.says("{}")] * 2, "missing 'score'", 2),
    ([loopback.status(401)], "judge", 1),
]


def test_replies_that_need_care_and_a_rate_limit_end_in_a_verdict(
    pytester: pytest.Pytester, server: LoopbackJudge
) -> None:
    server.script(*READABLE)
    result = run(pytester, server)
    result.assert_outcomes(passed=3)
    assert len(server.bodies) == 4


@pytest.mark.parametrize(("behaviours", "message", "requests"), ERRORS)
def test_what_gives_no_verdict_is_an_error_that_says_so_and_is_not_kept(
    pytester: pytest.Pytester,
    server: LoopbackJudge,
    behaviours: list[Behaviour],
    message: str,
    requests: int,
) -> None:
    server.script(*behaviours)
    result = one(pytester, server)
    result.assert_outcomes(errors=1, deselected=2)
    assert message in result.stdout.str()
    assert len(server.bodies) == requests
    one(pytester, server).assert_outcomes(passed=1, deselected=2)


@pytest.mark.processes
def test_a_hung_socket_is_an_error_within_the_time_that_is_allowed(
    pytester: pytest.Pytester, server: LoopbackJudge
) -> None:
    server.default = loopback.hung()
    result = process(pytester, server, "-k", "grounded", "--llm-eval-timeout=1")
    result.assert_outcomes(errors=1, deselected=2)
    error = re.compile(r"E +JudgeUnavailable: .*tried (once|\d times) in (\d+\.\d) s")
    tried = error.search(result.stdout.str())
    assert tried is not None
    assert 1 <= float(tried[2]) < 20  # up to three seconds, and what a busy machine adds


def test_a_lasting_fault_stops_all_further_requests_and_is_said_once(
    pytester: pytest.Pytester, server: LoopbackJudge
) -> None:
    server.key = "the right one"
    result = run(pytester, server)
    result.assert_outcomes(errors=3)
    assert len(server.bodies) == 1


def test_the_providers_key_stays_at_home(
    pytester: pytest.Pytester, server: LoopbackJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-home-1234567890")
    monkeypatch.setenv("LOCAL_KEY", "for-this-server")
    one(pytester, server).assert_outcomes(passed=1, deselected=2)
    one(pytester, server, "--llm-eval-key-env=LOCAL_KEY", "--llm-eval-mode=refresh")
    sent = [json.dumps([dict(each.headers), each.body]) for each in server.requests]
    assert not any("sk-home" in each for each in sent)
    assert ["for-this-server" in each for each in sent] == [False, True]


def test_replay_names_what_was_not_recorded_and_how_to_record_it(
    pytester: pytest.Pytester, server: LoopbackJudge
) -> None:
    result = one(pytester, server, "--llm-eval-mode=replay")
    result.assert_outcomes(errors=1, deselected=2)
    result.stdout.fnmatch_lines(["*has no reply to this question*record it*"])
    assert server.bodies == []


def test_the_prompt_names_the_allowed_values_and_fences_what_is_judged(
    pytester: pytest.Pytester, server: LoopbackJudge
) -> None:
    run(pytester, server).assert_outcomes(passed=3)
    prompts = [each.prompt for each in server.requests]
    assert any("1 or 2 or 3 or 4 or 5" in prompt for prompt in prompts)
    assert any('"yes" or "no"' in prompt for prompt in prompts)
    for prompt in prompts:
        assert re.search(r"<response-[0-9a-f]{12}>\nIt ", prompt)
        assert prompt.index('"reason"') < max(prompt.rfind('"score"'), prompt.rfind('"verdict"'))
