"""Whose verdict it is: the judge's own, or one that it quotes from a text under test."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable

from pydantic import BaseModel

from .objects import Fault

Decision = bool | int | float | str

_PLAIN = re.compile(r"[\s`~{}\ufeff]*(?:json\w*)?[\s`~{}\ufeff]*", re.IGNORECASE)
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


def _gives(text: str, name: str, value: Decision) -> bool:
    """Whether the folded ``text`` names ``value`` for ``name``: ``"score": 5``, ``score = 5.0``."""
    words = r"[\s_*'\"-]*".join(map(re.escape, str(value).casefold().split()))
    for match in re.finditer(rf"{re.escape(name.casefold())}[^\w:=]*[:=][\W_]*", text):
        if isinstance(value, str | bool):
            if re.compile(rf"{words}(?![^\W_])").match(text, match.end()):
                return True
        elif (figure := re.match(r"\d+(?:\.\d+)?", text[match.end() : match.end() + 40])) and (
            float(figure[0]) == abs(value)
        ):
            return True
    return False


def _compact(text: str) -> str:
    return re.sub(r"[\s\\\"'“”‘’]+", "", text).casefold()


def _folded(text: str) -> str:
    """``text`` in one form: no escapes of HTML or JSON, no widths, invisible characters, case."""
    plain = re.sub(r"\\u([0-9a-fA-F]{4})", lambda each: chr(int(each[1], 16)), html.unescape(text))
    plain = unicodedata.normalize("NFKC", plain)
    return "".join(each for each in plain if unicodedata.category(each) != "Cf").casefold()
