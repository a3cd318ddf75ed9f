"""BLEU: how much of the response's wording stands in the ground truth."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ..data.cases import Case
from ..results import Verdict
from ..scales import FRACTION
from ..text.tokens import MachineTokenizer, compared, machine_tokens
from .ask import Ask
from .built_in import built_in
from .identical import identical


@built_in(
    needs=("response", "ground_truth"), scale=FRACTION, judged=False, identifying=("tokenizer",)
)
async def bleu(case: Case, ask: Ask, tokenizer: MachineTokenizer = "auto") -> Verdict:
    """Sentence BLEU of the response against the ground truth, 0–1, 1 = the same wording.

    The geometric mean of the precisions of 1- to 4-grams, for texts of fewer words of those that
    they have, times a penalty for brevity; case counts. ``tokenizer`` is one of sacrebleu's
    (``13a``, ``intl``, ``zh``, ``char``, ``none``), ``mixed`` (``13a``, with the characters of
    scripts without spaces set apart), or ``auto``: ``mixed`` where it is needed, else ``13a``.
    Source: sacrebleu's sentence BLEU (effective order, exponential smoothing), divided by 100.
    """
    texts = compared(case.response, case.ground_truth)
    if texts.identical:
        return identical()
    chosen = texts.tokenizer(tokenizer, "13a")
    said, expected = (" ".join(machine_tokens(text, chosen)) for text in texts)
    found = _scorer().sentence_score(said, [expected])
    orders = [order for order, total in enumerate(found.totals, 1) if total]
    shares = ", ".join(f"{found.counts[n - 1]} of {found.totals[n - 1]} {n}-grams" for n in orders)
    reason = (
        f"{shares or 'no words'} of the response stand in the ground truth; "
        f"brevity penalty {found.bp:.3g} (tokenizer {chosen})"
    )
    return Verdict(min(found.score / 100, 1.0), reason)


@lru_cache(maxsize=1)
def _scorer() -> Any:
    from sacrebleu.metrics.bleu import BLEU

    return BLEU(effective_order=True, tokenize="none")
