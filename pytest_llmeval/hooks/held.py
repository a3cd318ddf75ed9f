"""A test that runs now and is reported later. All that uses pytest's private parts is here.

Of pytest it uses, besides its public API:

- items: ``_request``, ``_initrequest``, ``funcargs``, ``_report_sections``, ``callspec.indices``
  and ``callspec._arg2scope``;
- the session: ``_setupstate`` (its ``stack`` and ``teardown_exact``), ``Failed``, ``Interrupted``;
- ``_pytest.runner.check_interactive_exception``, and the order of ``runtestprotocol`` there;
- the plugin ``capturemanager``, its ``item_capture``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from typing import Any, Literal

import pytest
from _pytest.runner import check_interactive_exception

from ..deferral import DeferredChecks

Call = pytest.CallInfo[Any]
Ended = (pytest.Session.Failed, pytest.Session.Interrupted, pytest.exit.Exception)
"""What ends a run after the test that is running, as opposed to an interrupt in its middle."""

_RERAISED = (pytest.exit.Exception, KeyboardInterrupt)


class HeldTest:
    """A test whose phases run as they do in any run, and whose reports are given when asked.

    The setup is reported (not yet given) at once; the call when its verdicts are in, and where
    they are by its end, before the teardown, as fixtures may expect. ``take_overhead`` gives what
    checks waited for lines to be opened, which is in no test's time.
    """

    def __init__(self, item: pytest.Item, take_overhead: Callable[[], float]) -> None:
        self.item: Any = item
        self._take_overhead = take_overhead
        self.checks = DeferredChecks()
        self._call: Call | None = None
        self._teardown: Call | None = None
        self._made: list[tuple[Call, pytest.TestReport]] = []
        self._before_teardown: list[int] = []
        self._standing: dict[Any, int] = {}

    def set_up(self) -> bool:
        """Run the setup; whether it held."""
        if not self.item._request:
            self.item._initrequest()
        self._report(_phase(self.item, "setup"))
        return self._made[0][1].passed

    def run(self) -> None:
        """Run the call, whose deferred checks go to ``checks``."""
        self._call = _phase(self.item, "call")
        self.checks.close()
        if self.checks.done:
            self.settle()

    def tear_down(self, nextitem: pytest.Item | None) -> None:
        """Run the teardown, down to what ``nextitem`` needs."""
        self._before_teardown = [len(entries) for entries in self._written()]
        self._teardown = _phase(self.item, "teardown", nextitem=nextitem)
        stack = _stack(self.item).items()
        self._standing = {node: len(finalizers) for node, (finalizers, _) in stack}

    @property
    def failed(self) -> bool:
        """Whether it raised by itself, whatever its verdicts will be."""
        setup = self._made[0][0]
        return any(call is not None and call.excinfo is not None for call in (setup, self._call))

    def settle(self) -> None:
        """Wait for the verdicts and make the call's report. An interrupt leaves it unmade."""
        call = self._call
        if call is None or len(self._made) > 1:
            return
        settle = partial(self.checks.settle, call.excinfo and call.excinfo.value)
        settled = pytest.CallInfo.from_call(settle, "call", reraise=_RERAISED)
        self._take_overhead()  # the wait was not this test's own, and is not counted as such
        call.excinfo = settled.excinfo or call.excinfo
        call.duration += self.checks.seconds
        call.stop += self.checks.seconds
        with self._as_before_teardown():
            self._report(call)

    def begin(self) -> None:
        """Give the reports of setup and call, in one go: that the test began, and what came."""
        self.settle()
        item = self.item
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for call, report in self._made:
            self._give(call, report)

    def finish(self) -> None:
        """Give the teardown's report, and let go of what the test held."""
        assert self._teardown is not None
        item = self.item
        self._report(self._teardown)
        self._give(*self._made[-1])
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        item._request = False
        item.funcargs = None

    def end_all_fixtures(self) -> None:
        """Tear down what still stands, as the teardown of this test, the run's last.

        What tests after it had set up goes first, and is told to nobody: they count as not run.
        """
        assert self._teardown is not None
        sections: list[tuple[str, str, str]] = self.item._report_sections
        own = len(sections)
        with self._captured():
            for node, (finalizers, _) in reversed([*_stack(self.item).items()]):
                while len(finalizers) > self._standing.get(node, 0):
                    pytest.CallInfo.from_call(finalizers.pop(), "teardown", reraise=_RERAISED)
        del sections[own:]
        run = partial(self.item.session._setupstate.teardown_exact, None)
        if (raised := self._teardown.excinfo) is not None:
            run = partial(_raising_both, raised.value, run)
        with self._captured():
            rest = pytest.CallInfo.from_call(run, "teardown", reraise=_RERAISED)
        sections[:] = _joined(sections)
        self._teardown.excinfo = rest.excinfo or raised
        self._teardown.duration += rest.duration
        self._teardown.stop += rest.duration

    def _captured(self) -> AbstractContextManager[None]:
        capture = self.item.config.pluginmanager.getplugin("capturemanager")
        return capture.item_capture("teardown", self.item) if capture else nullcontext()

    def _report(self, call: Call) -> None:
        report = self.item.ihook.pytest_runtest_makereport(item=self.item, call=call)
        self._made.append((call, report))

    def _give(self, call: Call, report: pytest.TestReport) -> None:
        self.item.ihook.pytest_runtest_logreport(report=report)
        if check_interactive_exception(call, report):
            self.item.ihook.pytest_exception_interact(node=self.item, call=call, report=report)

    @contextmanager
    def _as_before_teardown(self) -> Iterator[None]:
        """What the teardown wrote and recorded is taken away for as long as this lasts."""
        lists = self._written()
        ends = self._before_teardown or [len(entries) for entries in lists]
        later = [entries[end:] for entries, end in zip(lists, ends, strict=True)]
        for entries, end in zip(lists, ends, strict=True):
            del entries[end:]
        try:
            yield
        finally:
            for entries, rest in zip(lists, later, strict=True):
                entries.extend(rest)

    def _written(self) -> tuple[list[Any], list[Any]]:
        return self.item._report_sections, self.item.user_properties


