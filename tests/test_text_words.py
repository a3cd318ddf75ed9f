"""Words: what of two texts is the same although it is written differently."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmeval.text.lexicon import stem
from pytest_llmeval.text.words import tokens, words


def forms(text: str) -> list[str]:
    return [word.form for word in words(text) if word.counts]


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_any_text_has_words_and_tokens(text: str) -> None:
    assert all(word.form for word in words(text))
    assert all(tokens(text))


@given(st.text())
def test_case_makes_no_difference_to_tokens(text: str) -> None:
    assert tokens(text.casefold()) == tokens(text.casefold().casefold())


@given(st.integers(min_value=0, max_value=10**15))
def test_a_number_is_the_same_with_and_without_thousands_separators(number: int) -> None:
    assert forms(f"{number:,}") == forms(str(number)) == [str(number)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2,000 tents", "2000 tents"),
        ("2\u00a0000 tents", "2000 tents"),
        ("two", "2"),
        ("twenty-one", "21"),
        ("Twenty one", "21"),
        ("third", "3"),
        ("1.50", "1.5"),
        ("3,5", "3.5"),
        ("٢٠٠٠", "2000"),
        ("２０００", "2000"),
        ("1.3 million", "1,300,000"),
        ("$44bn", "44 billion $"),
        ("two hundred", "200"),
        ("US$44bn", "US 44 billion $"),
        ("-20", "minus twenty"),
        ("−20", "-20"),
        ("10-$20", "10 $20"),
        ("2 kilograms", "2 kg"),
        ("vingt-deux", "22"),
        ("пять", "5"),
        ("二十三年", "23年"),
        ("二〇一九年", "2019年"),
        ("五千三百二十一人", "5321人"),
        ("两亿三千万人", "230000000人"),
        ("2万人", "20000人"),
        ("5%", "5 percent"),
        ("007", "7"),
        ("21st", "21"),
        ("No. 8", "8"),
        ("Québec", "quebec"),
        ("STRASSE", "straße"),
        ("don’t go", "don't go"),
        ("the U.S.", "the US"),
        ("co\u00adop", "coop"),
        ("strategies", "strategy"),
        ("running", "run"),
        ("won", "win"),
        ("children's", "child"),
        ("based", "base"),
        ("палатки", "палатка"),
        ("الخيمة", "خيمة"),
        ("Oct", "October"),
    ],
)
def test_two_ways_of_writing_are_one_form(one: str, other: str) -> None:
    assert forms(one) == forms(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2 kg", "12 kg"),
        ("1.2", "12"),
        ("1,234", "1.234"),
        ("tent", "tenth"),
        ("2", "two thousand"),
        ("-5", "5"),
        ("2 m", "2 km"),
        ("$5", "€5"),
        ("十分干", "10分干"),
    ],
)
def test_what_differs_stays_apart(one: str, other: str) -> None:
    assert forms(one) != forms(other)


def test_citation_marks_are_no_words() -> None:
    assert forms("Red [1], dry [2, 3] and light.¹ [^4]") == forms("Red, dry and light.")


def test_a_raised_digit_of_a_unit_is_kept() -> None:
    assert forms("5 m²") != forms("5 m")


def test_grammar_hedges_and_talk_about_the_text_claim_nothing() -> None:
    assert forms("According to the documents, it is generally the tent") == [stem("tent")]


def test_an_acronym_is_no_function_word_unless_all_is_shouted() -> None:
    assert "IT" in forms("the IT team")
    assert "IT" not in forms("GIVE IT TO THE TEAM")


@pytest.mark.parametrize(
    "text",
    [
        "It isn't dry",
        "Das ist nicht trocken",
        "不干",
        "乾かない",
        "ไม่แห้ง",
        "Он не сухой",
        "ليس جافا",
    ],
)
def test_a_negation_is_seen_in_many_languages(text: str) -> None:
    assert sum(word.kind == "negation" for word in words(text)) == 1


def test_scripts_without_spaces_give_overlapping_pairs() -> None:
    assert [word.text for word in words("帐篷防水")] == ["帐篷", "篷防", "防水"]
    assert [word.kind for word in words("猫")] == ["pair"]


def test_numbers_and_latin_words_are_found_between_unspaced_characters() -> None:
    assert {"2000", "gpt4"} <= set(forms("GPT4模型2000年"))


def test_vowel_signs_do_not_split_words() -> None:
    assert tokens("हिन्दी में") == ["हिन्दी", "में"]


def test_tokens_keep_numbers_as_written_and_split_unspaced_scripts_into_characters() -> None:
    assert tokens("It's 1,234.5 kg. 防水!") == ["it's", "1,234.5", "kg", "防", "水"]


@pytest.mark.parametrize("word", ["is", "bus", "us", "ed", "ing", "s", "ee"])
def test_short_words_are_left_whole(word: str) -> None:
    assert stem(word) == word
