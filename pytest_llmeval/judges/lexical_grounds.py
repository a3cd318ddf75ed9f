"""What the lexical judge says of claims: whether documents bear them out, by their words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..text.claims import claims
from ..text.coverage import Support, support
from ..text.passages import Documents
from ..text.words import words

GROUNDED = 0.46
"""Share from which on a sentence counts as borne out.

Fitted on the sources of labelled answers and summaries, each left out in turn; it holds as it is
for expected answers held against what was retrieved (see ``benchmarks/lexical_agreement.py``).
"""
STATED = 0.85
"""Share from which on it stands in the documents nearly as it is."""

Claim = tuple[str, Support]


def groundedness(inputs: Mapping[str, Any]) -> dict[str, object]:
    """The level from 1 to 5, with each sentence that is not borne out."""
    found = _response_claims(inputs)
    return {"ungrounded": _ungrounded(found), "reason": account(found), "score": _rated(found)}


def groundedness_yes_no(inputs: Mapping[str, Any]) -> dict[str, object]:
    """Yes where every sentence is borne out, with each that is not."""
    found = _response_claims(inputs)
    return {"ungrounded": _ungrounded(found), "reason": account(found), "verdict": verdict(found)}


def fact_check(inputs: Mapping[str, Any]) -> dict[str, object]:
    """Yes where the one document bears out every sentence of the claim."""
    found = claims_in(claims(inputs["claim"]), Documents([inputs["document"]]), "")
    return {"reason": account(found), "verdict": verdict(found)}


def context_sufficiency(inputs: Mapping[str, Any]) -> dict[str, object]:
    """Yes where the documents bear out every fact of the expected answer."""
    found = claims_in(expected(inputs), _documents(inputs), inputs.get("query") or "")
    missing = [fact for fact, held in found if held.share < GROUNDED]
    return {"missing": missing, "reason": account(found, "fact"), "verdict": verdict(found)}


def expected(inputs: Mapping[str, Any]) -> list[str]:
    """The facts of an expected answer: those that are listed, and the ground truth's claims."""
    return [*(inputs.get("expected_facts") or ()), *claims(inputs.get("ground_truth") or "")]


def claims_in(sentences: Iterable[str], documents: Documents, query: str) -> list[Claim]:
    """Each of ``sentences`` with how far it is borne out; names may be taken from the query."""
    known = frozenset(word.form for word in words(query))
    told = [*sentences]
    found = {each: support(each, documents, known) for each in dict.fromkeys(told)}
    return [(sentence, found[sentence]) for sentence in told]


def verdict(found: Sequence[Claim]) -> str:
    """Yes where there are claims and all are borne out."""
    return "yes" if found and all(held.share >= GROUNDED for _, held in found) else "no"


def account(found: Sequence[Claim], called: str = "sentence") -> str:
    """What the documents lack, and where, in one or two sentences."""
    missing = [held.why for _, held in found if held.share < GROUNDED]
    if missing and len(found) == 1:
        return f"The documents do not bear this out: {missing[0]}."
    if missing:
        return (
            f"The documents do not bear out {len(missing)} of {len(found)} {called}s. "
            f"In the first of these, {missing[0]}."
        )
    partly = min(found, key=lambda claim: claim[1].share, default=None)
    if partly is None:
        return f"There is no {called} to look for."
    if partly[1].why:
        return f"The documents bear out every {called}, one of them in part: {partly[1].why}."
    return f"The documents bear out every {called}."


def _response_claims(inputs: Mapping[str, Any]) -> list[Claim]:
    return claims_in(claims(inputs["response"]), _documents(inputs), inputs.get("query") or "")


def _documents(inputs: Mapping[str, Any]) -> Documents:
    return Documents(inputs["documents"], inputs.get("titles") or ())


def _ungrounded(found: Sequence[Claim]) -> list[dict[str, str]]:
    return [{"quote": quote, "why": held.why} for quote, held in found if held.share < GROUNDED]


def _rated(found: Sequence[Claim]) -> int:
    """The level from 1 to 5: 4 and up when every claim is borne out, below by how many are."""
    shares = [held.share for _, held in found]
    grounded = sum(share >= GROUNDED for share in shares)
    if shares and grounded == len(shares):
        return 5 if min(shares) >= STATED else 4
    if grounded * 2 >= len(shares) > 0:
        return 3
    return 2 if max(shares, default=0) >= GROUNDED / 2 else 1
