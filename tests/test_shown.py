"""Text as it is shown: one line, nothing in it that a terminal obeys."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_llmeval.text.shown import shown


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("\x1b[31mred\x07", r"\x1b[31mred\x07"),
        ("a\x9bb\x7f", r"a\x9bb\x7f"),
        ("\u202eevil\u2066", r"\u202eevil\u2066"),
        ("no\u200bthing\ufeff", r"no\u200bthing\ufeff"),
        ("\ud800", r"\ud800"),
        ("\U000e0041", r"\U000e0041"),
        (" two\n\r\n\tlines\u2028 here ", "two lines here"),
        ("帐篷 ห้อง שלום ñ 👍", "帐篷 ห้อง שלום ñ 👍"),
        (r"C:\temp {x} %s", r"C:\temp {x} %s"),
        ("", ""),
    ],
)
def test_what_does_not_print_is_escaped_and_the_rest_stays(text: str, line: str) -> None:
    assert shown(text) == line


def test_a_cut_is_marked_and_keeps_the_limit() -> None:
    assert shown("abcdef", 6) == "abcdef"
    assert shown("abcdefg", 6) == "abcde…"
    assert shown("abcd efg", 6) == "abcd…"
    assert shown("x" * 400) == "x" * 299 + "…"


def test_a_cut_never_splits_an_escape() -> None:
    assert shown("\x1b\x1b\x1b", 9) == r"\x1b\x1b…"
    assert shown("\x1b\x1b", 8) == r"\x1b\x1b"
    assert shown("\x1b\x1b", 7) == r"\x1b…"


@given(st.text(), st.integers(0, 40))
@example("abc", 0)
@example("\x00", 1)
def test_a_line_has_no_control_characters_and_keeps_its_limit(text: str, limit: int) -> None:
    line = shown(text, limit)
    assert len(line) <= limit
    assert not any(unicodedata.category(each) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for each in line)
    line.encode()


@given(st.text(st.characters(categories=["L", "M", "N", "P", "S"])))
def test_printable_text_of_any_script_stays_as_it_is(text: str) -> None:
    assert shown(text, len(text)) == text


@given(st.text())
def test_a_line_that_is_shown_again_does_not_change(text: str) -> None:
    assert shown(shown(text)) == shown(text)
