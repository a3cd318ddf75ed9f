"""Leases: of all processes on one store, one at a time asks a question; the others wait for it."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from itertools import chain, repeat
from typing import Any
from uuid import uuid4

from .store import LEASE, Store

TERM = 30.0
"""Seconds that a lease lasts unless it is renewed."""

HEARTBEAT = 5.0
"""Seconds between renewals."""

_POLLS = (0.01, 0.02, 0.03, 0.05, 0.1)
_LONGEST_POLL = 0.2


class Leases:
    """The leases that this process holds on questions, as rows of ``store``.

    A lease names its owner. It ends when it is given back, when its owner is no longer alive, as
    far as that can be seen from here, and in any case ``TERM`` after its last heartbeat. All of it
    happens on the engine's loop.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._owner = uuid4().hex
        self._held: set[str] = set()
        self._beating: asyncio.Task[None] | None = None

    def take(self, key: str) -> bool:
        """Whether the question ``key`` is now this process's to ask."""
        if not self._store.claim(_row(key), self._claim(), _is_free):
            return False
        self._held.add(key)
        if self._beating is None or self._beating.done():
            self._beating = asyncio.ensure_future(self._beat())
        return True

    def free(self, key: str) -> bool:
        """Whether nobody asks the question ``key`` right now."""
        return _is_free(self._store.get(_row(key)))

    def release(self, key: str) -> None:
        """Give the lease on ``key`` back."""
        self._held.discard(key)
        self._store.drop(_row(key), self._is_ours)

    def close(self) -> None:
        """Give every lease back, and end the heartbeat."""
        for key in [*self._held]:
            self.release(key)
        if self._beating is not None:
            self._beating.cancel()

    @staticmethod
    def polling() -> Iterator[float]:
        """Seconds to wait between looks at a question that another process asks."""
        return chain(_POLLS, repeat(_LONGEST_POLL))

    async def _beat(self) -> None:
        while self._held:
            await asyncio.sleep(HEARTBEAT)
            for key in [*self._held]:
                self._store.claim(_row(key), self._claim(), self._is_ours)

    def _claim(self) -> dict[str, Any]:
        until = time.time() + TERM
        return {"owner": self._owner, "host": _host(), "pid": os.getpid(), "until": until}

    def _is_ours(self, claim: dict[str, Any] | None) -> bool:
        return claim is not None and claim.get("owner") == self._owner


def drop_dead(store: Store) -> int:
    """Remove the leases that nobody holds any more; how many there were."""
    return sum(store.drop(row, _is_free) for row in store.leases())


def _row(key: str) -> str:
    return LEASE + key


def _is_free(claim: dict[str, Any] | None) -> bool:
    """Whether nobody holds what ``claim``, the row of a lease, says."""
    if claim is None:
        return True
    until, pid = claim.get("until"), claim.get("pid")
    if not isinstance(until, int | float) or not time.time() < until <= time.time() + 2 * TERM:
        return True
    return claim.get("host") == _host() and isinstance(pid, int) and not _is_alive(pid)


def _is_alive(pid: int) -> bool:
    if os.name != "posix":
        return True  # there, asking would end the process
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


@cache
def _host() -> str:
    """What tells this machine, and in it the space of process numbers, from others."""
    space = ""
    with suppress(OSError):
        space = os.readlink("/proc/self/ns/pid")
    return json.dumps([socket.gethostname(), space])
