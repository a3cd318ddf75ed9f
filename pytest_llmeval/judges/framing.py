"""Whether an object within prose is the judge's conclusion: a lead-in or reasoning before it, an
explanation after it."""

from __future__ import annotations

import re

from pydantic import BaseModel

from ..text.english import is_english
from .objects import Fault
from .prose import names
from .quoted import decisions
from .words import CANNOT, QUOTE, RATE, declines

BARE = "reply with the JSON object alone"

_MARKS = re.compile(r"</?\|?\w+\|?>|\[/?inst\]|[`~*_#>{}$\\\ufeff|-]+|\s+", re.IGNORECASE)
"""Fences, emphasis, tags and tokens of chat templates: they say nothing."""
_SENTENCE = re.compile(r"(?<=[.!?…。！？])(?:[\"'”’)\]]*)\s+|\n+")
_ENDED = re.compile(r"[.!?…。！？][\s\"'”’)\]]*$")
_ITEM = re.compile(
    r"(?:^|\n)[ \t]*+(?:[-*+•]|\d++[.)])[ \t]++[^\n]*+\n[\s`~]*+(?:json\w*+)?+\s*+$",
    re.IGNORECASE,
)
"""An item of a list, which often has no full stop, at the end of a text."""
_LEAD_IN = re.compile(
    r"a|above|after|again|against|analysis|and|answer|as|assessment|based|below|boxed|careful"
    r"|certainly|coherence|complete|conclusion|consideration|context|correctness|course|criteria"
    r"|decision|determined|documents?|evaluat(?:ed?|ing|ion)|explanation|final|fluency"
    r"|follow(?:s|ing)|for|give|grade|groundedness|have|here|hence|hm+|i|in|is|it|json|judge?ment"
    r"|level|me|more|my|now|object|of|ok|okay|on|once|or|out|output|overall|provided?|query|rating"
    r"|reasoning|relevance|reply|requested|required|response|result|review(?:ing)?|rubric|s|safety"
    r"|score|so|structured|summary|sure|that|the|then|therefore|this|thoughts|thus|to|valid|ve"
    r"|verdict|well|with"
)
"""What a lead-in is made of ("Here is my evaluation:", "Final answer"): it announces, no more."""
_IN_FORMAT = re.compile(r"\bin\s+(?:(?:the|a)\s+)?(?:\w+\s+){0,2}format\b", re.IGNORECASE)
_MODEST = re.compile(
    r"\bI(?:['’]d| would) (?:assign|call|choose|give|go|grade|judge|pick|rate|say|score)\b(?=.*\w)",
    re.IGNORECASE,
)
"""What a judge says for "I give": "I'd give it a 4"."""
_SUPPOSED = re.compile(
    r"\b(?:if(?! anything\b)|unless|would|could|might|suppose|imagine|example|sample|template"
    r"|format|placeholder|dummy|json|object|the following|as quoted|(?:not|n['’]t) use)\b|['’]d\b"
    r"|\b(?:as|what|verdict|answer|score) follows\b|\bbelow (?:is|are)\b|\bbelow\W*$",
    re.IGNORECASE,
)
"""What talks about the object, instead of leading up to it."""
_UNDECIDED = re.compile(
    rf"\b(?:{CANNOT}|(?:unable|(?:im|not )possible|no way) to|(?:can['’]t|cannot|could not) be)"
    rf" (?:really |yet )?(?:decide|judge|say|tell|{RATE}|assess|determine|answer)"
    r"|\bI have no (?:verdict|rating|score)\b|\bn/a\b"
    r"|\bI have(?: not|n['’]t) (?:yet )?(?:read|seen|been given|received)"
    r" (?:the|any|a) (?:response|text)\b"
    r"|\bneed (?:more|the|further) (?:context|information|response|text)\b"
    r"|\bplease (?:paste|provide|send|share|supply) (?:the|me|more|a)\b"
    r"|\b(?:no (?:response|text)|(?:response|text) (?:is|was) (?:not|n['’]t))"
    r" (?:is |was |has been )?(?:given|provided|included|present|there|to)\b"
    r"|\bresponse (?:is|seems|was) (?:empty|missing|blank)\b",
    re.IGNORECASE,
)
_COURTESY = re.compile(
    r"(?:please )?let me know if (?:(?:this|that|it) helps|you (?:need|have|want|would like)\b"
    r"[^.!?\n]*)|(?:I )?hope (?:this|that|it)(?:['’]?s| is)? (?:helps?|fine)",
    re.IGNORECASE,
)
_TAKEN_BACK = re.compile(
    r"\b(?:actually|disregard|hm+|ignore|on reflection|on second thoughts?|wait|correction"
    r"|scratch that|changed my mind|take (?:it|that) back|make (?:it|that)|reconsider\w*"
    r"|instead(?! of)|rather(?! than)|generous|lenient|harsh|too (?:high|low|kind|strict)"
    r"|if|unless|would|could|should|might|must|ought to|not so|isn['’]t so)\b"
    r"|(?:^|[.!?])[ \t]*+no\b(?=[ \t]*+[.,!;:\n]|\s*+$)",
    re.IGNORECASE | re.MULTILINE,
)


