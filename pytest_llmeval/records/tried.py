"""What is of a test, which may run as several trials."""

from __future__ import annotations

from ..trial import test_of


class Tried:
    """What is of the test ``nodeid``: of which ``trial`` of it, of ``trials`` set beforehand.

    These two are None where the test runs once.
    """

    __slots__ = ()
    nodeid: str
    trial: int | None
    trials: int | None

    @property
    def test(self) -> str:
        """The test's node id, without the trial."""
        return test_of(self.nodeid, self.trial)

    @property
    def is_extra(self) -> bool:
        """Whether it is of a trial that runs only as long as nothing is decided."""
        return self.trial is not None and self.trials is not None and self.trial > self.trials
