"""Guideline adherence: does the response keep to every guideline, set by set?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from pydantic import Field, model_validator

from ..data.blank import is_blank
from ..data.cases import Case
from ..judges.base import Question
from ..judges.reply import FreeText, Reason, Reply, YesNo
from ..results import Evidence, Part, Verdict
from ..scales import YES_NO, Threshold
from ..text.quotes import find_quote
from .ask import Ask
from .built_in import built_in
from .guideline_sets import Given, sets_of
from .named_faults import contradiction
from .parts import each_part, yes_no_part
from .prompts import Level, Rubric, ask_with

TEXT = """\
Does the response keep to every one of the guidelines? Each guideline is a rule in plain words; \
take it as it is meant and hold it against the response alone. Where texts are given beside the \
response, guidelines may speak of them too; where there is no response, hold the guidelines \
against those texts. A guideline about something that does not come up is kept. The query shows \
what the response answers; it changes no guideline.

Guidelines:
{{ guidelines }}

Earlier turns of the conversation, which tell what "it" or "there" in the query means:
{{ history }}

Query:
{{ query }}

Response:
{{ response }}

Texts that the guidelines may speak of:
{{ guidelines_context }}

First go through the guidelines and name each that is broken. Then answer with one of:

{{ levels }}

The examples are held against the guideline "Name the price in euros."
"""

LEVELS = (
    Level("yes", "Every guideline is kept.", '"The Alpine tent is 300 euros."'),
    Level("no", "Some guideline is broken.", '"The Alpine tent is 330 dollars."'),
)

RUBRIC = Rubric("guideline_adherence", TEXT, LEVELS)


class Broken(Reply):
    """A guideline that is broken."""

    guideline: FreeText = Field(description="the guideline, word for word as it was given")
    why: Reason = Field(description="what breaks it, in a few words")


class GuidelineAdherenceReply(Reply):
    """What the judge answers about one set of guidelines."""

    broken: list[Broken] = Field(description="one for each guideline that is broken; [] if none")
    reason: Reason = Field(description="one or two sentences on what decides")
    verdict: YesNo = Field(description="whether every guideline is kept")

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if self.verdict == "yes" and self.broken:
            raise contradiction("where a guideline is broken not every one is kept")
        return self


@built_in(
    needs=("query", ("response", "guidelines_context")),
    scale=YES_NO,
    rule=Threshold("at_least", 1),
    takes_empty=("response",),
)
async def guideline_adherence(case: Case, ask: Ask, guidelines: Given = ()) -> Verdict:
    """Whether every guideline is kept, yes or no.

    The guidelines are the case's own (a list is the set ``guidelines``; named lists are sets by
    their names), those of the run and those given here (a list, which joins the run's in the set
    ``global``, or named lists). Each set is asked about by itself, and its rating is a part; the
    evidence is each guideline that is ``broken``, with why. One that the judge names and nobody
    gave is kept as ``unquoted``. What is judged is the response, the texts of
    ``guidelines_context``, or both: a response that is None is none to judge, and one that was
    given and is blank fails, with nothing asked, whatever else was given.

    Raises ``CaseError`` where there is no guideline at all, and ``PartlyJudged`` where a set got
    no rating. Source: Databricks Agent Evaluation's guideline adherence.
    """
    sets = sets_of(case, ask.guidelines, guidelines)
    if case.response is not None and not case.has("response"):
        return Verdict(None, "the response is empty", blank=True)
    questions = [(name, _question(case, ask, rules)) for name, rules in sets.items()]
    rated = await each_part(questions, ask, yes_no_part, "sets of guidelines")
    evidence = tuple(
        _evidence(each, sets[part.name]) for part, reply in rated for each in reply.broken
    )
    parts = tuple(part for part, _ in rated)
    kept = all(part.score for part in parts)
    return Verdict(YES_NO.labels["yes" if kept else "no"], _reason(parts), evidence, parts=parts)


def _question(case: Case, ask: Ask, rules: Sequence[str]) -> Question[GuidelineAdherenceReply]:
    texts = case.guidelines_context or {}
    shown = [f"{name}:\n{text}" for name, text in texts.items() if not is_blank(text)]
    return ask_with(
        RUBRIC,
        GuidelineAdherenceReply,
        case,
        ask,
        guidelines="\n".join(f"- {rule}" for rule in rules),
        guidelines_context="\n\n".join(shown),
    )


def _evidence(named: Broken, rules: Sequence[str]) -> Evidence:
    """The guideline that the judge names: one that it gives as a whole rather than in part."""
    whole = [rule for rule in rules if find_quote(rule, named.guideline)]
    known = whole or [rule for rule in rules if find_quote(named.guideline, rule)]
    if not known:
        return Evidence("unquoted", named.guideline, named.why)
    return Evidence("broken", max(known, key=len) if whole else known[0], named.why)


def _reason(parts: Sequence[Part]) -> str:
    if len(parts) == 1:
        return parts[0].reason
    failing = [part for part in parts if not part.score]
    kept = f"{len(parts) - len(failing)} of {len(parts)} sets of guidelines are kept"
    return "; ".join([kept, *(f"{part.name}: {part.reason}" for part in failing)])
