"""Relevance: does the response address the main aspects of the query, all and only those?"""

from __future__ import annotations

from pydantic import Field

from ..data.cases import Case
from ..judges.reply import Rating, Reason, Reply
from ..results import ONE_TO_FIVE, Threshold, Verdict
from .base import Ask, metric
from .prompts import Level, Rubric, ask_with

TEXT = """\
Does the response address what the query asks? Look for the main aspects of the query: a \
relevant response deals with each of them and with nothing that the user has no use for. Whether \
what it says is true or borne out is another question and is not asked here; the documents, where \
there are any, only show what could have been said.

Query:
{{ query }}

Documents:
{{ context }}

Response:
{{ response }}

First name the aspects of the query and which of them the response deals with. Then choose the \
level that fits:

{{ levels }}

The examples answer the query "How long is the warranty of the Alpine tent, and what does it cover?"
"""

LEVELS = (
    Level(
        1,
        "No aspect of the query is dealt with; the response is about something else or declines.",
        '"Our shops open at nine."',
    ),
    Level(
        2,
        "The subject is touched, and none of what was asked is answered.",
        '"The Alpine tent comes with a warranty, as all our tents do."',
    ),
    Level(
        3,
        "One main aspect is answered and another left out, or the answer drowns in other matter.",
        '"The warranty runs for two years."',
    ),
    Level(
        4,
        "Every main aspect is answered; something small is missing or beside the point.",
        '"Two years, for seams and poles. We also sell a ground sheet for it."',
    ),
    Level(
        5,
        "Every main aspect is answered, and nothing else is said.",
        '"The warranty runs for two years and covers seams and poles."',
    ),
)

RUBRIC = Rubric("relevance", TEXT, LEVELS)


class RelevanceReply(Reply):
    """What the judge answers."""

    reason: Reason = Field(description="the aspects of the query, and which are dealt with")
    score: Rating = Field(description="the level")


@metric(needs=("query", "response"), scale=ONE_TO_FIVE, rule=Threshold("at_least", 4))
async def relevance(case: Case, ask: Ask) -> Verdict:
    """Whether the response addresses the main aspects of the query, 1–5, 5 = all and only those.

    A single turn is judged, with the context in view when there is one. Source: Azure AI
    evaluation's relevance.
    """
    reply = await ask(ask_with(RUBRIC, RelevanceReply, case, ask))
    return Verdict(reply.score, reply.reason)
