"""The lexical judge on figures and short facts: what is given otherwise passes in no task."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from lexical_judge import asked, judged


def verdicts(due: str, said: str) -> dict[str, object]:
    """What each task says where ``due`` is the document or the expected answer, and what is said.

    Levels are told as whether they pass.
    """
    truth = {"query": "", "response": said, "ground_truth": due}
    return {
        "correctness": asked("correctness", **truth)["verdict"] == "yes",
        "similarity": asked("similarity", **truth)["score"] >= 4,
        "groundedness": judged(said, due)["score"] >= 4,
        "fact_check": asked("fact_check", claim=said, document=due)["verdict"] == "yes",
        "sufficiency": asked("context_sufficiency", ground_truth=said, documents=[due])["verdict"]
        == "yes",
    }


OTHERWISE = [
    ("Growth was 50%.", "Growth was 5%."),
    ("The company was founded in 1991.", "The company was founded in 1890."),
    ("The tent sleeps 2.", "The tent sleeps 6."),
    ("The tent sleeps two.", "The tent sleeps six."),
    ("The tent sleeps 2.", "The tent sleeps six."),
    ("The tent sleeps one.", "The tent sleeps six."),
    ("The tent sleeps 2.", "The tent sleeps 6 and weighs 2."),
    ("The tent sleeps 2 and weighs 6 kg.", "The tent sleeps 6 and weighs 2 kg."),
    ("The answer is 42.", "The answer is 43."),
    ("The warranty runs for two years.", "The warranty runs for ten years."),
    ("The warranty runs for two years.", "The warranty runs for two months."),
    ("It weighs 2 kg.", "It weighs 2 g."),
    ("It weighs two kilograms.", "It weighs two grams."),
    ("It is 5 km long.", "It is 5 m long."),
    ("It stores 5 GB.", "It stores 5 MB."),
    ("It costs $50.", "It costs €50."),
    ("It costs $5 million.", "It costs $5 billion."),
    ("It works at 20 degrees.", "It works at -20 degrees."),
    ("It works at minus twenty degrees.", "It works at 20 degrees."),
    ("-20 degrees", "20 degrees"),
    ("两个人", "六个人"),
    ("保修期为两年。", "保修期为三年。"),
    ("帐篷重2公斤。", "帐篷重2克。"),
    ("二人用のテントです。", "四人用のテントです。"),
    ("เต็นท์สำหรับสองคน", "เต็นท์สำหรับหกคน"),
    ("텐트는 두 명이 쓴다.", "텐트는 세 명이 쓴다."),
    ("Das Zelt wiegt zwei Kilo.", "Das Zelt wiegt drei Kilo."),
    ("La garantie dure deux ans.", "La garantie dure trois ans."),
    ("La tienda pesa cuatro kilos.", "La tienda pesa cinco kilos."),
    ("La tenda pesa quattro chili.", "La tenda pesa cinque chili."),
    ("A tenda pesa dois quilos.", "A tenda pesa quatro quilos."),
    ("De tent slaapt twee mensen.", "De tent slaapt zes mensen."),
    ("Палатка весит два кило.", "Палатка весит три кило."),
    ("تتسع الخيمة ل خمسة أشخاص.", "تتسع الخيمة ل سبعة أشخاص."),
    ("तम्बू में दो लोग सोते हैं।", "तम्बू में छह लोग सोते हैं।"),
    ("The tent is red.", "The tent is blue."),
    ("The red tent is dry.", "The blue tent is dry."),
]


@pytest.mark.parametrize(("due", "said"), OTHERWISE)
def test_what_is_given_otherwise_passes_in_no_task(due: str, said: str) -> None:
    assert not any(verdicts(due, said).values()), verdicts(due, said)
    assert not any(verdicts(said, due).values()), verdicts(said, due)
    assert all(verdicts(due, due).values())


@pytest.mark.parametrize(
    ("due", "said"),
    [
        ("It weighs 2 kg.", "It weighs two kilograms."),
        ("It costs $50.", "It costs 50 dollars."),
        ("It costs US$44bn.", "It costs US$ 44 billion."),
        ("It grew by 5 percent.", "It grew by 5%."),
        ("It works at −20 degrees.", "It works at minus twenty degrees."),
        ("It lasts 15 to 25 years.", "It lasts 15-25 years."),
        ("It costs $10-$20.", "It costs $10 to $20."),
        ("The tent sleeps one person.", "The tent sleeps 1 person."),
        ("On March 1, 2017 he left.", "He left on March 1, 2017."),
        ("保修期为两年。", "保修期为2年。"),
        ("共有二十三人。", "共有23人。"),
        ("Das Zelt wiegt zwei Kilo.", "Das Zelt wiegt 2 kg."),
        ("La garantie dure deux ans.", "La garantie dure 2 années."),
        ("Палатка весит пять килограммов.", "Палатка весит 5 кг."),
        ("Vingt-deux tentes sèches.", "22 tentes sèches."),
    ],
)
def test_a_figure_in_another_way_of_writing_passes_in_every_task(due: str, said: str) -> None:
    assert all(verdicts(due, said).values()), verdicts(due, said)
    assert all(verdicts(said, due).values()), verdicts(said, due)


SENTENCES = st.sampled_from(
    [
        "The tent sleeps {}.",
        "It was opened in {}.",
        "It weighs {} kg.",
        "Growth was {}%.",
        "It costs ${}.",
        "The river has {} bridges.",
        "There, {} houses stand.",
        "Das Haus hat {} Zimmer.",
        "帐篷可以睡{}个人。",
    ]
)


@given(SENTENCES, st.integers(0, 10_000), st.integers(0, 10_000), st.booleans())
def test_another_number_passes_in_no_task(frame: str, due: int, said: int, negative: bool) -> None:
    other = -said if negative and " " in frame and "$" not in frame else said
    assume(due != other and 1 not in (due, said))
    found = verdicts(frame.format(due), frame.format(other))
    assert not any(found.values()), found


def test_a_figure_given_otherwise_is_a_contradiction_and_told() -> None:
    inputs = {"query": "", "response": "It opened in 1890.", "ground_truth": "It opened in 1991."}
    (fault,) = asked("correctness", **inputs)["faults"]
    assert fault["kind"] == "contradicted"
    assert fault["why"] == "it says '1991' where the response says '1890'"
    assert asked("similarity", **inputs)["score"] == 2


def test_a_figure_that_is_left_out_of_a_short_answer_is_missing() -> None:
    truth = "The small company was founded in 1991."
    inputs = {"query": "", "response": "The small company was founded.", "ground_truth": truth}
    (fault,) = asked("correctness", **inputs)["faults"]
    assert (fault["kind"], fault["why"]) == ("missing", "'1991' is not in the response")
    assert asked("similarity", **inputs)["score"] == 3
    told = {**inputs, "query": "Was it founded in 1991?"}
    assert asked("correctness", **told)["verdict"] == "yes"


def test_the_reason_of_a_stated_fact_names_what_of_it_is_not() -> None:
    truth = "The small green tent is dry, light and warm and sleeps two."
    response = "The green tent is dry, light and warm and sleeps two."
    inputs = {"query": "", "response": response, "ground_truth": truth}
    assert asked("correctness", **inputs) == {
        "faults": [],
        "reason": "The response states every expected fact, if not all of one: 'small' is not in "
        "the response.",
        "verdict": "yes",
    }


def test_a_figure_that_the_response_alone_gives_otherwise_caps_similarity() -> None:
    truth = "The tent sleeps two people. It is dry, light, warm, green and cheap."
    response = f"{truth} The tent sleeps six people."
    assert asked("similarity", query="", response=response, ground_truth=truth)["score"] == 3


def test_a_name_or_a_number_elsewhere_is_no_other_figure() -> None:
    due = "The tent sleeps two. Our shop, opened in 1991, has six rooms and two doors."
    assert judged("The tent sleeps two.", due)["score"] >= 4
    assert judged("The shop has six rooms.", due)["score"] >= 4
    assert judged("The shop has two rooms.", due)["score"] < 4


@pytest.mark.parametrize(
    ("due", "said"),
    [
        ("Paris has 2.1 million inhabitants.", "About 2,100,000 people live in Paris."),
        ("The battery lasts 10 hours.", "Battery life: 10 hours"),
    ],
)
def test_another_wording_is_no_other_word_in_one_place(due: str, said: str) -> None:
    assert verdicts(due, said)["correctness"]
