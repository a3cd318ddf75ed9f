"""Rubrics of the user's own: put in the place of built-in ones, or after them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches

from ..errors import UsageError
from ..text.templates import placeholders, shown_by
from . import CATALOGUE, built_in_rubrics
from .needs import Need
from .prompts import PLACEHOLDERS, Rubric


@dataclass(frozen=True)
class RubricExtension:
    """More for the judge to go by: ``text``, as it stands, after the rubric called ``name``.

    After that of a metric it stands after those of the metric's forms too (``relevance/…``).
    """

    name: str
    text: str


@dataclass(frozen=True)
class Change:
    """A rubric in place of a built-in one, or an extension, and where it was given.

    Of two for one name the later counts if it is ``overriding``; else they contradict each other.
    """

    source: str
    rubric: Rubric | RubricExtension
    overriding: bool = False


@dataclass(frozen=True)
class Rubrics:
    """What a run puts in the place of built-in rubrics, and after them.

    What comes after the rubric of a metric comes after those of its forms as well
    (``relevance/reference``), before what they have of their own.
    """

    changed: Mapping[str, Rubric] = field(default_factory=dict)
    extended: Mapping[str, str] = field(default_factory=dict)

    def of(self, rubric: Rubric) -> Rubric:
        """``rubric`` as this run puts it."""
        used = self.changed.get(rubric.name, rubric)
        names = dict.fromkeys((rubric.name.partition("/")[0], rubric.name))
        more = "\n\n".join(self.extended[name] for name in names if name in self.extended)
        return replace(used, extension=more, built_in=False) if more else used


AS_BUILT_IN = Rubrics()


def rubrics_of(changes: Iterable[Change]) -> Rubrics:
    """The rubrics that ``changes`` make, each held to what the metric needs.

    Raises ``UsageError`` that begins with the source: for an unknown name, which the closest
    right one is told for, and a replacement that lacks a field, levels, or shows what there is not.
    """
    known: Mapping[str, Rubric] = {}
    changed: dict[str, tuple[Rubric, str]] = {}
    extended: dict[str, str] = {}
    for change in changes:
        known = known or built_in_rubrics()
        rubric, source = change.rubric, change.source
        if rubric.name not in known:
            raise UsageError(f"{source}: there is no rubric {rubric.name!r}{_meant(rubric, known)}")
        if isinstance(rubric, RubricExtension):
            text = _checked_text(rubric.text, source)
            extended[rubric.name] = "\n\n".join(filter(None, (extended.get(rubric.name), text)))
            continue
        if rubric.name in changed and not change.overriding:
            first = changed[rubric.name][1]
            raise UsageError(
                f"the rubric {rubric.name!r} is replaced twice: by {first} and by {source}"
            )
        changed[rubric.name] = (_replacing(rubric, known[rubric.name], source), source)
    return Rubrics({name: rubric for name, (rubric, _) in changed.items()}, extended)


def _meant(rubric: Rubric | RubricExtension, known: Mapping[str, Rubric]) -> str:
    nearest = get_close_matches(str(rubric.name), known, n=1)
    return f": did you mean {nearest[0]!r}?" if nearest else f"; there are {', '.join(known)}"


def _checked_text(text: object, source: str) -> str:
    if not isinstance(text, str) or not text.strip():
        raise UsageError(f"{source}: a rubric is text; got {text!r}")
    return text.strip()


def _replacing(rubric: Rubric, built_in: Rubric, source: str) -> Rubric:
    """``rubric`` in place of ``built_in``, whose levels it keeps where it has none."""
    text = _checked_text(rubric.text, source)
    try:
        named, shown, former = placeholders(text), shown_by(text), placeholders(built_in.text)
    except UsageError as error:
        raise UsageError(f"{source}: {error}") from None
    if unknown := sorted(named - former - PLACEHOLDERS.keys()):
        told = ", ".join(sorted(former | PLACEHOLDERS.keys()))
        raise UsageError(f"{source}: there is no {{{{ {unknown[0]} }}}} for it; there are {told}")
    for need in (*_needs(rubric.name), *_of_its_own(rubric.name, former)):
        alternatives = _shown_as(need) & former
        if alternatives and not alternatives & shown:
            missing = " or ".join(f"{{{{ {each} }}}}" for each in sorted(alternatives))
            raise UsageError(f"{source}: the rubric {rubric.name} has to show {missing}")
    levels = rubric.levels or built_in.levels
    if built_in.levels and "levels" not in shown:
        raise UsageError(f"{source}: the rubric {rubric.name} has to show {{{{ levels }}}}")
    if [each.value for each in levels] != [each.value for each in built_in.levels]:
        values = ", ".join(str(each.value) for each in built_in.levels) or "none"
        raise UsageError(f"{source}: the levels of {rubric.name} are {values}, in this order")
    return Rubric(rubric.name, text, levels, built_in=False)


def _needs(name: str) -> tuple[Need, ...]:
    """The fields that the metric needs which asks with the rubric ``name``."""
    of = re.split(r"[\[/]", name)[0]
    if of not in CATALOGUE:
        return ()
    metric = CATALOGUE[of]
    measures = {each.measure: each for each in metric.others}
    return measures.get(name.partition("/")[0], metric).needs


def _of_its_own(name: str, placeholders: Collection[str]) -> list[str]:
    """Those of ``placeholders`` that only this rubric has, save where another will do for it."""
    optional = {field for need in _needs(name) if not isinstance(need, str) for field in need}
    return [each for each in placeholders if each not in {*PLACEHOLDERS, "levels", *optional}]


def _shown_as(need: Need) -> set[str]:
    fields = {need} if isinstance(need, str) else {*need}
    others = {placeholder for placeholder, field in PLACEHOLDERS.items() if field in fields}
    return others | fields
