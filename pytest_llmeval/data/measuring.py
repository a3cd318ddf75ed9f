"""Measuring: what a call of the app under test takes, for the case that it answers."""

from __future__ import annotations

import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from ..errors import UsageError
from .measured import Measured

if TYPE_CHECKING:
    from .cases import Case


class Measurement:
    """One block of code, timed; ``Case(…, measured=it)`` and ``it.on(case)`` take what it took.

    ``seconds`` run from the beginning of the block to its end, also where it ends by an exception.
    Blocks within blocks are measured each by itself, whatever threads or tasks they are in.
    """

    def __init__(self) -> None:
        self._began: float | None = None
        self._seconds: float | None = None
        self._input_tokens: int | None = None
        self._output_tokens: int | None = None

    def __enter__(self) -> Self:
        if self._began is not None:
            raise UsageError("a measurement is of one block: call measure() again for another")
        self._began = time.perf_counter()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        raised: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        assert self._began is not None
        self._seconds = time.perf_counter() - self._began

    def add_tokens(self, *, input: int | None = None, output: int | None = None) -> None:
        """Count tokens that the app tells; every call of a model adds its own.

        Raises ``CaseTypeError`` for a number that is no count.
        """
        added = Measured(input_tokens=input, output_tokens=output)
        if added.input_tokens is not None:
            self._input_tokens = (self._input_tokens or 0) + added.input_tokens
        if added.output_tokens is not None:
            self._output_tokens = (self._output_tokens or 0) + added.output_tokens

    @property
    def seconds(self) -> float:
        """How long the block took. Raises ``UsageError`` as long as it has not ended."""
        if self._seconds is None:
            raise UsageError(
                "the measured block has not ended: make the case behind `with measure() as …:`"
            )
        return self._seconds

    @property
    def measured(self) -> Measured:
        """What the block took. Raises ``UsageError`` as long as it has not ended."""
        return Measured(
            seconds=self.seconds,
            input_tokens=self._input_tokens,
            output_tokens=self._output_tokens,
        )

    def on(self, case: Case) -> Case:
        """``case`` with what was measured here; tokens that were not told stay the case's own."""
        own = case.measured or Measured()
        here = self.measured
        return case.model_copy(
            update={
                "measured": Measured(
                    seconds=here.seconds,
                    input_tokens=_first(here.input_tokens, own.input_tokens),
                    output_tokens=_first(here.output_tokens, own.output_tokens),
                )
            }
        )


def measure() -> Measurement:
    """Measure a call of the app: ``with measure() as measured: reply = app.ask(query)``.

    Also around ``await``. Then ``Case(response=reply, measured=measured)``; see ``Measurement``.
    """
    return Measurement()


def _first(*counts: int | None) -> int | None:
    return next((count for count in counts if count is not None), None)
