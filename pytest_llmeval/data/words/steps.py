"""Steps: one value of a row, and what it is of a case."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...errors import CaseError
from .chat import messages_of, request_of, user_input_of
from .documents import documents_of, ids_of
from .naming import meant
from .responses import CALLS, answer_of, response_of
from .values import guidelines_of, measured_of, name_of, number_of, only_one
from .vocabulary import KNOWN, TOOLS_OWN, field_of

Path = tuple[str, ...]
"""Where a value stands: a name of the row, and one in the object that it holds."""


@dataclass(frozen=True, slots=True)
class Step:
    """One value of a row, and what it is: of ``field``, read by ``read``; of none it is metadata.

    ``several`` says that ``read`` gives several fields by their names, ``field`` among others.
    """

    path: Path
    name: str
    field: str | None
    read: Callable[[Any], Any] | None = None
    several: bool = False


READ: dict[str, Callable[[Any], Any]] = {
    "id": name_of,
    "ground_truth": response_of,
    "context": documents_of,
    "expected_context": ids_of,
    "messages": messages_of,
    "guidelines": guidelines_of,
    "measured": measured_of,
}
"""By the field: how its value is read, whatever its name."""

_READ_BY_NAME: dict[str, Callable[[Any], Any]] = {"ground_truths": only_one}
_SEVERAL: dict[str, Callable[[Any], Any]] = {
    "request": request_of,
    "query": request_of,
    "user_input": user_input_of,
}
"""By the name: how several fields are read of one value."""

CONTEXT_IDS = "retrieved_context_ids"


def step_of(path: Path, name: str, known: str, field: str | None) -> Step:
    """The value at ``path`` under the ``known`` name, which is of ``field`` where that is one."""
    if known in _SEVERAL:
        return Step(path, name, "query", _SEVERAL[known], several=True)
    if field is None:
        return Step(path, name, None)
    if field == "response":
        return Step(path, name, field, answer_of, several=True)
    if field.startswith("measured."):
        return Step(path, name, field, number_of)
    return Step(path, name, field, _READ_BY_NAME.get(known, READ.get(field)))


def fields_from(name: str, value: Any) -> dict[str, Any]:
    """What ``value`` gives under ``name``, a field's or another tool's for it: fields by our names.

    Raises ``CaseError`` for what is no value of it.
    """
    step = step_of((name,), name, name, field_of(name))
    read = value if step.read is None else step.read(value)
    fields = dict(read) if step.several else {str(step.field): read}
    return {each: held for each, held in fields.items() if each != CALLS}


def refuse_misspelt(name: str) -> None:
    """Raise ``CaseError`` where ``name``, which is not known, is blank or a misspelling."""
    if not name.strip():
        raise CaseError(f"a name is blank: {name!r}")
    if (right := meant(name, sorted(KNOWN | TOOLS_OWN))) is not None:
        raise CaseError(f"Case has no field {name!r}: did you mean {right!r}?")
