"""What failed checks raise: one by itself, several as one failure that lists them all."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType, TracebackType

from .errors import CheckFailed, EvalError, NoJudge
from .reports.failure import check_text, headline
from .reports.quality import suite_headline, suite_text
from .results import Outcome, Result
from .suites.result import SuiteResult

_PACKAGE = str(Path(__file__).parent) + os.sep


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a check was made: the frames that led there, innermost first, and where each was.

    ``frames`` is empty where only the place is kept: frames keep their locals alive. ``handling``
    is the exception in whose handler it was made.
    """

    place: str
    frames: tuple[tuple[FrameType, int, int], ...] = ()
    handling: BaseException | None = None

    @classmethod
    def here(cls, keep_frames: bool = False) -> Spot:
        """The line that called into this package, and the way to it from where the package was
        left before (which is what runs a test), or from the thread's beginning."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_back is not None and _ours(frame.f_code):
            frame = frame.f_back
        assert frame is not None
        place = f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"
        way: list[tuple[FrameType, int, int]] = []
        while keep_frames and frame is not None and not _ours(frame.f_code):
            way.append((frame, frame.f_lasti, frame.f_lineno))
            frame = frame.f_back
        return cls(place, tuple(way), sys.exception() if keep_frames else None)

    def traceback(self) -> TracebackType | None:
        """The traceback of an exception that was raised here."""
        traceback: TracebackType | None = None
        for frame, instruction, line in self.frames:
            traceback = TracebackType(traceback, frame, instruction, line)
        return traceback


Told = Result | SuiteResult
Row = tuple[Told, Spot]


def raise_if_failed(result: Told) -> None:
    """Raise the error of ``result``, or ``CheckFailed`` where the judge decided against it."""
    __tracebackhide__ = True
    if (failed := failure([(result, Spot(""))])) is not None:
        raise failed


def failure(rows: Sequence[Row]) -> CheckFailed | EvalError | None:
    """What is to be raised for ``rows``, None where all hold.

    ``CheckFailed`` with every failing check, errors listed apart; for errors alone an
    ``EvalError``. Its traceback is the way to the first of them.
    """
    failed = [row for row in rows if row[0].outcome is Outcome.FAILED]
    errors = [row for row in rows if row[0].error is not None]
    if not failed and not errors:
        return None
    spot = (failed or errors)[0][1]
    raised = _failed(failed, errors, len(rows)) if failed else _without_verdict(errors, len(rows))
    if spot.handling is not None:
        raised.__context__ = spot.handling
    return raised.with_traceback(spot.traceback())


def _failed(failed: Sequence[Row], errors: Sequence[Row], made: int) -> CheckFailed:
    result, spot = failed[0]
    faults = [fault for told, _ in (*failed, *errors) for fault in _faults(told)]
    if made == 1 or (spot.frames and len(failed) == 1 and not errors):
        return CheckFailed(_text(result), faults)  # the traceback says which
    return CheckFailed(_listed(f"{len(failed)} of {made} checks failed", failed, errors), faults)


def _without_verdict(errors: Sequence[Row], made: int) -> EvalError:
    every = [fault for told, _ in errors for fault in _faults(told)]
    lacking = [error for error in every if isinstance(error, NoJudge)]
    if len(errors) > 1 and not lacking:
        return EvalError(_listed(f"{len(errors)} of {made} checks got no verdict", errors))
    told = errors[0][0]
    if isinstance(told, SuiteResult) and told.errors and not lacking:
        kind = type(every[0]) if len({*map(type, every)}) == 1 else EvalError
        error = kind(suite_text(told))
        error.__cause__ = every[0].__cause__  # its text says the rest
        return error
    error = (lacking or every)[0]
    error.__suppress_context__ = True  # its cause says what happened; the rest is our own way
    return error


def _listed(title: str, first: Sequence[Row], errors: Sequence[Row] = ()) -> str:
    parts = [title, *(f"{_text(told)}\n  at {spot.place}" for told, spot in first)]
    if errors:
        parts.append(f"{len(errors)} more got no verdict")
        parts += [f"{decision(told)}\n  at {spot.place}" for told, spot in errors]
    return "\n\n".join(parts)


def decision(told: Told) -> str:
    """What was decided, on one line."""
    return suite_headline(told) if isinstance(told, SuiteResult) else headline(told)


def _text(told: Told) -> str:
    return suite_text(told) if isinstance(told, SuiteResult) else check_text(told)


def _faults(told: Told) -> tuple[EvalError, ...]:
    if isinstance(told, SuiteResult):
        return told.faults
    return () if told.error is None else (told.error,)


def end_at_the_caller(error: EvalError) -> None:
    """Cut the traceback of ``error`` after the last frame that is not of this package.

    Where another one of ours led to it, so is that one's, and it is left out if nothing remains.
    """
    cause = error.__cause__
    if isinstance(cause, EvalError):
        end_at_the_caller(cause)
        if cause.__traceback__ is None or _ours(cause.__traceback__.tb_frame.f_code):
            error.__cause__, error.__suppress_context__ = cause.__cause__, True
    last, each = None, error.__traceback__
    while each is not None:
        last = last if _ours(each.tb_frame.f_code) else each
        each = each.tb_next
    if last is not None:
        last.tb_next = None


def caller_of(raised: BaseException) -> tuple[str, int] | None:
    """The file and line outside this package where what was ``raised`` came from; None for one
    that was not raised."""
    place, each = None, raised.__traceback__
    while each is not None:
        if not _ours(each.tb_frame.f_code):
            place = (each.tb_frame.f_code.co_filename, each.tb_lineno)
        each = each.tb_next
    return place


def was_asked_by_pytest(error: EvalError) -> bool:
    """Whether pytest itself called what raised ``error``, as a fixture of ours: of the way there
    nothing says more than the message does. To be asked when the traceback ends at the caller."""
    each = error.__traceback__
    while each is not None and each.tb_next is not None:
        each = each.tb_next
    name = str(each.tb_frame.f_globals.get("__name__")) if each is not None else ""
    return name.startswith(("_pytest.", "pluggy."))


def _ours(code: CodeType) -> bool:
    return code.co_filename.startswith(_PACKAGE)
