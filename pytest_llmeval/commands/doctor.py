"""The doctor: who judges, whether one real question gets its answer, and whether it can be kept."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

from ..checks import Asking
from ..data.cases import Case
from ..data.documents import Document
from ..errors import EvalError, NoJudge, UsageError
from ..judges.access import unset
from ..judges.base import BaseJudge, Question, Said
from ..judges.choice import JudgeChoice
from ..judges.committed import Verdicts
from ..judges.heard import Answer, answer_of, check_given
from ..judges.litellm_import import load
from ..judges.model import Judge
from ..judges.store import LEASE, Store
from ..metrics import CATALOGUE
from ..results import Verdict
from ..settings import Settings

CASE = Case(
    response="The tent sleeps two.",
    context=(Document(content="The Alpine tent sleeps two and is green."),),
)
"""A claim that its document states, for a fact check: any judge ought to say yes."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. ``text`` says what is so and, unless it is ok, what to do."""

    level: Literal["ok", "warning", "problem"]
    subject: str
    text: str


def examine(settings: Settings, origins: Mapping[str, str]) -> Iterator[Finding]:
    """Look at judge and store under ``settings``, a finding at a time.

    ``origins`` says where a setting that is not at its default was found. Nothing of what is
    found holds a key. What is asked is not stored.
    """
    listed = ", ".join(f"{name} from {where}" for name, where in origins.items())
    yield Finding("ok", "settings", listed or "none is set: all are at their defaults")
    try:
        judge = JudgeChoice(settings).of(None)
    except NoJudge:
        ways = " or ".join(line.split()[0] for line in NoJudge.ADVICE)
        yield Finding("problem", "judge", f"no judge is set; set {ways}")
    except UsageError as error:
        yield Finding("problem", "judge", str(error))
    else:
        yield from _judge(judge, settings)
    if settings.verdicts is not None:
        yield _verdicts(Verdicts(settings.verdicts), settings)
    if settings.verdicts is None or settings.mode != "replay":
        yield from _store(settings)


def _judge(judge: BaseJudge, settings: Settings) -> Iterator[Finding]:
    where = (judge.identity or {}).get("base_url")
    who = judge.name + (f" at {where}" if where else "")
    if not isinstance(judge, Judge):
        yield Finding("ok", "judge", f"{who}: no LLM, words are weighed; no key is needed")
    else:
        yield Finding("ok", "judge", who)
        if settings.mode == "replay":
            yield Finding("ok", "call", "none is made: in mode replay, runs ask nothing either")
            return
        started = time.monotonic()
        try:
            judge.prepare(lambda told: None)
        except Exception as error:
            yield Finding("problem", "litellm", f"cannot be imported ({error}); install it anew")
            return
        took = time.monotonic() - started
        yield Finding("ok", "litellm", f"{version('litellm')}, imported in {took:.1f} s")
        key = _key(judge)
        yield key
        if key.level == "problem":
            return
    yield from _call(judge, settings)


def _key(judge: Judge) -> Finding:
    if judge.key_env is not None:
        if os.environ.get(judge.key_env, "").strip():
            return Finding("ok", "key", f"{judge.key_env} is set")
        return Finding("problem", "key", f"{judge.key_env} is not set; put the key into it")
    if judge.base_url is not None:
        told = "none is sent to base_url; where the server wants one, name its variable by key_env"
        return Finding("ok", "key", told)
    if lacking := unset(judge, load()):
        return Finding("problem", "key", f"there is no key; set {' or '.join(lacking)}")
    return Finding("ok", "key", "the provider's own variable is set, or it needs none")


@dataclass
class _Call:
    """One question to a judge, over a line of its own: no second try, nothing stored."""

    judge: BaseJudge
    settings: Settings
    notices: list[str] = field(default_factory=list)
    answer: Answer[Any] | None = None

    async def verdict(self) -> Verdict:
        """The judge's verdict on ``CASE``; raises the ``EvalError`` that fits."""
        line = self.judge.connect(self.settings.timeout, self.notices.append)

        async def ask(judge: BaseJudge, question: Question[Any]) -> Answer[Any]:
            said: Said = await line.say(question, question.messages)
            check_given(said, judge)
            self.answer = answer_of(None, [said], question)
            return self.answer

        try:
            asking = Asking(ask, lambda: self.judge, self.settings.reason_language)
            return await CATALOGUE["fact_check"].verdict(CASE, asking)
        finally:
            await line.close()


