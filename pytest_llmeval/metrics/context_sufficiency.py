"""Context sufficiency: does the context hold what the expected answer needs?"""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from ..data.cases import Case
from ..judges.reply import FreeText, Reason, Reply, YesNo
from ..results import Evidence, Verdict
from ..scales import YES_NO, Threshold
from .ask import Ask
from .built_in import built_in
from .named_faults import contradiction
from .prompts import Level, Rubric, ask_with

TEXT = """\
Do the documents hold what it takes to give the expected answer? They do when everything that the \
expected answer says in reply to the query is stated in the documents or follows from them, taken \
together. They do not when some of it is in none of them, or when they say otherwise, however \
well known it may be. What the expected answer adds beyond the query is not needed.

Earlier turns of the conversation, which tell what "it" or "there" in the query means:
{{ history }}

Query:
{{ query }}

Documents:
{{ context }}

Expected answer:
{{ ground_truth }}

Facts that the expected answer states:
{{ expected_facts }}

First go through what the expected answer says and name each thing that the documents do not \
provide. Then answer with one of:

{{ levels }}

The examples are documents for the query "How long is the warranty of the Alpine tent, and what \
does it cover?", to which "Two years, for seams and poles" is the expected answer.
"""

LEVELS = (
    Level(
        "yes",
        "Everything that is needed is there.",
        '"Tents are under warranty for two years. For the Alpine: seams, poles."',
    ),
    Level(
        "no",
        "Something that is needed is not, or is there otherwise.",
        '"All our tents are under warranty for two years."',
    ),
)

RUBRIC = Rubric("context_sufficiency", TEXT, LEVELS)


class ContextSufficiencyReply(Reply):
    """What the judge answers."""

    missing: list[FreeText] = Field(description="each thing needed that is not there; [] if none")
    reason: Reason = Field(description="one or two sentences on what decides")
    verdict: YesNo = Field(description="whether everything that is needed is there")

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if self.verdict == "yes" and any(map(str.strip, self.missing)):
            raise contradiction("where something is missing the documents do not suffice")
        return self


@built_in(
    needs=("query", "context", ("ground_truth", "expected_facts")),
    scale=YES_NO,
    rule=Threshold("at_least", 1),
)
async def context_sufficiency(case: Case, ask: Ask) -> Verdict:
    """Whether the context holds what the expected answer needs, yes or no.

    The expected answer is the ground truth, the expected facts, or both. The evidence is what is
    missing. Source: Databricks Agent Evaluation's context sufficiency.
    """
    reply = await ask(ask_with(RUBRIC, ContextSufficiencyReply, case, ask))
    evidence = tuple(Evidence("missing", each) for each in reply.missing if each.strip())
    return Verdict(YES_NO.labels[reply.verdict], reply.reason, evidence)