def framed(verdict: BaseModel, before: str, after: str) -> None:
    """Raise ``Fault`` unless ``verdict`` stands in the reply as the judge's own conclusion.

    ``before`` is the prose before its object: nothing, a lead-in, or reasoning whose sentences
    have ended and do not merely suppose the verdict. ``after`` is what follows: nothing, a
    courtesy, or an explanation that names the same verdict and takes nothing back. An object
    amid a sentence is talked about ("I would reply … if"), and no conclusion.
    """
    prose = QUOTE.sub(" ", f"{before}\n{after}")
    if _UNDECIDED.search(prose):
        raise Fault(f"its prose says that it can't be decided; {BARE}.")
    if declines(prose):
        raise Fault(f"its prose declines to answer; {BARE}.")
    _check_before(verdict, before)
    _check_after(verdict, after)
    _check_words(verdict, prose)


def _check_before(verdict: BaseModel, before: str) -> None:
    sentences = [each for each in _SENTENCE.split(before) if _bare(each)]
    last = sentences[-1] if sentences else ""
    if _announces(verdict, last):
        last = sentences[-2] if sentences[1:] else ""
    elif not (_ENDED.search(_bare(last)) or _ITEM.search(before)):
        raise Fault(f"the JSON object stands amid a sentence; {BARE}.")
    if supposed := _SUPPOSED.search(last):
        raise Fault(f"its prose only supposes the JSON object ({supposed[0].lower()!r}); {BARE}.")


def _check_after(verdict: BaseModel, after: str) -> None:
    rest = _COURTESY.sub("", after)
    if not re.search(r"\w", _bare(rest)):
        return
    if taken_back := _TAKEN_BACK.search(rest):
        raise Fault(f"what follows the JSON object takes it back ({taken_back[0].lower()!r}).")
    if not names(verdict, rest):
        raise Fault(f"what follows the JSON object does not name the same verdict; {BARE}.")


def _check_words(verdict: BaseModel, prose: str) -> None:
    """Raise ``Fault`` for ``prose`` that may speak of another verdict in words nobody foresaw.

    That is a word that is a sentence of its own ("Unacceptable."), and another language.
    """
    told = _bare(prose)
    for word in re.findall(r"(?:^|(?<=[.!?] ))([^\W\d_]{1,40})[.!](?=\s|$)", told):
        if not _announces(verdict, word):
            raise Fault(f"its prose answers in another word ({word.lower()!r}); {BARE}.")
    if not (_announces(verdict, told) or is_english(told)):
        raise Fault(f"its prose is in another language than English; {BARE}.")


def _bare(text: str) -> str:
    return re.sub(r"\bjson\w*", "", _MARKS.sub(" ", text), flags=re.IGNORECASE).strip()


def _announces(verdict: BaseModel, sentence: str) -> bool:
    """Whether ``sentence`` is a heading or a lead-in; the verdict's own values may be in it."""
    decided = decisions(verdict)
    values = [word for value in decided.values() for word in str(value).lower().split()]
    values += decided.keys()
    sentence = _MODEST.sub(" ", sentence)
    figures = re.sub(r"\b(\d++(?:\.\d++)?+)\s*+(?:/|out of)\s*+\d++", r"\1", sentence)
    words = re.findall(r"\w+(?:\.\d+)?", _IN_FORMAT.sub("", _bare(figures)).lower())
    return all(_LEAD_IN.fullmatch(word) or word.removesuffix(".0") in values for word in words)
