"""What a metric is: a name, the fields it needs, a scale, and a function from case to verdict."""

from __future__ import annotations

import asyncio
import inspect
import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any, Literal, Protocol, get_args, get_type_hints

from ..data.cases import Case, closest
from ..errors import CaseError, EvalError, UsageError
from ..judges.base import BaseJudge, Question, ReplyT
from ..results import Scale, Threshold, Verdict
from ..text.shown import shown


class Ask(Protocol):
    """How a metric asks: one question in, one validated reply out; an ``EvalError`` otherwise."""

    @property
    def judge(self) -> BaseJudge:
        """Who is asked. Raises ``NoJudge`` where none is set."""
        ...

    @property
    def reason_language(self) -> str:
        """The language in which reasons are written."""
        ...

    async def __call__(self, question: Question[ReplyT]) -> ReplyT: ...


Function = Callable[..., Awaitable[Verdict]]


@dataclass(frozen=True)
class Metric:
    """A named question about a case.

    ``function(case, ask, **options)`` gives the verdict; ``needs`` are the fields of the case
    that it cannot do without; ``threshold`` is the default pass rule, None where there is none.
    ``reversed`` tells the same question held to the opposite answer.
    """

    name: str
    function: Function
    needs: tuple[str, ...]
    scale: Scale
    threshold: Threshold | None
    judged: bool = True
    options: Mapping[str, Any] = field(default_factory=dict)
    reversed: bool = False

    @property
    def row(self) -> str:
        """The name under which its results are counted: ``fact_check``, ``fact_check[no]``."""
        if not self.reversed:
            return self.name
        worst = self.scale.lowest if self.scale.higher_is_better else self.scale.highest
        return f"{self.name}[{self.scale.show(worst)}]"

    def with_options(self, options: Mapping[str, Any]) -> Metric:
        """This metric with ``options`` of its function set, refused by name where it has none."""
        if not options:
            return self
        known = list(inspect.signature(self.function).parameters)[2:]
        hints = get_type_hints(self.function)
        for name, value in options.items():
            choices = get_args(hints.get(name))
            if name not in known:
                meant = closest(name, [*known, "at_least", "at_most", "judge"])
                raise UsageError(f"{self.name} has no option {name!r}{meant}")
            if choices and value not in choices:
                allowed = ", ".join(map(repr, choices))
                raise UsageError(f"{self.name}: {name} is one of {allowed}; got {value!r}")
        return replace(self, options={**self.options, **options})

    def held_to(self, threshold: Threshold | None) -> Metric:
        """This metric with ``threshold`` in place of its own, if there is one.

        Raises ``UsageError`` for a threshold that is off the scale.
        """
        if threshold is None:
            return self
        return replace(
            self,
            threshold=threshold.on(self.scale, self.name),
            reversed=threshold.bound != self.scale.better,
        )

    async def verdict(self, case: Case, ask: Ask) -> Verdict:
        """What this metric says of ``case``.

        Raises ``CaseError`` naming the field that the case lacks, and any ``EvalError`` of the
        judge. A blank response fails a judged metric, with no score and nothing asked.
        """
        blank = case.response is not None and not case.has("response")
        if self.judged and blank and "response" in self.needs:
            return Verdict(None, "the response is empty")
        for name in self.needs:
            if not case.has(name):
                of = f"case {case.id!r}" if case.id is not None else "the case"
                state = "is blank" if getattr(case, name) else "is missing"
                raise CaseError(f"{self.name} needs {name}, which {state} in {of}")
        try:
            verdict = await self.function(case, ask, **self.options)
        except (EvalError, asyncio.CancelledError, GeneratorExit):
            raise
        except BaseException as error:  # also SystemExit, which would end the loop
            raised = f"{self.name} raised {type(error).__name__}: {shown(str(error))}"
            raise EvalError(raised) from error
        if verdict.score is not None and not self.scale.holds(verdict.score):
            raise EvalError(
                f"{self.name} scored {verdict.score!r}, which is not on its scale {self.scale.name}"
            )
        return verdict


def metric(
    *,
    needs: tuple[str, ...],
    scale: Scale,
    at_least: float | None = None,
    at_most: float | None = None,
    judged: bool = True,
) -> Callable[[Function], Metric]:
    """Make the metric that is called as its function is.

    ``at_least`` or ``at_most`` is its default pass rule; without either it has none. Raises
    ``UsageError`` for a rule that cannot be.
    """

    def made(function: Function) -> Metric:
        rule = threshold_of(at_least, at_most)
        if rule is not None:
            rule.on(scale, function.__name__)
        return Metric(function.__name__, function, needs, scale, rule, judged)

    return made


def threshold_of(at_least: float | None, at_most: float | None) -> Threshold | None:
    """The pass rule that the two bounds give, None without both.

    Raises ``UsageError`` for both, and for a bound that is no number.
    """
    if at_least is not None and at_most is not None:
        raise UsageError("a check takes at_least or at_most, not both")
    if at_least is not None:
        return Threshold("at_least", _number("at_least", at_least))
    return None if at_most is None else Threshold("at_most", _number("at_most", at_most))


def _number(bound: Literal["at_least", "at_most"], value: object) -> float:
    if not isinstance(value, Real) or isinstance(value, bool):
        raise UsageError(f"{bound} is a number; got {value!r}")
    try:
        return float(value)
    except OverflowError:
        return math.inf


def parse_threshold(entry: str, metrics: Mapping[str, Metric]) -> tuple[str, Threshold]:
    """``groundedness=3`` as the metric's name and its pass rule.

    Raises ``UsageError`` for a name that no metric has, a value that is no number, or one off the
    metric's scale.
    """
    name, equals, text = (part.strip() for part in entry.partition("="))
    if not equals or not text:
        raise UsageError(f"threshold: expected METRIC=VALUE, as in groundedness=4; got {entry!r}")
    if name not in metrics:
        raise UsageError(f"threshold: there is no metric {name!r}{closest(name, metrics)}")
    scale = metrics[name].scale
    try:
        value = scale.labels[text] if text in scale.labels else float(text)
    except ValueError:
        raise UsageError(f"threshold {name}: expected a number; got {text!r}") from None
    return name, Threshold(scale.better, value).on(scale, f"threshold {name}")
