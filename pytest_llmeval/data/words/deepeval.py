"""DeepEval's words: by which of them a row is its test case, since it means another ``context``."""

from __future__ import annotations

from collections.abc import Set

OWN_WORDS = frozenset(("input", "actual_output", "expected_output", "retrieval_context"))
"""The fields of its test cases that nearly nobody else calls so."""

OUR_WORDS = frozenset(("query", "question", "request", "response", "answer", "ground_truth"))
"""What its test cases never have; one word of its own beside these is an alias."""

DELIMITER = "|"
"""What ``EvaluationDataset.save_as`` joins the texts of a list by in a CSV."""

MEANT = {
    "context": None,
    "completion_time": "measured.seconds",
    "input_token_count": "measured.input_tokens",
    "output_token_count": "measured.output_tokens",
}
"""What it means by names that are something else to others, or nothing."""


def has_own_words(given: Set[str]) -> bool:
    """Whether ``given`` has names by which alone a row may be DeepEval's."""
    own = ("actual_output", "retrieval_context")
    return not given.isdisjoint(own) or {"input", "expected_output"} <= given


def is_test_case(given: Set[str]) -> bool:
    """Whether a row with the names ``given`` is one of DeepEval's test cases or goldens."""
    if not OUR_WORDS.isdisjoint(given):
        return False
    alone = "input" in given and given.isdisjoint(("output", "outputs"))
    return has_own_words(given) or alone or not given.isdisjoint(("turns", "expected_outcome"))
