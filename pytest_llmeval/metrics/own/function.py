"""A metric as a function of its users': async where it asks a judge, else plain."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial, wraps
from numbers import Real
from typing import Any

from ...data.cases import Case
from ...data.turns import JudgedTurns
from ...errors import EvalError
from ...judges.base import Question, ReplyT
from ...judges.loop import in_thread
from ...results import Evidence, Part, Verdict
from ...scales import FRACTION, Scale
from ..ask import Ask
from ..base import Metric
from .declared import (
    Misdeclared,
    ScaleGiven,
    checked_name,
    checked_needs,
    over_turns,
    scale_of,
    with_rule,
)
from .own_copy import own_copy
from .question import own_question


def metric(
    *,
    needs: Sequence[str | Sequence[str]] | str,
    scale: ScaleGiven,
    at_least: float | str | None = None,
    at_most: float | str | None = None,
    turns: JudgedTurns = "last",
) -> Callable[[Callable[..., Any]], Metric]:
    """Make a metric of a function, called as it is: ``@metric(needs="response", scale="1-5")``.

    The function takes the case, a copy that it may change, and returns a score, a word of the
    scale, True or False (on scales that end at 1 and begin at 0), ``(score, reason)`` or a
    ``Verdict``. It runs in a thread, or on the judges' event loop where it is async, in either
    with the context variables of the check. No time limit ends it. An exception in it, also an
    ``AssertionError``, is an error of the check and no failure.

    An async function may take ``ask`` as its second argument and put questions to the judge:
    ``await ask(prompt, Reply, response=case.response)`` takes what ``llm_judge`` does, and gives
    the reply. Several at once are ``asyncio.gather``. Further arguments, which have defaults, are
    the metric's options.

    ``needs``, ``scale``, ``at_least``, ``at_most`` and ``turns`` are those of ``JudgedMetric``.
    Raises ``UsageError`` for what can't be.
    """

    def made(function: Callable[..., Any]) -> Metric:
        if not callable(function) or isinstance(function, type):
            raise Misdeclared(f"@metric makes a metric of a function; got {function!r}")
        name = checked_name(getattr(function, "__name__", None))
        directed, rule = with_rule(scale_of(scale), at_least, at_most, name)
        asks, options = _arguments(function, name)
        needed = checked_needs(needs)
        called = _calling(function, name, directed, asks, options)
        of_harm = bool(directed.tolerances)
        declared = Metric(name, called, needed, directed, rule, judged=asks, whole_turn=of_harm)
        return over_turns(declared, turns)

    return made


class OwnAsk:
    """Puts questions of one's own to the judge, in the name of a metric."""

    def __init__(self, ask: Ask, task: str) -> None:
        self._ask = ask
        self._task = task

    async def __call__(
        self, prompt: str | Question[ReplyT], reply: type[ReplyT] | None = None, /, **values: str
    ) -> ReplyT:
        """What the judge replies to ``prompt``, a template over ``values``, as a ``reply``."""
        if isinstance(prompt, Question):
            return await self._ask(prompt)
        return await self._ask(own_question(prompt, reply, values, self._ask, self._task))


def _arguments(function: Callable[..., Any], name: str) -> tuple[bool, list[inspect.Parameter]]:
    """Whether ``function`` takes ``ask``, and its options."""
    every = [*inspect.signature(function).parameters.values()]
    if not every or every[0].kind is inspect.Parameter.KEYWORD_ONLY:
        raise Misdeclared(f"{name} takes the case as its first argument")
    asks = len(every) > 1 and every[1].name == "ask"
    if asks and not inspect.iscoroutinefunction(function):
        raise Misdeclared(f"{name} asks a judge: define it by async def, and await ask(…)")
    options = every[1 + asks :]
    for option in options:
        if option.kind in (option.VAR_POSITIONAL, option.VAR_KEYWORD, option.POSITIONAL_ONLY):
            raise Misdeclared(f"{name}: its options are named one by one; got {option}")
        if option.default is option.empty:
            raise Misdeclared(f"{name}: the option {option.name} needs a default")
        if option.name == "turns":
            raise Misdeclared(f"{name}: turns= says which turns are judged; rename the option")
    return asks, options


def _calling(
    function: Callable[..., Any],
    name: str,
    scale: Scale,
    asks: bool,
    options: Sequence[inspect.Parameter],
) -> Callable[..., Any]:
    """``function`` as metrics are called: with the case, ``ask`` and options."""
    is_async = inspect.iscoroutinefunction(function)

    @wraps(function)
    async def called(case: Case, ask: Ask, **given: Any) -> Verdict:
        case = own_copy(case)
        if asks:
            value = await function(case, OwnAsk(ask, name), **given)
        elif is_async:
            value = await function(case, **given)
        else:
            value = await in_thread(partial(function, **given), case)
        return _verdict(value, name, scale)

    first = [
        inspect.Parameter(each, inspect.Parameter.POSITIONAL_OR_KEYWORD) for each in ("case", "ask")
    ]
    named = [option.replace(kind=inspect.Parameter.KEYWORD_ONLY) for option in options]
    called.__signature__ = inspect.Signature([*first, *named])  # type: ignore[attr-defined]
    return called


def _verdict(value: object, name: str, scale: Scale) -> Verdict:
    """The verdict that ``value``, which the function ``name`` returned, is."""
    if isinstance(value, Verdict):
        return _checked(value, name, scale)
    given, reason = value, ""
    if isinstance(value, tuple) and len(value) == 2:
        given, reason = value
    score = _score(given, scale)
    if score is None or not isinstance(reason, str):
        words = f", a word of {', '.join(scale.labels)}" if scale.labels else ""
        raise EvalError(
            f"{name} returned {_told(value)}; expected a score on its scale {scale.name}{words}, "
            "(score, reason) or a Verdict"
        )
    return Verdict(score, reason)


def _score(given: object, scale: Scale) -> float | None:
    """``given`` as a number, None where it is none on a scale of this kind."""
    if isinstance(given, str):
        return scale.labels.get(given)
    flags = bool(scale.labels) or scale.name == FRACTION.name
    if type(given).__name__ in ("bool", "bool_"):
        return float(bool(given)) if flags and (scale.lowest, scale.highest) == (0, 1) else None
    if not isinstance(given, Real):
        return None
    try:
        return float(given)
    except (OverflowError, ValueError):
        return None


def _checked(verdict: Verdict, name: str, scale: Scale) -> Verdict:
    """``verdict`` in the types that it says it has."""
    score = None if verdict.score is None else _score(verdict.score, scale)
    kinds = ((verdict.evidence, Evidence), (verdict.parts, Part))
    listed = all(
        isinstance(several, list | tuple) and all(isinstance(each, kind) for each in several)
        for several, kind in kinds
    )
    if (score is None) != (verdict.score is None) or not listed:
        raise EvalError(
            f"{name} returned {_told(verdict)}; a Verdict has a score that is a number or None, a "
            "reason, evidence (of Evidence) and parts (of Part)"
        )
    if not isinstance(verdict.reason, str):
        raise EvalError(f"{name} gave {_told(verdict.reason)} as the reason; expected text")
    return Verdict(
        score,
        verdict.reason,
        tuple(verdict.evidence),
        bool(verdict.applicable),
        tuple(verdict.parts),
    )


def _told(value: object) -> str:
    from ...text.shown import shown

    return f"{type(value).__name__} {shown(repr(value), 80)}"
