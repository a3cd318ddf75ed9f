"""What is under way and comes to a result: a check, or a suite of them."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from typing import Any, Generic, Protocol, TypeVar

MadeT = TypeVar("MadeT")
"""What comes of something that is under way."""


class Begun(ABC, Generic[MadeT]):
    """What is under way, and comes to a result when ``future`` is done.

    ``wait`` waits for a future that is not; ``keep`` is given the result once.
    """

    def __init__(
        self,
        future: Future[Any],
        wait: Callable[[Future[Any]], None],
        keep: Callable[[MadeT], None],
    ) -> None:
        self.future = future
        self._wait = wait
        self._keep = keep
        self._result: MadeT | None = None
        self._making = threading.Lock()

    @property
    @abstractmethod
    def seconds(self) -> float:
        """How long it would have taken alone, with no wait for a place at the judge."""

    @abstractmethod
    def _made(self) -> MadeT:
        """The result, now that the future is done."""

    def result(self) -> MadeT:
        """The result, waited for; an interrupt of the waiting thread cancels what is under way."""
        try:
            if not self.future.done():
                self._wait(self.future)
        except CancelledError:
            pass
        except BaseException:
            self.future.cancel()
            raise
        with self._making:
            if self._result is None:
                self._result = self._made()
                self._keep(self._result)
            return self._result


class Gatherer(Protocol):
    """What takes checks in, to wait for them later."""

    def add(self, check: Begun[MadeT], asserted: bool = True) -> MadeT:
        """Take ``check`` in; its result, pending."""
        ...
