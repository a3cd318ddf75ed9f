"""The suites of a run by name, and what a suite comes to there: its metrics, ready to be asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..data.aliases import closest
from ..errors import UsageError
from ..metrics.base import Metric
from ..results import Threshold
from .built_in import BUILT_IN
from .member import Condition, Member
from .suite import Suite

if TYPE_CHECKING:
    from ..judges.base import BaseJudge

Find = Callable[[Metric | str], Metric]
"""What gives the run's metric of a name."""


@dataclass(frozen=True)
class Wanted:
    """A metric as a suite asks for it, held to its mark; the other fields are its ``Member``'s."""

    metric: Metric
    judge: BaseJudge | str | None
    when: Condition | None


class Suites(Mapping[str, Suite]):
    """The built-in suites and those that were added, each name once.

    ``metrics`` are the names that the run's metrics have, ``find`` gives one, ``thresholds`` are
    those that settings give.
    """

    def __init__(
        self, metrics: Mapping[str, Metric], find: Find, thresholds: Mapping[str, Threshold]
    ) -> None:
        self._known = {suite.name: (suite, "built in") for suite in BUILT_IN}
        self._metrics = metrics
        self._find = find
        self._thresholds = thresholds

    def __getitem__(self, name: str) -> Suite:
        return self._known[name][0]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)

    def add(self, suite: object, source: str) -> None:
        """Add ``suite``, given by ``source``; the same one may be given again.

        Raises ``UsageError`` for what is no suite, names a metric that is not there, or is called
        as another is.
        """
        if not isinstance(suite, Suite):
            raise UsageError(f"{source}: expected suites, made by Suite(…); got {suite!r:.80}")
        known, first = self._known.get(suite.name, (suite, source))
        if first == "built in":
            raise UsageError(f"{source}: {suite.name!r} is a built-in suite; rename yours")
        if known != suite:
            raise UsageError(
                f"the suite {suite.name!r} is declared twice: in {first} and in {source}"
            )
        try:
            self.wanted(suite)
        except UsageError as error:
            raise UsageError(f"{source}: {error}") from None
        self._known.setdefault(suite.name, (suite, source))

    def called(self, suite: Suite | str) -> Suite:
        """The suite of that name, or ``suite`` itself.

        Raises ``UsageError`` where there is none, naming the closest one.
        """
        if isinstance(suite, Suite):
            return suite
        if not isinstance(suite, str):
            raise UsageError(f"a suite is its name, or a Suite; got {type(suite).__name__}")
        if suite not in self._known:
            raise UsageError(f"there is no suite {suite!r}{closest(suite, self._known)}")
        return self[suite]

    def wanted(self, suite: Suite) -> list[Wanted]:
        """The metrics of ``suite`` in its order, each row once: the later member of one counts.

        Raises ``UsageError`` for a metric, option or mark that can't be.
        """
        found: dict[str, Wanted] = {}
        try:
            for member in self._flat(suite):
                each = self._wanted_by(member)
                found[each.metric.row] = each
        except UsageError as error:
            raise UsageError(f"suite {suite.name!r}: {error}") from None
        return [*found.values()]

    def _flat(self, suite: Suite) -> Iterator[Member]:
        """The members of ``suite``, for a suite among them its members.

        A name that is both is the metric's. One that is in a suite that was added is that of a
        suite added before, so that none holds itself.
        """
        for member in suite.members:
            if isinstance(member, Suite):
                yield from self._flat(member)
            elif member.is_plain and member.metric in self and member.metric not in self._metrics:
                yield from self._flat(self[str(member.metric)])
            else:
                yield member

    def _wanted_by(self, member: Member) -> Wanted:
        name = member.metric
        if isinstance(name, str) and name.partition("[")[0] not in self._metrics:
            known = [*self._metrics, *self._known]
            raise UsageError(f"there is no metric or suite {name!r}{closest(name, known)}")
        metric = self._find(name).with_options(member.options)
        rule = member.threshold or self._thresholds.get(metric.measure)
        return Wanted(metric.held_to(rule), member.judge, member.when)
