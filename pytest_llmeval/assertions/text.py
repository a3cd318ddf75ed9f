"""Assertions that no judge is asked for: text against text, shapes, documents by their ids."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from ..data.cases import Case
from ..metrics.pass_rules import threshold_of
from ..results import Result
from .asserting import asserted

if TYPE_CHECKING:
    from pydantic import BaseModel

    from ..text.tokens import MachineTokenizer, WordTokenizer


def assert_f1(
    response: Case | str,
    *,
    ground_truth: str | None = None,
    at_least: float | None = None,
    at_most: float | None = None,
    tokenizer: WordTokenizer = "auto",
) -> Result:
    """Assert on the words that response and ground truth share (``f1``, 0–1).

    ``response`` is a whole ``Case``, or the text with ``ground_truth`` beside it. The metric has
    no pass mark of its own: a bound is given here, or by ``--llm-eval-threshold``.

    Returns the ``Result``; raises ``CheckFailed`` (an ``AssertionError``) where the score is off
    the mark, an ``EvalError`` when there can be none, and ``UsageError`` without a mark.
    """
    __tracebackhide__ = True
    rule, pieces = threshold_of(at_least, at_most), {"ground_truth": ground_truth}
    return asserted("f1", response, pieces, None, rule, tokenizer=tokenizer)


def assert_bleu(
    response: Case | str,
    *,
    ground_truth: str | None = None,
    at_least: float | None = None,
    at_most: float | None = None,
    tokenizer: MachineTokenizer = "auto",
) -> Result:
    """Assert on sentence BLEU (``bleu``, 0–1, not 0–100), as ``assert_f1`` does."""
    __tracebackhide__ = True
    rule, pieces = threshold_of(at_least, at_most), {"ground_truth": ground_truth}
    return asserted("bleu", response, pieces, None, rule, tokenizer=tokenizer)


def assert_rouge(
    response: Case | str,
    *,
    ground_truth: str | None = None,
    at_least: float | None = None,
    at_most: float | None = None,
    variant: Literal["rougeL", "rougeLsum", "rouge1", "rouge2"] = "rougeL",
    measure: Literal["f1", "precision", "recall"] = "f1",
    tokenizer: WordTokenizer = "auto",
) -> Result:
    """Assert on ROUGE (``rouge``, 0–1), as ``assert_f1`` does; ``measure`` is what is scored."""
    __tracebackhide__ = True
    rule, pieces = threshold_of(at_least, at_most), {"ground_truth": ground_truth}
    options = {"variant": variant, "measure": measure, "tokenizer": tokenizer}
    return asserted("rouge", response, pieces, None, rule, **options)


def assert_gleu(
    response: Case | str,
    *,
    ground_truth: str | None = None,
    at_least: float | None = None,
    at_most: float | None = None,
    tokenizer: MachineTokenizer = "auto",
) -> Result:
    """Assert on GLEU (``gleu``, 0–1), as ``assert_f1`` does."""
    __tracebackhide__ = True
    rule, pieces = threshold_of(at_least, at_most), {"ground_truth": ground_truth}
    return asserted("gleu", response, pieces, None, rule, tokenizer=tokenizer)


def assert_meteor(
    response: Case | str,
    *,
    ground_truth: str | None = None,
    at_least: float | None = None,
    at_most: float | None = None,
    tokenizer: MachineTokenizer = "auto",
) -> Result:
    """Assert on METEOR (``meteor``, 0–1), as ``assert_f1`` does."""
    __tracebackhide__ = True
    rule, pieces = threshold_of(at_least, at_most), {"ground_truth": ground_truth}
    return asserted("meteor", response, pieces, None, rule, tokenizer=tokenizer)


def assert_chrf(
    response: Case | str,
    *,
    ground_truth: str | None = None,
    at_least: float | None = None,
    at_most: float | None = None,
) -> Result:
    """Assert on chrF (``chrf``, 0–1, not 0–100), as ``assert_f1`` does."""
    __tracebackhide__ = True
    rule, pieces = threshold_of(at_least, at_most), {"ground_truth": ground_truth}
    return asserted("chrf", response, pieces, None, rule)


def assert_exact_match(
    response: Case | str,
    *,
    ground_truth: str | None = None,
    ignore_case: bool = False,
    ignore_space: bool = False,
) -> Result:
    """Assert that the response is the ground truth (``exact_match``).

    Takes, returns and raises what ``assert_f1`` does, without a bound.
    """
    __tracebackhide__ = True
    pieces = {"ground_truth": ground_truth}
    return asserted(
        "exact_match",
        response,
        pieces,
        None,
        None,
        ignore_case=ignore_case,
        ignore_space=ignore_space,
    )


def assert_matches(
    response: Case | str, pattern: str, *, where: Literal["search", "fullmatch"] = "search"
) -> Result:
    """Assert that the response matches ``pattern``, a regular expression (``regex``).

    Anywhere in it, or with ``where="fullmatch"`` as a whole. Returns and raises what
    ``assert_f1`` does; a pattern that can't be is a ``UsageError``.
    """
    __tracebackhide__ = True
    return asserted("regex", response, {}, None, None, pattern=pattern, where=where)


def assert_json(response: Case | str, schema: Mapping[str, Any] | type[BaseModel]) -> Result:
    """Assert that the response is JSON that ``schema`` allows (``json_schema``).

    ``schema`` is a pydantic model, or a JSON Schema as a mapping, which needs the extra
    ``json-schema``. Returns and raises what ``assert_f1`` does; a schema that can't be is a
    ``UsageError``.
    """
    __tracebackhide__ = True
    return asserted("json_schema", response, {}, None, None, schema=schema)


def assert_document_recall(
    case: Case, *, at_least: float | None = None, at_most: float | None = None
) -> Result:
    """Assert on the share of ``expected_context`` that was found (``document_recall``, 0–1).

    ``case`` holds ``context`` and ``expected_context``. Returns and raises what ``assert_f1`` does.
    """
    __tracebackhide__ = True
    return asserted("document_recall", case, {}, None, threshold_of(at_least, at_most))


def assert_document_precision(
    case: Case, *, at_least: float | None = None, at_most: float | None = None
) -> Result:
    """Assert on the share of what was found that is expected (``document_precision``, 0–1).

    Takes, returns and raises what ``assert_document_recall`` does.
    """
    __tracebackhide__ = True
    return asserted("document_precision", case, {}, None, threshold_of(at_least, at_most))
