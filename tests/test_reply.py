"""Reading replies: what is read all the same, and what never passes for a verdict."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pytest_llmeval.errors import JudgeRefused, UnreadableReply
from pytest_llmeval.judges.reply import Rating, Reason, Reply, read


class Rated(Reply):
    reason: Reason
    score: Rating


FOUR = '{"reason": "It fits.", "score": 4}'
AROUND: dict[str, Callable[[str], str]] = {
    "nothing": str,
    "blanks": "\ufeff\n {} \n".format,
    "fence": "```json\n{}\n```".format,
    "fence of no language": "```\n{}```".format,
    "tildes": "~~~json5\n{}\n~~~".format,
    "prose": "Well, {{that}} is [1]. {{ My verdict: {} I hope it's fine :}}".format,
    "thinking": ('<think>Maybe {{"score": 1}}, or {{"score": </think>' + "\n{}").format,
    "thinking in capitals": ("Hm. <THINKING>{{'score': 2}}</THINKING>" + "{}").format,
    "thinking never begun": ('Maybe {{"score": 1}} or "score": 2?\n</think>\n' + "{}").format,
    "reasoning": "Both claims are stated, if in other words. Nothing is missing.\n\n{}".format,
    "a list": "- The first is stated\n- So is the second\n```json\n{}\n```".format,
    "a tag": "<answer>{}</answer><|im_end|>".format,
    "double braces": "{{{}}}".format,
    "said twice": "{0}\nOnce more: {0}".format,
}
INSIDE: dict[str, Callable[[str], str]] = {
    "nothing": str,
    "comma": lambda text: text[:-1] + ",}",
    "comment": lambda text: "{ // it's {1-5}\n" + text[1:],
    "comments": lambda text: '{/* "score": 5, } */' + text[1:-1] + " # done\n}",
    "single quotes": lambda text: text.replace('"', "'"),
    "no quotes round names": lambda text: text.replace('"score"', "score"),
    "typographic quotes": lambda text: re.sub('"([^"]*)"', r"“\1”", text),
    "no commas": lambda text: text.replace(', "', '\n "'),
}


@pytest.mark.parametrize("around", AROUND.values(), ids=AROUND)
@pytest.mark.parametrize("inside", INSIDE.values(), ids=INSIDE)
def test_a_verdict_is_read_from_any_wrapping(
    around: Callable[[str], str], inside: Callable[[str], str]
) -> None:
    reply = read(around(inside(FOUR)), Rated)
    assert (reply.score, reply.reason) == (4, "It fits.")


@pytest.mark.parametrize(
    "value",
    [
        *[
            "42",
            "-1",
            "0",
            "6",
            "4.5",
            "true",
            "null",
            "[4]",
            '"4/5"',
            '"four"',
            "NaN",
            "-Infinity",
        ],
        *["1e999", "1_0", "1,0", "3 or 4", "4 5", '"4" "5"', "4/5", "+4", "04", "", '"nan"', "{}"],
    ],
)
def test_what_is_no_rating_is_an_error_in_every_wrapping(value: str) -> None:
    for around, inside in product(AROUND.values(), INSIDE.values()):
        with pytest.raises(UnreadableReply):
            read(around(inside(FOUR.replace("4", value))), Rated)


@pytest.mark.parametrize("value", ['"4"', "4.0", '"4.0"'])
def test_text_and_integral_floats_are_read_in_every_wrapping(value: str) -> None:
    for around, inside in product(AROUND.values(), INSIDE.values()):
        assert read(around(inside(FOUR.replace("4", value))), Rated).score == 4


PIECES = [
    *list("{}[]\"':,\\/#\n4 5é\ud83d\u202e"),
    *["//", "/*", "*/", "score", '"score"', '"reason": ', '"score": ', '{"score": ', '{"reason": '],
    *["42", "NaN", "1e999", "true", "null", "<think>", "</think>", "```json", "I cannot help"],
]
"""Of these, replies that look like JSON are made."""


@settings(max_examples=300)
@given(st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=25).map("".join)))
@example("{" * 3000)
def test_no_text_raises_anything_but_the_two_errors(said: str) -> None:
    try:
        reply = read(said, Rated, under_test=[said[:5]])
    except (UnreadableReply, JudgeRefused):
        return
    assert str(reply.score) in said


CALM = st.text(st.characters(categories=["L", "N", "Zs"], include_characters=".,;-")).map(str.strip)


@given(st.text(), st.sampled_from([1, 2, 3, 4, 5]), st.sampled_from(list(AROUND)), st.booleans())
def test_any_sound_object_is_read_back_equal(
    reason: str, score: int, around: str, escaped: bool
) -> None:
    values = {"reason": reason, "score": score}
    said = AROUND[around](json.dumps(values, ensure_ascii=escaped))
    assert read(said, Rated) == Rated.model_validate(values)


@given(st.one_of(CALM, st.text()), st.sampled_from([1, 2, 3, 4, 5]), st.sampled_from(list(INSIDE)))
def test_a_damaged_object_gives_its_own_score_or_none(reason: str, score: int, inside: str) -> None:
    said = INSIDE[inside](json.dumps({"reason": reason, "score": score}, ensure_ascii=False))
    try:
        reply = read(f"Here: {said}", Rated)
    except UnreadableReply:
        return
    assert reply.score == score


def test_the_mending_library_is_imported_only_when_something_is_to_be_mended() -> None:
    program = (
        "import sys; from pytest_llmeval.judges.reply import Rating, Reply, read\n"
        "class Rated(Reply):\n    score: Rating\n"
        "read('ok: {\"score\": 4}', Rated); assert 'json_repair' not in sys.modules\n"
        "read('{\"score\": 4,}', Rated); assert 'json_repair' in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
