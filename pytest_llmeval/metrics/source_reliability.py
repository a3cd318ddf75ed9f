"""Source reliability: is each document a source that can be trusted for such claims?"""

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
Is the document a source that can be trusted for what it is used for here? It is when whoever \
speaks in it is in a position to know, and nothing in it gives reason to doubt: it says where its \
figures come from or is itself where they come from, keeps facts apart from opinion and \
advertising, and does not contradict itself. It is not when its origin is hearsay or cannot be \
told, when it has an interest in being believed and shows it, is out of date for the matter, or \
reads as made up. Judge the source and not the subject: whether it answers the query, and whether \
a response renders it well, is not asked here.

The query and the response, where there are any, only show what the source is used for.

Earlier turns of the conversation, which tell what "it" or "there" in the query means:
{{ history }}

Query:
{{ query }}

Response:
{{ response }}

Document:
{{ context }}

First say who speaks in the document and what speaks for and against trusting them in this. Then \
answer with one of:

{{ levels }}

The examples are documents used for the query "How long is the warranty of the Alpine tent?"
"""

LEVELS = (
    Level(
        "yes",
        "It comes from where such things are known, and nothing in it gives reason to doubt.",
        '"Alpine Ltd, warranty terms, March edition: tents are under warranty for two years."',
    ),
    Level(
        "no",
        "Its origin cannot be told or is no place to know, or it gives reason to doubt.",
        '"somebody in the forum said it is for life i think, best tent ever, use my code!!"',
    ),
)

RUBRIC = Rubric("source_reliability", TEXT, LEVELS)


class SourceReliabilityReply(Reply):
    """What the judge answers about one document."""

    reason: Reason = Field(description="who speaks in it, and what decides whether to trust them")
    verdict: YesNo = Field(description="whether the source can be trusted for this")


@built_in(needs=("context",), scale=FRACTION, rule=Threshold("at_least", 1), per_document=True)
async def source_reliability(case: Case, ask: Ask) -> Verdict:
    """The share of documents that are trustworthy sources, 0–1, 1 = all of them are.

    Each document is asked about by itself, blank ones apart, with query and response in view when
    there are any, and its rating is a part; the evidence names those that are unreliable. It says
    nothing of citations, nor do they of it. Where a document got no rating: ``PartlyJudged``.
    Source: the custom retrieval judge of Databricks Agent Evaluation is its form; that attribution
    leaves a source's trustworthiness open is from AIS ("Measuring Attribution in Natural Language
    Generation Models").
    """
    parts = await each_document(
        case, ask, lambda one: ask_with(RUBRIC, SourceReliabilityReply, one, ask), yes_no_part
    )
    return share_of(parts, "reliable", "unreliable")
