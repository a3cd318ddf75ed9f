"""Checks that are waited for later: those in ``together()``, and those of a deferred test."""

from __future__ import annotations

import threading
import time
from contextvars import ContextVar, Token
from types import TracebackType
from typing import Self

from .awaiting import settled
from .begun import Begun, Gatherer, MadeT
from .block import Block
from .errors import CheckFailed
from .raising import Spot, decision, failure
from .session import Session


class together(Block):  # noqa: N801  # reads as the statement that it is
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

    ``async with together():`` waits without blocking the event loop, be it asyncio's or trio's.
    What tasks check that began inside belongs to the block until it has ended, and is judged at
    once afterwards; so does what threads check that have its context (``asyncio.to_thread``), and
    nothing of other threads.
    """

    def __init__(self) -> None:
        super().__init__()
        self._token: Token[together | None] | None = None
        self.outer: together | None = None

    def __enter__(self) -> Self:
        self.outer = _block.get()
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
            rows = self._asserted_rows()
        except BaseException as interrupt:
            self._give_up(interrupt)
            raise
        if (failed := failure(rows)) is not None:
            raise failed

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None
    ) -> None:
        __tracebackhide__ = True
        if exc is None:
            try:
                await self._settled()
                self._leave()
                await self._settled()  # what tasks added meanwhile
            except BaseException as interrupt:
                self._leave()
                self._give_up(interrupt)
                raise
        self.__exit__(kind, exc, tb)

    async def _settled(self) -> None:
        await settled([check.future for check in [*self._checks]])

    def _leave(self) -> None:
        self.close()
        if self._token is not None:
            _block.reset(self._token)
            self._token = None

    def _give_up(self, exc: BaseException) -> None:
        """Cancel what is under way; the verdicts that are there go with ``exc`` as notes."""
        for check in self._checks:
            if not check.future.cancel():
                exc.add_note(decision(check.result()))


class DeferredChecks(Block):
    """The checks of a deferred test: made while it runs, waited for when it has run.

    They keep the frames that led to them, so that a failure is shown on the line of the test
    that asserted.
    """

    keep_frames = True

    def __init__(self) -> None:
        super().__init__()
        self._waited = 0.0

    def result(self, check: Begun[MadeT]) -> MadeT:
        """The result of ``check``, which the test itself waits for; the wait is its own time."""
        started = time.perf_counter()
        try:
            return check.result()
        finally:
            self._waited += time.perf_counter() - started

    @property
    def done(self) -> bool:
        """Whether every check has come to its end."""
        return all(check.future.done() for check in self._checks)

    @property
    def cancelled(self) -> bool:
        """Whether a check was given up."""
        return any(check.future.cancelled() for check in self._checks)

    @property
    def seconds(self) -> float:
        """What the verdicts took beyond the test's own time, as if asked one after the other."""
        return max(0.0, sum(check.seconds for check in self._checks) - self._waited)

    def cancel(self) -> None:
        """Give up what is under way."""
        self.close()
        for check in self._checks:
            check.future.cancel()

    def settle(self, raised: BaseException | None = None) -> None:
        """Wait for all verdicts, and raise as ``together()`` does.

        ``raised`` is what the test raised when it went on past its checks: it is told with a
        failure, no more.
        """
        __tracebackhide__ = True
        self.close()
        failed = failure(self._asserted_rows())
        self._checks = dict.fromkeys(self._checks, Spot(""))  # the frames hold us, as we do them
        if failed is not None:
            if raised is not None and isinstance(failed, CheckFailed):
                failed.add_note(f"then the test raised {type(raised).__name__}: {raised}")
            raise failed


_block: ContextVar[together | None] = ContextVar("llm_eval_block", default=None)


def block(session: Session) -> Gatherer | None:
    """What checks made here belong to, if they are to wait: ``together()``, or a deferred test.

    Of blocks around each other it is the innermost that has not ended. A deferred test has the
    checks of the thread that runs it, whatever event loop or context it runs them in; those of
    other threads are judged at once.
    """
    around = _block.get()
    while around is not None and not around.open:
        around = around.outer
    return around or session.deferring.get(threading.get_ident())
