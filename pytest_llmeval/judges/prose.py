"""The prose around a verdict: reasoning and a lead-in before it, an explanation after it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel

from .objects import Fault
from .quoted import Decision, decisions
from .schema import schema_of

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
    r"\bI (?:can['’]?t|can ?not|could not|couldn['’]t|won['’]t|(?:am|['’]m) (?:not able|unable) to)"
    r" (?:really |yet )?"
    r"(?:decide|judge|say|tell|rate|score|grade|evaluate|assess|determine|answer)",
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
_FIGURES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
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
    """Raise ``Fault`` where ``prose`` speaks of another verdict than the one in the object."""
    plain = re.sub(r"[*_`]+", "", prose)
    for name, said, value in _said(verdict):
        words = _words(verdict, name)
        if other := _another(_joined(plain, words), said, value, words):
            raise Fault(f"its prose says {other!r} where its JSON object has {value} for {name!r}.")


def _joined(text: str, words: Iterable[str]) -> str:
    """``text`` with those of ``words`` that are several joined: "very low" is not "low"."""
    for each in words:
        if several := each.split()[1:]:
            spread = r"[\s-]+".join(map(re.escape, [each.split()[0], *several]))
            text = re.sub(rf"\b{spread}\b", _one_word(each), text, flags=re.IGNORECASE)
    return text


def _one_word(words: str) -> str:
    return "_".join(words.lower().split())


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


def _said(verdict: BaseModel) -> Iterable[tuple[str, str, Decision]]:
    """What ``verdict`` decides: name, pattern of what leads to a value in prose, value."""
    decided = decisions(verdict)
    for name, value in decided.items():
        called, close = re.escape(name), ""
        if len(decided) == 1:
            called, close = _CALLED.format(name=called), rf"|(?:{_ANSWER})\W+{_LINKS}"
        between = r"[^.!?;\n]" if isinstance(value, str | bool) else r"[^.!?;\n\d]"
        yield name, rf"\b(?:{called}\b{between}{{0,40}}?{close})", value


def _names(verdict: BaseModel, prose: str) -> bool:
    """Whether ``prose`` names one of the verdict's decisions, and its value with it."""
    plain = re.sub(r"[*_`\"']+", "", prose)
    for name, said, value in _said(verdict):
        if isinstance(value, str):
            plain, value = _joined(plain, _words(verdict, name)), _one_word(value)
        wanted = re.escape(f"{value:g}" if isinstance(value, float) else str(value).lower())
        if not isinstance(value, str | bool):
            wanted += r"(?:\.0+)?(?![.\d]*\d)"
        if re.search(rf"(?:{said}|^\W*)\b{wanted}\b", plain, re.IGNORECASE):
            return True
    return False


def _another(prose: str, said: str, value: Decision, words: Iterable[str]) -> str | None:
    """What else than ``value`` the prose gives behind what ``said`` matches."""
    if isinstance(value, str | bool):
        apart = (word for word in words if word != str(value).lower())
        others = "|".join(re.escape(_one_word(word)) for word in apart)
        if not others:
            return None
        # Also as a line or a sentence of its own: "No."
        alone = rf"(?:^|[.!?])[ \t>-]*+({others})[ \t]*+(?:[.!,;:]|$)"
        found = re.search(rf"{said}\b({others})\b", prose, re.IGNORECASE)
        found = found or re.search(alone, prose, re.IGNORECASE | re.MULTILINE)
        return found[1].replace("_", " ") if found else None
    # A range ("from 1 to 5") is the scale and no value on it.
    figure = rf"{said}(?<!\d)(\d++(?:\.\d++)?+)(?!\s*+(?:[-–—]|to\b)\s*+\d)"
    told = [(each, float(each[:20])) for each in re.findall(figure, prose, re.IGNORECASE)]
    spelt = rf"\b(?:{_PLAIN_NAMES})\W+{_LINKS}({'|'.join(_FIGURES)})\b"
    told += [(each, _FIGURES.index(each.lower())) for each in re.findall(spelt, prose, re.I)]
    return next((each for each, number in told if number != value), None)


def _words(verdict: BaseModel, name: str) -> list[str]:
    """The words that the field may hold."""
    detail: Mapping[str, Any] = schema_of(type(verdict))["properties"].get(name, {})
    allowed = detail.get("enum", ("true", "false") if detail.get("type") == "boolean" else ())
    return [each.lower() for each in allowed if isinstance(each, str)]
