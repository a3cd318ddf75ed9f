"""Rejudging: kept questions go to another judge, and it is told where that decides otherwise."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from ..errors import EvalError, UsageError
from ..judges.answers import Reply
from ..judges.base import BaseJudge, Question, Said
from ..judges.committed import Verdicts
from ..judges.engine import Engine
from ..judges.heard import Answer, answer_of, question_key
from ..judges.inventory import judge_of
from ..judges.schema import shown_schema
from ..judges.store import Store, canonical
from ..metrics import built_in_rubrics
from ..metrics.registered import Metrics
from ..results import Threshold

_FENCED = re.compile(r"<([\w-]+-[0-9a-f]{12})>\n(.*?)\n</\1>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Kept:
    """A question that was answered: by whom, what was said, and the tests that it was for."""

    question: Question[Any]
    judge: str
    said: str
    tokens: int | None
    tests: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rejudged:
    """A kept question with the answers of then and now; ``error`` says why there is none now.

    ``before`` and ``after`` are the decisions: pass or fail of a score where the metric has a pass
    mark, else the plain values of the reply. ``values`` are these values of both.
    """

    kept: Kept
    before: str
    after: str | None = None
    values: tuple[str, str] | None = None
    reasons: tuple[str, str] | None = None
    error: str | None = None

    @property
    def flipped(self) -> bool:
        """Whether the other judge decided otherwise."""
        return self.after is not None and self.after != self.before


@dataclass(frozen=True, slots=True)
class Found:
    """What can go to another judge, and what was left out, with why and how often."""

    kept: tuple[Kept, ...]
    left_out: Mapping[str, int]


KeptEntry = tuple[str, Mapping[str, Any], tuple[str, ...]]
"""An entry with its key before it, and after it the tests that it is for."""


def entries_of(store: Store) -> Iterator[KeptEntry]:
    """The entries of ``store`` by key, which name no test."""
    for key, entry in store:
        yield key, entry, ()


def entries_in(verdicts: Verdicts) -> Iterator[KeptEntry]:
    """The committed entries by key, with the tests that they are for; not those redacted."""
    verdicts.load()
    seen: dict[str, tuple[Mapping[str, Any], tuple[str, ...]]] = {}
    for path in verdicts.files:
        for key, line in verdicts.in_file(path).items():
            if not line.redacted:
                seen[key] = (line.entry, (*seen.get(key, ({}, ()))[1], *line.tests))
    for key, (entry, tests) in sorted(seen.items()):
        yield key, entry, tests


def rejudgeable(entries: Iterable[KeptEntry], judge: BaseJudge) -> Found:
    """Those of ``entries`` that may be put to ``judge``.

    Each question is there once. Left out are its own answers, questions in a checker's form,
    replies in a form that no metric here asks for, and replies that can't be read.

    Raises ``UsageError`` for a judge that is no LLM, or answers in one word alone.
    """
    if not judge.is_llm or judge.checker or judge.identity is None:
        raise UsageError(f"{judge.name} is no LLM that answers any question; set another model")
    forms = _forms()
    found: dict[str | None, Kept] = {}
    left_out: dict[str, int] = {}
    for _, entry, tests in entries:
        kept = _kept(entry, tests, forms, canonical(judge.identity))
        if isinstance(kept, Kept):
            found.setdefault(question_key(judge, kept.question), kept)
        else:
            left_out[kept] = left_out.get(kept, 0) + 1
    return Found(tuple(found.values()), left_out)


def _kept(
    entry: Mapping[str, Any], tests: tuple[str, ...], forms: Mapping[str, Any], identity: str
) -> Kept | str:
    """The question that ``entry`` answers, or why it can't go to another judge."""
    if canonical(entry.get("judge")) == identity:
        return "answers of this judge itself"
    form = forms.get(canonical(entry.get("schema")))
    if form is None:
        return "questions whose form no metric here asks for"
    messages = tuple((role, text) for role, text in entry["messages"])
    texts = [text for _, message in messages for _, text in _FENCED.findall(message)]
    question = Question(entry["task"], messages, form, {"documents": texts})
    try:
        reply = answer_of(None, [Said(entry["said"])], question).reply
    except EvalError:
        return "replies that can't be read"
    if not _values(reply):
        return "replies that decide nothing by themselves"
    given = (entry.get("input_tokens"), entry.get("output_tokens"))
    tokens = None if None in given else sum(given)  # type: ignore[arg-type]
    return Kept(question, judge_of(entry), entry["said"], tokens, tests)


def _forms() -> dict[str, type[Reply]]:
    """Every form of reply that a metric here asks for, by its schema."""
    built_in_rubrics()  # which imports them all
    forms: dict[str, type[Reply]] = {}
    left = [*Reply.__subclasses__()]
    while left:
        form = left.pop()
        forms[canonical(shown_schema(form))] = form
        left += form.__subclasses__()
    return forms


def rejudge(
    kept: Iterable[Kept],
    judge: BaseJudge,
    engine: Engine,
    metrics: Metrics,
    thresholds: Mapping[str, Threshold],
) -> Iterator[Rejudged]:
    """What ``judge`` says to each question of ``kept``, all asked at once, told in their order."""

    def decided(task: str) -> Threshold | None:
        return thresholds.get(task) or (metrics[task].threshold if task in metrics else None)

    flights: list[tuple[Kept, Future[Answer[Any]]]] = [
        (each, engine.submit(engine.ask(judge, each.question))) for each in kept
    ]
    for each, flight in flights:
        yield _compared(each, flight.result, decided(each.question.task))


def _compared(
    kept: Kept, result: Callable[[], Answer[Any]], threshold: Threshold | None
) -> Rejudged:
    old = answer_of(None, [Said(kept.said)], kept.question).reply
    before = _decision(old, threshold)
    try:
        new = result().reply
    except EvalError as error:
        return Rejudged(kept, before, error=str(error))
    return Rejudged(
        kept,
        before,
        _decision(new, threshold),
        (_values(old), _values(new)),
        (getattr(old, "reason", ""), getattr(new, "reason", "")),
    )


def _decision(reply: Reply, threshold: Threshold | None) -> str:
    score = getattr(reply, "score", None)
    if threshold is not None and isinstance(score, int | float):
        return "pass" if threshold.holds(score) else "fail"
    return _values(reply)


def _values(reply: Reply) -> str:
    """The values of ``reply`` that are chosen and no free text."""
    return ", ".join(
        str(getattr(reply, name))
        for name, form in shown_schema(type(reply)).get("properties", {}).items()
        if "enum" in form or form.get("type") in ("integer", "number", "boolean")
    )
