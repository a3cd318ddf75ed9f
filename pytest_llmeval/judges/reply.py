"""Reading what a judge said: an explicit, finite, in-scale value, or an error. Never a guess."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from ..errors import JudgeRefused, UnreadableReply
from ..text.shown import shown
from .answers import WORD, Rating, Reason, Reply, YesNo, integer_between, number_between
from .explicit import explicit
from .objects import Damaged, Fault, Found, mended, objects_in, whole
from .prose import framed, uncontested
from .quoted import Sources, is_plain, undoubted
from .words import refuses, yes_or_no

__all__ = [
    "WORD",
    "Rating",
    "Reason",
    "Reply",
    "YesNo",
    "integer_between",
    "number_between",
    "read",
    "unreadable",
]

ReplyT = TypeVar("ReplyT", bound=BaseModel)


def read(
    said: str,
    reply: type[ReplyT],
    *,
    under_test: Iterable[str] = (),
    form: Literal["json", "word"] = "json",
) -> ReplyT:
    """The valid ``reply`` that ``said`` holds.

    Strict JSON is read as it stands. Else the text is searched for an object, with thinking,
    fences, prose, comments and slips of punctuation around or in it. An object that is all of the
    reply, or all but a fence, is the judge's own. Within prose, an object that stands in one of
    the texts ``under_test`` or decides what such a text gives is quoted and no verdict, several
    objects must agree in all but free text, and the prose may neither speak of another verdict
    nor talk about the object: see ``framed``. Thinking that does not end holds no verdict.

    With ``form="word"`` the reply is Yes or No (see ``yes_or_no``), for a ``reply`` with a field
    ``verdict`` and perhaps a ``reason``.

    Raises ``UnreadableReply``, its ``fault`` fit to be told to the judge, and ``JudgeRefused`` for
    a plain refusal.
    """
    try:
        if form == "json":
            return _from_json(said.strip().removeprefix("\ufeff"), reply, under_test)
        _unless_refused(said)
        verdict, reason = yes_or_no(said)
        return _valid({"verdict": verdict, "reason": reason}, reply)
    except Fault as error:
        fault = str(error)
    except RecursionError:
        fault = "it is nested too deeply."
    raise unreadable(said, fault)


def unreadable(said: str, fault: str) -> UnreadableReply:
    """The error that ``said`` holds no valid verdict, ``fault`` being what is wrong with it."""
    text = shown(said) or "(empty)"
    return UnreadableReply(f"the judge's reply could not be read: {fault}\n  reply: {text}", fault)


def _from_json(text: str, reply: type[ReplyT], under_test: Iterable[str]) -> ReplyT:
    if not text:
        raise Fault("it was empty.")
    try:
        value = whole(text)
    except Damaged:
        return _wrapped(text, reply, Sources(under_test))
    if not isinstance(value, dict):
        raise Fault("it was not one JSON object but another JSON value.")
    return _valid(value, reply)


def _wrapped(text: str, reply: type[ReplyT], sources: Sources) -> ReplyT:
    """The verdict of the objects in ``text`` that are the judge's own words."""
    pieces = objects_in(text)
    if not pieces.found:
        _unless_refused(text)
        raise Fault("it holds no JSON object.")
    for name in reply.model_fields:
        # The rest of an object that a quote or a bracket in its text seemed to end.
        if re.search(rf"""["']{re.escape(name)}["']\s*:""", pieces.prose):
            raise Fault(f"{name!r} stands outside the JSON object.")
    if pieces.thinking:
        raise Fault("it holds thinking that does not end.")
    if len(pieces.found) == 1 and is_plain(pieces.prose):
        verdict, last = _agreed(_values(pieces.found), reply, None)
        undoubted(verdict, last.text)
        return verdict
    own = [each for each in pieces.found if not sources.hold(each.text)]
    if not own:
        raise Fault(_QUOTED)
    verdict, last = _agreed(_values(own), reply, sources)
    for each in own:
        undoubted(verdict, each.text)
    uncontested(verdict, pieces.prose)
    framed(verdict, *pieces.around(last))
    return verdict


_QUOTED = "the JSON object in it is quoted from the text to be judged, or says the same as that."


def _unless_refused(said: str) -> None:
    if refuses(said):
        raise JudgeRefused(f"the judge declined to answer: {shown(said)}")


def _values(found: list[Found]) -> list[tuple[Found, Any]]:
    """What the sound ones hold, and the damaged one, where it is the only one and can be mended."""
    damaged = {each.text for each in found if each.value is None}
    if len(damaged) > 1:
        raise Fault("it holds several JSON objects that are damaged.")
    sound = any(each.value is not None for each in found)
    values: list[tuple[Found, Any]] = []
    for each in found:
        try:
            values.append((each, mended(each.text) if each.value is None else each.value))
        except Fault:
            if not sound:
                raise
    return values


def _agreed(
    values: list[tuple[Found, Any]], reply: type[ReplyT], sources: Sources | None
) -> tuple[ReplyT, Found]:
    """The one verdict that those of ``values`` give that are verdicts, and none of ``sources``.

    With it comes the last object that gives it.
    """
    valid, faults = [], []
    for found, value in values:
        for each in value if isinstance(value, list) else [value]:
            try:
                verdict = _valid(each, reply)
            except Fault as fault:
                faults.append(fault)
                continue
            if each is not value:
                raise Fault("it holds a list of objects, not one JSON object.")
            valid.append((verdict, found))
    if not valid:
        nothing = Fault("it holds no JSON object.")
        raise min(faults, key=lambda fault: str(fault).count("missing"), default=nothing)
    own = [each for each in valid if sources is None or not sources.give(each[0])]
    if not own:
        raise Fault(_QUOTED)
    if any(_decisive(each) != _decisive(own[0][0]) for each, _ in own):
        raise Fault("it holds two verdicts that contradict each other.")
    return own[0][0], own[-1][1]


def _decisive(value: Any) -> Any:
    """``value`` without free text: what two verdicts have to agree in."""
    if isinstance(value, list | tuple):
        return [_decisive(each) for each in value]
    if not isinstance(value, BaseModel):
        return value
    fields = type(value).model_fields.items()
    names = [name for name, field in fields if field.annotation is not str]
    return {name: _decisive(getattr(value, name)) for name in names}


def _valid(value: Any, reply: type[ReplyT]) -> ReplyT:
    try:
        return explicit(value, reply)
    except ValidationError as error:
        details = error.errors(include_url=False)
    raise Fault("; ".join(map(_told, details[:3])) + ".")


def _told(detail: ErrorDetails) -> str:
    name = ".".join(map(str, detail["loc"])) or "the value"
    if detail["type"] == "missing":
        return f"missing {name!r}"
    wrong = detail["msg"][:1].lower() + detail["msg"][1:]
    if detail["type"] == "literal_error":
        wrong = f"allowed are {detail.get('ctx', {})['expected']}"
    came = json.dumps(detail["input"], ensure_ascii=False, default=str)
    return f"{name!r} was {shown(came, 60)}, {wrong}"
