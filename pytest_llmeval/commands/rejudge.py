"""The command ``llm-eval rejudge``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import click

from ..errors import UsageError
from ..extended import metrics_of
from ..judges.base import BaseJudge
from ..judges.choice import JudgeChoice
from ..judges.committed import Verdicts
from ..judges.engine import Engine
from ..judges.heard import question_key
from ..judges.inventory import told_by
from ..judges.store import Store
from ..metrics.pass_rules import parse_threshold
from ..settings import Settings
from ..text.plural import many
from ..text.shown import shown
from .kept_questions import Kept, KeptEntry, entries_in, entries_of, rejudgeable
from .rejudging import Rejudged, rejudge
from .settings import read_settings, setting_options

_ABOUT_JUDGES = (
    *("model", "base_url", "key_env", "temperature", "seed", "reply_tokens", "timeout"),
    *("concurrency", "param", "judge", "store", "verdicts", "threshold", "metrics"),
)


@click.command("rejudge")
@setting_options(*_ABOUT_JUDGES)
@click.option("--task", metavar="NAME", multiple=True, help="this metric's alone (repeatable)")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="ask N questions at most")
@click.option("--yes", is_flag=True, help="ask without a question back")
def rejudge_command(task: tuple[str, ...], limit: int | None, yes: bool, **given: Any) -> None:
    """Put kept questions to another judge (--model), and list the verdicts that flip.

    The questions are those of the committed verdicts where such are set, else of the store. What
    the new judge says is kept in the store, so that a run with it asks none of them again. A
    score flips where it crosses the metric's pass mark, everything else where it changes; marks
    that tests give their own checks (at_least=, tolerance=) are not kept with a question.

    Ends with status 1 where a question got no verdict.
    """
    found = read_settings(given, additions=True)
    settings = found.settings
    metrics = metrics_of(settings, found.additions)
    thresholds = dict(parse_threshold(entry, metrics) for entry in settings.threshold)
    judge = JudgeChoice(settings, "name the new judge by --model").of(None)
    store = Store(settings.store)
    try:
        chosen = _chosen(settings, store, judge, task, limit)
    finally:
        store.close()
    if not chosen:
        return
    if not yes:
        click.confirm("Ask?", abort=True, err=True)
    engine = Engine(
        Store(settings.store), "auto", settings.timeout, _warn, at_once=settings.concurrency
    )
    try:
        done = [*rejudge(chosen, judge, engine, metrics, thresholds)]
    finally:
        engine.close()
    for line in _told(done, told_by(judge.identity)):
        click.echo(line)
    if any(each.error for each in done):
        raise click.exceptions.Exit(1)


def _warn(notice: str) -> None:
    click.echo(f"warning: {notice}", err=True)


def _chosen(
    settings: Settings, store: Store, judge: BaseJudge, task: Sequence[str], limit: int | None
) -> list[Kept]:
    """The questions to put, with what is told before that; answered ones count for no limit."""
    wanted, left_out = _kept(settings, store, task)
    found = rejudgeable(wanted, judge)
    for why, count in sorted({**left_out, **found.left_out}.items()):
        click.echo(f"left out: {count} × {why}", err=True)
    click.echo(f"{many(len(found.kept), 'question')} for {told_by(judge.identity)}", err=True)
    answered: list[Kept] = []
    new: list[Kept] = []
    for kept in found.kept:
        key = question_key(judge, kept.question)
        there = key is not None and store.get(key) is not None
        (answered if there else new).append(kept)
    _tell_what_is_asked(len(answered), new, limit)
    return [*answered, *new[:limit]]


def _kept(
    settings: Settings, store: Store, task: Sequence[str]
) -> tuple[list[KeptEntry], dict[str, int]]:
    """The entries of the tasks that are meant, and what of the folder is none that can be put."""
    verdicts = Verdicts(settings.verdicts) if settings.verdicts else None
    entries = [*(entries_of(store) if verdicts is None else entries_in(verdicts))]
    redacted = 0 if verdicts is None else verdicts.redacted()
    if not entries and not redacted:
        where = settings.verdicts or settings.store
        how = " --llm-eval-record" if settings.verdicts else ""
        raise UsageError(f"no verdict is kept in {where}; pytest --llm-eval{how} keeps some")
    wanted = [each for each in entries if not task or each[1].get("task") in task]
    if entries and not wanted:
        raise UsageError(f"no question of {', '.join(task)} is kept")
    return wanted, {"redacted questions": redacted} if redacted else {}


def _tell_what_is_asked(answered: int, new: Sequence[Kept], limit: int | None) -> None:
    asked = new[:limit]
    counts = Counter(each.question.task for each in asked)
    tasks = ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))
    click.echo(f"{answered} answered already, {len(asked)} to ask: {tasks or '–'}", err=True)
    if len(new) > len(asked):
        click.echo(f"{len(new) - len(asked)} more are left for later by --limit", err=True)
    sizes = [each.tokens for each in asked if each.tokens is not None]
    if sizes:
        click.echo(f"they took {sum(sizes)} tokens, in and out, when they were asked", err=True)


def _told(done: Sequence[Rejudged], judge: str) -> Iterator[str]:
    """What came of ``done``, by task, the worst first; ``judge`` is the new one in the words for
    the old.
    """
    called = _names(test for each in done for test in each.kept.tests)
    for each in sorted(done, key=_rank):
        if each.flipped and each.values and each.reasons:
            names = ", ".join(called[test] for test in each.kept.tests)
            tests = f"   {shown(names, 200)}" if names else ""
            yield f"{each.kept.question.task}  {each.before} → {each.after}{tests}"
            yield f"  was {each.values[0]} by {each.kept.judge}: {shown(each.reasons[0], 300)}"
            yield f"  now {each.values[1]} by {judge}: {shown(each.reasons[1], 300)}"
    for (task, error), count in Counter(
        (each.kept.question.task, each.error) for each in done if each.error
    ).items():
        yield f"no verdict: {count} × {task}: {shown(error or '', 300)}"
    for task in sorted({each.kept.question.task for each in done}):
        judged = [each for each in done if each.kept.question.task == task and not each.error]
        if judged:
            flips = sum(each.flipped for each in judged)
            marks = dict.fromkeys(each.mark for each in judged if each.mark is not None)
            at = f" at {' and '.join(marks)}; marks of single tests are not known here"
            yield f"{task}: {flips} of {len(judged)} verdicts flip{at if marks else ''}"


def _rank(each: Rejudged) -> tuple[Any, ...]:
    return each.kept.question.task, -each.fall, each.kept.tests


def _names(tests: Iterable[str]) -> dict[str, str]:
    """What to call each of ``tests``, node ids: without its file where no other is called so."""
    names = {test: test.partition("::")[2] for test in tests}
    told = Counter(names.values())
    return {test: name if told[name] == 1 else test for test, name in names.items()}
