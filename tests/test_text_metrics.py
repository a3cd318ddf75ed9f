"""Text overlap: values of the reference libraries, identical texts, laws, and what is refused."""

from __future__ import annotations

import asyncio
import json
import os
import re
import string
import sys
from ast import literal_eval
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmeval.data.cases import Case
from pytest_llmeval.errors import CaseError, UsageError
from pytest_llmeval.metrics import CATALOGUE
from pytest_llmeval.results import Verdict

ROOT = Path(__file__).parent.parent
OVERLAP = ("f1", "bleu", "rouge", "gleu", "meteor", "chrf")


def verdict(metric: str, response: str, ground_truth: str, **options: Any) -> Verdict:
    asked = CATALOGUE[metric].with_options(options)
    case = Case(response=response, ground_truth=ground_truth)
    return asyncio.run(asked.verdict(case, SimpleNamespace(wordnet=None)))


def score(metric: str, response: str, ground_truth: str, **options: Any) -> float:
    found = verdict(metric, response, ground_truth, **options).score
    assert found is not None
    return found


@pytest.fixture(autouse=True)
def _no_wordnet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_llmeval.metrics.meteor.find_wordnet", lambda given: None)


@cache
def pairs(only_ascii: bool) -> list[tuple[str, str]]:
    """200 summaries, each beside a reference that is not the same.

    ``only_ascii`` for libraries that know no letters but those.
    """
    folder = Path(os.environ.get("LLM_EVAL_DATA", ROOT.parent / "shared/data"))
    file = folder / "quality.jsonl"
    if not file.exists():
        pytest.skip(f"data absent: {file}")
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    every = [(row["response"], text) for row in rows for text in row["references"]]
    meant = [
        (said, expected)
        for said, expected in every
        if said.split() != expected.split() and (f"{said}{expected}".isascii() or not only_ascii)
    ]
    return meant[:: len(meant) // 200][:200]


def plain_f1(response: str, ground_truth: str) -> float:
    def words(text: str) -> list[str]:
        bare = "".join(each for each in text.lower() if each not in string.punctuation)
        return re.sub(r"\b(a|an|the)\b", " ", bare).split()

    said, expected = words(response), words(ground_truth)
    shared = sum((Counter(said) & Counter(expected)).values())
    return 2 * shared / (len(said) + len(expected)) if shared else 0.0


def references(metric: str) -> Any:
    """What the library says of a pair, for ``metric``."""
    if metric == "f1":
        return plain_f1
    if metric in ("bleu", "chrf"):
        metrics = pytest.importorskip("sacrebleu.metrics")
        scorer = metrics.BLEU(effective_order=True) if metric == "bleu" else metrics.CHRF()
        return lambda said, expected: scorer.sentence_score(said, [expected]).score / 100
    translate = pytest.importorskip("nltk.translate")
    tokenize = pytest.importorskip("sacrebleu.metrics").BLEU().tokenizer
    if metric == "gleu":
        gleu = translate.gleu_score.sentence_gleu
        return lambda said, expected: gleu([tokenize(expected).split()], tokenize(said).split())
    no_wordnet = SimpleNamespace(synsets=lambda word: [])
    meteor = pytest.importorskip("nltk.translate.meteor_score").meteor_score
    return lambda said, expected: meteor(
        [tokenize(expected).split()], tokenize(said).split(), wordnet=no_wordnet
    )


@pytest.mark.parametrize("metric", ["f1", "bleu", "chrf", "gleu", "meteor"])
def test_values_are_those_of_the_reference(metric: str) -> None:
    reference = references(metric)
    off = [abs(score(metric, *pair) - reference(*pair)) for pair in pairs(metric == "f1")]
    sys.stdout.write(f"{metric}: largest difference {max(off):.1e} on {len(off)} pairs\n")
    assert len(off) == 200
    assert max(off) < 1e-6


@pytest.mark.parametrize("variant", ["rouge1", "rouge2", "rougeL", "rougeLsum"])
def test_rouge_is_that_of_rouge_score(variant: str) -> None:
    scorer = pytest.importorskip("rouge_score.rouge_scorer").RougeScorer([variant])
    off = []
    for said, expected in pairs(only_ascii=True):
        reference = scorer.score(expected, said)[variant]
        parts = {
            part.name: part.score
            for part in verdict("rouge", said, expected, variant=variant).parts
        }
        off += [
            abs(value - (parts[name] or 0))
            for name, value in zip(("precision", "recall", "f1"), reference, strict=True)
        ]
    sys.stdout.write(f"{variant}: largest difference {max(off):.1e} on {len(off) // 3} pairs\n")
    assert len(off) == 600
    assert max(off) < 1e-6


SCRIPTS = {
    "English": "The capital of France is Paris.",
    "French": "L'élève a été reçu à l'école.",
    "Greek": "Η Αθήνα είναι πρωτεύουσα.",
    "Russian": "Москва — столица России.",
    "Arabic": "القاهرة عاصمة مصر.",
    "Hebrew": "ירושלים היא עיר.",
    "Hindi": "दिल्ली भारत की राजधानी है।",
    "Korean": "서울은 한국의 수도입니다.",
    "Chinese": "东京是日本的首都。",
    "Japanese": "東京は日本の首都です。",
    "Thai": "กรุงเทพเป็นเมืองหลวง",
    "Khmer": "ភ្នំពេញជារដ្ឋធានី",
    "Burmese": "ရန်ကုန်မြို့",
    "Lao": "ວຽງຈັນແມ່ນນະຄອນຫຼວງ",
    "emoji": "👍🏽",
    "signs": "…!",
}


@pytest.mark.parametrize("metric", OVERLAP)
@pytest.mark.parametrize("language", SCRIPTS)
def test_identical_texts_score_top_at_every_length_in_every_script(
    metric: str, language: str
) -> None:
    text = SCRIPTS[language]
    for length in {1, 2, 3, 5, len(text)}:
        if text[:length].strip():
            assert score(metric, text[:length], text[:length]) == 1.0


@pytest.mark.parametrize("metric", OVERLAP)
@pytest.mark.parametrize("language", ["Chinese", "Japanese", "Thai", "Khmer", "Burmese", "Lao"])
def test_a_script_without_spaces_is_compared_by_its_parts(metric: str, language: str) -> None:
    text = SCRIPTS[language]
    cut = score(metric, text[:-4], text)
    assert 0.2 < cut < 1
    assert score(metric, "completely different", text) == 0
    if metric != "chrf":
        assert "(tokenizer mixed)" in verdict(metric, text[:-4], text).reason


@pytest.mark.parametrize("metric", OVERLAP)
def test_the_tokenizer_is_told_and_nothing_shared_is_zero(metric: str) -> None:
    found = verdict(metric, "Bananas xx", "Truly mild")
    assert found.score == 0
    assert "(tokenizer " in found.reason or metric == "chrf"


@pytest.mark.parametrize("metric", OVERLAP)
def test_text_without_a_word_is_zero_and_no_crash(metric: str) -> None:
    assert score(metric, "...", "The tent") == 0
    assert score(metric, "The tent", "—") == 0


@pytest.mark.parametrize("metric", OVERLAP)
def test_a_blank_response_fails_and_a_blank_ground_truth_is_an_error(metric: str) -> None:
    assert verdict(metric, " \u200b", "Paris") == Verdict(None, "the response is empty", blank=True)
    with pytest.raises(CaseError, match=f"{metric} needs ground_truth, which is blank"):
        verdict(metric, "Paris", " ")


def test_chinese_bleu_is_that_of_the_tokenizer_for_chinese() -> None:
    said, expected = "东京是日本的首都。", "日本的首都是东京。"
    assert score("bleu", said, expected) == pytest.approx(0.547, abs=5e-4)
    assert score("bleu", said, expected) == score("bleu", said, expected, tokenizer="zh")


def test_f1_names_the_words_that_are_missing() -> None:
    found = verdict("f1", "The boys purchased cars", "The boys bought new cars")
    assert [(each.kind, each.text) for each in found.evidence] == [
        ("missing", "bought new"),
        ("extra", "purchased"),
    ]
    assert found.reason == (
        "shared words: 2, of 3 in the response and 4 in the ground truth (tokenizer words)"
    )


def test_f1_lists_no_more_words_than_can_be_read() -> None:
    found = verdict("f1", "a b", " ".join(f"w{number}" for number in range(30)))
    assert found.evidence[0].text.endswith("w19 …")


@pytest.mark.parametrize("metric", ["f1", "gleu", "meteor", "rouge"])
def test_identical_texts_have_the_parts_that_others_have(metric: str) -> None:
    same, other = (verdict(metric, text, "a b") for text in ("a b", "a c"))
    assert [part.name for part in same.parts] == [part.name for part in other.parts]
    assert {part.score for part in same.parts} == {1.0}


def test_rouge_keeps_all_three_and_scores_the_one_that_is_asked_for() -> None:
    for measure, expected in (("precision", 1.0), ("recall", 0.5), ("f1", 2 / 3)):
        found = verdict("rouge", "a b", "a b c d", variant="rouge1", measure=measure)
        assert found.score == pytest.approx(expected)
        parts = {part.name: part.score for part in found.parts}
        assert parts == pytest.approx({"f1": 2 / 3, "precision": 1.0, "recall": 0.5})


@pytest.mark.parametrize(
    ("metric", "options", "row"),
    [
        ("rouge", {}, "rouge"),
        ("rouge", {"variant": "rougeL"}, "rouge"),
        ("rouge", {"variant": "rouge1", "measure": "recall"}, "rouge[rouge1,recall]"),
        ("bleu", {"tokenizer": "char"}, "bleu[char]"),
        ("f1", {"tokenizer": "auto"}, "f1"),
    ],
)
def test_variant_measure_and_tokenizer_make_a_row_of_their_own(
    metric: str, options: dict[str, Any], row: str
) -> None:
    assert CATALOGUE[metric].with_options(options).row == row


@pytest.mark.parametrize(
    ("metric", "options", "told"),
    [
        ("bleu", {"tokenizer": "13b"}, "tokenizer is one of 'auto', '13a'"),
        ("bleu", {"tokenizer": None}, "tokenizer is one of 'auto', '13a'"),
        ("f1", {"tokenizer": "13a"}, "tokenizer is one of 'auto', 'words'"),
        ("rouge", {"variant": "rouge3"}, "variant is one of"),
        ("rouge", {"measure": ["f1"]}, "measure is one of"),
        ("chrf", {"tokenizer": "auto"}, "chrf has no option 'tokenizer'"),
        ("meteor", {"wordnet": "/x"}, "meteor has no option 'wordnet'"),
    ],
)
def test_an_option_that_cannot_be_is_refused_before_anything_is_asked(
    metric: str, options: dict[str, Any], told: str
) -> None:
    with pytest.raises(UsageError, match=re.escape(told)):
        CATALOGUE[metric].with_options(options)


def test_none_of_them_has_a_pass_mark_or_asks_a_judge() -> None:
    for name in OVERLAP:
        assert CATALOGUE[name].threshold is None
        assert not CATALOGUE[name].judged


WORDS = ["the", "cat", "Sat", "on,", "a", "mat.", "东京", "กรุง", "é"]
TEXTS = st.one_of(
    st.text(max_size=40),
    st.lists(
        st.sampled_from(["the", "cat", "Sat", "on,", "a", "mat.", "东京", "กรุง", "é"]), max_size=12
    ).map(" ".join),
)


@given(TEXTS, TEXTS, st.sampled_from(OVERLAP))
def test_every_score_is_on_the_scale_and_top_for_the_same_text(
    said: str, expected: str, metric: str
) -> None:
    case = Case(response=said, ground_truth=expected)
    if case.has("response") and case.has("ground_truth"):
        assert 0 <= score(metric, said, expected) <= 1
        assert score(metric, said, said) == 1


@given(TEXTS, TEXTS)
def test_f1_is_the_same_both_ways(said: str, expected: str) -> None:
    case = Case(response=said, ground_truth=expected)
    if case.has("response") and case.has("ground_truth"):
        assert score("f1", said, expected) == pytest.approx(score("f1", expected, said))


@given(TEXTS, TEXTS)
def test_rouge_turned_round_swaps_precision_and_recall(said: str, expected: str) -> None:
    case = Case(response=said, ground_truth=expected)
    if case.has("response") and case.has("ground_truth"):
        there = score("rouge", said, expected, variant="rouge1", measure="precision")
        back = score("rouge", expected, said, variant="rouge1", measure="recall")
        assert there == pytest.approx(back)


def table() -> Iterator[tuple[str, str, str, str, float]]:
    """The rows of the documentation's table of values: texts, metric, option, our value."""
    text = ROOT.joinpath("docs/text-metrics.md").read_text(encoding="utf-8")
    part = text.partition("<!-- values -->")[2].partition("<!-- end of values -->")[0]
    lines = [line.strip("| ").split(" | ") for line in part.strip().splitlines() if line.strip()]
    names = lines[0][2:]
    for said, expected, *values in lines[2:]:
        for name, cell in zip(names, values, strict=True):
            metric, _, variant = name.strip("`").partition("[")
            ours = cell.split(" / ")[0]
            yield (
                literal_eval(said.strip("`")),
                literal_eval(expected.strip("`")),
                metric,
                variant.strip("]"),
                float(ours),
            )


def test_the_values_in_the_documentation_are_the_ones_that_are_given() -> None:
    rows = list(table())
    assert len(rows) > 50
    for said, expected, metric, variant, value in rows:
        options = {"variant": variant} if variant else {}
        assert score(metric, said, expected, **options) == pytest.approx(value, abs=5.01e-5), (
            said,
            metric,
        )
