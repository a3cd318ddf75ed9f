"""What the checks of a run come to by case: each case weighs once, however often it was tried."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import fsum, isclose
from typing import NamedTuple, Self

from ..records.tests import TestRow, Weight
from ..statistics.clustered_rate import Cluster, clustered_wilson
from ..statistics.intervals import wilson

_SIMPLE = 10**6
"""The largest denominator of a rate that is told apart from one that arithmetic put beside it."""


Weights = Mapping[str, Weight]
"""What trials weigh within their case, by node id, where that may end early, or weighed more."""


class Valued(NamedTuple):
    """A check and the number that it brings; ``value`` is None where it got no verdict.

    ``case`` tells it from other cases of its test. Cases of several tests with the same ``shared``
    are of one input.
    """

    test: str
    case: str | None
    value: float | None
    weight: Weight = Weight()
    tried: bool = False
    shared: Hashable = None


class Lacking(NamedTuple):
    """A test, without the number of a trial, that has not made its check."""

    test: str
    tried: bool = False


@dataclass(slots=True)
class CaseValue:
    """One case in one test: the mean of its trials, and how many of these are missing.

    ``void`` is what these would have to be for it to count for nothing, None where it counts
    whatever they are.
    """

    shared: Hashable
    mean: float = 0.0
    judged: int = 0
    missing: int = 0
    void: float | None = None

    def with_missing(self, value: float) -> float:
        """The mean, were all that is missing ``value``."""
        known = self.mean * self.judged if self.missing else 0.0
        count = self.judged + self.missing
        return (known + self.missing * value) / count if self.missing else self.mean


@dataclass(frozen=True, slots=True)
class CaseValues:
    """The values of one metric, suite or group of tests, by case.

    ``tried`` tells that cases had trials. Each case then counts once in each test that judges it,
    by the mean of its checks; else each check counts. ``missing`` results are not in the numbers,
    unless a method is told what they would have been. ``soonest`` is the fewest trials after which
    one of the cases may have ended, None where all trials ran whatever they came to.
    """

    cases: tuple[CaseValue, ...]
    tried: bool
    soonest: int | None = None

    @classmethod
    def of(cls, checks: Iterable[Valued], lacking: Iterable[Lacking] = ()) -> Self:
        """The values of ``checks``; ``lacking`` are tests that have not come to theirs.

        What is lacking of a case that was judged in other trials is missing within that case, else
        it is a case of its own.
        """
        checks, lacking = [*checks], [*lacking]
        if not (any(each.tried for each in checks) or any(each.tried for each in lacking)):
            alone = [_case([each]) for each in checks]
            return cls((*alone, *(CaseValue(None, missing=1) for _ in lacking)), tried=False)
        by_test: dict[str, dict[str | None, list[Valued]]] = {}
        for each in checks:
            by_test.setdefault(each.test, {}).setdefault(each.case, []).append(each)
        found = {
            test: [_case(group) for group in cases.values()] for test, cases in by_test.items()
        }
        for row in lacking:
            for case in found.setdefault(row.test, [CaseValue(None)]):
                case.missing += 1
        ends = (each.weight.soonest for each in checks if each.weight.soonest is not None)
        cases = tuple(case for cases in found.values() for case in cases)
        return cls(cases, tried=True, soonest=min(ends, default=None))

    @property
    def judged(self) -> int:
        """How many checks have a value."""
        return sum(each.judged for each in self.cases)

    @property
    def missing(self) -> int:
        """How many checks might have had one."""
        return sum(each.missing for each in self.cases)

    def mean(self, missing: float | None = None) -> float | None:
        """The mean of the cases; None without any. With ``missing``, as if that had come."""
        values = [value for _, value, _ in self._values(missing)]
        if not values:
            return None
        mean = fsum(values) / len(values)
        return _told_apart(mean) if self.tried else mean

    def interval(self, missing: float | None = None) -> tuple[float, float]:
        """The 95 % interval of the mean of rates: Wilson's, by cases where these had trials."""
        values = [*self._values(missing)]
        if not self.tried:
            return wilson(round(fsum(value for _, value, _ in values)), len(values))
        clusters: dict[object, list[tuple[float, int]]] = {}
        for place, (shared, value, count) in enumerate(values):
            clusters.setdefault(place if shared is None else shared, []).append((value, count))
        return clustered_wilson([*map(Cluster.of, clusters.values())], self.soonest)

    def _values(self, missing: float | None) -> Iterator[tuple[Hashable, float, int]]:
        """Of each case that counts: what it shares, its value, and of how many checks that is."""
        for each in self.cases:
            if missing is not None and each.missing:
                if missing == each.void:
                    continue
                yield each.shared, each.with_missing(missing), each.judged + each.missing
            elif each.judged:
                yield each.shared, each.mean, each.judged


def weights_of(tests: Iterable[TestRow]) -> Weights:
    """What trials weigh within their case; those that are not in it weigh 1, and all run."""
    return {test.nodeid: test.weighed for test in tests if test.weighed != Weight()}


def _case(checks: list[Valued]) -> CaseValue:
    """The case that ``checks`` are of."""
    known = [(each.weight.weighs, each.value) for each in checks if each.value is not None]
    made = CaseValue(checks[0].shared, judged=len(known), missing=len(checks) - len(known))
    if whole := fsum(weight for weight, _ in known):
        made.mean = fsum(weight * value for weight, value in known) / whole
    elif known:  # what passed alone was judged, and can't have come first
        made.mean = fsum(value for _, value in known) / len(known)
    return made


def _told_apart(value: float) -> float:
    """``value`` without what sums of thirds leave: 0.8 is 0.8, as a gate asks for it."""
    simple = float(Fraction(value).limit_denominator(_SIMPLE))
    return simple if isclose(simple, value, rel_tol=1e-13, abs_tol=1e-13) else value
