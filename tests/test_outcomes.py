"""Outcomes, from the check to the exit status: passed, failed and error are never mixed up."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

HEAD = """
import pytest
from pytest_llmeval import (
    Case, CheckFailed, EvalError, assert_grounded, assert_fact_checked, assert_not_fact_checked,
    assert_relevant, evaluate,
)
from pytest_llmeval.errors import JudgeUnavailable
from pytest_llmeval.testing import ScriptedJudge

def rated(score, **more):
    return ScriptedJudge({"ungrounded": [], "reason": "The docs say so.", "score": score, **more})

def answered(verdict):
    return ScriptedJudge({"reason": "The docs say so.", "verdict": verdict})

BROKEN = ScriptedJudge(JudgeUnavailable("the judge timed out"))
DOCS = ["The tent sleeps two."]
"""


def run(pytester: pytest.Pytester, tests: str, *options: str, ini: str = "") -> pytest.RunResult:
    pytester.makepyfile(test_checks=HEAD + tests)
    if ini:
        pytester.makeini(f"[pytest]\n{ini}\n")
    return pytester.runpytest("--llm-eval", *options)


FAILING = """
@pytest.mark.llm_eval
def test_weight():
    judge = rated(2, ungrounded=[{"quote": "it weighs 2 kg", "why": "no weight is given"}])
    assert_grounded("It sleeps two. It weighs 2 kg.", context=DOCS, query="Which?", judge=judge)
"""


def test_a_failure_says_the_headline_with_both_numbers_and_then_the_details(
    pytester: pytest.Pytester,
) -> None:
    result = run(pytester, FAILING)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            ">   *assert_grounded(*",
            "E   *groundedness 2 is below 4   (scripted)",
            "E   *reason     The docs say so.",
            'E   *ungrounded "It weighs 2 kg" (no weight is given)',
            "E   *query      Which?",
            "E   *response   It sleeps two. It weighs 2 kg.",
            "",
            "test_checks.py:*: CheckFailed",
            "FAILED test_checks.py::test_weight - groundedness 2 is below 4*",
        ]
    )
    assert "pytest_llmeval.errors" not in result.stdout.str()
    assert "asserting.py" not in result.stdout.str()


@pytest.mark.parametrize("style", ["short", "line", "native", "long", "auto"])
def test_every_style_of_traceback_ends_on_the_users_line(
    pytester: pytest.Pytester, style: str
) -> None:
    result = run(pytester, FAILING, f"--tb={style}")
    result.assert_outcomes(failed=1)
    assert "groundedness 2 is below 4" in result.stdout.str()


PASSING = """
@pytest.mark.parametrize("score", [4, 5])
def test_at_the_threshold(score):
    result = assert_grounded("a", context=DOCS, judge=rated(score))
    assert (result.score, result.passed, result.reason) == (score, True, "The docs say so.")

def test_a_threshold_of_its_own():
    assert assert_relevant("a", query="q", at_least=2, judge=rated(2)).score == 2

def test_a_whole_case():
    case = Case(response="a", query="q", context=DOCS, id="x")
    assert assert_grounded(case, judge=rated(4)).case_id == "x"

def test_words():
    assert assert_fact_checked("a", context=DOCS, judge=answered("yes")).label == "yes"
    result = assert_not_fact_checked("a", context=DOCS, judge=answered("no"))
    assert result.metric == "fact_check[no]"

def test_a_check_that_is_caught():
    with pytest.raises(AssertionError, match="fact_check is no, not yes"):
        assert_fact_checked("a", context=DOCS, judge=answered("no"))

def test_evaluating_asserts_nothing():
    result = evaluate(Case(response="a", context=DOCS), "groundedness", judge=rated(1))
    assert result.passed is False
"""


def test_checks_pass_at_their_thresholds(pytester: pytest.Pytester) -> None:
    result = run(pytester, PASSING)
    result.assert_outcomes(passed=7)
    assert result.ret == 0


def test_every_sentence_is_a_claim_when_asked_for_and_those_that_fail_are_named(
    pytester: pytest.Pytester,
) -> None:
    result = run(
        pytester,
        """
def verdict(question):
    return {"reason": "r", "verdict": "no" if "2 kg" in question.inputs["claim"] else "yes"}

def test_claims():
    judge = ScriptedJudge(verdict)
    assert_fact_checked(
        "It sleeps two. It weighs 2 kg. It is green.", context=DOCS, claims="sentences", judge=judge
    )
