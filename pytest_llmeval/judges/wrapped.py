"""A verdict with something around it: an object that is damaged, in a fence, or within prose."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, TypeVar

from pydantic import BaseModel

from .explicit import valid
from .framing import framed
from .mending import decoded
from .objects import Fault, Found, objects_in
from .prose import uncontested
from .quoted import Sources, is_plain, undoubted
from .words import unless_refused

ReplyT = TypeVar("ReplyT", bound=BaseModel)


def wrapped(text: str, reply: type[ReplyT], under_test: Iterable[str]) -> ReplyT:
    """The verdict of the objects in ``text`` that are the judge's own words.

    Raises ``Fault`` where there is none, and ``JudgeRefused`` for a plain refusal.
    """
    sources = Sources(under_test)
    pieces = objects_in(text)
    if not pieces.found:
        unless_refused(text)
        raise Fault("it holds no JSON object.")
    for name in reply.model_fields:
        # The rest of an object that a quote or a bracket in its text seemed to end.
        if re.search(rf"""["']{re.escape(name)}["']\s*:""", pieces.prose):
            raise Fault(f"{name!r} stands outside the JSON object.")
    if pieces.thinking:
        raise Fault("it holds thinking that does not end.")
    if len(pieces.found) == 1 and is_plain(pieces.prose):
        verdict, last = _agreed(decoded(pieces.found), reply, None)
        undoubted(verdict, last.text)
        return verdict
    own = [each for each in pieces.found if not sources.hold(each.text)]
    if not own:
        raise Fault(_QUOTED)
    verdict, last = _agreed(decoded(own), reply, sources)
    for each in own:
        undoubted(verdict, each.text)
    uncontested(verdict, pieces.prose)
    framed(verdict, *pieces.around(last))
    return verdict


_QUOTED = "the JSON object in it is quoted from the text to be judged, or says the same as that."


def _agreed(
    values: list[tuple[Found, Any]], reply: type[ReplyT], sources: Sources | None
) -> tuple[ReplyT, Found]:
    """The one verdict that those of ``values`` give that are verdicts, and none of ``sources``.

    With it comes the last object that gives it.
    """
    given, faults = [], []
    for found, value in values:
        for each in value if isinstance(value, list) else [value]:
            try:
                verdict = valid(each, reply)
            except Fault as fault:
                faults.append(fault)
                continue
            if each is not value:
                raise Fault("it holds a list of objects, not one JSON object.")
            given.append((verdict, found))
    if not given:
        nothing = Fault("it holds no JSON object.")
        raise min(faults, key=lambda fault: str(fault).count("missing"), default=nothing)
    own = [each for each in given if sources is None or not sources.give(each[0])]
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
