"""The prose around a verdict: whether it names the same one, and none beside."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from .claims import answered_otherwise
from .counts import FIGURES, another_figure
from .mentions import another_word, joined, one_word
from .objects import Fault
from .quoted import decisions
from .schema import schema_of

_CALLED = (
    r"(?:{name}|score|rating|verdict|grade|level"
    r"|(?:rated?|give|gave|graded?|scored?) (?:it|this|that|the response))"
)
_ANSWER = "answer|judge?ment|conclusion|decision"
"""What names a verdict where the value comes next: "the answer has no fault" names none."""
_PLAIN_NAMES = rf"score|rating|verdict|grade|level|rate it|give it|rate this|give this|{_ANSWER}"
_IT_IS = (
    r"(?:^|[.!?\n]\s{0,3})(?:so |thus |overall,? )?(?:it|this|that)(?: is|['’]s)\W{1,3}(?:an? )?"
)
_LINKS = r"(?:(?:is|of|be|as|at|an?|the|to|it|would|should|must)\W+){0,4}"


def uncontested(verdict: BaseModel, prose: str) -> None:
    """Raise ``Fault`` where ``prose`` speaks of another verdict than the one in the object.

    What stands before the object and what stands after it are held to the same rules.
    """
    plain = re.sub(r"[*`]+", "", prose)
    decided = decisions(verdict)
    alone = len(decided) == 1
    for name, value in decided.items():
        if isinstance(value, str | bool):
            words = _words(verdict, name)
            called = _called(name, alone) + (f"|{_ANSWER}" if alone else "")
            other = words and another_word(
                joined(plain, words), words, str(value).lower(), called, alone
            )
            other = other or answered_otherwise(plain, str(value), _asked(verdict, name))
            other = other or (_in_other_words(plain, called, str(value)) if alone else None)
        else:
            other = _another(plain, name, value, alone) or (
                another_figure(plain, value, _ends(verdict, name)) if alone else None
            )
        if other:
            raise Fault(f"its prose says {other!r} where its JSON object has {value} for {name!r}.")


def _called(name: str, alone: bool) -> str:
    """The pattern of what the field ``name`` is called in prose."""
    spaced = re.escape(name).replace("_", r"[\s_]")
    return _CALLED.format(name=spaced) if alone else spaced


def _leads(name: str, alone: bool, between: str) -> str:
    """The pattern of what leads to the field's value in prose."""
    close = rf"|(?:{_ANSWER})\W+{_LINKS}" if alone else ""
    return rf"\b(?:{_called(name, alone)}\b{between}{{0,40}}?{close})"


def names(verdict: BaseModel, prose: str) -> bool:
    """Whether ``prose`` names one of the verdict's decisions, and its value with it."""
    plain = re.sub(r"[*_`\"']+", "", prose)
    decided = decisions(verdict)
    for name, value in decided.items():
        between = r"[^.!?;\n\d]"
        if isinstance(value, str | bool):
            words, between = _words(verdict, name), r"[^.!?;\n]"
            plain, value = joined(plain, words), one_word(str(value))
        wanted = re.escape(f"{value:g}" if isinstance(value, float) else str(value))
        if not isinstance(value, str):
            wanted += r"(?:\.0+)?(?![.\d]*\d)"
        said = _leads(name, len(decided) == 1, between)
        if re.search(rf"(?:{said}|{_IT_IS}|^\W*)\b{wanted}\b", plain, re.IGNORECASE):
            return True
        opposite = {"yes": "no", "no": "yes"}.get(str(value), "")
        if answered_otherwise(plain, opposite, _asked(verdict, name)):
            return True
    return False


def _in_other_words(prose: str, called: str, value: str) -> str | None:
    """What stands behind what the field is called, and is none of its words: "Severity: 7"."""
    figure = rf"\b(?:{called})\W{{1,3}}{_LINKS}(\d[\d.]{{0,9}})"
    word = (
        rf"\b(?:{called})\W{{0,3}}[:=][ \t\"'_]{{0,3}}([^\W_][\w-]{{0,30}}(?: [\w-]{{1,30}})?)"
        r"[ \t\"'_]{0,3}(?=[.;,!\n(]|$)"
    )
    said = [*re.findall(figure, prose, re.IGNORECASE), *re.findall(word, prose, re.IGNORECASE)]
    own = re.sub(r"\W", "", value).lower()
    return next((each for each in said if re.sub(r"[\W_]", "", each).lower() != own), None)


def _ends(verdict: BaseModel, name: str) -> tuple[float, float] | None:
    """The lowest and the highest that the field may hold, None where nothing bounds it."""
    detail = _detail(verdict, name)
    values = detail.get("enum", [detail.get("minimum"), detail.get("maximum")])
    return None if None in values else (min(values), max(values))


def _another(prose: str, name: str, value: float, alone: bool) -> str | None:
    """What other figure than ``value`` the prose gives behind what the field is called."""
    # A range ("from 1 to 5") is the scale and no value on it.
    said = _leads(name, alone, r"[^.!?;\n\d]")
    figure = rf"{said}(?<!\d)(\d++(?:\.\d++)?+)(?!\s*+(?:[-–—]|to\b)\s*+\d)"
    told = [(each, float(each[:20])) for each in re.findall(figure, prose, re.IGNORECASE)]
    spelt = rf"\b(?:{_PLAIN_NAMES})\W+{_LINKS}({'|'.join(FIGURES)})\b"
    told += [(each, FIGURES.index(each.lower())) for each in re.findall(spelt, prose, re.I)]
    return next((each for each, number in told if number != value), None)


def _detail(verdict: BaseModel, name: str) -> Mapping[str, Any]:
    detail: Mapping[str, Any] = schema_of(type(verdict))["properties"].get(name, {})
    return detail


def _asked(verdict: BaseModel, name: str) -> str:
    """What the field answers, in the words in which the judge is asked."""
    return str(_detail(verdict, name).get("description", ""))


def _words(verdict: BaseModel, name: str) -> list[str]:
    """The words that the field may hold."""
    detail = _detail(verdict, name)
    allowed = detail.get("enum", ("true", "false") if detail.get("type") == "boolean" else ())
    return [each.lower() for each in allowed if isinstance(each, str)]
