"""The lexical judge on groundedness and fact checks: what it sees, and what it says of it."""

from __future__ import annotations

from typing import Any

import pytest
from lexical_judge import asked, judged

from pytest_llmeval.errors import MetricRefused
from pytest_llmeval.judges.lexical import LexicalJudge

TENTS = (
    "The Alpine Explorer is the most waterproof of our tents. It sleeps two people and weighs "
    "1.8 kg. The warranty does not cover the seams. It was designed by Maria Keller in 2019, and "
    "sales increased in March."
)


def why(response: str, *documents: str) -> str:
    (named,) = judged(response, *documents)["ungrounded"]
    return str(named["why"])


def test_it_needs_no_model_and_is_never_stored() -> None:
    judge = LexicalJudge()
    assert (judge.name, judge.is_llm, judge.identity) == ("lexical", False, None)


@pytest.mark.parametrize(
    "response",
    [
        "It sleeps two people.",
        "It sleeps 2 people and weighs 1.80 kg.",
        "Maria Keller designed it in 2019.",
        "The warranty does not cover the seams [1].",
        "According to Outdoor Weekly, it sleeps two people.",
        "Sure! The tent sleeps two people. Do you want to know more?",
        "1. The Alpine Explorer sleeps two people.\n2. It weighs 1.8 kg.",
    ],
)
def test_what_the_documents_say_is_grounded(response: str) -> None:
    assert judged(response, TENTS)["score"] >= 4
    assert judged(response, TENTS)["ungrounded"] == []


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ("It weighs 3.1 kg.", "it says '3.1 kg' where the documents say '1.8 kg'"),
        ("It costs 310 euros.", "'310 euros' is in no document"),
        ("It weighs 2 kg.", "it says '2 kg' where the documents say '1.8 kg'"),
        ("It was designed by Anna Keller in 2019.", "'Anna' is in no document"),
        ("Berta Keller designed it in 2019.", "'Berta' is in no document"),
        ("The warranty covers the seams.", "it does not negate 'covers', which the documents do"),
        (
            "The Alpine Explorer is not waterproof.",
            "it negates 'waterproof', which the documents do not",
        ),
        ("Sales decreased in March.", "it says 'decreased' where the documents say 'increased'"),
        ("A brass lamp comes free.", "'brass', 'lamp', 'free' are in no document"),
    ],
)
def test_a_change_is_named(response: str, expected: str) -> None:
    assert why(response, TENTS) == expected
    assert judged(response, TENTS)["score"] < 4


def test_an_added_sentence_is_named_word_for_word_and_the_rest_is_not() -> None:
    added = "It comes with a lamp made of *brass* & gold!"
    reply = judged(f"It sleeps two people.  {added} It weighs 1.8 kg.", TENTS)
    assert [named["quote"] for named in reply["ungrounded"]] == [added]
    assert reply["score"] == 3
    assert reply["reason"] == (
        "The documents do not bear out 1 of 3 sentences. "
        "In the first of these, 'lamp', 'brass', 'gold' are in no document."
    )


def test_words_that_stand_far_apart_are_no_support() -> None:
    filler = "Boats and people passed along that quiet and distant northern shore in summer. " * 3
    document = filler.join(["The castle stood.", "Smoke rose.", "An orchard grew.", "Snow fell."])
    assert why("Castle smoke, orchard snow.", document) == (
        "its words are in the documents, but not together"
    )


def test_a_quote_that_a_negation_turns_round_bears_nothing_out() -> None:
    warning = "Never use bleach on the tent."
    assert why("Use bleach on the tent.", warning) == "the documents say it with a negation"
    assert judged("Use bleach on the tent.", warning, "Use bleach on the tent.")["score"] == 5
    assert judged(warning, warning)["score"] == 5
    assert judged("It is dry.", "Is it wet? No, it is dry.")["score"] == 5
    assert (
        judged("The tent is light.", "The tent is not only dry, the tent is light.")["score"] == 5
    )
    assert judged("このテントは防水", "このテントは防水ではない。")["score"] < 4


def test_a_number_of_another_document_is_no_support() -> None:
    pages = ("The Alpine tent weighs 2 kg and sleeps four.", "The Coral tent weighs 3 kg.")
    assert why("The Alpine tent weighs 3 kg.", *pages) == (
        "it says '3 kg' where the documents say '2 kg'"
    )
    for response in ("The Alpine tent weighs 2 kg.", "The Coral tent weighs 3 kg."):
        assert judged(response, *pages)["score"] == 5
    third = "Weighs 3 kg: the Alpine tent."
    assert judged("The Alpine tent weighs 3 kg.", *pages, third)["score"] >= 4


def test_words_but_not_numbers_may_come_from_a_title() -> None:
    def score(response: str, *titles: str) -> int:
        inputs = {"response": response, "documents": ["It weighs 2 kg."], "titles": titles}
        return int(asked("groundedness", **inputs)["score"])

    assert score("Every Coral Diver Deluxe weighs 2 kg.") < 4
    assert score("Every Coral Diver Deluxe weighs 2 kg.", "Coral Diver Deluxe") >= 4
    assert score("Every Coral Diver Deluxe weighs 7 kg.", "Coral Diver Deluxe 7 kg") < 4
    assert score("The Coral Diver.", "Coral Diver Deluxe") == 5
    assert score("The Coral is an Alpine.", "Coral Diver", "Alpine Explorer") < 4