def _call(judge: BaseJudge, settings: Settings) -> Iterator[Finding]:
    call = _Call(judge, settings)
    try:
        verdict = asyncio.run(call.verdict())
    except EvalError as error:
        yield Finding("problem", "call", str(error))
        return
    finally:
        for notice in call.notices:
            yield Finding("warning", "parameter", notice)
    answer = call.answer
    assert answer is not None
    took = f"a fact check was answered in {answer.seconds:.2f} s"
    if verdict.score == 1:
        yield Finding("ok", "call", took)
    else:
        yield Finding(
            "warning", "call", f"{took}, wrongly: no, where the document says so; try another judge"
        )
    if isinstance(judge, Judge):
        yield from _account(judge, answer, call.notices)


def _account(judge: Judge, answer: Answer[Any], notices: list[str]) -> Iterator[Finding]:
    if judge.checker:
        yield Finding("ok", "schema", "none is sent: a dedicated checker answers in one word")
    elif any("json_schema" in notice for notice in notices):
        yield Finding("warning", "schema", "it had to be left out: the prompt alone describes it")
    else:
        yield Finding("ok", "schema", "the reply's schema was taken")
    if answer.resolved_model:
        yield Finding("ok", "model", f"it calls itself {answer.resolved_model}")
    else:
        yield Finding("warning", "model", "the reply does not say which model gave it")
    if answer.input_tokens is None or answer.output_tokens is None:
        yield Finding("warning", "tokens", "none are reported: runs show them as unknown")
    else:
        yield Finding("ok", "tokens", f"{answer.input_tokens} in, {answer.output_tokens} out")
    if answer.cost is None:
        told = "not known for this model: runs show their cost as unknown"
        yield Finding("warning", "price", told)
    else:
        yield Finding("ok", "price", f"${answer.cost:.6f} for this question")


def _verdicts(committed: Verdicts, settings: Settings) -> Finding:
    try:
        committed.check()
    except UsageError as error:
        return Finding("problem", "verdicts", str(error))
    if not committed.files:
        level: Literal["ok", "problem"] = "problem" if settings.mode == "replay" else "ok"
        told = "there is none yet; --llm-eval-record writes them"
        return Finding(level, "verdicts", f"{committed.folder}: {told}")
    counts = f"{len(committed)} questions answered, files: {len(committed.files)}"
    if redacted := committed.redacted():
        counts += f", redacted: {redacted}"
    return Finding("ok", "verdicts", f"{committed.folder}: {counts}")


def _store(settings: Settings) -> Iterator[Finding]:
    store = Store(settings.store)
    if settings.mode == "off":
        yield Finding("ok", "store", "not used: the mode is off")
        return
    if not store.begun:
        yield _place_for(store.folder, settings)
        return
    entries = len(store)
    row = f"{LEASE}doctor-{uuid4().hex}"
    store.claim(row, {}, lambda there: True)
    store.drop(row, lambda there: True)
    store.close()
    for note in store.notes:
        yield Finding("warning", "store", note)
    if store.trouble is not None:
        yield Finding("problem", "store", store.trouble)
    else:
        count = "1 entry" if entries == 1 else f"{entries} entries"
        yield Finding("ok", "store", f"{store.folder}: {count}, writable")


def _place_for(folder: Path, settings: Settings) -> Finding:
    """What can be said of a store that nobody has written to yet."""
    if settings.mode == "replay":
        told = f"{folder} holds nothing, and mode replay asks nothing; record it in mode auto"
        return Finding("problem", "store", told)
    there = next(each for each in (folder, *folder.parents) if os.path.exists(each))
    if there.is_dir() and os.access(there, os.W_OK | os.X_OK):
        return Finding("ok", "store", f"{folder}: the first reply begins it")
    told = f"{folder} cannot be made: {there} is no folder that can be written to; choose another"
    return Finding("problem", "store", told)
