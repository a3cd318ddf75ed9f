"""GLEU: how much of the wording response and ground truth share, whichever is longer."""

from __future__ import annotations

from ..data.cases import Case
from ..results import Part, Verdict
from ..scales import FRACTION
from ..text.ngrams import ngrams
from ..text.tokens import MachineTokenizer, compared, machine_tokens
from .ask import Ask
from .built_in import built_in
from .identical import identical


@built_in(
    needs=("response", "ground_truth"), scale=FRACTION, judged=False, identifying=("tokenizer",)
)
async def gleu(case: Case, ask: Ask, tokenizer: MachineTokenizer = "auto") -> Verdict:
    """Google's BLEU of the response against the ground truth, 0–1, 1 = the same wording.

    Of all runs of 1 to 4 words, the smaller of precision and recall, which are its parts; case
    counts. ``tokenizer`` is that of ``bleu``. Source: Wu et al. 2016, as NLTK's
    ``sentence_gleu`` computes it from tokens.
    """
    texts = compared(case.response, case.ground_truth)
    if texts.identical:
        return identical("precision", "recall")
    chosen = texts.tokenizer(tokenizer, "13a")
    said, expected = (ngrams(machine_tokens(text, chosen), longest=4) for text in texts)
    shared = (said & expected).total()
    precision, recall = (shared / max(runs.total(), 1) for runs in (said, expected))
    reason = (
        f"shared runs of 1 to 4 words: {shared}, of {said.total()} in the response and "
        f"{expected.total()} in the ground truth (tokenizer {chosen})"
    )
    parts = (Part("precision", precision), Part("recall", recall))
    return Verdict(min(precision, recall), reason, parts=parts)
