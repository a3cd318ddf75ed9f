"""Tokens and stems: text cut alike in every script, and trimmed as the reference trims it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmeval.text.alignment import aligned
from pytest_llmeval.text.ngrams import ngrams
from pytest_llmeval.text.porter import porter_stem
from pytest_llmeval.text.tokens import compared, machine_tokens, pieces, plain_words

UNSPACED = {
    "Chinese": ("东京是日本的首都", 8),
    "Japanese": ("東京は日本の首都です", 10),
    "Thai": ("กรุงเทพ", 6),  # the vowel under a consonant goes with it
    "Lao": ("ວຽງຈັນ", 5),
    "Khmer": ("ភ្នំពេញ", 4),
    "Burmese": ("ရန်ကုန်", 4),
}


@pytest.mark.parametrize("language", UNSPACED)
def test_a_script_without_spaces_is_cut_into_characters_with_their_marks(language: str) -> None:
    text, count = UNSPACED[language]
    texts = compared(text, "x")
    assert texts.tokenizer("auto", "words") == "mixed"
    for cut in (pieces, plain_words, machine_tokens):
        assert len(cut(text, "mixed")) == count
        assert "".join(cut(text, "mixed")) == text


def test_words_between_characters_stay_words() -> None:
    assert machine_tokens("我用 pytest 测试。", "mixed") == ["我", "用", "pytest", "测", "试", "。"]
    assert plain_words("我用pytest测试。", "mixed") == ["我", "用", "pytest", "测", "试"]


@pytest.mark.parametrize(
    "text", ["Plain words, 500.", "Größe: ½ Straße", "हिन्दी में", "한국어 문장", "฿500"]
)
def test_scripts_with_spaces_keep_their_words(text: str) -> None:
    assert compared(text, text).tokenizer("auto", "13a") == "13a"
    assert pieces(text, "words") == text.split()


def test_marks_are_parts_of_words() -> None:
    assert plain_words("हिन्दी में", "words") == ["हिन्दी", "में"]


def test_one_text_of_such_a_script_decides_for_both() -> None:
    assert compared("Tokyo", "东京").tokenizer("auto", "words") == "mixed"
    assert compared("东京", "Tokyo").tokenizer("char", "words") == "char"


def test_the_tokenizers_of_sacrebleu_are_at_hand_by_name() -> None:
    text = "L'été, 3.5 kg—vite."
    cut = {name: machine_tokens(text, name) for name in ("13a", "intl", "none", "char")}
    assert cut["none"] == ["L'été,", "3.5", "kg—vite."]
    assert cut["13a"] == ["L'été", ",", "3.5", "kg—vite", "."]
    assert cut["intl"] == ["L", "'", "été", ",", "3.5", "kg", "—", "vite", "."]
    assert cut["char"] == list(text.replace(" ", ""))


@pytest.mark.parametrize("seen", ["e\u0301", "so\u00adft", "a\u200bb", "\ufeffa"])
def test_what_only_looks_the_same_is_the_same(seen: str) -> None:
    clean = {"e\u0301": "é", "so\u00adft": "soft", "a\u200bb": "ab", "\ufeffa": "a"}[seen]
    assert compared(seen, clean).identical
    assert compared(clean, seen).identical


def test_only_white_space_makes_no_difference() -> None:
    assert compared(" a  b\n", "a b").identical
    assert not compared("a b", "ab").identical
    assert not compared("A", "a").identical


ROOTS = """
sk di hop fall fizz fil relat nation agre cat spy y yy oo vari control probat ceas
"""
ENDINGS = """
s es ies ed ied eed ing y ly alli logi fulli ational tional enci izer bli entli eli ousli ization
ator alism iveness fulness aliti iviti biliti icate ative alize iciti ical ful ness ance er able
ement ment ent sion tion ion ou ism ate iti ous ive ize e ll lls
"""
IRREGULAR = """
sky skies dying news innings outing howe proceed a ab 3rd élèves don't - x-rays
"""


def test_stems_are_those_of_the_reference() -> None:
    porter = pytest.importorskip("nltk.stem.porter").PorterStemmer()
    words = [root + ending for root in ROOTS.split() for ending in ["", *ENDINGS.split()]]
    words += IRREGULAR.split()
    assert {word: porter_stem(word) for word in words} == {
        word: porter.stem(word) for word in words
    }


@given(st.text(alphabet="aeiouybcdlmnrstz", max_size=14))
def test_any_letters_are_stemmed_as_the_reference_does(word: str) -> None:
    porter = pytest.importorskip("nltk.stem.porter").PorterStemmer()
    assert porter_stem(word) == porter.stem(word)


def test_ngrams_are_counted_up_to_the_longest() -> None:
    counts = ngrams(["a", "b", "a", "b"], 3)
    assert counts == {
        ("a",): 2,
        ("b",): 2,
        ("a", "b"): 2,
        ("b", "a"): 1,
        ("a", "b", "a"): 1,
        ("b", "a", "b"): 1,
    }
    assert not ngrams([], 4)


def test_words_are_aligned_by_form_then_stem_then_synonym() -> None:
    synonyms = {"automobil": {"car"}}
    found = aligned(
        ["The", "boys", "bought", "automobiles"],
        ["the", "boy", "bought", "a", "car"],
        lambda word: synonyms.get(word, ()),
    )
    assert found.pairs == ((0, 0), (1, 1), (2, 2), (3, 4))
    assert (found.exact, found.by_stem, found.by_synonym) == (2, 1, 1)
    assert found.chunks == 2


def test_nothing_in_common_has_no_chunks() -> None:
    assert aligned(["a"], ["b"]).chunks == 0
    assert aligned([], []).pairs == ()


FORMS = ["the", "The", "cat", "cats", "sat", "sitting", "on", "mat", "mats"]
WORDS = st.lists(st.sampled_from(FORMS), max_size=12)


@given(WORDS, WORDS)
def test_each_word_is_aligned_at_most_once(words: list[str], others: list[str]) -> None:
    pairs = aligned(words, others).pairs
    assert len({left for left, _ in pairs}) == len({right for _, right in pairs}) == len(pairs)
    assert list(pairs) == sorted(pairs)
