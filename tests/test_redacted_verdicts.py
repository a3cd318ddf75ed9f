"""Redacted verdicts: what a hook may change of them, and whether one is believed."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pytest
from committed_lines import Grade, asked, entry
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmeval.errors import DamagedVerdicts, UsageError
from pytest_llmeval.judges.answers import FreeText, Rating, Reason, Reply
from pytest_llmeval.judges.base import Question
from pytest_llmeval.judges.committed import Verdicts
from pytest_llmeval.judges.entry_texts import redact_texts
from pytest_llmeval.judges.heard import question_key
from pytest_llmeval.judges.model import Judge
from pytest_llmeval.judges.redacted import redacted
from pytest_llmeval.judges.schema import shown_schema
from pytest_llmeval.judges.verdict_line import VerdictLine

FILE = "test_a.py.verdicts.jsonl"


class Claim(Reply):
    text: FreeText
    kind: Literal["missing", "contradicted"]


class Found(Reply):
    claims: list[Claim]
    note: FreeText | None
    word: Literal["yes", "no"] | None
    counts: dict[str, int]
    reason: Reason
    score: Rating


SAID: dict[str, Any] = {
    "claims": [{"text": "Ann pays", "kind": "missing"}, {"text": "b", "kind": "missing"}],
    "note": "of Ann",
    "word": "yes",
    "counts": {"Ann": 2},
    "reason": "Ann is right",
    "score": 4,
}


def line(said: str, schema: Any = None) -> VerdictLine:
    question = Question("found", (("user", "Ann?"),), Found, form="json" if schema else "word")
    _, kept = entry("a")
    messages = [["user", "Ann?"]]
    made = {**kept, "task": "found", "messages": messages, "schema": schema, "said": said}
    key = question_key(Judge("openai/m"), question)
    assert key is not None
    return VerdictLine(key, made, ("test_it",))


def written(
    change: Callable[[str], str], said: str | None = None, schema: Any = None
) -> VerdictLine | None:
    """What is written of a line whose reply, and question, a hook puts through ``change``."""

    def redact(kept: dict[str, Any]) -> dict[str, Any]:
        kept["said"] = change(kept["said"])
        kept["messages"][0][1] = kept["messages"][0][1].replace("Ann", "(name)")
        return kept

    if said is None:
        said, schema = json.dumps(SAID), {**shown_schema(Found)}
    return redacted(line(said, schema), redact)


def sub(old: str, new: str) -> Callable[[str], str]:
    return lambda said: re.sub(old, new, said)


FREE = sub(r'"(Ann pays|of Ann|Ann is right)"', '"(text)"')


def test_free_text_of_a_reply_may_be_taken_out_and_what_it_decides_stays() -> None:
    made = written(FREE)
    assert made is not None
    assert made.redacted
    assert (made.entry["messages"], made.entry["said"].count("Ann")) == ([["user", "(name)?"]], 1)
    schema = {**shown_schema(Found)}
    in_prose = f"Here is what I found on Ann: {json.dumps(SAID)}"
    assert written(sub(r"on Ann", "on (name)"), in_prose, schema) is not None
    assert written(sub("Ann", "(name)"), "Yes. Ann says so.") is not None


@pytest.mark.parametrize(
    "change",
    [
        sub('"score": 4', '"score": 5'),
        sub('"score": 4', '"grade": 4'),
        sub("contradicted|missing", "contradicted"),
        sub('"yes"', "null"),
        sub('{"text": "b", "kind": "missing"}', ""),
        sub(r', {"text": "b".*?}', ""),
        sub('"Ann": 2', '"Ann": 3'),
        sub('"Ann": 2', '"(name)": 2'),
        sub("[0-9]", "#"),
        lambda said: "(taken out)",
        lambda said: "",
        lambda said: said + said.replace("4", "5"),
    ],
    ids=range(12),
)
def test_a_redaction_that_changes_what_a_reply_decides_is_refused(
    change: Callable[[str], str],
) -> None:
    with pytest.raises(UsageError, match="redact changes what the reply decides, from .* to "):
        written(change)


def test_a_bare_word_and_a_reply_in_prose_are_read_before_they_are_compared() -> None:
    with pytest.raises(UsageError, match="from yes to nothing that can be read"):
        written(sub("Yes", "(word)"), "Yes")
    with pytest.raises(UsageError, match="from yes to no;"):
        written(sub("Yes", "No"), "Yes")
    with pytest.raises(UsageError, match="changes what the reply decides"):
        written(sub("4", "2"), f"Well: {json.dumps(SAID)}", {**shown_schema(Found)})


def test_a_redaction_that_changes_twice_what_it_may_change_once_is_refused() -> None:
    with pytest.raises(UsageError, match="twice has to give what once does"):
        written(sub("Ann is", "Ann Ann is"))
    with pytest.raises(UsageError, match="changes the task"):
        redacted(line("Yes"), lambda kept: {**kept, "task": "(name)"})
    assert redacted(line("Yes"), lambda kept: kept) == line("Yes")
    assert redacted(line("Yes"), lambda kept: None) is None


def test_a_line_that_says_it_was_redacted_is_refused_where_nothing_redacts(tmp_path: Path) -> None:
    key, kept = entry("a")
    forged = VerdictLine(key, {**kept, "messages": [["user", "another"]]}, ("t",), redacted=True)
    (tmp_path / FILE).write_text(forged.text() + "\n", encoding="utf-8")
    answer = Verdicts(tmp_path, lambda: True).answer(key, asked("a"))
    assert answer is not None
    assert answer.reply.score == 4
    verdicts = Verdicts(tmp_path, lambda: False)
    assert verdicts.redacted() == 1
    reads: list[Callable[[], object]] = [verdicts.check, lambda: verdicts.answer(key, asked("a"))]
    for read in reads:
        with pytest.raises(DamagedVerdicts, match=f"{FILE}:1: it says .* nothing here redacts"):
            read()


ADDRESS = re.compile(r"[\w.]+@[\w.]+")
GRADE = {**shown_schema(Grade)}


def masked(text: str) -> str:
    return ADDRESS.sub("(address)", text)


def addressed(kept: dict[str, Any]) -> dict[str, Any]:
    return redact_texts(kept, masked)


ESCAPED = r"""{"reason":"It gives bob\u0040x.com","score":2}"""
AFTER_A_LINE = r"""{"score": 2.0, "reason": "Says:\nbob@x.com, \"\u00fc\""}"""


@pytest.mark.parametrize(
    ("said", "left"),
    [
        (ESCAPED, '{"reason":"It gives (address)","score":2}'),
        (AFTER_A_LINE, r"""{"score": 2.0, "reason": "Says:\n(address), \"ü\""}"""),
        ('{"reason": "none \\u00fc",  "score":2}', '{"reason": "none \\u00fc",  "score":2}'),
        (f"```json\n{ESCAPED}```", '```json\n{"reason":"It gives (address)",*```'),
        (f"a@b\n```json\n{ESCAPED}```", '{"reason":"It gives (address)","score":2}'),
        (f"<think>{ESCAPED} a@b</think>{AFTER_A_LINE}", "{*\\n(address)*}"),
        (ESCAPED.replace("}", ",}"), '{"reason": "It gives (address)", "score": 2}'),
        (AFTER_A_LINE.replace("}", ",} a@b"), '{*"Says:\\n(address), *"}'),
        ('{"reason": "none \\u00fc",\n}', '{"reason": "none \\u00fc",\n}'),
        ("Yes, a@b says so.", "Yes, (address) says so."),
        ("Yes, a%40b says so: it&#39;s &#97;@b.", "Yes, (address) says so: it's (address)"),
    ],
    ids=range(11),
)
def test_texts_of_a_reply_are_changed_as_they_read_whatever_their_escapes(
    said: str, left: str
) -> None:
    schema = None if said.startswith("Yes") else GRADE
    made = redacted(line(said, schema), addressed)
    assert made is not None
    text = made.entry["said"]
    assert re.fullmatch(re.escape(left).replace(r"\*", ".*"), text, re.DOTALL), text
    assert "bob" not in made.text()
    assert made.redacted is (text != said)
    assert '"verdict"' in made.text() or '"verdict"' not in line(said, schema).text()


def test_what_nobody_asked_for_goes_whatever_it_is() -> None:
    more = {"score": 5, "phone": 4915112345678, "reason": "none", "by": {"phone": 1}}
    for said, left in (
        (json.dumps(more), '{"score": 5, "reason": "none"}'),
        (f"It is {json.dumps(more)}", 'It is {"score": 5, "reason": "none"}'),
        (f"```\n{json.dumps(more)[:-1]},}}```", '```\n{"score": 5, "reason": "none"}```'),
    ):
        made = redacted(line(said, GRADE), addressed)
        assert made is not None
        assert made.entry["said"] == left
    counts = json.dumps({**SAID, "by": 1, "claims": [{**SAID["claims"][0], "by": 1}]})
    made = redacted(line(counts, {**shown_schema(Found)}), addressed)
    assert made is not None
    assert json.loads(made.entry["said"]) == {**SAID, "claims": SAID["claims"][:1]}


@given(
    text=st.text()
    | st.sampled_from(["\n", '"', "\\", "{", "é"]).map(lambda each: f"{each}bob@x.y"),
    ascii_only=st.booleans(),
)
def test_whatever_a_text_is_its_reply_is_changed_as_it_would_be(
    text: str, ascii_only: bool
) -> None:
    said = json.dumps({"reason": text, "more": [text, {"a": text}]}, ensure_ascii=ascii_only)
    kept = {"messages": [["user", text]], "said": said}
    made = addressed(kept)
    assert made["messages"] == [["user", masked(text)]]
    assert json.loads(made["said"]) == {
        "reason": masked(text),
        "more": [masked(text), {"a": masked(text)}],
    }
    assert kept["said"] == said


def test_a_change_that_gives_no_text_is_told() -> None:
    nothing: Any = print
    with pytest.raises(UsageError, match="from text to text; it gave NoneType"):
        redact_texts(entry("a")[1], nothing)
    with pytest.raises(UsageError, match="that leaves what it gave as it is; of a &amp; b it goes"):
        redact_texts({"messages": [["user", "a & b"]], "said": "Yes"}, html.escape)


def test_a_redaction_that_leaves_no_plain_values_of_those_there_were_is_refused() -> None:
    def raw(kept: dict[str, Any]) -> dict[str, Any]:
        return {**kept, "said": masked(kept["said"])}  # which takes the n of a line end along

    with pytest.raises(UsageError, match=r"leaves a reply that is no JSON object any more: .*\\\("):
        redacted(line(AFTER_A_LINE, GRADE), raw)
