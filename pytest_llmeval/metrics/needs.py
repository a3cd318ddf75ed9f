"""What a metric needs of a case, and what is said where the case lacks it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..data.cases import Case
from ..data.completed import is_told_by_traces
from ..data.turns import OF_THE_LAST_TURN
from ..errors import CaseError

Need = str | tuple[str, ...]
"""A field (``measured.seconds`` is one, too) that it needs, or several of which one will do."""


def check_has(metric: str, case: Case, need: Need, faults: Mapping[str, str]) -> None:
    """Raise ``CaseError`` for a ``need`` of ``metric`` that is not there.

    ``faults`` say by field why a conversation lacks it.
    """
    names = _names(need)
    if any(map(case.has, names)):
        return
    of = f"case {case.id!r}" if case.id is not None else "the case"
    if fault := next((faults[name] for name in names if name in faults), ""):
        of = f"{of}: {fault}"
    elif case.trace is not None and any(map(is_told_by_traces, names)):
        of = f"{of}: its trace does not tell it"
    state = "blank" if any(map(case.value, names)) else "missing"
    be = "is" if len(names) == 1 else "are"
    raise CaseError.lacking(
        " or ".join(map(_plainly, names)),
        f"{metric} needs {' or '.join(names)}, which {be} {state} in {of}",
    )


def is_of_response_alone(case: Case, need: Need) -> bool:
    """Whether ``case``, whose response is blank, has nothing else for a ``need`` of a response."""
    names = _names(need)
    return "response" in names and not any(map(case.has, names))


def needed_of_the_last_turn(needs: Iterable[Need]) -> str:
    """What of ``needs`` no single turn of a conversation has, or no earlier one, in words."""
    for need in needs:
        names = _names(need)
        if names == ("messages",):
            return "the conversation as a whole"
        if {name.partition(".")[0] for name in names} <= {*OF_THE_LAST_TURN}:
            return f"{' or '.join(names)}, which a conversation has for its last turn only"
    return ""


def _plainly(field: str) -> str:
    return field.replace(".", " ").replace("_", " ")


def _names(need: Need) -> tuple[str, ...]:
    return (need,) if isinstance(need, str) else need