""",
    )
    result.stdout.fnmatch_lines(
        [
            "E   *fact_check is no, not yes*",
            "E   *reason      2 of 3 sentences are supported",
            'E   *unsupported "It weighs 2 kg." (r)',
        ]
    )


BLANK = """
@pytest.mark.parametrize("text", ["", "  ", "\\u200b"])
def test_blank(text):
    judge = rated(5)
    result = evaluate(Case(response=text, context=DOCS), "groundedness", judge=judge)
    assert (result.outcome, result.score, judge.questions) == ("failed", None, [])
    assert_grounded(text, context=DOCS, judge=judge)
"""


def test_a_blank_response_fails_at_once_and_nothing_is_asked(pytester: pytest.Pytester) -> None:
    result = run(pytester, BLANK)
    result.assert_outcomes(failed=3)
    result.stdout.fnmatch_lines(["E   *groundedness failed*", "E   *the response is empty"])


MISSING = """
@pytest.mark.parametrize("context", [None, [], [""], ["  "], {"citations": []}, "\\u200b"])
def test_missing(context):
    judge = rated(5)
    with pytest.raises(EvalError, match="groundedness needs context, which is (missing|blank) in"):
        assert_grounded(Case(id="c7", response="a", context=context), judge=judge)
    assert judge.questions == []

def test_no_query():
    with pytest.raises(EvalError, match="relevance needs query, which is missing in the case"):
        assert_relevant("a", judge=rated(5))

def test_none():
    with pytest.raises(TypeError, match="expected text or a Case, got NoneType"):
        assert_grounded(None, context=DOCS, judge=rated(5))

def test_an_object():
    with pytest.raises(TypeError, match="got list; take the text out"):
        assert_grounded(["a"], context=DOCS, judge=rated(5))

def test_a_case_and_pieces():
    with pytest.raises(EvalError, match="a whole Case was given, and context beside it"):
        assert_grounded(Case(response="a"), context=DOCS, judge=rated(5))

def test_off_the_scale():
    with pytest.raises(EvalError, match="at_least=7 is off the scale"):
        assert_grounded("a", context=DOCS, at_least=7, judge=rated(5))

def test_unknown_metric():
    with pytest.raises(EvalError, match="did you mean 'relevance'"):
        evaluate(Case(response="a"), "relevanse", judge=rated(5))

def test_unknown_option():
    with pytest.raises(EvalError, match="no option 'claim': did you mean 'claims'"):
        evaluate(Case(response="a", context=DOCS), "fact_check", judge=rated(5), claim="x")

def test_wrong_option():
    with pytest.raises(EvalError, match="claims is one of 'response', 'sentences'; got 'words'"):
        evaluate(Case(response="a", context=DOCS), "fact_check", judge=rated(5), claims="words")

def test_two_bounds():
    with pytest.raises(EvalError, match="at_least or at_most, not both"):
        evaluate(Case(response="a", context=DOCS), "relevance", at_least=1, at_most=2)
"""


def test_what_a_check_cannot_do_without_is_named(pytester: pytest.Pytester) -> None:
    run(pytester, MISSING).assert_outcomes(passed=15)


ERRORS = """
def test_broken():
    assert_grounded("a", context=DOCS, judge=BROKEN)

@pytest.mark.xfail
def test_bare(): assert_grounded("a", context=DOCS, judge=BROKEN)

@pytest.mark.xfail(strict=True)
def test_strict(): assert_grounded("a", context=DOCS, judge=BROKEN)

@pytest.mark.xfail(raises=Exception)
def test_raises(): assert_grounded("a", context=DOCS, judge=BROKEN)

@pytest.mark.xfail(raises=EvalError)
def test_raises_eval_error(): assert_grounded("a", context=DOCS, judge=BROKEN)

def test_grouped():
    raise ExceptionGroup("both", [JudgeUnavailable("a"), JudgeUnavailable("b")])

def test_failed_beside_an_error():
    raise ExceptionGroup("both", [CheckFailed("a"), JudgeUnavailable("b")])

@pytest.fixture
def checked():
    assert_grounded("a", context=DOCS, judge=BROKEN)

