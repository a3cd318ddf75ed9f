"""Correctness: is the response accurate and the same in meaning as the expected answer?"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from ..data.cases import Case
from ..judges.reply import WORD, FreeText, Reason, Reply, YesNo
from ..results import Evidence, Verdict
from ..scales import YES_NO, Threshold
from ..text.claims import claims
from .ask import Ask
from .built_in import built_in
from .named_faults import contradiction, names_all
from .prompts import Level, Rubric, ask_with, facts_of

TEXT = """\
Is the response correct, held against the expected answer? It is when it is accurate and means \
the same in reply to the query: each expected fact is stated or follows, in whatever words, and \
none is contradicted. A small omission or inexactness that leaves the meaning as it is does no \
harm, nor does more detail that agrees. The response is not correct when it contradicts an \
expected fact, lacks one that matters to the query, or means something else. The expected answer \
is right, whatever you may know of the matter.

Earlier turns of the conversation, which tell what "it" or "there" in the query means:
{{ history }}

Query:
{{ query }}

Expected answer:
{{ ground_truth }}

Facts that the expected answer states:
{{ expected_facts }}

Response:
{{ response }}

First go through the expected facts and name each that the response leaves out or contradicts. \
Then answer with one of:

{{ levels }}

The examples answer the query "How long is the warranty of the Alpine tent, and what does it \
cover?", to which "Two years; it covers seams and poles" is the expected answer.
"""

LEVELS = (
    Level(
        "yes",
        "It says the same in all that matters; nothing in it is contradicted.",
        '"Poles and seams are covered for 24 months from the day of purchase."',
    ),
    Level(
        "no",
        "An expected fact is contradicted, one that matters is missing, or the meaning differs.",
        '"It covers seams and poles for five years."',
    ),
)

RUBRIC = Rubric("correctness", TEXT, LEVELS)


class Fault(Reply):
    """An expected fact that the response lacks or contradicts."""

    fact: FreeText = Field(description="the expected fact, in the words of the expected answer")
    kind: Annotated[Literal["missing", "contradicted"], WORD] = Field(
        description="missing where the response does not state it"
    )
    why: Reason = Field(description="what the response says in its place, if anything")


class CorrectnessReply(Reply):
    """What the judge answers."""

    faults: list[Fault] = Field(description="one for each such fact; [] if none")
    reason: Reason = Field(description="one or two sentences on what decides")
    verdict: YesNo = Field(description="whether the response is correct")

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if self.verdict == "yes" and any(each.kind == "contradicted" for each in self.faults):
            raise contradiction("a response that contradicts an expected fact is not correct")
        return self


@built_in(
    needs=("query", "response", ("ground_truth", "expected_facts")),
    scale=YES_NO,
    rule=Threshold("at_least", 1),
)
async def correctness(case: Case, ask: Ask) -> Verdict:
    """Whether the response is accurate and means the same as the expected answer, yes or no.

    The expected answer is the ground truth, the expected facts, or both. Small omissions and
    inaccuracies that keep the intent are fine. The evidence is each expected fact that is
    ``missing`` or ``contradicted``, with why. Source: Databricks Agent Evaluation's correctness.
    """

    def fault_of(reply: CorrectnessReply) -> str | None:
        facts = [*facts_of(case), *claims(case.ground_truth or "")]
        if reply.verdict == "yes" and names_all([each.fact for each in reply.faults], facts):
            return "a response that lacks each expected fact is not correct."
        return None

    reply = await ask(replace(ask_with(RUBRIC, CorrectnessReply, case, ask), fault_of=fault_of))
    evidence = tuple(Evidence(each.kind, each.fact, each.why) for each in reply.faults)
    return Verdict(YES_NO.labels[reply.verdict], reply.reason, evidence)
