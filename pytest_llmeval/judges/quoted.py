"""Whose verdict it is: the judge's own, or one that it quotes or takes back in its prose."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel

from .objects import Fault
from .schema import schema_of

Decision = bool | int | float | str

_PLAIN = re.compile(r"[\s`~{}\ufeff]*(?:json\w*)?[\s`~{}\ufeff]*", re.IGNORECASE)
_CALLED = r"(?:{name}|score|rating|verdict|grade|level)"
_TAKEN_BACK = re.compile(
    r"\b(?:actually|on reflection|on second thoughts?|wait|correction|scratch that"
    r"|changed my mind|take (?:it|that) back|if (?:it|this|that) (?:were|was)"
    r"|(?:score|rating|verdict|grade|level|it) (?:should|would|ought to|must)"
    r" (?:really |rather )?(?:be|have been))\b",
    re.IGNORECASE,
)
_DOUBT = re.compile(r"\b(?:no|not|or|but|rather|lower|higher|wait|actually)\b", re.IGNORECASE)


def is_plain(prose: str) -> bool:
    """Whether ``prose``, what stands around an object, is a fence and blanks at most."""
    return _PLAIN.fullmatch(prose) is not None


def decisions(verdict: BaseModel) -> dict[str, Decision]:
    """What ``verdict`` decides: its fields that hold one value and are no free text."""
    fields = type(verdict).model_fields.items()
    values = {name: getattr(verdict, name) for name, each in fields if each.annotation is not str}
    return {name: value for name, value in values.items() if isinstance(value, Decision)}


class Sources:
    """The texts under test, in the one form in which quotes from them are looked for.

    A judge that quotes a verdict does so in its own way: names in another order, ``5.0`` for
    ``5``, a reason cut short, other case, other escapes. What it decides stays the same, and has
    then to be named with the same value in the text. So an object that is wrapped in prose is no
    verdict where one text under test gives each of its values, in whatever notation; an object
    that is the whole reply is the judge's own in any case.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = [*texts]
        self._compact = [_compact(text) for text in self._texts]
        self._folded: list[str] = []

    def hold(self, text: str) -> bool:
        """Whether ``text`` stands in a text under test, but for marks, blanks and case."""
        compact = _compact(text)
        return any(compact in each for each in self._compact)

    def give(self, verdict: BaseModel) -> bool:
        """Whether a text under test gives the same verdict."""
        if not self._folded:
            self._folded = [_folded(text) for text in self._texts]
        decided = decisions(verdict)
        if not decided:
            free = [_compact(str(text)).rstrip(".…") for _, text in verdict]
            return any(free) and any(all(t in each for t in free) for each in self._compact)
        return any(
            all(_gives(text, name, value) for name, value in decided.items())
            for text in self._folded
        )


def undoubted(verdict: BaseModel, text: str) -> None:
    """Raise ``Fault`` where a comment in the object ``text`` gives a decision another value."""
    for name, value in decisions(verdict).items():
        behind = rf"""["'“”]?\b{re.escape(name)}["'“”]?\s*:[^,{{}}\n]*?(?:\#|//|/\*)([^\n]*)"""
        for comment in re.findall(behind, text):
            if _DOUBT.search(comment) or set(re.findall(r"\d+", comment)) - {str(value)}:
                raise Fault(f"a comment behind {name!r} speaks of another value.")


def uncontested(verdict: BaseModel, prose: str, after: str) -> None:
    """Raise ``Fault`` where the reply speaks of another verdict than the one in its object.

    ``prose`` is all that stands around the object, ``after`` what comes after it.
    """
    if taken_back := _TAKEN_BACK.search(after):
        raise Fault(f"what follows the JSON object takes it back ({taken_back[0].lower()!r}).")
    decided = decisions(verdict)
    for name, value in decided.items():
        called = re.escape(name)
        if len(decided) == 1:
            called = _CALLED.format(name=called)
        if other := _another(prose, called, value, _words(verdict, name)):
            raise Fault(f"its prose says {other!r} where its JSON object has {value} for {name!r}.")


def _another(prose: str, called: str, value: Decision, words: Iterable[str]) -> str | None:
    """What else than ``value`` the prose gives for what is ``called`` so."""
    if isinstance(value, str | bool):
        others = "|".join(re.escape(word) for word in words if word != str(value).lower())
        if not others:
            return None
        said = rf"\b{called}\b[^.!?;\n]{{0,40}}?\b({others})\b"
        found = re.search(said, prose, re.IGNORECASE)
        return found[1] if found else None
    # A range ("from 1 to 5") is the scale and no value on it.
    said = rf"\b{called}\b[^.!?;\n\d]{{0,40}}(\d+(?:\.\d+)?)(?![\d.]*\s*(?:[-–—]|to\b)\s*\d)"
    figures = re.findall(said, prose, re.IGNORECASE)
    return next((each for each in figures if float(each[:20]) != value), None)


def _words(verdict: BaseModel, name: str) -> list[str]:
    """The words that the field may hold."""
    detail: Mapping[str, Any] = schema_of(type(verdict))["properties"].get(name, {})
    allowed = detail.get("enum", ("true", "false") if detail.get("type") == "boolean" else ())
    return [each.lower() for each in allowed if isinstance(each, str)]


def _gives(text: str, name: str, value: Decision) -> bool:
    """Whether the folded ``text`` names ``value`` for ``name``: ``"score": 5``, ``score = 5.0``."""
    wanted = str(value).casefold()
    for match in re.finditer(rf"{re.escape(name.casefold())}[^\w:=]*[:=]\W*", text):
        came = text[match.end() : match.end() + len(wanted) + 20]
        if isinstance(value, str | bool):
            if came.startswith(wanted) and not came[len(wanted) : len(wanted) + 1].isalnum():
                return True
        elif (figure := re.match(r"\d+(?:\.\d+)?", came)) and float(figure[0]) == abs(value):
            return True
    return False


def _compact(text: str) -> str:
    return re.sub(r"[\s\\\"'“”‘’]+", "", text).casefold()


def _folded(text: str) -> str:
    """``text`` in one form: no escapes of HTML or JSON, no widths, invisible characters, case."""
    plain = re.sub(r"\\u([0-9a-fA-F]{4})", lambda each: chr(int(each[1], 16)), html.unescape(text))
    plain = unicodedata.normalize("NFKC", plain)
    return "".join(each for each in plain if unicodedata.category(each) != "Cf").casefold()
