"""The Markdown summary: what it says of a run, what no text can make of it, and its limits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from pytest_llmeval import Run
from pytest_llmeval.gates.gate import GateResult, GateState
from pytest_llmeval.records.assessment import Assessment
from pytest_llmeval.records.judged_case import JudgedCase
from pytest_llmeval.records.record import Record
from pytest_llmeval.records.tests import Group, TestRow
from pytest_llmeval.reports.amounts import amounts_of
from pytest_llmeval.reports.comparison import BaselineComparison, FlippedCase, MetricComparison
from pytest_llmeval.reports.cut import Block, fitted
from pytest_llmeval.reports.extent import Extent
from pytest_llmeval.reports.markdown import COMMENT, STEP_SUMMARY, Limit, markdown
from pytest_llmeval.results import Evidence, Outcome, Usage
from pytest_llmeval.text.shown import shown

FAILED = Record(
    metric="groundedness",
    outcome=Outcome.FAILED,
    scale="1-5",
    higher_is_better=True,
    label=None,
    bound="at_least",
    threshold=4.0,
    score=2.0,
    reason="The weight is in no document.",
    evidence=(Evidence("ungrounded", "It weighs 2 kg.", "no weight"),),
    parts=(),
    turn=None,
    error=None,
    message="",
    judge="openai/gpt-5-mini",
    is_llm=True,
    resolved_model="gpt-5-mini-2025-08-07",
    usage=Usage(1, 0, 500, 112, 0.0004, 1.9, 612, 0.0004),
    keys=(),
    prompts=(),
    case_id="q17",
    judged="c1",
    nodeid="test_shop.py::test_tent",
)
BLANK = replace(
    FAILED, score=None, reason="the response is empty", evidence=(), usage=Usage(), case_id="0" * 12
)
ERROR = replace(
    FAILED, outcome=Outcome.ERROR, score=None, message="timed out (tried 3 times)", reason=""
)
PASSED = replace(FAILED, outcome=Outcome.PASSED, score=5.0, usage=Usage(0, 1, 400, 100, 0.0003))
LABELLED = replace(
    PASSED, outcome=Outcome.FAILED, metric="fact_check[no]", label="yes", score=1.0, bound="at_most"
)
ASSESSMENT = Assessment(
    suite="rag",
    outcome=Outcome.FAILED,
    root_cause="groundedness",
    fix="Lower the temperature.",
    failed=("groundedness",),
    errors=(),
    left_out=(),
    case_id="q17",
    judged="c1",
    nodeid="test_shop.py::test_tent",
)
CASE = JudgedCase("c1", "Which tent?", "It weighs 2 kg.", None, ())
WHOLE = Extent(
    complete=True,
    collected=4,
    deselected=0,
    elsewhere=0,
    shard=None,
    ran=4,
    collection_errors=0,
    named=False,
    stopped=None,
    collected_digest="0" * 32,
    ran_digest="0" * 32,
)
NOW = datetime(2026, 1, 2, tzinfo=UTC)
FLIP = FlippedCase(
    test="test_shop.py::test_tent",
    case="q17",
    metric="groundedness",
    scores=(5.0, 2.0),
    told=("5", "2"),
    reasons=("It is so.", "The weight is in no document."),
    same_case=False,
)
REGRESSED = MetricComparison(
    metric="groundedness",
    change="regressed",
    judge_change=None,
    n=40,
    clusters=40,
    of_defects=False,
    blind=False,
    outcomes=True,
    baseline=0.95,
    current=0.7,
    difference=-0.25,
    interval=(-0.4, -0.1),
    worse=10,
    better=0,
    test="mcnemar",
    p=0.002,
    adjusted_p=0.004,
    detectable=None,
    tolerance=0.0,
    unknown=2,
    deselected=0,
)
COMPARISON = BaselineComparison(
    file="base.json",
    fail_on="regression",
    gate="broken",
    says="groundedness",
    metrics=(REGRESSED,),
    flips=(FLIP,),
    new=(),
    gone=(),
    changed=(),
)


def run_of(records: Sequence[Record], assessments: Sequence[Assessment] = (), **more: Any) -> Run:
    values: dict[str, Any] = {
        "schema_version": 1,
        "plugin_version": "0",
        "started": NOW,
        "finished": NOW,
        "exit_status": 1,
        "extent": WHOLE,
        "settings": {},
        "judges": (),
        "gates": (),
        "tests": (),
        "comparison": None,
        "notices": (),
        "cases": (CASE,),
    }
    values |= {**amounts_of(records, assessments), **more}
    return Run(**values, records=tuple(records), assessments=tuple(assessments))


def test_a_run_reads_like_this() -> None:
    xfailed = replace(FAILED, xfailed=True, judged=None)
    made = run_of(
        [PASSED, FAILED, BLANK, ERROR, ERROR, LABELLED, xfailed],
        [ASSESSMENT],
        notices=("a notice",),
        extent=WHOLE.model_copy(update={"complete": False, "deselected": 2}),
        comparison=COMPARISON,
    )
    assert markdown(made) == (
        """<!-- llm-eval -->
