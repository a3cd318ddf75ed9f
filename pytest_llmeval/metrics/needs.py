"""What a metric needs of a case, and what is said where the case lacks it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..data.cases import Case
from ..data.completed import is_told_by_traces
from ..data.turns import OF_THE_LAST_TURN
from ..errors import CaseError

Need = str | tuple[str, ...]
"""A field (``measured.seconds`` is one, too) that it needs, or several of which one will do."""


def check_has(
    metric: str, case: Case, need: Need, faults: Mapping[str, str], takes_empty: tuple[str, ...]
) -> None:
    """Raise ``CaseError`` for a ``need`` of ``metric`` that is not there.

    It says what the case lacks, unless that was given and is blank: then something went wrong
    that a suite must not pass over. ``faults`` say by field why a conversation lacks it;
    ``takes_empty`` are the fields that may be blank.
    """
    names = _names(need)
    if any(case.has(name) or (name in takes_empty and case.gives(name)) for name in names):
        return
    blank = any(map(case.gives, names))
    of = f"case {case.id!r}" if case.id is not None else "the case"
    if blank and "context" in names:
        found = "what was retrieved has no text" if case.context else "nothing was retrieved"
        of = f"{of}: {found}"
    elif fault := next((faults[name] for name in names if name in faults), ""):
        of = f"{of}: {fault}"
    elif case.trace is not None and any(map(is_told_by_traces, names)):
        of = f"{of}: its trace does not tell it"
    be = "is" if len(names) == 1 else "are"
    told = f"{metric} needs {' or '.join(names)}, which {be} {_state(case, names)} in {of}"
    raise CaseError(told) if blank else CaseError.lacking(" or ".join(map(_plainly, names)), told)


def _state(case: Case, names: tuple[str, ...]) -> str:
    return "blank" if any(case.gives(name) or case.value(name) for name in names) else "missing"


def lacks_response(case: Case, needs: Iterable[Need]) -> bool:
    """Whether ``case`` has no response, not even a blank one, and one of ``needs`` is of it."""
    lacking = (need for need in needs if not any(map(case.has, _names(need))))
    return case.response is None and any("response" in _names(need) for need in lacking)


def is_of_response_alone(case: Case, need: Need) -> bool:
    """Whether ``case``, whose response is blank, has nothing else for a ``need`` of a response."""
    names = _names(need)
    return "response" in names and not any(map(case.has, names))


def is_not_given(case: Case, need: Need) -> bool:
    """Whether ``case`` was given nothing that ``need`` asks for, not even blank."""
    return not any(case.has(name) or case.gives(name) for name in _names(need))


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
