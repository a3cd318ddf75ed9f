"""What an app gives for a case, read: text, fields by their names, or a whole case."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from ..data.aliases import ALIASES
from ..data.cases import Case
from ..data.field_names import FieldNames
from ..data.files.plain import plain_row
from ..data.measured import Measured
from ..data.rows import Row
from ..data.words.shapes import case_of
from ..errors import CaseError, CaseTypeError

_WHERE = "answer="
_NAMES = FieldNames.of({"context": "context"})  # of an answer: what was retrieved, never ideal
TAKES = "expected the response as text, fields of a case by their names, or a Case"

_FOR_FILES = re.compile(r"[;:] [^;:]*fields=\{")
"""Where advice begins that is for the names in a file."""


def answered_by(case: Case, given: Any, seconds: float) -> Case:
    """``case`` with what an app ``given`` it answered, which took ``seconds``.

    That is the response as text; a mapping of fields, read as a row of a file is; or a whole case.
    What the answer does not give stays as the case has it, and its id always.
    Raises ``CaseTypeError`` for anything else, and for a mapping whose response is None: one
    that the file holds would be taken for it. Raises ``CaseError`` for one that can't be read.
    """
    if isinstance(given, str):
        return case.model_copy(update={"response": given, "measured": Measured(seconds=seconds)})
    if isinstance(given, Mapping):
        given = _read(given)
    if not isinstance(given, Case):
        raise CaseTypeError(f"{_WHERE} gave {type(given).__name__}; {TAKES}")
    fields = {name: getattr(given, name) for name in given.model_fields_set}
    told = {name: value for name, value in fields.items() if value is not None}
    told.pop("id", None)  # that of the answer, not the case's
    if given.metadata is not None:
        told["metadata"] = {**(case.metadata or {}), **given.metadata}
    answered = case.model_copy(update=told)
    measured = given.measured or Measured()
    if measured.seconds is None and not _has_own_seconds(answered, case):
        measured = measured.model_copy(update={"seconds": seconds})
    return answered.model_copy(update={"measured": measured})


def _read(given: Mapping[Any, Any]) -> Case:
    """The case that the fields of ``given`` are."""
    try:
        read = case_of(Row(_WHERE, plain_row(given, _WHERE), names=_NAMES))
    except CaseError as error:
        what, *advice = _FOR_FILES.split(str(error))
        raise type(error)(f"{what}; {TAKES}" if advice else what) from None
    named = [value for name, value in given.items() if ALIASES.get(name, name) == "response"]
    if named and read.response is None and read.trace is None:
        raise CaseTypeError(f'{_WHERE} gave a response that is None; an empty one is ""')
    return read


def _has_own_seconds(answered: Case, asked: Case) -> bool:
    """Whether a trace that came with the answer tells how long it took, and so goes before a clock.

    One that can't be read tells nothing here: the check that needs it says so.
    """
    if answered.trace is None or answered.trace is asked.trace:
        return False
    with suppress(CaseError):
        return answered.told is not None and answered.told.seconds is not None
    return False
