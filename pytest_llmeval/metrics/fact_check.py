"""Fact check: is the claim, the response, supported by the documents?"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from pydantic import Field

from ..data.cases import Case
from ..judges.base import Question
from ..judges.reply import Reason, Reply, YesNo
from ..results import Evidence, Verdict
from ..scales import YES_NO, Threshold
from ..text.encodable import encodable
from ..text.sentences import sentences
from .ask import Ask
from .built_in import built_in
from .part_names import told_apart
from .parts import each_part, yes_no_part
from .prompts import Level, Rubric, ask_with, inputs_of

TEXT = """\
Is the claim supported by the document? It is when the document states everything that the \
claim says, or when all of it follows from the document. It is not when the document says \
otherwise, says nothing of it, or bears out a part only.

Document:
{{ context }}

Claim:
{{ response }}

Answer with one of:

{{ levels }}

The examples speak of the document "The Alpine tent sleeps two. Its outer fabric is nylon."
"""

LEVELS = (
    Level("yes", "Every part of the claim is supported.", '"The Alpine tent has room for two."'),
    Level("no", "Some part of the claim is not.", '"The Alpine tent is nylon and weighs 2 kg."'),
)

RUBRIC = Rubric("fact_check", TEXT, LEVELS)


class FactCheckReply(Reply):
    """What the judge answers."""

    reason: Reason = Field(description="the part that decides, and what the document says of it")
    verdict: YesNo = Field(description="whether the claim is supported")


@built_in(needs=("response", "context"), scale=YES_NO, rule=Threshold("at_least", 1))
async def fact_check(
    case: Case, ask: Ask, claims: Literal["response", "sentences"] = "response"
) -> Verdict:
    """Whether the claim is supported by the document, yes or no.

    The document is the case's documents joined in order, the claim the whole response; with
    ``claims="sentences"`` each sentence is a claim, whose rating is a part; all have to hold, and
    those that fail are the evidence. Where one got no rating: ``PartlyJudged``, which names it. A
    dedicated checker (a model with ``minicheck`` in its name) is asked in its own form. Source:
    Spring AI's FactCheckingEvaluator.
    """
    if claims == "response":
        reply = await ask(_question(case, ask))
        return Verdict(YES_NO.labels[reply.verdict], reply.reason)
    pieces = [span.text for span in sentences(case.response or "")]
    each = [_question(case.model_copy(update={"response": piece}), ask) for piece in pieces]
    questions = list(zip(told_apart(pieces), each, strict=True))
    rated = await each_part(questions, ask, yes_no_part, "sentences")
    failing = tuple(
        Evidence("unsupported", piece, part.reason)
        for piece, (part, _) in zip(pieces, rated, strict=True)
        if not part.score
    )
    reason = f"{len(pieces) - len(failing)} of {len(pieces)} sentences are supported"
    parts = tuple(part for part, _ in rated)
    return Verdict(YES_NO.labels["no" if failing else "yes"], reason, failing, parts=parts)


def _question(case: Case, ask: Ask) -> Question[FactCheckReply]:
    document = "\n\n".join(document.content for document in case.context)
    inputs = {**inputs_of(case), "document": document, "claim": case.response}
    if ask.judge.checker:
        # No fence here that would see to it: what no request can carry is replaced.
        prompt = encodable(f"Document: {document}\nClaim: {case.response}")
        return Question("fact_check", (("user", prompt),), FactCheckReply, inputs, form="word")
    return replace(ask_with(RUBRIC, FactCheckReply, case, ask), inputs=inputs)
