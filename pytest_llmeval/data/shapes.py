"""Shapes: from a row, in whatever words its tool has, to the case that it is."""

from __future__ import annotations

from ..errors import CaseError
from .cases import Case
from .rows import Row


def case_of(row: Row) -> Case:
    """The case of ``row``. Raises ``CaseError`` naming the row's place, and what can't be."""
    try:
        return Case.model_validate(row.values)
    except CaseError as error:
        raise type(error)(f"{row.where}: {error}") from None
