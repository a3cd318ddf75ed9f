"""Support: how far documents bear out one sentence, sign by sign."""

from __future__ import annotations

import pytest

from pytest_llmeval.text.coverage import support, weighed
from pytest_llmeval.text.passages import CROWD, Documents
from pytest_llmeval.text.words import words

FILLER = "Boats and people passed along that quiet and distant northern shore in summer. " * 3


def share(sentence: str, *documents: str) -> float:
    return support(sentence, Documents(documents)).share


def test_names_numbers_and_long_words_weigh_more() -> None:
    weights = weighed(words("The lake by Rome holds 7 nightingales"))
    assert weights["lak"] < weights["rom"] < weights["7"]
    assert weights["lak"] < weights["nightingal"]


def test_a_word_is_weighed_once_however_often_it_is_said() -> None:
    assert weighed(words("dry, dry, dry tents")) == weighed(words("dry tents"))


@pytest.mark.parametrize(
    ("sentence", "document"),
    [
        ("The WHO warns of heat.", "The World Health Organization warns of heat."),
        ("The Portuguese tax income from rent.", "Portugal taxes income from rent."),
        ("Unsurprisingly the alpine tent is dry.", "The alpine tent is dry."),
        ("He won the 2019 Women's Cup.", "He won the Third Women's Cup in 2019."),
        (
            "Cheap Alpine Explorer Tent Sleeps Two People",
            "The alpine explorer tent sleeps two people.",
        ),
        ("It lasts 15 to 25 years.", "It lasts 15-25 years."),
        ("It is not cheap and weighs 2 kg.", "It weighs 2 kg and is not cheap at all."),
    ],
)
def test_a_paraphrase_is_no_fault(sentence: str, document: str) -> None:
    assert share(sentence, document) > 0.46


def test_a_negation_near_by_is_a_doubt() -> None:
    with_negation = "The tent is dry, never heavy and costs little money."
    without = "The tent is dry, light as well and costs little money."
    sentence = "The tent is dry and costs money."
    assert share(sentence, with_negation) == pytest.approx(share(sentence, without) - 0.2)


def test_a_negation_reaches_neither_over_a_stop_nor_over_a_conjunction() -> None:
    sentence = "Two people sleep in it."
    assert share(sentence, "It is not cheap. Two people can sleep in it.") > 0.46
    assert share(sentence, "It is not cheap and two people can sleep in it.") > 0.46


def test_a_range_holds_the_numbers_at_both_its_ends() -> None:
    assert share("It lasts 15 years.", "It lasts for 15-25 years.") > 0.46
    assert share("It lasts 5 years.", "It lasts for 15-25 years.") <= 0.4


def test_neighbours_in_one_sentence_have_to_be_near_each_other_in_a_document() -> None:
    near = "The old mill burned. The new castle stood."
    far = f"The old mill stood. {FILLER} A castle burned."
    assert share("The old mill burned.", near) > share("The old mill burned.", far)


def test_no_passage_spans_two_documents() -> None:
    weights = {"castl": 1.0, "snow": 1.0}
    assert Documents(["The castle.", "The snow."]).passage(weights, 24).weight == 1
    assert Documents(["The castle. The snow."]).passage(weights, 24).weight == 2


def test_a_passage_is_no_wider_than_asked() -> None:
    weights = {"castl": 1.0, "snow": 1.0}
    documents = Documents(["Castle " + "the " * 10 + "snow"])
    assert documents.passage(weights, 11).weight == 1
    assert documents.passage(weights, 12).weight == 2
    assert [word.form for word in documents.within(documents.passage(weights, 12))][::11] == [
        "castl",
        "snow",
    ]


def test_a_word_that_stands_everywhere_is_in_every_passage_and_next_to_every_word() -> None:
    crowd = Documents([f"{'dry ' * (CROWD + 1)}{FILLER}tent"])
    few = Documents([f"{'dry ' * CROWD}{FILLER}tent"])
    weights = {"dry": 1.0, "tent": 1.0}
    assert (crowd.passage(weights, 5).weight, few.passage(weights, 5).weight) == (2, 1)
    assert (crowd.neighbours("dry", "tent"), few.neighbours("dry", "tent")) == (True, False)


def test_a_quotation_is_support_whatever_it_negates() -> None:
    document = "It is not dry, not warm, not light and not cheap. It is dry."
    assert support("It is not dry, not warm.", Documents([document])).share == 1


def test_nothing_is_supported_without_documents() -> None:
    assert share("The tent is dry.") == 0
