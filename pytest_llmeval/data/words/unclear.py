"""Unclear: names that may be read in two ways, where nothing beside them says in which."""

from __future__ import annotations

from collections.abc import Set

from ...errors import CaseError
from .deepeval import OUR_WORDS, OWN_WORDS, has_own_words
from .vocabulary import field_of

_SETTLING = frozenset(
    [
        *("expectations", "reference_outputs", "retrieved_context", "expected_facts"),
        *("expected_retrieved_context", "guidelines", "guidelines_context", "trace"),
        *("trace_id", "assessments", "run_type"),
    ]
)
"""What only stands beside an app's answer: the words of MLflow, and of LangSmith's runs."""

_OF_AN_ANSWER = ("said_before", "context", "tools_called")


def refuse_unclear(given: Set[str], within: Set[str], left: Set[str], expects: bool) -> None:
    """Raise ``CaseError`` for a name that can't be told from the others that are ``given``.

    ``within`` are the names in ``outputs``, ``left`` those that the user has not said the meaning
    of; of an example that ``expects`` it, ``outputs`` is known to be the reference.
    """
    if "outputs" in left and not expects and not _settled(given, within):
        raise CaseError(
            "'outputs' may be the app's answer or the reference: say which by "
            'fields={"outputs": "response"} or fields={"outputs": "ground_truth"}'
        )
    if "context" in left and _is_mixed(given):
        raise CaseError(
            "'context' may be what was retrieved or, as DeepEval has it, the ideal one: say which "
            'by fields={"context": "context"}, or fields={"context": None} for metadata'
        )


def _settled(given: Set[str], within: Set[str]) -> bool:
    if not _SETTLING.isdisjoint(given) or any(field_of(name) == "ground_truth" for name in given):
        return True
    return any(field_of(name) in _OF_AN_ANSWER for name in within)


def _is_mixed(given: Set[str]) -> bool:
    """Whether a row has DeepEval's words and others, or of its words only ``input``."""
    theirs = len(OWN_WORDS & given)
    if has_own_words(given):
        several = theirs > 1 or "retrieval_context" in given
        return several and not OUR_WORDS.isdisjoint(given)
    return "input" in given and {*OUR_WORDS, "output", "outputs"}.isdisjoint(given)