def test_as_yes_or_no_it_is_grounded_where_every_sentence_is() -> None:
    def reply(response: str) -> Any:
        return asked("groundedness[yes_no]", response=response, documents=[TENTS])

    assert reply("It sleeps two people. It weighs 1.8 kg.")["verdict"] == "yes"
    no = reply("It sleeps two people. It weighs 3.1 kg.")
    assert no["verdict"] == "no"
    assert [named["quote"] for named in no["ungrounded"]] == ["It weighs 3.1 kg."]


def test_a_name_may_come_from_the_query() -> None:
    response = "Anna Keller designed it in 2019."
    assert judged(response, TENTS)["score"] < 4
    assert judged(response, TENTS, query="Did Anna Keller design it?")["score"] >= 4


def test_a_claim_put_into_a_courtesy_is_judged() -> None:
    for response in (
        "Sure, it weighs 5 kg.",
        "Here is the brass lamp.",
        "I'm happy: it has a lamp.",
    ):
        assert judged(f"It sleeps two people. {response}", TENTS)["score"] < 4


def test_a_quote_is_whole_words_only() -> None:
    assert judged("8 kg", TENTS)["score"] < 4
    assert judged("proof", TENTS)["score"] < 4


@pytest.mark.parametrize(
    ("document", "grounded", "ungrounded"),
    [
        ("这款帐篷重2公斤，可以睡两个人。", "帐篷重2公斤。", "这款帐篷重3公斤，可以睡两个人。"),
        ("这款帐篷重2公斤，可以睡两个人。", "可以睡两个人。", "保修期包括拉链和支架的损坏。"),
        ("这款帐篷防水。", "帐篷防水", "帐篷不防水"),
        (
            "このテントは防水で、重さは2キロです。",
            "テントの重さは2キロです。",
            "色は赤で、値段は高いです。",
        ),
        ("このテントは防水です。", "このテントは防水", "このテントは防水ではない"),
        ("เต็นท์นี้กันน้ำและหนัก 2 กิโลกรัม", "เต็นท์นี้หนัก 2 กิโลกรัม", "เต็นท์นี้มีสีแดงและราคาแพงมาก"),
        ("เต็นท์นี้กันน้ำ", "เต็นท์กันน้ำ", "เต็นท์นี้ไม่กันน้ำ"),
        (
            "هذه الخيمة مقاومة للماء وتتسع لشخصين.",
            "الخيمة مقاومة للماء.",
            "الخيمة ليست مقاومة للماء.",
        ),
        ("هذه الخيمة مقاومة للماء.", "خيمة مقاومة للماء", "لون الخيمة أحمر وسعرها مرتفع جدا."),
        ("यह तम्बू जलरोधक है।", "तम्बू जलरोधक है।", "तम्बू लाल रंग का और महंगा है।"),
        (
            "Палатка не промокает и весит два кило.",
            "Палатка весит два кило.",
            "Палатка красного цвета.",
        ),
        (
            "L'école fut construite à Québec.",
            "L'ECOLE FUT CONSTRUITE A QUEBEC",
            "Elle a cinq étages.",
        ),
    ],
)
def test_it_reads_many_scripts(document: str, grounded: str, ungrounded: str) -> None:
    assert judged(grounded, document)["score"] >= 4
    reply = judged(ungrounded, document)
    assert reply["score"] < 4
    assert reply["ungrounded"][0]["quote"] == ungrounded


@pytest.mark.parametrize("response", ["!!!", "👍", ".", "-", "\u200b"])
def test_a_response_without_words_is_not_grounded(response: str) -> None:
    assert judged(response, TENTS)["score"] == 1


def test_a_bare_yes_or_a_question_is_judged_when_there_is_nothing_else() -> None:
    assert judged("Yes.", TENTS)["score"] == 1
    assert judged("Is it made of brass?", TENTS)["score"] < 4


def test_a_lone_surrogate_is_carried_as_a_replacement_character() -> None:
    reply = judged("The lamp \ud800 is brass.", TENTS)
    assert reply["ungrounded"][0]["quote"] == "The lamp \ufffd is brass."


def test_a_word_that_stands_everywhere_is_not_looked_for_everywhere() -> None:
    document = "The tent is dry. " * 2000
    assert judged("The tent is dry and the tent is big.", document)["score"] >= 4
    assert judged("The lamp is brass.", document)["score"] < 4


@pytest.mark.parametrize("task", ["coherence", "my_metric"])
def test_other_metrics_are_refused_with_what_to_do(task: str) -> None:
    with pytest.raises(
        MetricRefused, match=rf"{task}: .*--llm-eval-model; .*correctness, fact_check, groundedness"
    ):
        asked(task, response="a")
