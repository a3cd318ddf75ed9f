"""Redaction reads a reply as the verdict is read: no escape and no slip of a judge hides a text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

import pytest
from committed_lines import Grade, entry
from hypothesis import assume, given
from hypothesis import strategies as st

from pytest_llmeval.errors import EvalError, UsageError
from pytest_llmeval.judges.entry_texts import redact_texts
from pytest_llmeval.judges.redacted import redacted
from pytest_llmeval.judges.reply import read
from pytest_llmeval.judges.verdict_line import VerdictLine
from pytest_llmeval.text.escapes import readings

SECRET = re.compile(r"[\w.]+@[\w.]+|josé")


def addressed(kept: dict[str, Any]) -> dict[str, Any]:
    return redact_texts(kept, lambda text: SECRET.sub("(x)", text))


def written(said: str, message: str = "Who?") -> VerdictLine:
    """The line that is written of a reply that is accepted as a verdict."""
    read(said, Grade)
    key, kept = entry("a")
    kept = {**kept, "said": said, "messages": [["user", message]]}
    made = redacted(VerdictLine(key, kept, ("test_it",)), addressed)
    assert made is not None
    return made


def secrets(line: VerdictLine) -> Iterator[str]:
    """The secrets that are found in ``line``, however it is read."""
    said = line.entry["said"]
    texts = [said, *(text for _, text in line.entry["messages"]), read(said, Grade).reason]
    for text in texts:
        for plain in (text, *readings(text)):
            yield from SECRET.findall(plain)
    yield from SECRET.findall(line.text())


@pytest.mark.parametrize(
    "said",
    [
        r"""{"reason": "The 5" tent of jos\u00e9 (bob\u0040x.com) fits", "score": 5}""",
        r"""{'reason': 'it is jos\u00e9 at bob\u0040x.com', 'score': 5}""",
        r"""{"reason": "none", // by bob\u0040x.com""" + '\n"score": 5}',
        r"""{"reason": "none", "score": 5, "bob\u0040x.com": "knows", "by": ["jos\u00e9"]}""",
        r"""{"reason": "by jos&eacute;, bob&#64;x.com or bob%40x.com", "score": 5}""",
        r"""<think>{"reason": "jos\u00e9"} is bob\u0040x.com</think>{"reason": "a", "score": 5}""",
    ],
)
def test_a_reply_that_is_accepted_is_redacted_as_it_reads(said: str) -> None:
    made = written(said, r'{"from": "bob\u0040x.com", "cc": "jos&#233;"}')
    assert not [*secrets(made)]
    assert made.redacted
    assert read(made.entry["said"], Grade).score == 5


def json_escaped(text: str) -> str:
    return "".join(f"\\u{ord(each):04x}" for each in text)


WRITINGS: list[Callable[[str], str]] = [
    str,
    json_escaped,
    lambda text: json_escaped(text).upper().replace("\\U", "\\u"),
    lambda text: "".join(f"&#{ord(each)};" for each in text),
    lambda text: "".join(f"&#x{ord(each):x};" for each in text),
    quote,
    lambda text: quote(text).replace("%", "\\u0025"),
    lambda text: json_escaped("".join(f"&#{ord(each)};" for each in text)),
]
"""How a judge may write a text within a string of JSON."""

FORMS = [
    '{{"reason": "{0}", "score": 4}}',
    '{{"reason": "{0}", "score": 4,}}',
    '{{"score": 4, "reason": "{0}"',
    '{{"reason": "the 5" one: {0}", "score": 4}}',
    "{{'reason': '{0}', 'score': 4}}",
    '{{reason: "{0}", score: 4}}',
    '{{"reason": "{0}" "score": 4}}',
    "{{“reason”: “{0}”, “score”: 4}}",
    '{{"reason": "of\n{0}", "score": 4}}',
    '{{"reason": "none", # {0}\n"score": 4}}',
    '{{"reason": "none", /* {0} */ "score": 4}}',
    '{{"reason": "{0}", "score": 4, "more": {{"{0}": ["{0}"]}}}}',
    '{{"reason": "{0}", "score": 4, "{0}": None}}',
    '```json\n{{"reason": "{0}", "score": 4}}\n```',
    "```\n{{'reason': \"{0}\", 'score': 4}}\n```",
    '\ufeff {{"reason": "{0}", "score": 4}}',
    '<think>So {0} says {{"reason": "{0}"}}.</think>{{"reason": "{0}", "score": 4}}',
    'It is all of {0}.\n\n{{"reason": "{0}", "score": 4}}',
    '{{"reason": "{0}", "score": 4}}\n\nThe score is 4, as {0} says.',
    '{{"reason": "{0}", "score": 4}} {{"reason": "none", "score": 4,}}',
    '{{"reason": "a", "score": 4}} {{"reason": \'{0}\', "score": 4}}',
]
"""Replies that are read as verdicts, sound or not, with the place of a text in them."""


@given(
    st.sampled_from(FORMS),
    st.lists(
        st.tuples(
            st.sampled_from(["bob@x.com", "josé"]),
            st.sampled_from(WRITINGS),
            st.sampled_from([" ", ", ", r" \n", r" \"", " 5' ", r" \\", ' 5" ', " {", " %", "&"]),
        ),
        min_size=1,
        max_size=4,
    ),
)
def test_no_secret_is_left_in_a_line_whatever_the_reply_that_was_accepted(
    form: str, parts: list[tuple[str, Callable[[str], str], str]]
) -> None:
    text = " ".join(around + writing(secret) for secret, writing, around in parts)
    said = form.format(text)
    try:
        read(said, Grade)
    except EvalError:
        assume(False)
    try:
        made = written(said)
    except UsageError as refused:
        assert "pytest_llm_eval_redact" in str(refused)  # noqa: PT017
        return
    assert not [*secrets(made)]
    assert made.redacted
    assert read(made.entry["said"], Grade).score == 4
    once = json.loads(made.text())
    again = redacted(made, addressed)
    assert again is not None
    assert json.loads(again.text()) == once
