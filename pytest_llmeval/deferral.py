"""Checks that are waited for later: ``together()``, and the pending results it hands out."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from contextvars import ContextVar, Token
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn, Self, cast

from .checks import Check
from .errors import CheckFailed, EvalError, NoJudge
from .results import Outcome, Result

_PACKAGE = str(Path(__file__).parent)


class Pending:
    """The ``Result`` of a check under way: each of its attributes waits for the verdict."""

    def __init__(self, check: Check) -> None:
        self._check = check

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._check.result(), name)

    def __bool__(self) -> NoReturn:
        raise TypeError("a Result is neither true nor false: ask its .passed or its .outcome")

    def __repr__(self) -> str:
        return repr(self._check.result()) if self._check.future.done() else "<Result, pending>"


class together:  # noqa: N801  # reads as the statement that it is
    """Run all checks of the block at the same time, and fail once, with everything that failed.

    ::

        with together():
            assert_grounded(answer, context=documents)
            assert_relevant(answer, query=query)

    Inside, assertions and ``evaluate`` return pending results: their attributes wait, and they
    raise nothing, so that code in the block can't catch a verdict. At its end the block waits and
    raises ``CheckFailed`` with every failing check, errors listed apart; where there are errors
    only, an ``EvalError``. An exception that leaves the block on its own wins: checks that are not
    done are cancelled, the verdicts of the others are added to it as notes.

    ``async with together():`` waits without blocking the event loop. What other threads check
    does not belong to the block.
    """

    def __init__(self) -> None:
        self._checks: list[tuple[Check, str]] = []
        self._asserted: set[Check] = set()
        self._token: Token[together | None] | None = None

    def add(self, check: Check, asserted: bool = True) -> Result:
        """Take ``check`` in, which fails the block if it is ``asserted``; what it will come to."""
        self._checks.append((check, _place()))
        if asserted:
            self._asserted.add(check)
        return cast(Result, Pending(check))

    def __enter__(self) -> Self:
        self._token = _block.set(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None
    ) -> None:
        __tracebackhide__ = True
        self._leave()
        if exc is not None:
            self._give_up(exc)
            return
        try:
            results = {check: (check.result(), place) for check, place in self._checks}
        except BaseException as interrupt:
            self._give_up(interrupt)
            raise
        _raise_what_failed([row for check, row in results.items() if check in self._asserted])

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None
    ) -> None:
        __tracebackhide__ = True
        if exc is None:
            waited = [asyncio.wrap_future(check.future) for check, _ in self._checks]
            try:
                await asyncio.gather(*waited, return_exceptions=True)
            except asyncio.CancelledError as cancelled:
                self._leave()
                self._give_up(cancelled)
                raise
        self.__exit__(kind, exc, tb)

    def _leave(self) -> None:
        if self._token is not None:
            _block.reset(self._token)
            self._token = None

    def _give_up(self, exc: BaseException) -> None:
        """Cancel what is under way; the verdicts that are there go with ``exc`` as notes."""
        for check, _ in self._checks:
            if not check.future.cancel():
                from .reports.failure import headline

                exc.add_note(headline(check.result()))


_block: ContextVar[together | None] = ContextVar("llm_eval_block", default=None)


def block() -> together | None:
    """The block that checks made here belong to, if there is one."""
    return _block.get()


def raise_if_failed(result: Result) -> None:
    """Raise the error of ``result``, or ``CheckFailed`` where the judge decided against it."""
    __tracebackhide__ = True
    if result.error is not None:
        raise result.error.with_traceback(None) from result.error.__cause__
    if result.outcome is Outcome.FAILED:
        from .reports.failure import check_text

        raise CheckFailed(check_text(result))


def _raise_what_failed(results: Sequence[tuple[Result, str]]) -> None:
    __tracebackhide__ = True
    failed = [each for each in results if each[0].outcome is Outcome.FAILED]
    errors = [each for each in results if each[0].error is not None]
    if len(results) == 1 or (len(errors) == 1 and not failed):
        raise_if_failed((failed or errors or results)[0][0])
    if failed:
        raise CheckFailed(_listed(f"{len(failed)} of {len(results)} checks failed", failed, errors))
    if errors:
        lacking = [error for result, _ in errors if isinstance(error := result.error, NoJudge)]
        if lacking:
            raise lacking[0].with_traceback(None)
        raise EvalError(_listed(f"{len(errors)} of {len(results)} checks got no verdict", errors))


def _listed(
    title: str,
    first: Sequence[tuple[Result, str]],
    errors: Sequence[tuple[Result, str]] = (),
) -> str:
    from .reports.failure import check_text, headline

    parts = [title, *(f"{check_text(result)}\n  at {place}" for result, place in first)]
    if errors:
        parts.append(f"{len(errors)} more got no verdict")
        parts += [f"{headline(result)}\n  at {place}" for result, place in errors]
    return "\n\n".join(parts)


def _place() -> str:
    """File and line of the call into this package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"
