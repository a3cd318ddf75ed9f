"""What the lexical judge says of answers: whether they take up the query, and say what is due."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..text.agreement import agreement, lacking, likeness, spoken
from ..text.answering import Address, address
from ..text.claims import claims
from ..text.intents import is_question
from ..text.passages import Documents
from .lexical_grounds import account, claims_in, expected, verdict

TAKEN_UP = 0.01
"""Share of the query from which on a response takes up any word of it."""
RELEVANT = 0.45
"""Share of the query from which on a response addresses it."""
FULLY = 0.85
"""Share from which on it addresses all of the query."""
CORRECT = 0.5
"""Share of an expected fact from which on a response states it.

The best cut for three sources of labelled answers together: half of what answers the query.
"""
_ALIKE = (0.1, 0.25, 0.45, 0.8)
"""Shares from which on two texts are alike at the levels 2 to 5.

An answer with another name in it stays below the fourth, and one in a sentence of its own above.
"""


def relevance(inputs: Mapping[str, Any]) -> dict[str, object]:
    """The level from 1 to 5: how much of the query the response takes up."""
    found = _address(inputs)
    return {"reason": _addressed(found), "score": _level(found)}


def relevance_to_query(inputs: Mapping[str, Any]) -> dict[str, object]:
    """Yes where the response takes up enough of the query to be about it."""
    found = _address(inputs)
    return {"reason": _addressed(found), "verdict": "yes" if _level(found) >= 4 else "no"}


def context_relevancy(inputs: Mapping[str, Any]) -> dict[str, object]:
    """Yes where the documents bear out what takes up the query: no refusal, no evasion.

    A query that asks nothing ("Go on.", "Summarise the page.") need not be taken up in its words.
    """
    found = _address(inputs)
    passed_over = found.share < TAKEN_UP and is_question(inputs["query"])
    if passed_over or found.declines or found.evades:
        return {"reason": _addressed(found), "verdict": "no"}
    documents = Documents(inputs["documents"], inputs.get("titles") or ())
    held = claims_in(claims(inputs["response"]), documents, inputs["query"])
    return {"reason": account(held), "verdict": verdict(held)}


def similarity(inputs: Mapping[str, Any]) -> dict[str, object]:
    """The level from 1 to 5: how far response and ground truth share their words, both ways.

    A response that lacks a figure of the ground truth, or says one thing in the place of another,
    gets 3 at most; one that contradicts half of the ground truth, 2.
    """
    found = likeness(inputs["response"], inputs["ground_truth"], inputs.get("query") or "")
    score = 1 + sum(found.share >= step for step in _ALIKE)
    if found.contradicted or found.altered:
        score = min(score, 2 if found.contradicted >= 1 / 2 else 3)
    why = found.why or "both say the same, in the same words or nearly so"
    return {"reason": f"{why[:1].upper()}{why[1:]}.", "score": score}


def correctness(inputs: Mapping[str, Any]) -> dict[str, object]:
    """Yes where the response states every expected fact and contradicts none."""
    facts, response = expected(inputs), spoken(inputs["response"])
    query = inputs.get("query") or ""
    found = [agreement(fact, response, query) for fact in facts]
    faults = [
        {"fact": fact, "kind": "contradicted" if held.contradicted else "missing", "why": held.why}
        for fact, held in zip(facts, found, strict=True)
        if held.contradicted or held.share < CORRECT
    ]
    partly = next(filter(None, (lacking(fact, response, query) for fact in facts)), "")
    reason = "The response states every expected fact"
    reason += f", if not all of one: {partly}." if partly else "."
    if faults or not facts:
        reason = f"The response does not state {len(faults)} of {len(facts)} expected facts."
        reason += "".join(f" Of the first, {fault['why']}." for fault in faults[:1])
    return {"faults": faults, "reason": reason, "verdict": "no" if faults or not facts else "yes"}


def _address(inputs: Mapping[str, Any]) -> Address:
    documents = Documents(inputs.get("documents") or ())
    return address(inputs["query"], inputs["response"], documents)


def _addressed(found: Address) -> str:
    return f"The response {found.why or 'takes up all of the query'}."


def _level(found: Address) -> int:
    steps = (TAKEN_UP, RELEVANT / 2, RELEVANT, FULLY)
    score = 1 + sum(found.share >= step for step in steps)
    return 1 if found.declines else min(score, 2) if found.evades else score
