"""Usage: the tokens and the seconds that the app under test took for its answer."""

from __future__ import annotations

from ..data.cases import Case
from ..errors import CaseError
from ..results import COUNT, SECONDS, Verdict
from .ask import Ask
from .built_in import built_in


@built_in(needs=("measured",), scale=COUNT, judged=False)
async def total_token_count(case: Case, ask: Ask) -> Verdict:
    """The tokens that the answer took, input and output together; fewer is better.

    From what was ``measured``. Raises ``CaseError`` where either is not known. Source: Databricks
    Agent Evaluation, as for all of these.
    """
    parts = [_measured(case, name, "total_token_count") for name in ("input", "output")]
    return Verdict(sum(parts), f"{parts[0]:.0f} tokens in, {parts[1]:.0f} out")


@built_in(needs=("measured",), scale=COUNT, judged=False)
async def total_input_token_count(case: Case, ask: Ask) -> Verdict:
    """The tokens that the app sent to its model for the answer; fewer is better."""
    tokens = _measured(case, "input", "total_input_token_count")
    return Verdict(tokens, f"{tokens:.0f} tokens in")


@built_in(needs=("measured",), scale=COUNT, judged=False)
async def total_output_token_count(case: Case, ask: Ask) -> Verdict:
    """The tokens that the app's model gave for the answer; fewer is better."""
    tokens = _measured(case, "output", "total_output_token_count")
    return Verdict(tokens, f"{tokens:.0f} tokens out")


@built_in(needs=("measured",), scale=SECONDS, judged=False)
async def latency_seconds(case: Case, ask: Ask) -> Verdict:
    """The seconds from the query to the whole answer; fewer is better."""
    seconds = _measured(case, "seconds", "latency_seconds")
    return Verdict(seconds, f"the answer took {seconds:.3g} s")


def _measured(case: Case, what: str, metric_name: str) -> float:
    field = what if what == "seconds" else f"{what}_tokens"
    value: float | None = getattr(case.measured, field)
    if value is None:
        of = f"case {case.id!r}" if case.id is not None else "the case"
        raise CaseError.lacking(
            f"measured {field.replace('_', ' ')}",
            f"{metric_name} needs measured.{field}, which is missing in {of}",
        )
    return value
