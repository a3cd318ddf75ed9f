"""Relevance to the query: is the response about what the query asks?"""

from __future__ import annotations

from pydantic import Field

from ..data.cases import Case
from ..judges.reply import Reason, Reply, YesNo
from ..results import Verdict
from ..scales import YES_NO, Threshold
from .ask import Ask
from .built_in import built_in
from .prompts import Level, Rubric, ask_with

TEXT = """\
Is the response about what the query asks? It is when it takes up the request and says something \
to the point, be it short, incomplete or mistaken. It is not when it speaks of another subject, \
answers another question on the same subject, or says nothing to the point. Whether it is true, \
complete or borne out by anything is not asked here.

Earlier turns of the conversation, which tell what "it" or "there" in the query means:
{{ history }}

Query:
{{ query }}

Response:
{{ response }}

First say what the query asks and what the response speaks of. Then answer with one of:

{{ levels }}

The examples answer the query "How long is the warranty of the Alpine tent?"
"""

LEVELS = (
    Level("yes", "It deals with what was asked.", '"The Alpine tent has a ten-year warranty."'),
    Level("no", "It deals with something else.", '"The Alpine tent sleeps two and is green."'),
)

RUBRIC = Rubric("relevance_to_query", TEXT, LEVELS)


class RelevanceToQueryReply(Reply):
    """What the judge answers."""

    reason: Reason = Field(description="what the query asks, and whether the response is about it")
    verdict: YesNo = Field(description="whether the response is about it")


@built_in(needs=("query", "response"), scale=YES_NO, rule=Threshold("at_least", 1))
async def relevance_to_query(case: Case, ask: Ask) -> Verdict:
    """Whether the response is about what the query asks, yes or no.

    Source: Databricks Agent Evaluation's relevance to query.
    """
    reply = await ask(ask_with(RUBRIC, RelevanceToQueryReply, case, ask))
    return Verdict(YES_NO.labels[reply.verdict], reply.reason)
