"""What was heard from a judge: read into a reply, kept as the store keeps it, and read again."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any, Generic

from pydantic import BaseModel

from ..errors import EvalError, JudgeRefused, ReplyCutOff, UnreadableReply
from ..results import total
from ..text.shown import shown
from .base import BaseJudge, Question, ReplyT, Said
from .reply import read, unreadable
from .schema import shown_schema, unmarked
from .store import canonical, key_of_written


@dataclass(frozen=True)
class Answer(Generic[ReplyT]):
    """A valid reply and what it took. ``asked`` is False when it had been heard before.

    ``key`` names it in the store, None where the judge's answers are not kept. Tokens
    and cost are those of every request behind the reply, the second one included. ``took`` is how
    many seconds asking took in this run, with every try; ``seconds`` what the judge's line told.
    """

    reply: ReplyT
    said: str
    asked: bool
    key: str | None
    resolved_model: str | None
    input_tokens: int | None
    output_tokens: int | None
    cost: float | None
    seconds: float
    took: float = 0.0


def question_key(judge: BaseJudge, question: Question[Any]) -> str | None:
    """What names the question in the store; None where the judge's answers are not kept."""
    identity = judge.identity
    if identity is None:
        return None
    reply: type[BaseModel] = question.reply
    schema = "null" if question.form == "word" else _schema_text(reply)
    return _key(identity, question.messages, schema)


def entry_key(entry: Mapping[str, Any]) -> str:
    """What names the question that ``entry`` answers, made of the entry alone.

    Raises ``KeyError`` for an entry that does not hold all that this takes, and ``UsageError`` for
    one that holds what JSON cannot say.
    """
    return _key(entry["judge"], entry["messages"], canonical(unmarked(entry["schema"])))


def _key(judge: object, messages: object, schema: str) -> str:
    told = {"judge": canonical(judge), "messages": canonical(messages), "schema": schema}
    return key_of_written(told)


@lru_cache(maxsize=256)
def _schema_text(reply: type[BaseModel]) -> str:
    return canonical(unmarked(shown_schema(reply)))


def asked_schema(question: Question[Any]) -> Mapping[str, Any] | None:
    """The schema of the reply to ``question``, None where it is a word."""
    reply: type[BaseModel] = question.reply
    return None if question.form == "word" else shown_schema(reply)


def _read(said: Said, question: Question[ReplyT]) -> ReplyT:
    cut = said.stop == "length"
    if cut and question.form == "json":
        raise _cut_off(said)
    try:
        reply = read(said.text, question.reply, under_test=_texts(question), form=question.form)
        if question.fault_of is not None and (fault := question.fault_of(reply)) is not None:
            raise unreadable(said.text, fault)
    except UnreadableReply:
        if cut:
            raise _cut_off(said) from None
        raise
    return reply


def check_given(said: Said, judge: BaseJudge) -> None:
    """Raise ``JudgeRefused`` where ``said`` is what came in place of an answer of ``judge``."""
    if said.stop in ("refused", "filtered"):
        text = shown(said.text) or "no text"
        refusal = JudgeRefused(f"{judge.name} declined to answer: {text}")
        if said.stop == "filtered":
            refusal = JudgeRefused.by_filter(judge.name, "answer", text)
        refusal.spent = (said,)
        raise refusal


def _cut_off(said: Said) -> ReplyCutOff:
    fault = "the token limit ended the reply before a verdict was complete."
    if not said.text.strip():
        fault = "the token limit was used up before the reply began (by reasoning, most likely)."
    advice = "Raise --llm-eval-reply-tokens, or have the model reason less."
    return ReplyCutOff(f"{fault} {advice} It began: {shown(said.text)}", fault)


def _texts(question: Question[Any]) -> list[str]:
    """Every text under test in the question's inputs."""
    values = question.inputs.values()
    lists = [value for value in values if isinstance(value, list)]
    return [value for value in [*values, *chain.from_iterable(lists)] if isinstance(value, str)]


def answer_of(
    key: str | None, said: Sequence[Said], question: Question[ReplyT], asked: bool = True
) -> Answer[ReplyT]:
    """The answer that the last of ``said`` gives, at the price of all of them.

    Raises ``UnreadableReply`` where it gives none.
    """
    return Answer(
        reply=_read(said[-1], question),
        said=said[-1].text,
        asked=asked,
        key=key,
        resolved_model=said[-1].resolved_model,
        input_tokens=total([each.input_tokens for each in said]),
        output_tokens=total([each.output_tokens for each in said]),
        cost=total([each.cost for each in said]),
        seconds=round(sum(each.seconds for each in said), 3),
    )


_FIGURES = ("input_tokens", "output_tokens", "cost", "seconds")

_KEPT = ("said", "resolved_model", *_FIGURES)
"""The fields of an answer that the store keeps."""


def entry_of(judge: BaseJudge, question: Question[Any], answer: Answer[Any]) -> dict[str, Any]:
    """What the store keeps of an answer: what was said and when, and what it was said to.

    It holds all that its key is made of, so that an entry can be told to be under its own key.
    ``heard`` is in seconds since 1970, UTC.
    """
    return {
        "task": question.task,
        "judge": dict(judge.identity or {}),
        "messages": [list(message) for message in question.messages],
        "schema": asked_schema(question),
        "heard": int(time.time()),
        **{name: getattr(answer, name) for name in _KEPT},
    }


def revived(
    key: str, entry: Mapping[str, Any], question: Question[ReplyT]
) -> Answer[ReplyT] | None:
    """The answer that ``entry`` keeps; None for an entry that gives no valid one.

    What was changed by hand, be it the reply's price or the question it claims to answer, is none.
    Under which metric's name that was asked makes no difference: one that is renamed asks nothing.
    """
    asked = [list(message) for message in question.messages]
    try:
        kept = {name: entry[name] for name in _KEPT}
        said = Said(kept.pop("said"), **kept)
        if entry["messages"] != asked:
            return None
        if any(getattr(said, name) != kept[name] for name in _FIGURES):
            return None  # a figure that no judge's line gives
        return answer_of(key, [said], question, asked=False)
    except (KeyError, TypeError, EvalError):
        return None
