"""The prose around a verdict: reasoning and a lead-in before it, an explanation after it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from .claims import answered_otherwise
from .mentions import FIGURES, another_figure, another_word, joined, one_word
from .objects import Fault
from .quoted import decisions
from .schema import schema_of
from .words import CANNOT, RATE, declines

BARE = "reply with the JSON object alone"

_MARKS = re.compile(r"</?\|?\w+\|?>|\[/?inst\]|[`~*_#>{}$\\\ufeff|-]+|\s+", re.IGNORECASE)
"""Fences, emphasis, tags and tokens of chat templates: they say nothing."""
_SENTENCE = re.compile(r"(?<=[.!?…。！？])(?:[\"'”’)\]]*)\s+|\n+")
_ENDED = re.compile(r"[.!?…。！？][\s\"'”’)\]*_`~{]*$")
_ITEM = re.compile(
    r"(?:^|\n)[ \t]*+(?:[-*+•]|\d++[.)])[ \t]++[^\n]*+\n[\s`~]*+(?:json\w*+)?+\s*+$",
    re.IGNORECASE,
)
"""An item of a list, which often has no full stop, at the end of a text."""
_LEAD_IN = re.compile(
    r"a|above|again|analysis|and|answer|as|based|below|boxed|certainly|conclusion|course|decision"
    r"|evaluation|final|follow(?:s|ing)|for|give|grade|here|hence|i|in|is|it|json|judge?ment|level"
    r"|me|more|my|now|object|of|ok|okay|on|once|or|out|output|overall|provided?|rating|reasoning"
    r"|reply|requested|required|response|result|s|score|so|structured|sure|that|the|then|therefore"
    r"|this|thus|to|valid|verdict|with"
)
"""What a lead-in is made of ("Here is my evaluation:", "Final answer"): it announces, no more."""
_IN_FORMAT = re.compile(r"\bin\s+(?:(?:the|a)\s+)?(?:\w+\s+){0,2}format\b", re.IGNORECASE)
_SUPPOSED = re.compile(
    r"\b(?:if|unless|would|could|might|example|sample|template|format|suppose|imagine)\b|['’]d\b",
    re.IGNORECASE,
)
_UNDECIDED = re.compile(
    rf"\b{CANNOT} (?:really |yet )?"
    rf"(?:decide|judge|say|tell|{RATE}|assess|determine|answer)",
    re.IGNORECASE,
)
_COURTESY = re.compile(
    r"(?:please )?let me know if (?:(?:this|that|it) helps|you (?:need|have|want|would like)\b"
    r"[^.!?\n]*)|(?:I )?hope (?:this|that|it)(?:['’]?s| is)? (?:helps?|fine)",
    re.IGNORECASE,
)
_TAKEN_BACK = re.compile(
    r"\b(?:actually|hm+|on reflection|on second thoughts?|wait|correction|scratch that"
    r"|changed my mind|take (?:it|that) back|make (?:it|that)|reconsider\w*|instead|rather"
    r"|generous|lenient|harsh|too (?:high|low|kind|strict)|if|unless|would|could|should|might"
    r"|must|ought to|not so|isn['’]t so)\b|(?:^|[.!?])[ \t]*+no\b(?=[ \t]*+[.,!;:\n]|\s*+$)",
    re.IGNORECASE | re.MULTILINE,
)
_CALLED = (
    r"(?:{name}|score|rating|verdict|grade|level"
    r"|(?:rate|give|grade|score) (?:it|this|that|the response))"
)
_ANSWER = "answer|judge?ment|conclusion|decision"
"""What names a verdict where the value comes next: "the answer has no fault" names none."""
_PLAIN_NAMES = rf"score|rating|verdict|grade|level|rate it|give it|rate this|give this|{_ANSWER}"
_LINKS = r"(?:(?:is|of|be|as|at|an?|the|to|it|would|should|must)\W+){0,4}"


def framed(verdict: BaseModel, before: str, after: str) -> None:
    """Raise ``Fault`` unless ``verdict`` stands in the reply as the judge's own conclusion.

    ``before`` is the prose before its object: nothing, a lead-in, or reasoning whose sentences
    have ended and do not merely suppose the verdict. ``after`` is what follows: nothing, a
    courtesy, or an explanation that names the same verdict and takes nothing back. An object
    amid a sentence is talked about ("I would reply … if"), and no conclusion.
    """
    if _UNDECIDED.search(f"{before}\n{after}"):
        raise Fault(f"its prose says that it can't be decided; {BARE}.")
    if declines(f"{before}\n{after}"):
        raise Fault(f"its prose declines to answer; {BARE}.")
    sentences = [each for each in _SENTENCE.split(before) if _bare(each)]
    last = sentences[-1] if sentences else ""
    if _announces(verdict, last):
        last = sentences[-2] if sentences[1:] else ""
    elif not (_ENDED.search(last) or _ITEM.search(before)):
        raise Fault(f"the JSON object stands amid a sentence; {BARE}.")
    if supposed := _SUPPOSED.search(last):
        raise Fault(f"its prose only supposes the JSON object ({supposed[0].lower()!r}); {BARE}.")
    rest = _COURTESY.sub("", after)
    if not re.search(r"\w", _bare(rest)):
        return
    if taken_back := _TAKEN_BACK.search(rest):
        raise Fault(f"what follows the JSON object takes it back ({taken_back[0].lower()!r}).")
    if not _names(verdict, rest):
        raise Fault(f"what follows the JSON object does not name the same verdict; {BARE}.")


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
        else:
            other = _another(plain, name, value, alone) or (
                another_figure(plain, value) if alone else None
            )
        if other:
            raise Fault(f"its prose says {other!r} where its JSON object has {value} for {name!r}.")


def _bare(text: str) -> str:
    return re.sub(r"\bjson\w*", "", _MARKS.sub(" ", text), flags=re.IGNORECASE).strip()


def _announces(verdict: BaseModel, sentence: str) -> bool:
    """Whether ``sentence`` is a heading or a lead-in; the verdict's own values may be in it."""
    decided = decisions(verdict)
    values = [word for value in decided.values() for word in str(value).lower().split()]
    values += decided.keys()
    figures = re.sub(r"\b(\d++(?:\.\d++)?+)\s*+(?:/|out of)\s*+\d++", r"\1", sentence)
    words = re.findall(r"\w+(?:\.\d+)?", _IN_FORMAT.sub("", _bare(figures)).lower())
    return all(_LEAD_IN.fullmatch(word) or word.removesuffix(".0") in values for word in words)


def _called(name: str, alone: bool) -> str:
    """The pattern of what the field ``name`` is called in prose."""
    spaced = re.escape(name).replace("_", r"[\s_]")
    return _CALLED.format(name=spaced) if alone else spaced


def _leads(name: str, alone: bool, between: str) -> str:
    """The pattern of what leads to the field's value in prose."""
    close = rf"|(?:{_ANSWER})\W+{_LINKS}" if alone else ""
    return rf"\b(?:{_called(name, alone)}\b{between}{{0,40}}?{close})"


def _names(verdict: BaseModel, prose: str) -> bool:
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
        if re.search(rf"(?:{said}|^\W*)\b{wanted}\b", plain, re.IGNORECASE):
            return True
    return False


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
