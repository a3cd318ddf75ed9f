"""Guidelines in named sets: a case's own, those of the run, and those that a call gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..data.blank import is_blank
from ..data.cases import Case
from ..errors import CaseError

Given = Sequence[str] | Mapping[str, Sequence[str]]
"""Guidelines as a list, or as lists by the names of their sets."""

OWN, GLOBAL = "guidelines", "global"
"""What the sets are called that have no name: of a case, and of every case."""


def sets_of(case: Case, run: Sequence[str], given: Given) -> dict[str, tuple[str, ...]]:
    """The guidelines that hold for ``case``, by the names of their sets; none twice, none blank.

    ``run`` are those of every case of the run, ``given`` those of a call. Raises ``CaseError``
    where there are none.
    """
    found: dict[str, dict[str, None]] = {}
    for sets in (_named(case.guidelines, OWN), {GLOBAL: run}, _named(given, GLOBAL)):
        for name, rules in sets.items():
            if told := [rule for rule in rules if not is_blank(rule)]:
                found.setdefault(name, {}).update(dict.fromkeys(told))
    if not found:
        of = f"case {case.id!r}" if case.id is not None else "the case"
        blank = bool(case.guidelines)
        fault = (
            f"guideline_adherence needs guidelines, which are {'blank' if blank else 'missing'} in "
            f"{of}, and no global ones are set: give the case its own, or every case some "
            "(--llm-eval-guideline TEXT, or guidelines=)"
        )
        raise CaseError(fault) if blank else CaseError.lacking("guidelines", fault)
    return {name: tuple(rules) for name, rules in found.items()}


def _named(guidelines: Given, unnamed: str) -> Mapping[str, Sequence[str]]:
    return guidelines if isinstance(guidelines, Mapping) else {unnamed: guidelines}
