"""chrF: how many runs of characters response and ground truth share."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ..data.cases import Case
from ..results import Verdict
from ..scales import FRACTION
from ..text.tokens import compared
from .ask import Ask
from .built_in import built_in
from .identical import identical


@built_in(needs=("response", "ground_truth"), scale=FRACTION, judged=False)
async def chrf(case: Case, ask: Ask) -> Verdict:
    """chrF2 of the response against the ground truth, 0–1, 1 = the same characters.

    The F-score of runs of 1 to 6 characters, white space left out, in which recall weighs twice
    as much as precision. It needs no tokenizer, so that it suits every script and inflected
    words. Source: sacrebleu's sentence chrF, divided by 100.
    """
    texts = compared(case.response, case.ground_truth)
    if texts.identical:
        return identical()
    score = min(_scorer().sentence_score(texts.response, [texts.reference]).score / 100, 1.0)
    lengths = [len("".join(text.split())) for text in texts]
    reason = (
        f"runs of up to 6 characters agree to {score:.1%}: {lengths[0]} characters in the "
        f"response, {lengths[1]} in the ground truth"
    )
    return Verdict(score, reason)


@lru_cache(maxsize=1)
def _scorer() -> Any:
    from sacrebleu.metrics.chrf import CHRF

    return CHRF()
