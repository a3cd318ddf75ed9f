"""Usage: the tokens and the seconds that the app under test took for its answer.

They come from what was ``measured`` of the case, else from its trace.
"""

from __future__ import annotations

from ..data.cases import Case
from ..results import Verdict
from ..scales import COUNT, SECONDS
from .ask import Ask
from .built_in import built_in


@built_in(needs=("measured.input_tokens", "measured.output_tokens"), scale=COUNT, judged=False)
async def total_token_count(case: Case, ask: Ask) -> Verdict:
    """The tokens that the answer took, input and output together; fewer is better.

    Summed over every call of a model. Source: Databricks Agent Evaluation, as for all of these.
    """
    tokens_in, tokens_out = (case.value(f"measured.{side}_tokens") for side in ("input", "output"))
    return Verdict(tokens_in + tokens_out, f"{tokens_in} tokens in, {tokens_out} out")


@built_in(needs=("measured.input_tokens",), scale=COUNT, judged=False)
async def total_input_token_count(case: Case, ask: Ask) -> Verdict:
    """The tokens that the app sent to its model for the answer; fewer is better."""
    tokens = case.value("measured.input_tokens")
    return Verdict(tokens, f"{tokens} tokens in")


@built_in(needs=("measured.output_tokens",), scale=COUNT, judged=False)
async def total_output_token_count(case: Case, ask: Ask) -> Verdict:
    """The tokens that the app's model gave for the answer; fewer is better."""
    tokens = case.value("measured.output_tokens")
    return Verdict(tokens, f"{tokens} tokens out")


@built_in(needs=("measured.seconds",), scale=SECONDS, judged=False)
async def latency_seconds(case: Case, ask: Ask) -> Verdict:
    """The seconds from the query to the whole answer; fewer is better.

    Of a trace, from the beginning of its root span to its end.
    """
    seconds = case.value("measured.seconds")
    return Verdict(seconds, f"the answer took {seconds:.3g} s")
