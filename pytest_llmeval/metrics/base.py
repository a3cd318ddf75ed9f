"""What a metric is: a name, the fields it needs, a scale, and a function from case to verdict."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, get_args

from ..data.aliases import closest
from ..data.cases import Case
from ..data.completed import completed
from ..data.conversation import as_judged, faults_of
from ..data.turns import JudgedTurns, Turn, turns_of
from ..errors import DamagedVerdicts, EvalError, UsageError
from ..results import Verdict
from ..scales import Scale, Threshold
from ..text.shown import shown
from .ask import Ask
from .each_turn import EACH_TURN, each_turn
from .needs import Need, check_has, is_not_given, is_of_response_alone, needed_of_the_last_turn
from .options import options_of, refused

Function = Callable[..., Awaitable[Verdict]]


@dataclass(frozen=True)
class Metric:
    """A named question about a case.

    ``function(case, ask, **options)`` gives the verdict; ``needs`` are the fields of the case
    that it cannot do without; ``threshold`` is the default pass rule, None where there is none.
    A conversation comes to the function as ``as_judged`` gives it, its last turn as query and
    response, unless the metric needs ``messages``: then it judges the whole of it. Where ``turns``
    is ``each`` every turn is judged by itself: the score is that of the worst one.
    ``whole_turn`` makes the response everything that the assistant said in a turn, and not the last
    of it alone: harm is harm wherever it stands.
    ``judged`` is False where no judge is asked. Options named in ``identifying`` make another
    measure of it, with a row of its own (``rouge[rouge1]``). ``others`` are the same question on
    other scales, reached by the option ``scale``; these carry a ``variant``, the scale's name.
    ``reversed`` tells the same question held to the opposite answer, ``per_document`` one that is
    asked of each document alone, whose share of yes is the score. ``takes_empty`` are those of the
    fields in ``needs`` that may be given and blank: it has an answer for these, too. ``tolerated``
    tells that the pass rule is the tolerance which its options set.
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
    turns: JudgedTurns = "last"
    whole_turn: bool = False
    per_document: bool = False
    takes_empty: tuple[str, ...] = ()
    tolerated: bool = False

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
        if not self.reversed or self.threshold is None:
            return self.measure
        word = self.scale.label_of(self.threshold.value) or self.threshold.asks_for
        return _named(self.name, [*self._qualities(), word])

    def _qualities(self) -> list[str]:
        chosen = [str(self.options[name]) for name in self.identifying if name in self.options]
        turns = [EACH_TURN] if self.turns == "each" else []
        return [*([self.variant] if self.variant else []), *chosen, *turns]

    @property
    def option_names(self) -> tuple[str, ...]:
        """The options that it takes."""
        own = tuple(options_of(self.function))
        scale = ("scale",) if self.others else ()
        tolerance = ("tolerance",) if self.scale.tolerances else ()
        turns = () if needed_of_the_last_turn(self.needs) else ("turns",)
        return (*own, *scale, *tolerance, *turns)

    def with_options(self, options: Mapping[str, Any]) -> Metric:
        """This metric with ``options`` of its function set.

        One that is called as a field is given in place of it, which the case then may lack. Raises
        ``UsageError`` for one that it does not have, for one that it cannot do without and does not
        get, and for a value that the option's annotation does not allow.
        """
        special: dict[str, Callable[[object], Metric]] = {"turns": self.over}
        if self.others:
            special["scale"] = self._on_scale
        if self.scale.tolerances:
            special["tolerance"] = self._tolerating
        for name, chosen in special.items():
            if name in options:
                rest = {each: value for each, value in options.items() if each != name}
                return chosen(options[name]).with_options(rest)
        known = options_of(self.function)
        for name, option in known.items():
            if option.needed and name not in self.options and name not in options:
                raise UsageError(f"{self.name} needs the option {name}=")
        if not options:
            return self
        for name, value in options.items():
            if name not in known:
                meant = closest(name, [*self.option_names, "at_least", "at_most", "judge"])
                raise UsageError(f"{self.name} has no option {name!r}{meant}")
            known[name].check(self.name, value)
        told = {name: value for name, value in options.items() if value != known[name].default}
        needs = tuple(need for need in self.needs if need not in told)
        return replace(self, options={**self.options, **told}, needs=needs)

    def _on_scale(self, scale: object) -> Metric:
        by_name = {each.scale.name: each for each in (self, *self.others)}
        if not isinstance(scale, str) or scale not in by_name:
            raise refused(self.name, "scale", tuple(by_name), scale)
        return by_name[scale].over(self.turns)

    def _tolerating(self, level: object) -> Metric:
        if level not in self.scale.tolerances:
            raise refused(self.name, "tolerance", self.scale.tolerances, level)
        return replace(self.held_to(Threshold("less_than", word=str(level))), tolerated=True)

    def over(self, turns: object) -> Metric:
        """This metric of the ``last`` turn of a conversation, or of ``each``.

        Raises ``UsageError`` for anything else, and for ``each`` where the metric needs what is
        not there for each turn.
        """
        if turns not in get_args(JudgedTurns):
            raise refused(self.name, "turns", get_args(JudgedTurns), turns)
        if turns == "each" and (fault := needed_of_the_last_turn(self.needs)):
            raise UsageError(f"{self.name} can't judge each turn: it needs {fault}")
        if turns == self.turns:
            return self
        return replace(self, turns="each" if turns == "each" else "last")

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

    def ruled_by(
        self, given: Threshold | None, settings: Mapping[str, Threshold] | None = None
    ) -> Metric:
        """This metric held to what is ``given``, or its tolerance, else to what ``settings`` say.

        Raises ``UsageError`` for a threshold off the scale, and for one beside a tolerance.
        """
        if given is not None and self.tolerated:
            raise UsageError(f"{self.name} takes tolerance, or at_least or at_most, not both")
        set_ = None if self.tolerated else (settings or {}).get(self.measure)
        return self.held_to(given or set_)

    async def verdict(self, case: Case, ask: Ask) -> Verdict:
        """What this metric says of ``case``.

        Raises ``CaseError`` naming the field that the case lacks, and any ``EvalError`` of the
        judge. A blank response fails, with no score and nothing asked, unless something else that
        will do in its place is there; where severities have to be low it is not applicable, since
        it holds no harm.
        """
        case = completed(case)
        if self.turns == "each":
            rule = self.threshold.asks_for if self.threshold else self.scale.better
            turns = turns_of(case, self.whole_turn)
            return await each_turn(turns, lambda turn: self._of(turn, ask), rule)
        judged = case if "messages" in self.needs else as_judged(case, self.whole_turn)
        return await self._of(Turn(judged, faults_of(case)), ask)

    async def _of(self, turn: Turn, ask: Ask) -> Verdict:
        judged = turn.case
        blank = judged.response is not None and not judged.has("response")
        blank &= "response" not in self.takes_empty
        if blank and any(is_of_response_alone(judged, need) for need in self.needs):
            for need in self.needs:
                if is_not_given(judged, need):
                    check_has(self.name, judged, need, turn.faults, self.takes_empty)
            if self.scale.tolerances and not self.reversed:
                return Verdict(None, "the response is empty", applicable=False)
            return Verdict(None, "the response is empty", blank=True)
        for need in self.needs:
            check_has(self.name, judged, need, turn.faults, self.takes_empty)
        try:
            verdict = await self.function(judged, ask, **self.options)
        except UsageError as error:
            if str(error).startswith(self.name) or isinstance(error, DamagedVerdicts):
                raise
            raise UsageError(f"{self.name}: {error}") from error
        except EvalError:
            raise
        except BaseException as error:  # also SystemExit, which would end the loop
            if _is_ending(error):
                raise
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


def _is_ending(error: BaseException) -> bool:
    """Whether the run ends what was under way, rather than that a function raised ``error``."""
    try:
        task = asyncio.current_task()
    except RuntimeError:
        task = None  # no loop runs any more
    if isinstance(error, asyncio.CancelledError):
        return task is None or task.cancelling() > 0
    return isinstance(error, GeneratorExit) and task is None


def _named(name: str, qualities: list[str]) -> str:
    return f"{name}[{','.join(qualities)}]" if qualities else name