## LLM evals: failed

7 checks: 1 passed, 3 failed, 2 without a verdict, 1 in xfailed tests.\
 This is not the whole suite: `2 deselected`.

- `judge openai/gpt-5-mini (gpt-5-mini-2025-08-07)` · 4 verdicts: 2 stored, 2 asked · 2.4k tokens\
 · $0.0016 · 7.6 s
- cost: `2.4k tokens · $0.0016` in this run; `3.4k tokens · $0.0022` for all these verdicts,\
 whenever they were asked

| metric | passed | rate [95 %] | mean | vs baseline |
| --- | ---: | ---: | ---: | --- |
| `fact_check[no]` | 0/1 | 0.0 % [0.0–79.3] | – |  |
| `groundedness` | 1/3 | 33.3 % [6.1–79.2] | 3.50 | −25.0 pts, p = 0.004  REGRESSED · 2 errors ·\
 1 in xfailed tests |
| `quality (rag)` | 0/1 | 0.0 % [0.0–79.3] | – |  |

### Root causes

- `rag`: `groundedness` 1
  - fix of `groundedness`: `Lower the temperature.`

### Baseline

- `baseline base.json: compared 40, 2 without a verdict or not run`

### Flips, passed in the baseline and failing now: 1 check in 1 test

- `groundedness` `5 → 2` · `test_shop.py::test_tent (q17)`
  - was: `It is so.`
  - now: `The weight is in no document.`

### Failed checks, worst first

- `groundedness` failed · `test_shop.py::test_tent` · root cause of `quality (rag)`
  - reason: `the response is empty`
  - query: `Which tent?`
  - response: `It weighs 2 kg.`
- `fact_check[no]` is `yes` · `test_shop.py::test_tent` · case `q17`
  - reason: `The weight is in no document.`
  - ungrounded: `"It weighs 2 kg." (no weight)`
  - query: `Which tent?`
  - response: `It weighs 2 kg.`
- `groundedness` 2 is below 4 · `test_shop.py::test_tent` · case `q17` · root cause of\
 `quality (rag)`
  - reason: `The weight is in no document.`
  - ungrounded: `"It weighs 2 kg." (no weight)`
  - query: `Which tent?`
  - response: `It weighs 2 kg.`

### Without a verdict

- 2 × `groundedness`: `timed out`

### Notices

- `a notice`
"""
    )


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (run_of([], exit_status=5), "## LLM evals: no tests\n\nNo check was made."),
        (run_of([PASSED], exit_status=0), "## LLM evals: passed\n\n1 check: 1 passed.\n"),
        (run_of([PASSED], exit_status=2), "## LLM evals: interrupted\n"),
        (run_of([PASSED]), "1 passed. The run failed by something else than a check."),
        (run_of([replace(FAILED, evidence=FAILED.evidence * 5)]), "  - and 2 more of what it"),
    ],
)
def test_a_run_that_ends_otherwise_says_so(made: Run, said: str) -> None:
    assert said in markdown(made)


def test_a_run_that_is_said_to_have_passed_is_told_by_its_tests_and_gates() -> None:
    """As where another plugin, or an editor, had it pass."""
    missing = GateResult("g", GateState.NOT_DECIDED, "nothing", "missing")
    for more in (
        {"tests": (TestRow("t", "failed"),)},
        {"tests": (TestRow("t", "error"),)},
        {"gates": (replace(missing, state=GateState.BROKEN, reason=""),)},
        {"gates": (missing,)},
    ):
        page = markdown(run_of([PASSED], exit_status=0, **more))
        assert "## LLM evals: failed\n" in page
    for passing in (
        {"tests": (TestRow("t", "tolerated"), TestRow("u", "xfailed"))},
        {"gates": (replace(missing, reason="selection"),)},
        {"gates": (replace(missing, reason="shard"),)},
    ):
        page = markdown(run_of([PASSED], exit_status=0, **passing))
        assert "## LLM evals: passed\n" in page
        assert "## LLM evals: failed\n" in markdown(run_of([PASSED], exit_status=1, **passing))


def test_gates_are_told_with_their_states_and_those_that_fail_the_run_first() -> None:
    held = GateResult("coherence.mean >= 4", GateState.HELD, "it is 4.5")
    left = GateResult("f1.mean >= 0.5", GateState.NOT_DECIDED, "2 deselected", "selection")
    broken = GateResult("groundedness.mean >= 4", GateState.BROKEN, "it is 3.5")
    page = markdown(run_of([PASSED], gates=(held, left, broken)))
    told = """\
