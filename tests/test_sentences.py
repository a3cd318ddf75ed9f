"""Sentences: each a verbatim slice, nothing but white space between them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmeval.text.sentences import sentences

MARKED = st.sampled_from(list(" \n\r\t.!?。؟।[]()*_-#|>1aAbZ\"'”…é的ก\u2028\x1c\x85\ud800😀"))
ANY = st.characters(exclude_categories=())
TEXTS = st.text(alphabet=st.one_of(MARKED, ANY), max_size=80)


def texts_of(text: str) -> list[str]:
    return [span.text for span in sentences(text)]


@given(TEXTS)
def test_sentences_are_slices_in_order_with_only_white_space_between_them(text: str) -> None:
    end = 0
    for span in sentences(text):
        assert text[span.start : span.end] == span.text
        assert span.start >= end
        assert not text[end : span.start].strip()
        end = span.end
    assert not text[end:].strip()


@given(TEXTS)
def test_no_sentence_is_blank_or_begins_or_ends_with_white_space(text: str) -> None:
    for span in sentences(text):
        assert span.text
        assert span.text == span.text.strip()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It weighs 2 kg. It is red.", ["It weighs 2 kg.", "It is red."]),
        ("Dr. Smith came at 3 p.m. with the U.S. team.", None),
        ("The price is 3.5. Next one.", ["The price is 3.5.", "Next one."]),
        ("今天天气很好。我们去公园吧！好的？", ["今天天气很好。", "我们去公园吧！", "好的？"]),
        ("هذا كتاب. ما هذا؟ نعم.", ["هذا كتاب.", "ما هذا؟", "نعم."]),
        ("यह किताब है। वह घर है।", ["यह किताब है।", "वह घर है।"]),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, expected: list[str] | None) -> None:
    assert texts_of(text) == (expected or [text])


def test_each_item_of_a_list_is_a_sentence_with_its_mark() -> None:
    assert texts_of("Pros:\n- light\n- dry. And warm.\n\n1. The first\n2) the second") == [
        "Pros:",
        "- light",
        "- dry.",
        "And warm.",
        "1. The first",
        "2) the second",
    ]


def test_a_number_that_opens_a_list_item_is_no_sentence() -> None:
    assert texts_of("1. The tent is light. It is dry.") == ["1. The tent is light.", "It is dry."]


def test_a_sentence_goes_on_over_a_line_break_in_lower_case_only() -> None:
    assert texts_of("The tent is\nwaterproof.\nIt is red") == [
        "The tent is\nwaterproof.",
        "It is red",
    ]


def test_a_blank_line_ends_a_sentence_even_before_lower_case() -> None:
    assert texts_of("The tent is\n\nwaterproof") == ["The tent is", "waterproof"]


def test_headings_and_table_rows_stand_alone() -> None:
    assert texts_of("# Tents\nAll are dry.\n| a | b |\n| 1 | 2 |") == [
        "# Tents",
        "All are dry.",
        "| a | b |",
        "| 1 | 2 |",
    ]


def test_citation_marks_belong_to_the_sentence_before_them() -> None:
    assert texts_of("It is red. [1, 2] It is dry.[3] It is old [4][5]. So. [doc-2]") == [
        "It is red. [1, 2]",
        "It is dry.[3]",
        "It is old [4][5].",
        "So. [doc-2]",
    ]


def test_citation_marks_belong_to_the_sentence_after_them_in_a_text_that_opens_with_one() -> None:
    assert texts_of("[1, 2] It is red. [3, 4] It is dry.") == [
        "[1, 2] It is red.",
        "[3, 4] It is dry.",
    ]


def test_a_link_is_no_citation_mark() -> None:
    assert texts_of("It is red. [Page 1](https://a.example) says so.")[0] == "It is red."


def test_closing_quotation_marks_and_emphasis_stay_with_their_sentence() -> None:
    assert texts_of('He said "Stop!" Then he left. **Bold.** _So._ End.') == [
        'He said "Stop!"',
        "Then he left.",
        "**Bold.**",
        "_So._",
        "End.",
    ]


def test_a_rule_or_smiley_is_part_of_the_sentence_before_it() -> None:
    assert texts_of("It is red.\n\n---\n\nIt is dry. 😀") == ["It is red.\n\n---", "It is dry. 😀"]


@pytest.mark.parametrize("text", ["", "   ", "\n\r\n\t"])
def test_a_blank_text_has_no_sentences(text: str) -> None:
    assert sentences(text) == []


@pytest.mark.parametrize("text", ["!!!", "-", "1.", "😀"])
def test_a_text_without_words_is_one_piece(text: str) -> None:
    assert texts_of(text) == [text]


def test_a_lone_surrogate_moves_no_offset() -> None:
    spans = sentences("A\ud83d\ude00b. C d.")
    assert [(span.start, span.text) for span in spans] == [(0, "A\ud83d\ude00b."), (6, "C d.")]


def test_the_language_chooses_the_abbreviations() -> None:
    text = "Das ist z.B. gut bzw. Schön."
    assert len(sentences(text, language="de")) <= len(sentences(text))


BLANKS = [each for each in map(chr, range(0x80, 0x3001)) if each.isspace()]


@pytest.mark.parametrize("blank", BLANKS, ids=ascii)
def test_a_wide_blank_before_a_full_stop_raises_nothing(
    blank: str, capfd: pytest.CaptureFixture[str]
) -> None:
    text = f"Oranges hold vitamin C{blank}. They are round, as in{blank}A{blank}.{blank}It is so."
    found = sentences(text)
    assert all(text[each.start : each.end] == each.text for each in found)
    assert found[-1].text.endswith("It is so.")
    assert capfd.readouterr() == ("", "")


def test_a_panic_of_the_library_ends_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    class PanicException(BaseException):
        """As Rust's are called."""

    def panics(language: str, text: str) -> None:
        raise PanicException

    monkeypatch.setattr("sentencex.get_sentence_boundaries", panics)
    assert [each.text for each in sentences("One. Two.")] == ["One. Two."]


@pytest.mark.parametrize("piece", ["[", "[ ", "[1", "[1]", "[a "])
def test_many_brackets_take_no_time(piece: str) -> None:
    began = time.process_time()
    sentences(f"It is so. {piece * 50_000}1")
    assert time.process_time() - began < 3


@pytest.mark.parametrize(
    "sentence", ["这款帐篷重二公斤。", "Dr. Šafář sleeps in it, e.g. in spring. "]
)
def test_a_long_block_is_cut_where_its_sentences_end_and_in_no_word(sentence: str) -> None:
    found = sentences(sentence * 2000)
    assert [span.text for span in found] == [sentence.strip()] * 2000


def test_a_sentence_longer_than_any_window_stays_whole() -> None:
    text = f"{'Wörter ' * 20_000}enden. Danach kommt noch einer."
    assert [len(span.text) for span in sentences(text)] == [140_006, 24]
