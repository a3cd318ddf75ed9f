"""A judged metric as its users declare it: a prompt, a scale, the fields that it needs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, create_model

from ...data.aliases import closest
from ...data.blank import is_blank
from ...data.cases import Case
from ...data.turns import JudgedTurns
from ...errors import UsageError
from ...judges.answers import WORD, Reason, Reply, integer_between, number_between
from ...results import Verdict
from ...scales import FRACTION, YES_NO, Scale, Threshold
from ...text.templates import placeholders, shown_by
from ..ask import Ask
from ..base import Metric
from ..needs import Need
from ..parts import yes_no_part
from ..per_document import each_document, share_of
from ..prompts import PLACEHOLDERS, Level, Rubric, ask_with
from .declared import (
    Misdeclared,
    ScaleGiven,
    checked_name,
    checked_needs,
    is_number,
    over_turns,
    scale_of,
    shown_needs,
    told,
    with_rule,
)

Levels = Sequence[Level] | Mapping[Any, str]


def JudgedMetric(  # noqa: N802 - it declares, as a class would
    name: str,
    *,
    prompt: str,
    scale: ScaleGiven,
    needs: Sequence[str | Sequence[str]] | str | None = None,
    at_least: float | str | None = None,
    at_most: float | str | None = None,
    levels: Levels = (),
    per_document: bool = False,
    turns: JudgedTurns = "last",
) -> Metric:
    """The metric that puts ``prompt`` to the judge about a case.

    ``prompt`` is a template over the case's fields: ``{{ query }}``, ``{{ response }}``,
    ``{{ context }}`` (the documents), ``{{ ground_truth }}``, ``{{ expected_facts }}``,
    ``{{ history }}`` (the messages). It works on the texts, and what it prints of them is fenced.
    Beside query or response the history is the turns before the last; alone, all of them.

    ``scale`` is ``1-5`` or ``1.0-5.0`` (numbers), ``yes_no``, ``pass_fail``, ``0-1`` (a fraction),
    ``severity`` (of harm), a mapping of words to their scores, or a ``Scale``. ``needs`` are the
    fields that the case has to have, those that the prompt shows unless said (turns before the last
    may be none); in a tuple within, one will do. It passes ``at_least`` or ``at_most`` (then lower
    is better), a score or a word; else at 4 of 5, at yes, at pass or below a medium severity;
    another scale without either is measured only. ``levels`` says what values of the scale
    look like, and stands where the prompt holds ``{{ levels }}``, else at its end.

    With ``per_document=True`` the question, answered yes or no, is asked of each document alone:
    the score is the share of the documents with yes, from 0 to 1, and it passes at one yes unless
    ``at_least`` wants more. The ratings are the verdict's parts. With ``turns="each"`` each turn
    of a conversation is judged by itself: the worst one decides, and the turns are the parts.

    Raises ``UsageError`` for whatever of this can't be. Source: custom judges of Databricks Agent
    Evaluation.
    """
    asked_on = scale_of(scale)
    _check_prompt(prompt)
    rubric = Rubric(
        checked_name(name), _with_levels(prompt, levels), _levels(levels, asked_on), built_in=False
    )
    needed = _needs(needs, prompt, per_document)
    if per_document:
        return over_turns(_on_documents(rubric, asked_on, needed, at_least, at_most), turns)
    directed, rule = with_rule(asked_on, at_least, at_most, name)
    reply = reply_on(asked_on, name)

    async def judged(case: Case, ask: Ask) -> Verdict:
        said: Any = await ask(ask_with(rubric, reply, case, ask))
        word = getattr(said, "verdict", None)
        return Verdict(said.score if word is None else directed.labels[word], said.reason)

    of_harm = bool(directed.tolerances)
    return over_turns(Metric(name, judged, needed, directed, rule, whole_turn=of_harm), turns)


def reply_on(scale: Scale, name: str) -> type[Reply]:
    """What a judge has to answer on ``scale``: a reason, then a ``score`` or, of words, a
    ``verdict``."""
    if scale.labels:
        words = Literal[tuple(scale.labels)]  # type: ignore[valid-type]
        decision: dict[str, Any] = {
            "verdict": (Annotated[words, WORD], Field(description="the answer"))
        }
    else:
        kind: type = int if scale.integers else float
        try:
            ends = (
                integer_between(int(scale.lowest), int(scale.highest))
                if scale.integers
                else number_between(scale.lowest, scale.highest)
            )
        except (UsageError, OverflowError):
            ends_told = "a judge is told where the scale begins and where it ends"
            raise Misdeclared(f"scale: {ends_told}; {scale.name} is open", "scale") from None
        decision = {"score": (Annotated[kind, ends], Field(description="the score"))}
    because = (Reason, Field(description="one or two sentences on what decides"))
    made: type[Reply] = create_model(f"{name}_reply", __base__=Reply, reason=because, **decision)
    return made


def _on_documents(
    rubric: Rubric, scale: Scale, needs: tuple[Need, ...], at_least: Any, at_most: Any
) -> Metric:
    if scale.labels != YES_NO.labels:
        raise Misdeclared("scale: of each document yes or no is asked, so it is yes_no", "scale")
    rule: Threshold | None = Threshold("more_than", 0)
    on = FRACTION
    if at_least is not None or at_most is not None:
        on, rule = with_rule(FRACTION, at_least, at_most, rubric.name)
    reply: Any = reply_on(scale, rubric.name)

    async def judged(case: Case, ask: Ask) -> Verdict:
        parts = await each_document(
            case, ask, lambda alone: ask_with(rubric, reply, alone, ask), yes_no_part
        )
        return share_of(parts, "rated yes", "rated no")

    return Metric(rubric.name, judged, needs, on, rule, per_document=True)


def _check_prompt(prompt: object) -> None:
    if not isinstance(prompt, str) or not prompt.strip():
        came = "blank text" if isinstance(prompt, str) else type(prompt).__name__
        raise Misdeclared(f"prompt is text; got {came}", "prompt")
    try:
        names = placeholders(prompt)
    except UsageError as error:
        line = re.match(r"template, line (\d+)", str(error))
        raise Misdeclared(f"prompt: {error}", "prompt", int(line[1]) if line else 1) from None
    for name in sorted(names - {*PLACEHOLDERS, "levels"}):
        line_of = next((n for n, text in enumerate(prompt.split("\n"), 1) if name in text), 1)
        meant = closest(name, PLACEHOLDERS)
        raise Misdeclared(f"prompt: there is no {{{{ {name} }}}}{meant}", "prompt", line_of)
    if not shown_by(prompt) & PLACEHOLDERS.keys():
        advice = "put a field into it, as {{ response }}"
        raise Misdeclared(f"prompt shows nothing of the case to the judge: {advice}", "prompt")


def _needs(needs: Any, prompt: str, per_document: object) -> tuple[Need, ...]:
    if not isinstance(per_document, bool):
        raise Misdeclared(f"per_document is True or False; got {per_document!r}", "per_document")
    shown = shown_by(prompt)
    if per_document and "context" not in shown:
        advice = "of each document something is asked: show it, as {{ context }}"
        raise Misdeclared(f"prompt: {advice}", "prompt")
    needed = shown_needs(shown, PLACEHOLDERS) if needs is None else checked_needs(needs)
    fields = {PLACEHOLDERS[name] for name in shown if name in PLACEHOLDERS}
    for need in needed:
        if fields.isdisjoint([need] if isinstance(need, str) else need):
            unseen = f"needs {need!r}, which the prompt does not show"
            raise Misdeclared(f"{unseen}: put it in, or leave the need out", "needs")
    return needed if not per_document or "context" in needed else (*needed, "context")


def _with_levels(prompt: str, levels: Levels) -> str:
    placed = "levels" in shown_by(prompt)
    if placed and not levels:
        raise Misdeclared("prompt shows {{ levels }}, and no levels are given", "prompt")
    if placed or not levels:
        return prompt
    return f"{prompt.rstrip()}\n\nChoose the level that fits:\n\n{{{{ levels }}}}\n"


def _levels(given: object, scale: Scale) -> tuple[Level, ...]:
    if isinstance(given, Mapping):
        given = [Level(value, anchor) for value, anchor in given.items()]
    if not isinstance(given, list | tuple):
        raise Misdeclared(f"levels maps values of the scale to texts; got {told(given)}", "levels")
    for level in given:
        if not isinstance(level, Level) or not isinstance(level.anchor, str):
            raise Misdeclared(
                f"levels: expected a text for each value; got {told(level)}", "levels"
            )
        if is_blank(level.anchor):
            raise Misdeclared(f"levels: the text for {told(level.value)} is blank", "levels")
        value = level.value
        on_it = value in scale.labels if scale.labels else is_number(value) and scale.holds(value)  # type: ignore[arg-type]
        if not on_it:
            raise Misdeclared(f"levels: {told(value)} is not on the scale {scale.name}", "levels")
    return tuple(given)
