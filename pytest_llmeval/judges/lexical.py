"""The lexical judge: weighs words instead of asking a model, in any language, in milliseconds."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..errors import MetricRefused
from ..text.answering import address
from ..text.coverage import Support, support
from ..text.passages import Documents
from ..text.sentences import sentences
from ..text.words import words
from .base import BaseJudge, Line, Message, Question, Said

GROUNDED = 0.46
"""Share from which on a sentence counts as borne out (see ``benchmarks/lexical_agreement.py``)."""
STATED = 0.85
"""Share from which on it stands in the documents nearly as it is."""
RELEVANT = 0.45
"""Share of the query from which on a response addresses it."""

_QUESTION = re.compile(r"[?？؟][\"'”’»)\]*_]*$")
_COURTESY = re.compile(
    r"\W*(?:(?:hello|hi|hey|thanks|thank you|sure|of course|certainly|you're welcome)(?: there)?"
    r"|great question|(?:i'm|i am) (?:happy|glad) to (?:help|assist)(?: you)?(?: with that)?"
    r"|(?:i )?hope (?:this|that) helps|let me know if (?:you|there)[^.!\d]{0,60}"
    r"|(?:please )?feel free to (?:ask|reach|contact)[^.!\d]{0,60}"
    r"|here (?:is|are)[^.!\d]{0,60}:)\W*",
    re.I,
)
"""A greeting, an offer or the lead-in of a list: talk that claims nothing."""
_SURROGATE = re.compile("[\ud800-\udfff]")


class LexicalJudge(BaseJudge):
    """A judge without a model: no key, no network, no download, the same answer every time.

    It compares the words of the response with those of the documents or the query, so that it
    sees what is missing, changed or negated, and understands neither paraphrase nor inference. It
    judges groundedness and fact checks about as well as can be told from words alone, and of
    relevance only whether the response is about the query. Other metrics it refuses with
    ``MetricRefused``.
    """

    name = "lexical"
    is_llm = False

    def connect(self, timeout: float, notice: Callable[[str], None]) -> Line:
        """A line that answers at once; ``timeout`` and ``notice`` have no use here."""
        return _LexicalLine()


class _LexicalLine:
    async def close(self) -> None:
        """Nothing to give up."""

    async def say(self, question: Question[Any], messages: tuple[Message, ...]) -> Said:
        """Answer from ``question.inputs``; what the messages say makes no difference."""
        task = TASKS.get(question.task)
        if task is None:
            raise MetricRefused(
                f"{question.task}: the lexical judge cannot judge this, only "
                f"{', '.join(sorted(TASKS))}; set an LLM judge with --llm-eval-model"
            )
        return Said(text=json.dumps(task(question.inputs), ensure_ascii=False))


def _groundedness(inputs: Mapping[str, Any]) -> dict[str, object]:
    claims = _claims(inputs["response"], inputs["documents"], inputs.get("query") or "")
    ungrounded = [
        {"quote": quote, "why": found.why} for quote, found in claims if found.share < GROUNDED
    ]
    return {"ungrounded": ungrounded, "reason": _account(claims), "score": _rated(claims)}


def _fact_check(inputs: Mapping[str, Any]) -> dict[str, object]:
    claims = _claims(inputs["claim"], [inputs["document"]], "")
    return {"reason": _account(claims), "verdict": "yes" if _rated(claims) >= 4 else "no"}


def _relevance(inputs: Mapping[str, Any]) -> dict[str, object]:
    documents = Documents(map(_clean, inputs["documents"]))
    found = address(_clean(inputs["query"]), _clean(inputs["response"]), documents)
    steps = (0.01, RELEVANT / 2, RELEVANT, STATED)
    score = 1 + sum(found.share >= step for step in steps)
    score = 1 if found.declines else min(score, 2) if found.evades else score
    return {"reason": f"The response {found.why or 'takes up all of the query'}.", "score": score}


TASKS: dict[str, Callable[[Mapping[str, Any]], dict[str, object]]] = {
    "groundedness": _groundedness,
    "fact_check": _fact_check,
    "relevance": _relevance,
}
"""What the lexical judge can judge: from a question's inputs to its reply as JSON values."""

Claim = tuple[str, Support]


def _claims(response: str, documents: Iterable[str], query: str) -> list[Claim]:
    """Each sentence of ``response`` that claims something, with how far it is borne out.

    Questions, courtesies and sentences without a word that counts claim nothing where others do.
    """
    index = Documents(map(_clean, documents))
    known = frozenset(word.form for word in words(_clean(query)))
    quotes = [span.text for span in sentences(_clean(response))]
    claiming = [
        quote
        for quote in quotes
        if not _QUESTION.search(quote)
        and not _COURTESY.fullmatch(quote.replace("’", "'"))
        and any(word.counts for word in words(quote))
    ]
    return [(quote, support(quote, index, known)) for quote in claiming or quotes]


def _rated(claims: Sequence[Claim]) -> int:
    """The level from 1 to 5: 4 and up when every claim is borne out, below by how many are."""
    shares = [found.share for _, found in claims]
    grounded = sum(share >= GROUNDED for share in shares)
    if shares and grounded == len(shares):
        return 5 if min(shares) >= STATED else 4
    if grounded * 2 >= len(shares) > 0:
        return 3
    return 2 if max(shares, default=0) >= GROUNDED / 2 else 1


def _account(claims: Sequence[Claim]) -> str:
    """What the documents lack, and where, in one or two sentences."""
    missing = [found.why for _, found in claims if found.share < GROUNDED]
    if missing and len(claims) == 1:
        return f"The documents do not bear this out: {missing[0]}."
    if missing:
        return (
            f"The documents do not bear out {len(missing)} of {len(claims)} sentences. "
            f"In the first of these, {missing[0]}."
        )
    partly = min(claims, key=lambda claim: claim[1].share, default=None)
    if partly is None:
        return "The response holds no sentence."
    if partly[1].why:
        return f"The documents bear out every sentence, one of them in part: {partly[1].why}."
    return "The documents bear out every sentence."


def _clean(text: str) -> str:
    """``text`` with U+FFFD for lone surrogates, which no reply can carry."""
    return _SURROGATE.sub("\ufffd", text)
