"""A member of a suite: one metric, with what it is asked and held to there."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..data.cases import Case
from ..errors import UsageError
from ..metrics.base import Metric
from ..metrics.pass_rules import rule, threshold_of
from ..scales import Bound, Threshold

if TYPE_CHECKING:
    from ..judges.base import BaseJudge

Condition = Callable[[Case], str]
"""Why a case is none to ask a member of, in a few words; empty where it is one."""


@dataclass(frozen=True)
class Member:
    """One metric of a suite, by its name, that of its row, or itself.

    ``threshold`` goes before the settings' and the metric's own, and what the metric needs and the
    case lacks is then its error; ``judge`` goes before the one that the suite is asked of. Of a
    case that ``when`` finds a fault with it is not asked. With ``taken_out`` it takes the metric
    out of what stands before it.
    """

    metric: Metric | str
    options: Mapping[str, Any] = field(default_factory=dict)
    threshold: Threshold | None = None
    judge: BaseJudge | str | None = None
    when: Condition | None = None
    taken_out: bool = False

    def __hash__(self) -> int:
        """Its options can't be hashed, and a suite may be a marker's argument all the same."""
        return hash(self.metric)

    @property
    def is_plain(self) -> bool:
        """Whether it is a name and nothing else, which may be that of a suite."""
        return isinstance(self.metric, str) and self == Member(self.metric)

    def after(self, earlier: Member) -> Member:
        """This member, with what it leaves open as it stands in ``earlier``, one of the same row.

        A mark that was given asks for the metric by name, whatever condition a suite has for it.
        """
        inherits = bool(earlier.options) and not self.options  # of one row, so of one measure
        return replace(
            self,
            metric=earlier.metric if inherits else self.metric,
            options=earlier.options if inherits else self.options,
            threshold=self.threshold or earlier.threshold,
            judge=self.judge if self.judge is not None else earlier.judge,
            when=None if earlier.threshold is not None else self.when,
        )


def written_member(text: str) -> Member:
    """``groundedness[yes_no]``, ``f1 >= 0.5``, ``violence < low`` or ``-safety`` as a member.

    Raises ``UsageError`` for what is written otherwise.
    """
    minus, name, sign, value = _WRITTEN.fullmatch(text.strip()).groups()  # type: ignore[union-attr]
    if not name or sign not in (None, *_BOUNDS) or bool(sign) != bool(value) or (minus and sign):
        raise UsageError(
            f"expected a metric, as groundedness[yes_no], one with its mark, as f1 >= 0.5 or "
            f"violence < low, or one to take out, as -safety; got {text!r}"
        )
    if minus:
        return Member(name, taken_out=True)
    if not sign:
        return Member(name)
    return Member(name, threshold=rule(_BOUNDS[sign], _number_or_word(value)))


_BOUNDS: Mapping[str, Bound] = {">=": "at_least", "<=": "at_most", "<": "less_than"}
_WRITTEN = re.compile(r"(-?)\s*([^<>=]*?)\s*(?:([<>=]+)\s*(.*))?", re.DOTALL)


def member_with(metric: Metric | str, how: Mapping[str, Any]) -> Member:
    """``metric`` with the arguments that ``assert_metric`` takes: bounds, judge, its options."""
    options = {**how}
    judge, at_least, at_most = (
        options.pop(name, None) for name in ("judge", "at_least", "at_most")
    )
    return Member(metric, options, threshold_of(at_least, at_most), judge)


def _number_or_word(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
