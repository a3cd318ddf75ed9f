"""The rule of a gate on an aggregate: what is held against which number."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, get_args

Statistic = Literal["pass_rate", "lower", "mean", "defect_rate", "pass@k", "pass^k"]
STATISTICS: tuple[Statistic, ...] = get_args(Statistic)

Relation = Literal[">=", ">", "<=", "<"]
RELATIONS: tuple[Relation, ...] = get_args(Relation)


@dataclass(frozen=True, slots=True)
class Rule:
    """``groundedness.pass_rate >= 0.9``, read.

    ``subject`` is a metric's row, a suite or an aggregate's key, as ``of`` tells; ``metric`` the
    metric behind it without its options, empty for suites. ``statistic`` is the mean for an
    aggregate. ``lowest`` and ``highest`` are the ends of what one check brings to it, None where
    there is no such end. ``k`` is the number of trials of pass@k and pass^k, None for any other.
    """

    name: str
    of: Literal["metric", "suite", "aggregate"]
    subject: str
    metric: str
    statistic: Statistic
    relation: Relation
    value: float
    lowest: float | None
    highest: float | None
    k: int | None = None

    def holds(self, value: float) -> bool:
        """Whether ``value`` is as the rule has it."""
        if self.relation in (">=", ">"):
            return value > self.value or (self.relation == ">=" and value == self.value)
        return value < self.value or (self.relation == "<=" and value == self.value)


def written(statistic: Statistic, k: int | None) -> str:
    """``statistic`` as users write it, ``pass@3``."""
    return statistic if k is None else statistic.replace("k", str(k))


def statistic_in(text: str) -> tuple[str, int | None]:
    """The statistic that ``text`` names, whether there is one of this name or not, and its k."""
    found = re.fullmatch(r"pass([@^])([0-9]{1,6})", text)
    return (f"pass{found[1]}k", int(found[2])) if found else (text, None)
