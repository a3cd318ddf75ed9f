"""The marker ``llm_cases``, read: which cases a test runs on, who answers, what is asserted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from keyword import iskeyword
from typing import TYPE_CHECKING, Any

import pytest

from .data.aliases import closest
from .data.field_names import UNNAMED, FieldNames
from .data.selection import Selection
from .errors import UsageError
from .trials import Trials, trials_in

if TYPE_CHECKING:
    from .suites.suite import Suite


@dataclass(frozen=True)
class Planned:
    """One metric that a marker names, with what ``evaluate`` would be given for it.

    ``options`` are the metric's own.
    """

    metric: Any
    judge: Any = None
    at_least: Any = None
    at_most: Any = None
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Plan:
    """What one ``@pytest.mark.llm_cases(*sources, select=…, metrics=…, answer=…, …)`` says.

    ``trials`` is None where it says nothing about them.

    ``answer`` is None, a function from a case to a response or a case, or a fixture's name;
    ``suite`` what names a suite of metrics, None for none.
    """

    sources: tuple[Any, ...]
    selection: Selection
    names: FieldNames = UNNAMED
    metrics: tuple[Planned, ...] = ()
    suite: Suite | str | None = None
    answer: Callable[..., Any] | str | None = None
    argname: str = "llm_case"
    trials: Trials | None = None

    @property
    def says_what_is_asserted(self) -> bool:
        """Whether it names metrics, a suite or an app, and not cases alone."""
        return bool(self.metrics) or self.suite is not None or self.answer is not None


_plans = pytest.StashKey[dict[int, tuple[pytest.Mark, Plan]]]()
"""Plans by the marker that they are read of: a marker is shared by all the tests of a function."""


def plan_of(node: pytest.Item) -> Plan | None:
    """The plan of ``node`` that says what is asserted, else the closest; None where it has none.

    Raises ``UsageError`` that names the argument which can't be.
    """
    return _leading(plans_of(node))


def plans_of(node: pytest.Item) -> list[Plan]:
    """Every plan of ``node`` (an item, or a function to be parametrized), the closest first.

    Markers with different argnames make a test of each combination, as ``parametrize`` does; a
    marker on a class or module gives way to one with its argname on the function.
    Raises ``UsageError`` for two on one function with the same one, and for two that say what is
    asserted.
    """
    plans: dict[str, tuple[Plan, object]] = {}
    known = node.config.stash.setdefault(_plans, {})
    for holder, marker in node.iter_markers_with_node("llm_cases"):
        if id(marker) not in known:
            known[id(marker)] = (marker, _plan(marker))
        plan = known[id(marker)][1]
        if plan.argname not in plans:
            plans[plan.argname] = (plan, holder)
        elif plans[plan.argname][1] is holder:
            told = f"two markers of one test need different argnames; both have {plan.argname!r}"
            raise UsageError(f"llm_cases: {told}")
    found = [plan for plan, _ in plans.values()]
    _leading(found)
    return found


def _leading(plans: list[Plan]) -> Plan | None:
    asserting = [plan for plan in plans if plan.says_what_is_asserted]
    if len(asserting) > 1:
        names = " and ".join(repr(plan.argname) for plan in asserting)
        told = "of several markers one says metrics=, suite= and answer=; here do those of"
        raise UsageError(f"llm_cases: {told} {names}")
    return next(iter(asserting or plans), None)


ARGUMENTS = (
    *("select", "limit", "sample", "fields", "metrics", "suite", "answer"),
    *("trials", "max_trials", "argname"),
)


def _plan(marker: pytest.Mark) -> Plan:
    given = dict(marker.kwargs)
    if unknown := next((name for name in given if name not in ARGUMENTS), None):
        raise UsageError(f"llm_cases has no {unknown}={closest(unknown, ARGUMENTS)}")
    if not marker.args:
        raise UsageError("llm_cases takes files or patterns, relative to the test file; got none")
    answer, argname = given.get("answer"), given.get("argname", "llm_case")
    if not (answer is None or isinstance(answer, str) or callable(answer)):
        kinds = "a function from a case to a response, or a fixture's name"
        raise UsageError(f"llm_cases: answer is {kinds}; got {answer!r}")
    if not (isinstance(argname, str) and argname.isidentifier() and not iskeyword(argname)):
        raise UsageError(f"llm_cases: argname is the name of an argument; got {argname!r}")
    try:
        selection = Selection(*(given.get(name) for name in ("select", "limit", "sample")))
        names = FieldNames.of(given.get("fields"))
        trials = trials_in(given)
    except UsageError as error:
        raise UsageError(f"llm_cases: {error}") from None
    named = given.get("metrics")
    metrics = () if named is None else tuple(_planned(named))
    if named is not None and not metrics:
        raise UsageError("llm_cases: metrics names what to assert, or is left out; it is empty")
    suite = given.get("suite")
    return Plan(marker.args, selection, names, metrics, suite, answer, argname, trials)


def _planned(metrics: Any) -> Iterator[Planned]:
    if isinstance(metrics, Mapping):
        for metric, how in metrics.items():
            if not isinstance(how, Mapping):
                raise UsageError(
                    f"llm_cases: metrics maps a name to arguments, as in {{'groundedness': "
                    f"{{'at_least': 5}}}}; got {how!r} for {metric!r}"
                )
            options = {**how}
            ours = {name: options.pop(name, None) for name in ("judge", "at_least", "at_most")}
            yield Planned(metric, **ours, options=options)
    elif isinstance(metrics, list | tuple):
        yield from map(Planned, metrics)
    else:
        raise UsageError(
            f"llm_cases: metrics is a list of names, or a mapping to arguments; got {metrics!r}"
        )
