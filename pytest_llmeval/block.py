"""A block of checks: gathered while it is open, and waited for together."""

from __future__ import annotations

import threading
from typing import Any, cast

from .begun import Begun, MadeT
from .pending import Pending
from .raising import Row, Spot, Told, raise_if_failed


class Block:
    """Checks that are made now and waited for later. ``keep_frames`` keeps the way to each.

    Tasks and threads that began inside know it also when it is closed, and nobody waits any more.
    """

    keep_frames = False

    def __init__(self) -> None:
        self._checks: dict[Begun[Any], Spot] = {}
        self._asserted: set[Begun[Any]] = set()
        self._open = True
        self._changing = threading.Lock()

    @property
    def open(self) -> bool:
        """Whether it is still going to be waited for."""
        return self._open

    def close(self) -> None:
        """Take no further check in: each one that comes now is judged at once."""
        with self._changing:
            self._open = False

    def add(self, check: Begun[MadeT], asserted: bool = True) -> MadeT:
        """Take ``check`` in, which fails the block if it is ``asserted``; what it will come to.

        Where the block is closed it is judged here and now, and raises as one outside would.
        """
        __tracebackhide__ = True
        spot = Spot.here(self.keep_frames)
        with self._changing:
            if self._open:
                self._checks[check] = spot
                if asserted:
                    self._asserted.add(check)
                return cast(MadeT, Pending(check, self.result))
        result = check.result()
        if asserted:
            raise_if_failed(cast(Told, result))
        return result

    def result(self, check: Begun[MadeT]) -> MadeT:
        """The result of ``check``, waited for inside the block."""
        return check.result()

    def _asserted_rows(self) -> list[Row]:
        """What was asserted and came to what, once the whole block is judged."""
        rows = {check: (check.result(), spot) for check, spot in self._checks.items()}
        return [row for check, row in rows.items() if check in self._asserted]
