"""Chunk relevance: is each retrieved document of use for an answer to the query?"""

from __future__ import annotations

from pydantic import Field

from ..data.cases import Case
from ..judges.reply import Reason, Reply, YesNo
from ..results import Verdict
from ..scales import FRACTION, Threshold
from .ask import Ask
from .built_in import built_in
from .parts import yes_no_part
from .per_document import each_document, share_of
from .prompts import Level, Rubric, ask_with

TEXT = """\
Is the document relevant to the query? It is when somebody who answers the query would use it: it \
holds the answer, a part of the answer, or a fact that the answer rests on. It is not when it \
merely shares words or its subject with the query, or is about something else. Whether other \
documents serve better, and whether this one alone is enough, is not asked here.

Earlier turns of the conversation, which tell what "it" or "there" in the query means:
{{ history }}

Query:
{{ query }}

Document:
{{ context }}

First say what the query needs and what the document has of it. Then answer with one of:

{{ levels }}

The examples are documents for the query "How long is the warranty of the Alpine tent?"
"""

LEVELS = (
    Level(
        "yes",
        "Something in it would go into an answer, or an answer would rest on it.",
        '"All tents carry the maker\'s warranty, which runs for two years."',
    ),
    Level(
        "no",
        "Nothing in it would, whatever words it shares with the query.",
        '"The Alpine tent is our best seller. Tents and their warranty cards come in one box."',
    ),
)

RUBRIC = Rubric("chunk_relevance", TEXT, LEVELS)


class ChunkRelevanceReply(Reply):
    """What the judge answers about one document."""

    reason: Reason = Field(description="what of the document serves the query, or why nothing does")
    verdict: YesNo = Field(description="whether the document is relevant")


@built_in(
    needs=("query", "context"),
    scale=FRACTION,
    rule=Threshold("more_than", 0),
    per_document=True,
)
async def chunk_relevance(case: Case, ask: Ask) -> Verdict:
    """The precision of retrieval: relevant documents / documents, 0–1, 1 = all are relevant.

    Each document is asked about by itself, blank ones apart, and its rating is a part; the
    evidence names those that are irrelevant. Passes with one relevant document, unless a precision
    is asked for. Where a document got no rating, there is no precision: ``PartlyJudged``. Source:
    Databricks Agent Evaluation's chunk relevance.
    """
    parts = await each_document(
        case, ask, lambda one: ask_with(RUBRIC, ChunkRelevanceReply, one, ask), yes_no_part
    )
    return share_of(parts, "relevant", "irrelevant")
