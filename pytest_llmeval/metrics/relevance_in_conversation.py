"""Relevance of a conversation's last answer, held against a reference answer or a ground truth."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from ..data.blank import is_blank
from ..data.cases import Case
from ..judges.reply import Rating, Reason, Reply, YesNo
from ..results import Evidence, Verdict
from .ask import Ask
from .prompts import Level, Rubric, ask_with

HIGHEST = 5
"""What an answer gets where no better one can be given: nothing relevant was retrieved."""
CAP = 2
"""The most that an answer gets that contradicts the ground truth or isn't consistent with it."""

_TURN = """\
Earlier turns of the conversation, which tell what "it" or "the second one" in the query means:
{{ history }}

Query:
{{ query }}
"""

REFERENCE_TEXT = f"""\
Write the answer that the query ought to get, from the documents and the earlier turns alone. Use \
nothing that you know beside them.

{_TURN}
Documents:
{{{{ context }}}}

First say whether anything in the documents or the earlier turns bears on what the query asks, \
with one of:

{{{{ levels }}}}

Then write the answer: all that they tell of it, and nothing else.

The examples speak of the query "And how long is its warranty?", asked about the Alpine tent.
"""

BEARING = (
    Level(
        "yes",
        "Something there bears on the query, be it a part of the answer only.",
        'a document says "All our tents are under warranty for two years."',
    ),
    Level(
        "no",
        "Nothing there bears on it, so that no answer can be written; the answer is left empty.",
        'the only document says "Our shops open at nine."',
    ),
)

REFERENCE = Rubric("relevance/reference", REFERENCE_TEXT, BEARING)

_JUDGED = f"""\
How well does the response answer the query, held against the reference answer? The reference \
answer says what there is to say: take it as right, whatever you know yourself. Other words, \
another order or another language make no difference.

{_TURN}
Reference answer:
{{{{ %(reference)s }}}}

Response:
{{{{ response }}}}

First say what of the reference answer the response has, what it lacks, and what it adds. \
%(first)sThen choose the level that fits:

{{{{ levels }}}}

The examples answer "And how long is its warranty?", asked about the Alpine tent, where the \
reference answer is "Two years, for seams and poles."
"""

LEVELS = (
    Level(
        1,
        "Never to be used: wrong, about something else, or no answer at all.",
        '"The Alpine tent comes in green."',
    ),
    Level(
        2,
        "A last resort: a trace of the answer, most of it missing, or wrong in something that "
        "matters.",
        '"There is some warranty on our tents; ask in a shop."',
    ),
    Level(
        3,
        "Partly helpful: the answer is there in part, or it is hard to read or lies among matter "
        "that the query did not ask for.",
        '"Two years. Green sells best, shops open at nine, and a ground sheet costs $20."',
    ),
    Level(
        4,
        "Slightly too narrow or too broad: one small thing is missing, or one is too much.",
        '"The warranty of the Alpine tent runs for two years, also for its poles."',
    ),
    Level(
        5,
        "Complete, strictly: all of the reference answer, and nothing that was not asked for.",
        '"Its warranty runs for two years and covers seams and poles."',
    ),
)

AGAINST_REFERENCE = Rubric(
    "relevance/against_reference", _JUDGED % {"reference": "reference", "first": ""}, LEVELS
)
_CONSISTENT = (
    "Then say whether the response contradicts the reference answer, and whether it is consistent "
    "with it; levels from 3 on are for consistent responses alone. "
)
AGAINST_GROUND_TRUTH = Rubric(
    "relevance/against_ground_truth",
    _JUDGED % {"reference": "ground_truth", "first": _CONSISTENT},
    LEVELS,
)


class ReferenceReply(Reply):
    """The reference answer, where one can be built."""

    reason: Reason = Field(description="what in the documents or the earlier turns bears on it")
    bearing: YesNo = Field(description="whether anything there bears on the query")
    answer: str = Field(description="the answer; empty where nothing bears on the query")

    @model_validator(mode="after")
    def _answered(self) -> Self:
        if self.bearing == "yes" and is_blank(self.answer):
            raise PydanticCustomError("no_answer", "'answer' is empty though 'bearing' is yes")
        if self.bearing == "no" and not is_blank(self.answer):
            raise PydanticCustomError("answered", "'answer' is not empty though 'bearing' is no")
        return self


class AgainstReferenceReply(Reply):
    """What the judge answers, the reference answer before it."""

    reason: Reason = Field(description="what the response has of it, lacks and adds")
    score: Rating = Field(description="the level")


class AgainstGroundTruthReply(Reply):
    """What the judge answers, the ground truth before it."""

    reason: Reason = Field(description="what the response has of it, lacks, adds and contradicts")
    contradicts: YesNo = Field(
        description="whether the response says something that is untrue if the reference is true"
    )
    consistent: YesNo = Field(
        description="whether the response agrees with the reference in what answers the query"
    )
    score: Rating = Field(description="the level")


async def against_reference(case: Case, ask: Ask) -> Verdict:
    """Form b: the judge first writes the answer to be had, without a look at the response."""
    unanswered = case.model_copy(update={"response": None, "ground_truth": None})
    built = await ask(ask_with(REFERENCE, ReferenceReply, unanswered, ask))
    if built.bearing == "no":
        reason = f"no reference answer can be built, nothing relevant was retrieved: {built.reason}"
        return Verdict(HIGHEST, reason)
    question = ask_with(AGAINST_REFERENCE, AgainstReferenceReply, case, ask, reference=built.answer)
    reply = await ask(question)
    return Verdict(reply.score, reply.reason, (Evidence("reference", built.answer),))


async def against_ground_truth(case: Case, ask: Ask) -> Verdict:
    """Form c: what contradicts the ground truth, or isn't consistent with it, gets 2 at most."""
    reply = await ask(ask_with(AGAINST_GROUND_TRUTH, AgainstGroundTruthReply, case, ask))
    faults = [
        *(["contradicts"] if reply.contradicts == "yes" else []),
        *(["is not consistent with"] if reply.consistent == "no" else []),
    ]
    if not faults or reply.score <= CAP:
        return Verdict(reply.score, reply.reason)
    told = f"level {reply.score} is capped at {CAP}: it {' and '.join(faults)} the ground truth"
    return Verdict(CAP, f"{reply.reason} ({told})")
