"""Replies in plain words: a bare Yes or No, and refusals."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmeval.errors import JudgeRefused, UnreadableReply
from pytest_llmeval.judges.reply import Reason, Reply, YesNo, read


class Checked(Reply):
    verdict: YesNo
    reason: Reason


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        *[(said, "yes") for said in ("Yes", "YES!", "Yes.", "Yes\n", "**Yes**", "'yes'", "`Yes`")],
        *[(said, "no") for said in ("no,", "No", "**No**.", "\n no", "<think>Yes?</think>\nNo")],
    ],
)
def test_one_word_is_a_verdict(said: str, verdict: str) -> None:
    reply = read(said, Checked, form="word")
    assert (reply.verdict, reply.reason) == (verdict, "no reason given")


@pytest.mark.parametrize(
    ("said", "verdict", "reason"),
    [
        ("Yes. The document says so.", "yes", "The document says so."),
        ("**No**, it says the opposite.", "no", "it says the opposite."),
        ("No – it does not.", "no", "it does not."),
        ("Yes\n\nSee document 2.", "yes", "See document 2."),
    ],
)
def test_an_explanation_after_the_word_is_its_reason(said: str, verdict: str, reason: str) -> None:
    reply = read(said, Checked, form="word")
    assert (reply.verdict, reply.reason) == (verdict, reason)


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ("", "it was empty."),
        ("<think>Yes</think>", "it was empty."),
        ("Yes and no", "both yes and no"),
        ("Yes, but no", "both yes and no"),
        ("Yes/No", "both yes and no"),
        ("No. On second thoughts, yes.", "both yes and no"),
        ("Yes, but hardly", "not a plain Yes or No"),
        ("No idea", "not a plain Yes or No"),
        ("no-one knows", "not a plain Yes or No"),
        ("Answer: yes", "not Yes or No"),
        ("yesterday", "not Yes or No"),
        ("<think>Yes", "not Yes or No"),
        ('{"verdict": "yes"}', "not Yes or No"),
    ],
)
def test_what_is_not_plainly_one_word_is_unreadable(said: str, fault: str) -> None:
    with pytest.raises(UnreadableReply) as caught:
        read(said, Checked, form="word")
    assert fault in caught.value.fault


@pytest.mark.parametrize(
    "said",
    [
        *["Yes, it is not supported", "Yes — unsupported", "Yes: false", "Yes (incorrect)"],
        *["Yes. The document contradicts it.", "Yes, it isn't there", "**Yes**. Wrong."],
        *["No, it is supported", "No. 5 is right", "No: true", "No (the document confirms it)"],
    ],
)
def test_an_explanation_that_speaks_for_the_other_word_is_unreadable(said: str) -> None:
    with pytest.raises(UnreadableReply, match="speaks for the other one"):
        read(said, Checked, form="word")


@pytest.mark.parametrize(
    "said", ["No. It is not supported.", "No, not true", "No: unsupported", "No, it isn't correct."]
)
def test_a_no_is_explained_by_what_does_not_hold(said: str) -> None:
    assert read(said, Checked, form="word").verdict == "no"


REFUSALS = [
    "I'm sorry, but I can't help with that.",
    "I’m sorry, I cannot assist.",
    "I cannot assist with this request.",
    "Unfortunately, I am unable to evaluate this content.",
    "As an AI language model, I can't comply.",
    "I must decline to judge this.",
    "**Sorry, but I won't continue.**",
    "<think>This is harmful.</think> I can't discuss that.",
]


@pytest.mark.parametrize("said", [*REFUSALS, "No, I can't help with that."])
def test_a_refusal_is_no_verdict_in_one_word(said: str) -> None:
    with pytest.raises(JudgeRefused, match="declined"):
        read(said, Checked, form="word")


@pytest.mark.parametrize("said", REFUSALS)
def test_a_refusal_without_an_object_is_a_refusal(said: str) -> None:
    with pytest.raises(JudgeRefused, match="declined"):
        read(said, Checked)


def test_a_verdict_after_an_apology_is_a_verdict() -> None:
    said = 'I\'m sorry, but I can\'t find it there. {"verdict": "no"}'
    assert read(said, Checked).verdict == "no"


@pytest.mark.parametrize(
    "said", ["I cannot find a basis for the claim.", "Sorry, the claim is long."]
)
def test_not_finding_something_is_no_refusal(said: str) -> None:
    with pytest.raises(UnreadableReply, match="no JSON object"):
        read(said, Checked)


WORDS = ["yes", "no", "Yes", "NO", "and", "but", "it", "not", "<think>", "</think>", *",.!*-\n"]


@given(st.lists(st.sampled_from(WORDS)))
def test_a_verdict_is_the_only_verdict_word_of_the_reply(words: list[str]) -> None:
    said = " ".join(words)
    try:
        verdict = read(said, Checked, form="word").verdict
    except (UnreadableReply, JudgeRefused):
        return
    spoken = said.rpartition("</think>")[2].lower().split()
    assert verdict in spoken
    assert {"yes": "no", "no": "yes"}[verdict] not in spoken
