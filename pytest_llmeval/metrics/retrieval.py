"""Retrieval: do the documents hold the answer to each thing that the query asks?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticCustomError

from ..data.blank import is_blank
from ..data.cases import Case
from ..data.documents import Document
from ..judges.base import Question
from ..judges.reply import FreeText, Reason, Reply, YesNo
from ..results import Evidence, Part, Verdict
from ..scales import BETWEEN_ONE_AND_FIVE, Threshold
from .ask import Ask
from .built_in import built_in
from .part_names import document_names
from .prompts import Level, Rubric, ask_with

TEXT = """\
Are the documents suited to answer the query? Split the query into its intents: the separate \
things that the user wants to know or to have done. What "it", "there" or "the second one" means \
is told by the earlier turns; write each intent so that it can be understood without them. One \
question that asks one thing is one intent. Do not add intents that the user did not have.

Then decide for each intent by itself, with one of:

{{ levels }}

The examples speak of the intent "how long the warranty of the Alpine tent runs".

Judge only by what stands in the documents, not by what you know, and by what they say, not by \
the words that they share with the query. A document that speaks of the subject and does not \
answer the intent does not count.

Earlier turns of the conversation:
{{ history }}

Query:
{{ query }}

Documents, each with its id in the first line:
{{ context }}
"""

LEVELS = (
    Level(
        "yes",
        "The intent itself or its answer stands in one or more documents, or follows from them.",
        'yes, with the id of the document that says "All our tents are under warranty for two '
        'years."',
    ),
    Level(
        "no",
        "No document holds the answer, nor do several together.",
        'no, where the documents only say "The Alpine tent comes in green."',
    ),
)

RUBRIC = Rubric("retrieval", TEXT, LEVELS)


def _as_text(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


class Intent(Reply):
    """One thing that the query asks."""

    intent: FreeText = Field(
        description="what the user wants, understandable without the earlier turns"
    )
    reason: Reason = Field(description="what the documents say to it, in a few words")
    answered: YesNo = Field(description="whether the documents answer it")
    documents: list[Annotated[str, BeforeValidator(_as_text)]] = Field(
        description="the ids of the documents that answer it, as they are given; [] if none"
    )


def _some(intents: list[Intent]) -> list[Intent]:
    if not intents or any(is_blank(each.intent) for each in intents):
        raise PydanticCustomError("no_intent", "at least one intent is needed, each with its text")
    return intents


class RetrievalReply(Reply):
    """What the judge answers."""

    intents: Annotated[list[Intent], AfterValidator(_some)] = Field(
        description="one for each intent of the query, at least one"
    )


@built_in(
    needs=(("query", "messages"), "context"),
    scale=BETWEEN_ONE_AND_FIVE,
    rule=Threshold("at_least", 4),
)
async def retrieval(case: Case, ask: Ask) -> Verdict:
    """Whether the documents are suited to answer the query, 1.0–5.0, 5 = every intent of it.

    The judge splits the query, understood by the earlier turns, into intents and names for each
    the documents that answer it; the score is 1 + 4 × answered / intents. An intent counts as
    answered where the judge names a document that is there. The parts tell which documents answer
    some intent (1) and which none (0), the evidence the intents without a document. Needs query or
    messages, and context. Passes at 4. Source: Azure AI evaluation's retrieval.
    """
    names = document_names(case.context)
    reply = await ask(_question(case, ask, names))
    served: dict[str, list[str]] = {name: [] for name in names}
    unmet: list[Evidence] = []
    for each in reply.intents:
        known = [name for name in map(str.strip, each.documents) if name in served]
        if each.answered == "no" or not known:
            unmet.append(Evidence("unanswered", each.intent, _why(each)))
            continue
        for name in dict.fromkeys(known):
            served[name].append(each.intent)
    count = len(reply.intents)
    met = count - len(unmet)
    parts = tuple(
        Part(name, float(bool(intents)), f"answers: {'; '.join(intents)}" if intents else "")
        for name, intents in served.items()
    )
    reason = f"the documents answer {met} of {count} intents of the query"
    return Verdict(1 + 4 * met / count, reason, tuple(unmet), parts=parts)


def _why(intent: Intent) -> str:
    if intent.answered == "no":
        return intent.reason
    if not intent.documents:
        return f"counted as no: the judge names no document; {intent.reason}"
    listed = ", ".join(intent.documents)
    return f"counted as no: there is no document {listed}; {intent.reason}"


def _question(case: Case, ask: Ask, names: Sequence[str]) -> Question[RetrievalReply]:
    documents = [
        Document(content=document.content, id=name, title=document.title)
        for document, name in zip(case.context, names, strict=True)
    ]
    named = case.model_copy(update={"context": documents})
    asked = ask_with(RUBRIC, RetrievalReply, named, ask)
    return replace(asked, inputs={**asked.inputs, "document_ids": list(names)})
