"""Reading what a judge said: an explicit, finite, in-scale value, or an error. Never a guess."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeVar

from pydantic import BaseModel

from ..errors import UnreadableReply
from ..text.shown import shown
from .answers import (
    WORD,
    FreeText,
    Rating,
    Reason,
    Reply,
    YesNo,
    integer_between,
    number_between,
    reasons,
)
from .explicit import valid
from .objects import Damaged, Fault, bare, whole
from .words import only_declines, unless_refused, yes_or_no

__all__ = [
    "WORD",
    "FreeText",
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
    objects must agree in all but free text, and the prose may neither speak of another verdict,
    decline to give one, nor talk about the object: see ``uncontested`` and ``framed``. Thinking
    that does not end holds no verdict, nor does an object whose reason is a refusal.

    With ``form="word"`` the reply is Yes or No (see ``yes_or_no``), for a ``reply`` with a field
    ``verdict`` and perhaps a ``reason``.

    Raises ``UnreadableReply``, its ``fault`` fit to be told to the judge, and ``JudgeRefused`` for
    a plain refusal.
    """
    try:
        if form == "json":
            read_one = _from_json(said, reply, under_test)
            if any(map(only_declines, reasons(read_one))):
                raise Fault("its reason is that you can't answer, and it gives an answer.")
            return read_one
        unless_refused(said)
        verdict, reason = yes_or_no(said)
        return valid({"verdict": verdict, "reason": reason}, reply)
    except Fault as error:
        fault = str(error)
    except RecursionError:
        fault = "it is nested too deeply."
    raise unreadable(said, fault)


def unreadable(said: str, fault: str) -> UnreadableReply:
    """The error that ``said`` holds no valid verdict, ``fault`` being what is wrong with it."""
    text = shown(said) or "(empty)"
    return UnreadableReply(f"the judge's reply could not be read: {fault}\n  reply: {text}", fault)


def _from_json(said: str, reply: type[ReplyT], under_test: Iterable[str]) -> ReplyT:
    if not (text := bare(said)):
        raise Fault("it was empty.")
    try:
        value = whole(said)
    except Damaged:
        from .wrapped import wrapped  # most judges reply with the object alone

        return wrapped(text, reply, under_test)
    if not isinstance(value, dict):
        raise Fault("it was not one JSON object but another JSON value.")
    return valid(value, reply)
