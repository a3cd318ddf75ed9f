"""Quotes found in the text they come from, and not found elsewhere."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from pytest_llmeval.text.quotes import find_quote

TEXT = (
    "The “Explorer” tent – made of nylon…  weighs 1.2\n kg. It’s built in Straßburg,\n"
    "sold at the café. 帐篷的外部是尼龙。 Costs 12 €!"
)


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("It’s built in Straßburg", "It’s built in Straßburg"),
        ("it's BUILT in strassburg", "It’s built in Straßburg"),
        ('the "explorer" tent - made', "The “Explorer” tent – made"),
        ("weighs 1.2 kg.", "weighs 1.2\n kg."),
        ("“weighs 1.2 kg.”", "weighs 1.2\n kg."),
        ("«weighs 1.2 kg»", "weighs 1.2\n kg"),
        ("... weighs 1.2 kg …", "weighs 1.2\n kg"),
        ("'…weighs 1.2 kg!'", "weighs 1.2\n kg"),
        ("made of nylon...", "made of nylon…"),
        ("of\u00a0ny\u200blon", "of nylon"),
        ("the cafe\u0301", "the café"),
        ("帐篷的外部", "帐篷的外部"),
        ("外部是尼龙", "外部是尼龙"),
        ("costs 12 €", "Costs 12 €"),
    ],
)
def test_a_loose_quote_is_found_verbatim(quote: str, found: str) -> None:
    assert find_quote(quote, TEXT) == found


@pytest.mark.parametrize(
    "quote",
    [
        *["It weighs 2 kg", "2 kg", "1 kg", "1", "2", "xplorer", "stra", "stras", "the cafe"],
        *["builtin", "", "  ", "…", "“”", ".", "weighs … kg", "kg. Costs"],
    ],
)
def test_what_is_not_there_is_not_found(quote: str) -> None:
    assert find_quote(quote, TEXT) is None


def test_a_later_place_is_found_when_an_earlier_one_splits_a_word() -> None:
    assert find_quote("art", "Party start: Art.") == "Art"


@pytest.mark.parametrize(("quote", "text"), [("cafe", "cafe\u0301"), ("가", "각"), ("1", "½")])
def test_a_character_is_not_quoted_in_part(quote: str, text: str) -> None:
    assert find_quote(quote, text) is None


def test_accents_in_another_order_are_found_with_all_of_them() -> None:
    assert find_quote("A\u0316\u0300", "An A\u0300\u0316.") == "A\u0300\u0316"


def test_nothing_is_quoted_from_an_empty_text() -> None:
    assert find_quote("a", "") is None


WORDS = st.text(st.characters(codec="utf-8", categories=["L", "N"]), min_size=1)
SENTENCE = st.lists(WORDS, min_size=1, max_size=6)


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKD", text).casefold()


@given(SENTENCE, st.data())
def test_words_in_a_row_are_found_however_they_are_spaced(
    words: list[str], data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(words) - 1))
    end = data.draw(st.integers(start + 1, len(words)))
    quote = data.draw(st.sampled_from([" ", "\n", "\u00a0 \t"])).join(words[start:end])
    found = find_quote(quote, " ".join(words))
    assert found is not None
    assert _plain(found) == _plain(" ".join(words[start:end]))


@given(SENTENCE, st.sampled_from(['"{}"', "“{}.”", "…{}…", "‘{}’,", " {}! ", "...{}..."]))
def test_marks_around_a_quote_make_no_difference(words: list[str], marks: str) -> None:
    text = " ".join(words)
    assert find_quote(marks.format(text), f"Before. {text} (after)") == text


@given(st.text(), st.text())
def test_what_is_found_is_a_slice_of_the_text_and_finds_itself(quote: str, text: str) -> None:
    found = find_quote(quote, text)
    if found is None:
        return
    assert found
    assert found in text
    assert find_quote(found, text) is not None


@given(st.text(st.characters(codec="utf-8")))
@example("ǘ A\u0300\u0316 e\u0316\u0300 ᾳ\u0301")
def test_case_and_encoding_of_accents_make_no_difference(text: str) -> None:
    assume(find_quote(text, text) is not None)
    for form in ("NFC", "NFD"):
        assert find_quote(unicodedata.normalize(form, text), text) is not None
    assert find_quote(unicodedata.normalize("NFD", text).casefold(), text) is not None


def test_many_quotes_are_looked_for_in_a_long_text_in_no_time() -> None:
    text = " ".join(f"Sentence number {count} says {count * 7}." for count in range(3000))
    began = time.process_time()
    for count in range(300):
        assert find_quote(f"Not there {count} at all", text) is None
        assert find_quote(f"“sentence NUMBER {count * 9} says”", text) is not None
    assert time.process_time() - began < 5


def test_a_quote_that_begins_everywhere_takes_no_time() -> None:
    began = time.process_time()
    for count in range(100):
        assert find_quote("a" * (count + 1), "a" * 100_000) is None
    assert time.process_time() - began < 5


def test_a_quote_is_found_behind_any_number_of_words_that_begin_like_it() -> None:
    assert find_quote("wo", "word. " * 40_000 + "wo") == "wo"


@pytest.mark.parametrize("marks", ["...", "…", "?!", "-", "  ... "])
def test_marks_quote_a_text_that_is_nothing_else(marks: str) -> None:
    assert find_quote(marks, marks) == marks.strip()
    assert find_quote(marks, f"word{marks}") is None


def test_every_sentence_of_a_long_text_is_found_in_no_time() -> None:
    text = "word. " * 30_000
    began = time.process_time()
    assert all(find_quote("word.", text) for _ in range(30_000))
    assert time.process_time() - began < 5
