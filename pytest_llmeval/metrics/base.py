"""What a metric is: a name, the fields it needs, a scale, and a function from case to verdict."""

from __future__ import annotations

import asyncio
import inspect
import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args, get_origin, get_type_hints

from ..data.cases import Case, closest
from ..errors import CaseError, EvalError, UsageError
from ..judges.base import BaseJudge, Question, ReplyT
from ..results import Scale, Threshold, Verdict
from ..text.shown import shown

if TYPE_CHECKING:
    from .rubrics import Rubrics


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

    @property
    def rubrics(self) -> Rubrics:
        """What the run puts in the place of built-in rubrics, or after them."""
        ...

    @property
    def guidelines(self) -> tuple[str, ...]:
        """Rules in plain words that hold for every case of the run."""
        ...

    async def __call__(self, question: Question[ReplyT]) -> ReplyT: ...


Function = Callable[..., Awaitable[Verdict]]
Need = str | tuple[str, ...]
"""A field that a metric cannot do without, or several of which one will do."""


@dataclass(frozen=True)
class Metric:
    """A named question about a case.

    ``function(case, ask, **options)`` gives the verdict; ``needs`` are the fields of the case
    that it cannot do without; ``threshold`` is the default pass rule, None where there is none.
    ``judged`` is False where no judge is asked. Options named in ``identifying`` make another
    measure of it, with a row of its own (``rouge[rouge1]``). ``others`` are the same question on
    other scales, reached by the option ``scale``; these carry a ``variant``, the scale's name.
    ``reversed`` tells the same question held to the opposite answer.
    """

    name: str
    function: Function
    needs: tuple[Need, ...]
    scale: Scale
    threshold: Threshold | None
    judged: bool = True
    identifying: tuple[str, ...] = ()
    others: tuple[Metric, ...] = ()
    variant: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    reversed: bool = False

    def __hash__(self) -> int:
        """Its options can't be hashed, and it may be a key all the same, as in a marker."""
        return hash((self.name, self.function))

    @property
    def measure(self) -> str:
        """Its name with what makes it a measure of its own: ``rouge[rouge1]``."""
        return _named(self.name, self._qualities())

    @property
    def row(self) -> str:
        """The name under which its results are counted: ``fact_check``, ``fact_check[no]``."""
        if not self.reversed:
            return self.measure
        worst = self.scale.lowest if self.scale.higher_is_better else self.scale.highest
        return _named(self.name, [*self._qualities(), self.scale.show(worst)])

    def _qualities(self) -> list[str]:
        chosen = [str(self.options[name]) for name in self.identifying if name in self.options]
        return [*([self.variant] if self.variant else []), *chosen]

    @property
    def option_names(self) -> tuple[str, ...]:
        """The options that it takes."""
        own = list(inspect.signature(self.function).parameters)[2:]
        return (*own, "scale") if self.others else tuple(own)

    def with_options(self, options: Mapping[str, Any]) -> Metric:
        """This metric with ``options`` of its function set, refused by name where it has none."""
        if not options:
            return self
        if self.others and "scale" in options:
            scale = options["scale"]
            rest = {name: value for name, value in options.items() if name != "scale"}
            return self._on_scale(scale).with_options(rest)
        parameters = inspect.signature(self.function).parameters
        known = self.option_names
        hints = _hints(self.function)
        for name, value in options.items():
            if name not in known:
                meant = closest(name, [*known, "at_least", "at_most", "judge"])
                raise UsageError(f"{self.name} has no option {name!r}{meant}")
            hint = hints.get(name)
            choices = get_args(hint) if get_origin(hint) is Literal else ()
            if choices and value not in choices:
                raise self._refused(name, choices, value)
        told = {name: value for name, value in options.items() if value != parameters[name].default}
        return replace(self, options={**self.options, **told})

    def _on_scale(self, scale: object) -> Metric:
        by_name = {each.scale.name: each for each in (self, *self.others)}
        if not isinstance(scale, str) or scale not in by_name:
            raise self._refused("scale", tuple(by_name), scale)
        return by_name[scale]

    def _refused(self, option: str, choices: tuple[Any, ...], value: object) -> UsageError:
        allowed = ", ".join(map(repr, choices))
        return UsageError(f"{self.name}: {option} is one of {allowed}; got {value!r}")

    def held_to(self, threshold: Threshold | None) -> Metric:
        """This metric with ``threshold`` in place of its own, if there is one.

        Raises ``UsageError`` for a threshold that is off the scale.
        """
        if threshold is None:
            return self
        return replace(
            self,
            threshold=threshold.on(self.scale, self.name),
            reversed=threshold.asks_for != self.scale.better,
        )

    async def verdict(self, case: Case, ask: Ask) -> Verdict:
        """What this metric says of ``case``.

        Raises ``CaseError`` naming the field that the case lacks, and any ``EvalError`` of the
        judge. A blank response fails, with no score and nothing asked, unless something else that
        will do in its place is there.
        """
        blank = case.response is not None and not case.has("response")
        if blank and any(_only_response(case, need) for need in self.needs):
            return Verdict(None, "the response is empty")
        for need in self.needs:
            self._check_has(case, need)
        try:
            verdict = await self.function(case, ask, **self.options)
        except (EvalError, asyncio.CancelledError, GeneratorExit):
            raise
        except BaseException as error:  # also SystemExit, which would end the loop
            raised = f"{self.name} raised {type(error).__name__}: {shown(str(error))}"
            raise EvalError(raised) from error
        if not isinstance(verdict, Verdict):
            raise EvalError(f"{self.name} returned {type(verdict).__name__}; expected a Verdict")
        if verdict.score is not None and not self.scale.holds(verdict.score):
            raise EvalError(
                f"{self.name} scored {verdict.score!r}, which is not on its scale {self.scale.name}"
            )
        for part in verdict.parts:
            if part.score is not None and not math.isfinite(part.score):
                raise EvalError(f"{self.name} rated {part.name!r} {part.score!r}, no finite number")
        return verdict

    def _check_has(self, case: Case, need: Need) -> None:
        names = _names(need)
        if any(map(case.has, names)):
            return
        of = f"case {case.id!r}" if case.id is not None else "the case"
        blank = any(getattr(case, name) for name in names)
        if len(names) == 1:
            state = "is blank" if blank else "is missing"
            raise CaseError(f"{self.name} needs {names[0]}, which {state} in {of}")
        state = "are blank" if blank else "are missing"
        raise CaseError(f"{self.name} needs {' or '.join(names)}, which {state} in {of}")


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    """The types of its arguments, none where they name what is not there to be looked up."""
    try:
        return get_type_hints(function)
    except Exception:
        return {}


