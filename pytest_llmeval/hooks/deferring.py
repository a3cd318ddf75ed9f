"""Deferred tests: pytest goes on while verdicts are on their way; reports come in test order."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Generator
from contextlib import nullcontext
from typing import Any

import pytest

from ..session import Session
from .deferrable import can_be_held, is_deferred
from .held import Ended, HeldTest, ends_wider_fixtures, wider_parameters

HELD_PER_PLACE = 8
"""How many tests are held at most for each question that may be with judges at once."""


class DeferredRun:
    """Hooks of a run whose tests may be deferred. Held tests wait in ``_queue``, in test order.

    Tests between them that are not deferred are held too, so that the order is kept; a test that
    can't be held waits until all before it are reported. No test's clock runs meanwhile: whatever
    is waited for and reported, it may be another's.
    """

    def __init__(self, config: pytest.Config, session: Session) -> None:
        self._config = config
        self._session = session
        self._off_the_clock = session.off_the_clock or nullcontext
        self._window = HELD_PER_PLACE * session.settings.concurrency
        self._queue: deque[HeldTest] = deque()
        self._parameters: dict[str, int] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> bool | None:
        deferred = is_deferred(item, self._session.settings.deferred)
        if not deferred and not self._queue:
            return None
        held = can_be_held(item)
        if (not held or self._changes_parameters(item)) and self._report_all():
            return True
        if not held:
            return None
        self._run(HeldTest(item, self._session.take_overhead), nextitem, deferred)
        return True

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, Any, Any]:
        try:
            return (yield)
        except Ended:
            self._report_all()
            raise
        except BaseException:
            self._report_what_is_done()
            raise

    def _run(self, test: HeldTest, nextitem: pytest.Item | None, deferred: bool) -> None:
        if test.set_up():
            self._call(test, deferred)
        if _stop(test.item):
            nextitem = None
        if not ends_wider_fixtures(test.item, nextitem):
            test.tear_down(nextitem)
            self._queue.append(test)
            self._report_some(wait=test.failed and bool(self._config.getoption("maxfail")))
        elif not self._report_all(standing=test):
            with self._off_the_clock():
                test.begin()
            test.tear_down(None if _stop(test.item) else nextitem)
            test.finish()

    def _call(self, test: HeldTest, deferred: bool) -> None:
        thread = threading.get_ident()
        if deferred:
            self._session.deferring[thread] = test.checks
        try:
            test.run()
        except BaseException:
            test.checks.cancel()
            raise
        finally:
            self._session.deferring.pop(thread, None)

    def _report_some(self, wait: bool) -> None:
        """Report those of the first tests whose verdicts are in; ``wait`` for all of them."""
        while self._queue and (
            wait or len(self._queue) > self._window or self._queue[0].checks.done
        ):
            if self._report_first():
                return

    def _report_all(self, standing: HeldTest | None = None) -> bool:
        """Wait for all tests and report them; whether that ended the run before its time.

        ``standing`` is a test that is not torn down yet; where the run ends before it, it counts
        as not run.
        """
        while self._queue:
            if self._report_first(standing):
                return True
        return False

    def _report_first(self, standing: HeldTest | None = None) -> bool:
        """Wait for the first test and report it; whether that ended the run."""
        test = self._queue[0]
        with self._off_the_clock():
            test.settle()
            self._queue.popleft()
            before = _stop(test.item)
            test.begin()
            ends_early = _stop(test.item) != before
            if not ends_early:
                test.finish()
                if _stop(test.item) == before:
                    return False
        self._drop_the_rest(test, standing)
        if ends_early:
            with self._off_the_clock():
                test.end_all_fixtures()
                test.finish()
        return True

    def _drop_the_rest(self, last: HeldTest, standing: HeldTest | None) -> None:
        """Let the tests after ``last`` be as if they had not been run."""
        dropped = [*self._queue, *([standing] if standing else [])]
        self._queue.clear()
        for test in dropped:
            test.checks.cancel()
        if standing is not None:
            standing.tear_down(last.item)
        if dropped:
            told = f"deferred: {len(dropped)} more had been run when the run ended; not counted"
            self._session.ledger.notices[told] = None

    def _report_what_is_done(self) -> None:
        """After an interrupt: report what is done, cancel the rest."""
        done = [test for test in self._queue if test.checks.done and not test.checks.cancelled]
        for test in self._queue:
            test.checks.cancel()
        self._queue.clear()
        for test in done:
            test.begin()
            test.finish()

    def _changes_parameters(self, item: pytest.Item) -> bool:
        """Whether a fixture that held tests may use is made anew for ``item``."""
        known, here = self._parameters, wider_parameters(item)
        changed = any(known.get(name, index) != index for name, index in here.items())
        known.update(here)
        return changed


def _stop(item: pytest.Item) -> object:
    """Why the run is to end after this test, if it is."""
    return item.session.shouldfail or item.session.shouldstop
