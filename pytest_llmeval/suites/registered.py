"""The suites of a run by name, and what a suite comes to there: its metrics, ready to be asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..data.aliases import closest
from ..errors import UsageError
from ..metrics.base import Metric
from ..scales import Threshold
from ..text.shown import shown
from .built_in import BUILT_IN
from .member import Condition, Member
from .suite import Suite

if TYPE_CHECKING:
    from ..judges.base import BaseJudge

Find = Callable[[Metric | str], Metric]
"""What gives the run's metric of a name."""


@dataclass(frozen=True)
class Wanted:
    """A metric as a suite asks for it, held to its mark; ``judge`` and ``when`` are its member's.

    One that is asked for ``by_name``, by a mark in the suite, is never left out for what a case
    lacks: that is its error.
    """

    metric: Metric
    judge: BaseJudge | str | None
    when: Condition | None
    by_name: bool


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
        self._met: dict[str, Suite] = {}
        self.have_rows = True
        """Whether cases are counted by suite, so that no two may have one name."""

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
        if suite.name in self._metrics:
            raise UsageError(f"{source}: {suite.name!r} is a metric; give the suite another name")
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

        Raises ``UsageError`` where there is none, naming the closest one, and for another suite
        than the one that has this name in the run: their cases would count in one row.
        """
        if isinstance(suite, Suite):
            return self._alone(suite)
        if not isinstance(suite, str):
            got = f"got {type(suite).__name__}{_with_a_name(suite)}"
            raise UsageError(f"a suite is its name, or a Suite; {got}")
        if suite not in self._known:
            raise UsageError(f"there is no suite {suite!r}{closest(suite, self._known)}")
        return self[suite]

    def _alone(self, suite: Suite) -> Suite:
        if not self.have_rows:
            return suite
        first, source = self._known.get(suite.name, (self._met.setdefault(suite.name, suite), ""))
        if first is not suite and not self._alike(first, suite):
            if source == "built in":
                raise UsageError(f"{suite.name!r} is a built-in suite; give yours another name")
            raise UsageError(
                f"two suites of this run are called {suite.name!r} and ask for different things: "
                "give each a name of its own (also= adds to one)"
            )
        return suite

    def _alike(self, one: Suite, other: Suite) -> bool:
        """Whether both ask for the same: suites may be made anew by every test that uses them."""
        if one.stop_at_first != other.stop_at_first:
            return False
        mine, its = (
            [
                (each.metric.row, each.metric.threshold, each.metric.options, _named(each.judge))
                for each in self.wanted(suite)
            ]
            for suite in (one, other)
        )
        return mine == its

    def wanted(self, suite: Suite) -> list[Wanted]:
        """The metrics of ``suite`` in its order, each row once: the later member of one counts.

        Raises ``UsageError`` for a metric, option or mark that can't be, for one to be taken out
        that is not there, and where none is left.
        """
        try:
            members = self._members(suite)
            found = [self._wanted_by(each) for each in members.values()]
        except UsageError as error:
            raise UsageError(f"suite {suite.name!r}: {error}") from None
        if not found:
            raise UsageError(f"suite {suite.name!r}: every metric of it was taken out")
        return found

    def _members(self, suite: Suite) -> dict[str, Member]:
        """The members of ``suite`` by their rows, for a suite among them its members.

        A name that is both is the metric's. One that is in a suite that was added is that of a
        suite added before, so that none holds itself.
        """
        found: dict[str, Member] = {}
        for member in suite.members:
            if isinstance(member, Member) and member.taken_out:
                _take_out(str(member.metric), found)
                continue
            for each in self._within(member):
                row = self._wanted_by(each).metric.row
                ruled = self._ruled(each)
                found[row] = ruled.after(found[row]) if row in found else ruled
        return found

    def _within(self, member: Member | Suite) -> list[Member]:
        if isinstance(member, Suite):
            return [*self._members(member).values()]
        if member.is_plain and member.metric in self and member.metric not in self._metrics:
            return [*self._members(self[str(member.metric)]).values()]
        return [member]

    def _ruled(self, member: Member) -> Member:
        """``member`` with a tolerance among its options as what it is, its mark."""
        metric = self._find(member.metric).with_options(member.options)
        if not metric.tolerated:
            return member
        rest = {name: value for name, value in member.options.items() if name != "tolerance"}
        return replace(member, options=rest, threshold=metric.threshold)

    def _wanted_by(self, member: Member) -> Wanted:
        name = member.metric
        if isinstance(name, str) and name.partition("[")[0] not in self._metrics:
            known = [*self._metrics, *self._known]
            raise UsageError(f"there is no metric or suite {name!r}{closest(name, known)}")
        metric = self._find(name).with_options(member.options)
        ruled = metric.ruled_by(member.threshold, self._thresholds)
        return Wanted(ruled, member.judge, member.when, member.threshold is not None)


def _take_out(name: str, found: dict[str, Member]) -> None:
    """Take the row ``name``, or every row of the metric that is called so, out of ``found``."""
    rows = [row for row in found if name in (row, row.partition("[")[0])]
    if not rows:
        raise UsageError(f"-{name}: no {name!r} stands before it{closest(name, found)}")
    for row in rows:
        del found[row]


def _named(judge: BaseJudge | str | None) -> str | None:
    return judge if judge is None or isinstance(judge, str) else judge.name


def _with_a_name(members: object) -> str:
    """How ``members`` become a suite, where they are a list of them; else blank."""
    if not isinstance(members, list | tuple):
        return ""
    advice = f': give it a name, as Suite("name", {shown(repr([*members]), 80)})'
    if members and all(isinstance(each, str) for each in members):
        line = shown(", ".join(members), 80)
        advice += f", or for the whole project as a line of llm_eval_suite: name = {line}"
    return advice