def _names(need: Need) -> tuple[str, ...]:
    return (need,) if isinstance(need, str) else need


def _only_response(case: Case, need: Need) -> bool:
    """Whether ``case``, whose response is blank, has nothing else for a ``need`` of a response."""
    names = _names(need)
    return "response" in names and not any(map(case.has, names))


def _named(name: str, qualities: list[str]) -> str:
    return f"{name}[{','.join(qualities)}]" if qualities else name


def metric(
    *,
    needs: tuple[Need, ...],
    scale: Scale,
    rule: Threshold | None = None,
    judged: bool = True,
    identifying: tuple[str, ...] = (),
    others: tuple[Metric, ...] = (),
    of: str | None = None,
) -> Callable[[Function], Metric]:
    """Make the metric that is called as its function is; the fields are those of ``Metric``.

    ``rule`` is its default pass rule; without one its results are measured only. ``of`` names the
    metric that this one is on another scale. Raises ``UsageError`` for a rule that cannot be.
    """

    def made(function: Function) -> Metric:
        return Metric(
            name=of or function.__name__,
            function=function,
            needs=needs,
            scale=scale,
            threshold=rule.on(scale, function.__name__) if rule else None,
            judged=judged,
            identifying=identifying,
            others=others,
            variant=scale.name if of else None,
        )

    return made


def _measured_as(name: str, metric: Metric) -> Metric:
    """``metric`` as the measure ``name``, told by its scale or by options that identify it."""
    measures = {each.measure: each for each in (metric, *metric.others)}
    if name in measures or (metric.identifying and name.endswith("]")):
        return measures.get(name, metric)
    raise UsageError(f"threshold: there is no metric {name!r}{closest(name, measures)}")


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
    """``groundedness=3`` as the measure's name and its pass rule.

    Raises ``UsageError`` for a name that no metric has, a value that is no number, or one off the
    metric's scale. ``groundedness[yes_no]`` names the same question on another scale.
    """
    name, equals, text = (part.strip() for part in entry.partition("="))
    if not equals or not text:
        raise UsageError(f"threshold: expected METRIC=VALUE, as in groundedness=4; got {entry!r}")
    plain = name.partition("[")[0]
    if plain not in metrics:
        raise UsageError(f"threshold: there is no metric {plain!r}{closest(plain, metrics)}")
    scale = _measured_as(name, metrics[plain]).scale
    try:
        value = scale.labels[text] if text in scale.labels else float(text)
    except ValueError:
        raise UsageError(f"threshold {name}: expected a number; got {text!r}") from None
    return name, Threshold(scale.better, value).on(scale, f"threshold {name}")