def test_in_a_fixture(checked): pass
"""


@pytest.mark.parametrize("processes", [0, 2])
def test_an_error_is_an_error_and_xfail_never_absorbs_it(
    pytester: pytest.Pytester, processes: int
) -> None:
    distributed = ["-n", str(processes)] if processes else []
    result = run(pytester, ERRORS, "--junitxml=junit.xml", *distributed)
    result.assert_outcomes(errors=7, failed=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["errors: 6, each a check without a verdict"])
    suite = ElementTree.parse(pytester.path / "junit.xml").getroot()[0]
    assert (suite.get("errors"), suite.get("failures")) == ("7", "1")
    found = {case.get("name"): [child.tag for child in case] for case in suite}
    assert found["test_broken"] == ["properties", "error"]
    assert found["test_bare"] == ["properties", "error"]
    message = suite.find("./testcase[@name='test_broken']/error").get("message")  # type: ignore[union-attr]
    assert message is not None
    assert "the judge timed out" in message
    assert "setup" not in message


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ("error", {"errors": 7, "failed": 1}),
        ("fail", {"failed": 7, "errors": 1}),
        ("skip", {"skipped": 7, "failed": 1}),
    ],
)
def test_the_ini_says_how_errors_are_reported(
    pytester: pytest.Pytester, how: str, expected: dict[str, int]
) -> None:
    result = run(pytester, ERRORS, "-rs", ini=f"llm_eval_on_error = {how}")
    result.assert_outcomes(**expected)
    result.stdout.fnmatch_lines(["errors: 6, each a check without a verdict"])


def test_a_check_that_failed_in_a_fixture_counts_as_failed_in_our_summary(
    pytester: pytest.Pytester,
) -> None:
    result = run(
        pytester,
        """
@pytest.fixture
def checked():
    assert_grounded("a", context=DOCS, judge=rated(1))

def test_it(checked): pass
""",
    )
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["groundedness * 0/1 *"])


def test_a_caught_hallucination_is_an_expected_failure_and_stands_apart(
    pytester: pytest.Pytester,
) -> None:
    result = run(
        pytester,
        """
@pytest.mark.xfail(raises=AssertionError, strict=True)
def test_caught(): assert_grounded("a", context=DOCS, judge=rated(1))

def test_sound(): assert_grounded("a", context=DOCS, judge=rated(5))
""",
    )
    result.assert_outcomes(xfailed=1, passed=1)
    result.stdout.fnmatch_lines(["groundedness * 1/1 * 5.00 * 1 in xfailed tests"])


NO_JUDGE = """
def test_one(): assert_grounded("a", context=DOCS)
def test_two(): assert_relevant("a", query="q")
def test_override(): assert_grounded("a", context=DOCS, judge=rated(5))
def test_blank(): assert evaluate(Case(response=" ", context=DOCS), "groundedness").passed is False
"""


@pytest.mark.parametrize("options", [[], ["-n", "2"], ["-p", "no:terminal"], ["-q"]])
def test_a_judged_check_without_a_judge_ends_the_run_with_exit_status_4(
    pytester: pytest.Pytester, options: list[str]
) -> None:
    result = run(pytester, NO_JUDGE, *options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    if "no:terminal" not in options:
        result.assert_outcomes(errors=2, passed=2)
        lines = [line for line in result.stdout.lines if line.startswith("  --llm-eval-model=")]
        assert len(lines) == 2


def test_of_a_test_that_is_run_again_only_the_last_run_counts(pytester: pytest.Pytester) -> None:
    result = run(
        pytester,
        """
scores = iter([1, 2, 5])

@pytest.mark.flaky(reruns=2)
def test_it(): assert_grounded("a", context=DOCS, judge=rated(next(scores)))
""",
    )
    result.stdout.fnmatch_lines(["groundedness * 1/1 * 5.00", "*1 passed, 2 rerun*"])


TOLD_TOGETHER = """
from pytest_llmeval import together

@pytest.mark.xfail
@pytest.mark.llm_eval
def test_both():
    with together():
        assert_grounded("a", context=DOCS, judge=BROKEN)
        assert_grounded("a", context=DOCS, judge=rated(2))
"""


@pytest.mark.parametrize("deferred", [[], ["--llm-eval-deferred"]])
def test_xfail_absorbs_no_error_that_is_told_beside_a_failing_check(
    pytester: pytest.Pytester, deferred: list[str]
) -> None:
    run(pytester, TOLD_TOGETHER, *deferred).assert_outcomes(errors=1)
