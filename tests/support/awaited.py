"""Waiting for what another thread or process does: for the thing itself, never for a while."""

from __future__ import annotations

import time
from collections.abc import Callable

GUARD = 180.0
"""Seconds after which what has not come will not come.

Importing LiteLLM alone may take a busy machine half a minute.
"""


def until(comes: Callable[[], object], of: Callable[[], bool] = lambda: True) -> None:
    """Wait until ``comes`` holds; raises ``AssertionError`` where it never does.

    ``of`` says whether what it is to come of is still there.
    """
    ends = time.monotonic() + GUARD
    while not comes():
        assert of(), "it ended before"
        assert time.monotonic() < ends, f"it did not come in {GUARD:g} s"
        time.sleep(0.005)