def ends_wider_fixtures(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    """Whether a fixture that other tests share is torn down between ``item`` and ``nextitem``."""
    if nextitem is None:
        return True
    needed = set(nextitem.listchain())
    return any(
        node is not item and node not in needed and len(finalizers) > 1
        for node, (finalizers, _) in _stack(item).items()
    )


def wider_parameters(item: pytest.Item) -> dict[str, int]:
    """Which parameters of fixtures that other tests share ``item`` uses: the index of each."""
    spec: Any = getattr(item, "callspec", None)
    scopes = spec._arg2scope if spec is not None else {}
    return {name: spec.indices[name] for name, scope in scopes.items() if scope.value != "function"}


def _stack(item: Any) -> dict[Any, Any]:
    """The nodes that are set up, outermost first, each with its finalizers."""
    stack: dict[Any, Any] = item.session._setupstate.stack
    return stack


def _phase(item: pytest.Item, when: Literal["setup", "call", "teardown"], **how: Any) -> Call:
    """Run one phase; no frame of this module gets into its traceback."""
    run = partial(getattr(item.ihook, f"pytest_runtest_{when}"), item=item, **how)
    return pytest.CallInfo.from_call(run, when, reraise=_RERAISED)


def _joined(sections: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """What was captured in the teardown, each stream's in one section."""
    joined: dict[tuple[str, str], str] = {}
    for when, stream, text in sections:
        joined[when, stream] = joined.get((when, stream), "") + text
    return [(*section, text) for section, text in joined.items()]


def _raising_both(own: BaseException, run: Callable[[], None]) -> None:
    try:
        run()
    except _RERAISED:
        raise
    except BaseException as wider:
        raise BaseExceptionGroup("errors during test teardown", [wider, own]) from None