- `f1.mean >= 0.5` **not decided**: `2 deselected`
- `groundedness.mean >= 4` **BROKEN**: `it is 3.5`
- `coherence.mean >= 4` held: `it is 4.5`
"""
    assert f"### Gates\n\n{told}" in page
    assert "something else" not in page
    passed = markdown(run_of([PASSED], exit_status=0, gates=(held, left)))
    assert "- `f1.mean >= 0.5` not decided: `2 deselected`" in passed


@pytest.mark.parametrize(
    ("state", "gate", "counted", "title"),
    [
        ("failed", "held", "1 failed.", "Failed checks, worst first"),
        ("not_run", "held", "1 failed.", "Failed checks, worst first"),
        ("tolerated", "held", "1 tolerated in groups.", "Tolerated in groups, worst first"),
        *(
            (
                *("tolerated", gate, "1 failed in groups that are not held."),
                "Failed in groups that are not held, worst first",
            )
            for gate in ("broken", "not decided")
        ),
        *(
            (
                *(state, "held", "1 failed without failing a test."),
                "Failed without failing a test, worst first",
            )
            for state in ("passed", "xpassed", "skipped")
        ),
    ],
)
def test_failing_checks_stand_under_what_followed_from_them(
    state: Any, gate: str, counted: str, title: str
) -> None:
    group = Group("support", 0.5)
    row = TestRow(FAILED.nodeid, state, groups=(group,))
    gates = (GateResult("support min_pass_rate=0.5", GateState(gate), "", "missing"),)
    page = markdown(run_of([FAILED], tests=(row,), gates=gates))
    assert f"\n\n1 check: {counted}" in page
    assert f"\n### {title}\n\n- `groundedness` 2 is below 4" in page
    assert page.count(", worst first") == 1


def test_what_must_pass_comes_before_what_is_worse() -> None:
    vital = replace(FAILED, nodeid="t[vital]", score=3.0)
    group = Group("support", 0.5, ("vital",))
    rows = (
        TestRow("t[vital]", "failed", groups=(group,), names=("vital",)),
        TestRow(FAILED.nodeid, "failed", groups=(group,)),
    )
    page = markdown(run_of([FAILED, vital], tests=rows))
    first, second = re.findall(r"^- `groundedness` \d .*$", page, re.MULTILINE)
    assert first == "- `groundedness` 3 is below 4 · `t[vital]` · case `q17` · must pass"
    assert second.startswith("- `groundedness` 2 is below 4")


def test_errors_that_begin_alike_are_of_one_kind() -> None:
    said = [replace(ERROR, message=f"unreadable\n  reply: {n}") for n in (1, 2, 2)]
    assert "- 3 × `groundedness`: `unreadable …`\n" in markdown(run_of(said))
    assert "- 2 × `groundedness`: `unreadable reply: 2`\n" in markdown(run_of(said[1:]))


def test_what_to_do_is_told_with_the_cause_where_it_is_the_same_for_all_of_its_cases() -> None:
    other = replace(ASSESSMENT, nodeid="t", fix="Raise it.")
    page = markdown(run_of([FAILED, replace(FAILED, nodeid="t")], [ASSESSMENT, other]))
    assert "  - fix of" not in page
    assert page.count("  - fix: `Lower the temperature.`") == 1
    assert page.count("  - fix: `Raise it.`") == 1


_HOSTILE = st.one_of(
    st.text(alphabet="`|\\<>@#*_[]()!&$~:\n\r\t -w.h1"),
    st.text(),
    st.sampled_from(
        [
            *("</code><script>alert(1)</script>", "<!-- -->", "&lt;img src=x&gt;", "| a | b |"),
            *("@octocat", "#1 GH-1 https://evil.test www.evil.test a@b.test", "![x](http://y.z)"),
            *("```\n# heading\n---\n", "` `` ```", "\\`", "a\\|b\\\\|c", "- [ ] task", "$`x`$"),
            *("\u202etxt", "\x1b[31m", "x" * 5000, "<details>\n\n<b>", "::error::x", " ", "|"),
        ]
    ),
)
_PLAIN = MarkdownIt("commonmark").enable("table").enable("strikethrough")


def leaves(page: str) -> list[Token]:
    """The tokens of ``page``, those inside lines among them."""
    return [leaf for token in _PLAIN.parse(page) for leaf in (token, *(token.children or ()))]


@settings(max_examples=150)
@given(st.lists(_HOSTILE, min_size=6, max_size=6))
def test_no_text_of_a_run_is_taken_for_markup(texts: list[str]) -> None:
    one, two, three, four, five, six = texts
    failed = replace(
        FAILED,
        metric=one,
        reason=two,
        evidence=(Evidence(three, four, five),),
        judge=six,
        resolved_model=one,
        case_id=two,
        nodeid=three,
    )
    error = replace(failed, outcome=Outcome.ERROR, message=four)
    suite = replace(ASSESSMENT, suite=five, root_cause=one, fix=six, nodeid=three, failed=(one,))
    lost = replace(suite, outcome=Outcome.ERROR, root_cause=None, message=two)
    made = run_of(
        [failed, error, replace(failed, label=six)],
        [suite, lost],
        cases=(JudgedCase("c1", four, five, None, ()),),
        notices=(six,),
        extent=WHOLE.model_copy(update={"complete": False, "stopped": one}),
        comparison=COMPARISON.model_copy(
            update={
                "file": two,
                "metrics": (REGRESSED.model_copy(update={"metric": one, "judge_change": two}),),
                "flips": (
                    FLIP.model_copy(update={"test": one, "case": three, "reasons": (four, five)}),
                ),
            }
        ),
    )
    page = markdown(made, STEP_SUMMARY)
    tokens = leaves(page)
    assert [each.content for each in tokens if each.type == "html_block"] == ["<!-- llm-eval -->\n"]
    kinds = {each.type for each in tokens}
    assert not kinds & {"html_inline", "link_open", "image", "fence", "code_block", "hr", "em_open"}
    headings = [
        token.content for before, token in pairwise(tokens) if before.type == "heading_open"
    ]
    notices = ["Notices"] * bool(six.strip())
    assert headings == [
        *("LLM evals: failed", "Root causes", "Baseline"),
        "Flips, passed in the baseline and failing now: 1 check in 1 test",
        "Failed checks, worst first",
        *("Without a verdict", *notices),
    ]
    for line in page.splitlines():
        if line.startswith("| "):
            assert len(re.findall(r"(?<!\\)\|", line)) == 6
    ours = "".join(each.content for each in tokens if each.type == "text")
    assert not re.search(r"[<@#`\\|*_]|://|www\.", ours)
    assert all(each.content.count("$") < 2 for each in tokens if each.type == "text")
    spans = [each.content for each in tokens if each.type == "code_inline"]
    for text in (two, four, five):
        if shown(text):
            assert shown(text) in spans


def test_a_run_that_is_too_long_leaves_out_and_counts() -> None:
    count = 1500
    long = [
        replace(FAILED, nodeid=f"test_{n}", reason="é€𝄞" * 100, judged=None) for n in range(count)
    ]
    notices = tuple(f"notice {n} {'x' * 300}" for n in range(100))
    judge_changed = REGRESSED.model_copy(update={"judge_change": "a → b"})
    much = COMPARISON.model_copy(update={"metrics": (judge_changed,) * 20_000})
    made = run_of(long, notices=notices, comparison=much)
    for limit in (COMMENT, Limit(5000, COMMENT.of), STEP_SUMMARY):
        page = markdown(made, limit)
        assert limit.of(page) <= limit.size
        assert limit.of(page) > limit.size * 0.8
        if told := re.search(r"\nand (\d+) more failed checks, left out here\n", page):
            assert int(told[1]) + page.count("\n- `groundedness` 2 is") == count
        else:
            raise AssertionError("failing checks were left out in silence")
    assert markdown(made, limit=Limit(50, len)) == ""


@given(
    st.lists(
        st.builds(
            Block,
            st.text(max_size=30),
            st.lists(st.text(max_size=40), max_size=6).map(tuple),
            rank=st.integers(0, 3),
        ),
        max_size=5,
    ),
    st.integers(0, 600),
)
def test_blocks_never_take_more_than_there_is(blocks: list[Block], limit: int) -> None:
    text = fitted(blocks, limit, len)
    assert len(text) <= limit
    if (
        len("".join(each.text(len(each.items)) + "\n" for each in blocks)) + 60 * len(blocks)
        < limit
    ):
        assert "left out" not in text
        assert all(item in text for each in blocks for item in each.items)
