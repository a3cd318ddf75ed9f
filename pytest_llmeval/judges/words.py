"""Replies in plain words: a bare Yes or No, and a refusal to answer."""

from __future__ import annotations

import re
from typing import Literal

from ..errors import JudgeRefused
from ..text.shown import shown
from .objects import THOUGHT, Fault

CANNOT = (
    r"i(?: (?:can['’]?t|can ?not|could(?: not|n['’]t)|won['’]?t|will not|am (?:not able|unable) to)"
    r"|['’]m (?:not able|unable) to)"
)
RATE = (
    r"(?:evaluate|give|grade|provide|rate|score)"
    r"(?![^.!?\n]*\b(?:above|below|higher|lower|(?:better|less|more) than)\b)"
)
"""To rate; but "I can't rate it higher" rates."""
_DEED = rf"(?:assist|comply|continue|discuss|engage|fulfil|help(?! but\b)|participate|{RATE})"
_JUDGING = (
    r"(?:do|analy[sz]e|answer|assess|grade|judge|look at|process|respond(?: to)?|review|score|view)"
    r"(?: (?:any|it|so|such|that|the|this)(?: (?:kind|sort|type) of)?"
    r"(?: (?:content|conversation|material|message|prompt|query|request|response|text))?)?"
    r"(?=\W*(?:[.!?\n]|$)|,? (?:as|because|due|since)\b)"
)
_DECLINES = (
    rf"(?:{CANNOT} (?:\w+ly )?(?:{_DEED}|{_JUDGING})"
    r"|i (?:do not|don['’]t) feel comfortable\b|(?:i['’]d|i would) rather not\b"
    r"|i (?:(?:must|have to|will|would) )?(?:\w+ly )?(?:refuse|decline)\b)"
)
_REFUSAL = re.compile(
    rf"(?:no\W+)?(?:(?:i['’]m |i am )?(?:very |so )?sorry\W+(?:but )?{CANNOT}\b"
    rf"|(?:i apologi[sz]e|unfortunately|as an ai[\w ]*?)?\W*(?:but )?{_DECLINES})",
    re.IGNORECASE,
)
_DECLINED = re.compile(
    rf"\b{_DECLINES}"
    r"|(?:^|(?<=[.!?] ))(?:can['’]?t|cannot|unable to) (?:assist|comply|continue|help)\b",
    re.IGNORECASE | re.MULTILINE,
)
QUOTE = re.compile(r"\"[^\"\n]{0,200}\"|“[^”\n]{0,200}”|«[^»\n]{0,200}»")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")

_ANSWER = re.compile(r"[\W_]*(yes|no)\b(.*)", re.IGNORECASE | re.DOTALL)
_SET_OFF = re.compile(r"[\s*_\"'’”)\]`]*(?:[.:;,!\n–—(]|\s-\s)")
_TAKEN_BACK = frozenset(
    {"and", "or", "but", "though", "although", "however", "partly", "partially", "maybe"}
)
_UNDOES_YES = re.compile(
    r"\b(?:not|never|nor|neither|none|nothing|cannot|un(?:supported|true|founded|verified|proven)"
    r"|false|wrong|incorrect|inaccurate|contradict\w*|refute\w*|untrue|lacks?|fails?)\b|n['’]t\b",
    re.IGNORECASE,
)
_UNDOES_NO = re.compile(
    r"\b(?:supported|supports|true|correct|right|accurate|confirmed|confirms|borne out|entailed)\b",
    re.IGNORECASE,
)


def spoken(said: str) -> str:
    """``said`` without the thinking before it."""
    return THOUGHT.split(said)[-1].strip()


def unless_refused(said: str) -> None:
    """Raise ``JudgeRefused`` where ``said`` opens as refusals do.

    "I'm sorry, but I can't …", "I cannot assist …".
    """
    if _REFUSAL.match(spoken(said).lstrip("*_#>\"' ")):
        raise JudgeRefused(f"the judge declined to answer: {shown(said)}")


def declines(prose: str) -> bool:
    """Whether a sentence of ``prose`` declines to answer; one that is quoted is another's."""
    return _DECLINED.search(QUOTE.sub(" ", prose)) is not None


def only_declines(reason: str) -> bool:
    """Whether ``reason`` is a refusal and nothing else: it opens as one, and goes on as one."""
    first, *others = [each for each in _SENTENCE.split(reason.strip()) if each] or [""]
    return _REFUSAL.match(first) is not None and all(_DECLINED.search(each) for each in others)


def yes_or_no(said: str) -> tuple[Literal["yes", "no"], str]:
    """The verdict of a reply in one word, and the explanation after it (mostly none).

    Case, markdown and punctuation around the word make no difference. An explanation must be set
    off by punctuation, hold no opposite verdict word, not take the answer back at once and not
    speak for the other one: a Yes is explained without a negation, a No by what is borne out only
    where something is negated. "Yes. The document says so." is a yes; "Yes, but no", "Yes, but
    hardly", "Yes (incorrect)", "No, it is supported", "No idea" and "Answer: yes" are neither.
    Raises ``Fault``.
    """
    text = spoken(said)
    if not text:
        raise Fault("it was empty.")
    answer = _ANSWER.fullmatch(text)
    if answer is None:
        raise Fault("it was not Yes or No.")
    verdict: Literal["yes", "no"] = "yes" if answer[1].lower() == "yes" else "no"
    rest = answer[2]
    words = re.findall(r"\w+", rest.lower())
    if {"yes": "no", "no": "yes"}[verdict] in words:
        raise Fault("it said both yes and no.")
    if words and (words[0] in _TAKEN_BACK or not _SET_OFF.match(rest)):
        raise Fault("it was not a plain Yes or No.")
    negated = _UNDOES_YES.search(rest)
    if negated if verdict == "yes" else (_UNDOES_NO.search(rest) and not negated):
        raise Fault("what it said after the word speaks for the other one.")
    return verdict, rest.lstrip(" \t\r\n.:;,!–—-*_\"'’”)]`").rstrip() if words else ""
