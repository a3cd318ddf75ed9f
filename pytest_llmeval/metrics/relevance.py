"""Relevance: does the response address the main aspects of the query, all and only those?"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ..data.cases import Case
from ..data.conversation import has_earlier_turns
from ..errors import CaseError
from ..judges.reply import Rating, Reason, Reply
from ..results import Verdict
from ..scales import ONE_TO_FIVE, Threshold
from .ask import Ask
from .built_in import built_in
from .prompts import Level, Rubric, ask_with
from .relevance_in_conversation import against_ground_truth, against_reference

Form = Literal["auto", "a", "b", "c"]

TEXT = """\
Does the response address what the query asks? Look for the main aspects of the query: a \
relevant response deals with each of them and with nothing that the user has no use for. Whether \
what it says is true or borne out is another question and is not asked here; the documents, where \
there are any, only show what could have been said, and earlier turns only what the query means.

Earlier turns of the conversation:
{{ history }}

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


@built_in(needs=("query", "response"), scale=ONE_TO_FIVE, rule=Threshold("at_least", 4))
async def relevance(case: Case, ask: Ask, form: Form = "auto") -> Verdict:
    """Whether the response addresses the main aspects of the query, 1–5, 5 = all and only those.

    It is judged in one of three forms:

    - ``a``: by itself, with the context in view where there is one;
    - ``b``: against a reference answer that the judge first builds from the earlier turns and the
      context alone, and that is kept as the evidence ``reference``; where nothing relevant was
      retrieved to build one from, the score is 5;
    - ``c``: against the ground truth; a response that contradicts it gets 2 at most, and so does
      one that is not consistent with it.

    With ``form="auto"`` a single turn is judged in form ``a``; the last turn of a conversation in
    ``c`` where there is a ground truth, in ``b`` where there is a context, and else, since nothing
    was retrieved at all, in ``a``. Needs query and response, ``b`` also context, ``c`` also ground
    truth. Passes at 4. Source: Azure AI evaluation's relevance.
    """
    form = _fitting(case) if form == "auto" else form
    for chosen, need in (("b", "context"), ("c", "ground_truth")):
        if form == chosen and not case.has(need):
            raise CaseError(f"relevance in its form {form!r} needs {need}, which the case lacks")
    if form == "b":
        return await against_reference(case, ask)
    if form == "c":
        return await against_ground_truth(case, ask)
    reply = await ask(ask_with(RUBRIC, RelevanceReply, case, ask))
    return Verdict(reply.score, reply.reason)


def _fitting(case: Case) -> Form:
    if not has_earlier_turns(case):
        return "a"
    if case.has("ground_truth"):
        return "c"
    return "b" if case.has("context") else "a"
