"""The tally: how many questions were begun, and what became of them, while they are asked."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from ..results import total


@dataclass
class Tally:
    """Counts of an engine so far. ``cost`` is in US dollars, None as soon as one is unknown."""

    begun: int = 0
    answered: int = 0
    stored: int = 0
    errors: int = 0
    cost: float | None = 0.0

    @property
    def done(self) -> int:
        """Questions that are settled, one way or the other."""
        return self.answered + self.stored + self.errors

    def settle(self, flight: asyncio.Task[Any]) -> None:
        """Count what became of ``flight``, a question that was begun."""
        if flight.cancelled() or flight.exception() is not None:
            self.errors += 1
        elif (answer := flight.result()).asked:
            self.answered += 1
            self.cost = total((self.cost, answer.cost))
        else:
            self.stored += 1
