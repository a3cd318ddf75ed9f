"""Groundedness: do the response's claims follow from the context?"""

from __future__ import annotations

from pydantic import Field

from ..data.cases import Case
from ..judges.reply import Rating, Reason, Reply
from ..results import ONE_TO_FIVE, Evidence, Threshold, Verdict
from ..text.quotes import find_quote
from .base import Ask, metric
from .prompts import Level, Rubric, ask_with

TEXT = """\
Is the response grounded in the documents? A claim is grounded when the documents state it or \
when it follows from them. A claim that is true in the world and that the documents do not bear \
out is ungrounded. Greetings, questions to the user and remarks about the answer itself claim \
nothing. The query, where there is one, only helps to understand the response; it grounds nothing.

Query:
{{ query }}

Documents:
{{ context }}

Response:
{{ response }}

First go through the response sentence by sentence and quote each sentence with a claim that the \
documents do not bear out. Then choose the level that fits:

{{ levels }}

The examples speak of one document: "The Alpine tent sleeps two. Its outer fabric is nylon."
"""

LEVELS = (
    Level(
        1,
        "What the response claims is contradicted by the documents, or nothing in them tells.",
        '"The Alpine tent sleeps six and is made of canvas."',
    ),
    Level(
        2,
        "Most claims have no basis in the documents; a minor one has.",
        '"The Alpine tent sleeps two, weighs 2 kg, costs $300 and comes in green."',
    ),
    Level(
        3,
        "Claims with and without a basis hold each other about even.",
        '"The Alpine tent sleeps two. It weighs 2 kg."',
    ),
    Level(
        4,
        "Every main claim has a basis; a detail beside the point lacks one.",
        '"The Alpine tent sleeps two and has a nylon outer, which dries fast."',
    ),
    Level(
        5,
        "Every claim is stated in the documents or follows from them.",
        '"Two people can sleep in the Alpine tent, whose outer fabric is nylon."',
    ),
)

RUBRIC = Rubric("groundedness", TEXT, LEVELS)


class Ungrounded(Reply):
    """A sentence without a basis."""

    quote: str = Field(description="the sentence, word for word as it stands in the response")
    why: Reason = Field(description="which claim of it has no basis, in a few words")


class GroundednessReply(Reply):
    """What the judge answers."""

    ungrounded: list[Ungrounded] = Field(description="one for each such sentence; [] if none")
    reason: Reason = Field(description="one or two sentences on what decides the level")
    score: Rating = Field(description="the level")


@metric(needs=("response", "context"), scale=ONE_TO_FIVE, rule=Threshold("at_least", 4))
async def groundedness(case: Case, ask: Ask) -> Verdict:
    """Whether the response's claims follow from the context, 1–5, 5 = all of them do.

    True but unverifiable counts as ungrounded. The evidence is each ungrounded sentence with why;
    what the judge names and the response does not hold word for word is kept as ``unquoted``.
    Source: Azure AI evaluation's groundedness.
    """
    reply = await ask(ask_with(RUBRIC, GroundednessReply, case, ask))
    evidence = tuple(_evidence(each, case.response or "") for each in reply.ungrounded)
    return Verdict(reply.score, reply.reason, evidence)


def _evidence(named: Ungrounded, response: str) -> Evidence:
    quote = find_quote(named.quote, response)
    if quote is None:
        return Evidence("unquoted", named.quote, named.why)
    return Evidence("ungrounded", quote, named.why)
