"""Similarity: does the response give the same information as the ground truth?"""

from __future__ import annotations

from pydantic import Field

from ..data.cases import Case
from ..judges.reply import Rating, Reason, Reply
from ..results import Verdict
from ..scales import ONE_TO_FIVE, Threshold
from .ask import Ask
from .built_in import built_in
from .prompts import Level, Rubric, ask_with

TEXT = """\
Does the response give the same information as the reference answer? Compare what the two say in \
answer to the query, not how they say it: other words, another order, another length or another \
language make no difference where the information is the same. Take the reference answer as \
right, whatever you know yourself. What it says and the response does not is missing; what the \
response says otherwise is wrong; what the response adds counts only as far as it changes the \
answer.

Earlier turns of the conversation:
{{ history }}

Query:
{{ query }}

Reference answer:
{{ ground_truth }}

Response:
{{ response }}

First say which information the two share, and which is missing or different. Then choose the \
level that fits:

{{ levels }}

The examples answer "What is the Alpine tent made of, and how heavy is it?", where the reference \
answer is "Its outer fabric is nylon and its poles are aluminium; it weighs 2 kg."
"""

LEVELS = (
    Level(
        1,
        "None of the reference's information is there, or the response says the opposite.",
        '"It is a canvas tent with wooden poles."',
    ),
    Level(
        2,
        "A minor piece of it is there; most is missing or different.",
        '"It has aluminium poles, a canvas outer and weighs 9 kg."',
    ),
    Level(
        3,
        "About half of it is there; a main piece is missing or different.",
        '"The outer is nylon and the poles are aluminium."',
    ),
    Level(
        4,
        "The main information is the same; a detail is missing or slightly different.",
        '"Nylon outside, metal poles, and a weight of 2 kg."',
    ),
    Level(
        5,
        "All of the information is the same, in whatever words.",
        '"At two kilograms it combines an outer of nylon with poles of aluminium."',
    ),
)

RUBRIC = Rubric("similarity", TEXT, LEVELS)


class SimilarityReply(Reply):
    """What the judge answers."""

    reason: Reason = Field(description="what the two share, and what is missing or different")
    score: Rating = Field(description="the level")


@built_in(
    needs=("query", "response", "ground_truth"), scale=ONE_TO_FIVE, rule=Threshold("at_least", 4)
)
async def similarity(case: Case, ask: Ask) -> Verdict:
    """Whether the response's information is the ground truth's, 1–5, 5 = the same in all.

    Judged, not measured by embeddings. Needs query, response and ground truth; earlier turns are
    in view. Passes at 4. Source: Azure AI evaluation's similarity.
    """
    reply = await ask(ask_with(RUBRIC, SimilarityReply, case, ask))
    return Verdict(reply.score, reply.reason)
