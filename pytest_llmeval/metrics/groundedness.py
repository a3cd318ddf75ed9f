"""Groundedness: do the response's claims follow from the context?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Self

from pydantic import Field, model_validator

from ..data.blank import is_blank
from ..data.cases import Case
from ..judges.reply import FreeText, Rating, Reason, Reply, YesNo
from ..results import Evidence, Verdict
from ..scales import ONE_TO_FIVE, YES_NO, Threshold
from ..text.claims import claims
from .ask import Ask
from .built_in import built_in
from .named_faults import contradiction, names_all, quoted
from .prompts import Level, Rubric, ask_with

_ASKED = """\
Is the response grounded in the documents? A claim is grounded when the documents state it or \
when it follows from them. A claim that is true in the world and that the documents do not bear \
out is ungrounded. Greetings, questions to the user and remarks about the answer itself claim \
nothing. Query and earlier turns, where there are any, only help to understand the response; they \
ground nothing.

Earlier turns of the conversation:
{{ history }}

Query:
{{ query }}

Documents:
{{ context }}

Response:
{{ response }}

First go through the response sentence by sentence and quote each sentence with a claim that the \
documents do not bear out. \
"""

_EXAMPLES = """

{{ levels }}

The examples speak of one document: "The Alpine tent sleeps two. Its outer fabric is nylon."
"""

TEXT = f"{_ASKED}Then choose the level that fits:{_EXAMPLES}"

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

ANSWERS = (
    Level(
        "yes",
        "All of the response is supported by the documents, or nearly all: what has no basis is a "
        "detail that nobody would rely on.",
        '"The Alpine tent sleeps two under a nylon outer, enough for most trips."',
    ),
    Level(
        "no",
        "Something that readers would rely on has no basis in the documents, or is untrue by them.",
        '"The Alpine tent sleeps two and weighs 2 kg."',
    ),
)

YES_NO_RUBRIC = Rubric(
    "groundedness[yes_no]",
    f"{_ASKED}Then answer whether the response as a whole is supported, with one of:{_EXAMPLES}",
    ANSWERS,
)


class Ungrounded(Reply):
    """A sentence without a basis."""

    quote: FreeText = Field(description="the sentence, word for word as it stands in the response")
    why: Reason = Field(description="which claim of it has no basis, in a few words")


class GroundednessReply(Reply):
    """What the judge answers."""

    ungrounded: list[Ungrounded] = Field(description="one for each such sentence; [] if none")
    reason: Reason = Field(description="one or two sentences on what decides the level")
    score: Rating = Field(description="the level")

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if self.score == 5 and any(not is_blank(each.quote) for each in self.ungrounded):
            raise contradiction("level 5 is for responses in which no sentence is ungrounded")
        return self


class SupportedReply(Reply):
    """What the judge answers on the scale of yes and no."""

    ungrounded: list[Ungrounded] = Field(description="one for each such sentence; [] if none")
    reason: Reason = Field(description="one or two sentences on what decides the answer")
    verdict: YesNo = Field(description="whether all or nearly all of the response is supported")


@built_in(
    needs=("query", "response", "context"),
    scale=YES_NO,
    rule=Threshold("at_least", 1),
    of="groundedness",
)
async def groundedness_yes_no(case: Case, ask: Ask) -> Verdict:
    """Whether all or nearly all of the response is supported by the context, yes or no.

    Reached by ``groundedness`` with ``scale="yes_no"``. Needs query, response and context. The
    evidence is that of ``groundedness``; a yes where each claim is named as ungrounded is none.
    Source: Databricks agent evaluation's groundedness.
    """

    def fault_of(reply: SupportedReply) -> str | None:
        quotes = [each.quote for each in reply.ungrounded]
        if reply.verdict == "yes" and names_all(quotes, claims(case.response or "")):
            return "a response is not supported where each sentence of it is ungrounded."
        return None

    question = ask_with(YES_NO_RUBRIC, SupportedReply, case, ask)
    reply = await ask(replace(question, fault_of=fault_of))
    return Verdict(YES_NO.labels[reply.verdict], reply.reason, _evidence(reply.ungrounded, case))


@built_in(
    needs=("response", "context"),
    scale=ONE_TO_FIVE,
    rule=Threshold("at_least", 4),
    others=(groundedness_yes_no,),
)
async def groundedness(case: Case, ask: Ask) -> Verdict:
    """Whether the response's claims follow from the context, 1–5, 5 = all of them do.

    True but unverifiable counts as ungrounded. Needs response and context; query and earlier
    turns are in view where there are any. The evidence is each ungrounded sentence with why; what
    the judge names and the response does not hold word for word is kept as ``unquoted``. Passes
    at 4. ``scale="yes_no"`` asks for the whole response. Source: Azure AI evaluation's
    groundedness.
    """
    reply = await ask(ask_with(RUBRIC, GroundednessReply, case, ask))
    return Verdict(reply.score, reply.reason, _evidence(reply.ungrounded, case))


def _evidence(named: Sequence[Ungrounded], case: Case) -> tuple[Evidence, ...]:
    response = case.response or ""
    return tuple(quoted("ungrounded", each.quote, each.why, response) for each in named)
