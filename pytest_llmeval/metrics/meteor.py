"""METEOR: how many words stand for one another in response and ground truth, and in what order."""

from __future__ import annotations

from ..data.cases import Case
from ..results import Part, Verdict
from ..scales import FRACTION
from ..text.alignment import Alignment, aligned
from ..text.plural import many
from ..text.tokens import MachineTokenizer, compared, machine_tokens
from ..text.wordnet_data import find_wordnet
from .ask import Ask
from .built_in import built_in
from .identical import identical

ALPHA, BETA, GAMMA = 0.9, 3, 0.5
"""The weight of precision; the power and the weight of the penalty for words out of order."""


@built_in(
    needs=("response", "ground_truth"), scale=FRACTION, judged=False, identifying=("tokenizer",)
)
async def meteor(case: Case, ask: Ask, tokenizer: MachineTokenizer = "auto") -> Verdict:
    """METEOR of the response against the ground truth, 0–1, 1 = identical texts.

    Words are matched as they are, by their English stem, and as synonyms where WordNet is found
    (nothing is downloaded; the reason says which); a mean of precision and recall, which are its
    parts, that weighs recall nine times, less a penalty for matches that are not neighbours.
    Case does not count; ``tokenizer`` is that of ``bleu``. Source: Banerjee & Lavie 2005, as
    NLTK's ``meteor_score`` computes it from tokens, identical texts apart, which get 1 here.
    Raises ``UsageError`` where the setting ``wordnet`` names no WordNet.
    """
    texts = compared(case.response, case.ground_truth)
    wordnet = find_wordnet(ask.wordnet)
    if texts.identical:
        return identical("precision", "recall")
    chosen = texts.tokenizer(tokenizer, "13a")
    said, expected = (machine_tokens(text, chosen) for text in texts)
    found = aligned(said, expected, wordnet.synonyms if wordnet else None)
    matches = len(found.pairs)
    precision, recall = (matches / max(len(words), 1) for words in (said, expected))
    runs = many(found.chunks, "run")
    synonyms = (
        f"{found.by_synonym} as synonyms in WordNet ({wordnet.place})"
        if wordnet
        else "none as synonyms, since no WordNet was found"
    )
    reason = (
        f"matching words: {matches}, of {len(said)} in the response and {len(expected)} in the "
        f"ground truth, in {runs}: {found.exact} as they are, {found.by_stem} by their stem, "
        f"{synonyms} (tokenizer {chosen})"
    )
    parts = (Part("precision", precision), Part("recall", recall))
    return Verdict(_score(found, precision, recall), reason, parts=parts)


def _score(found: Alignment, precision: float, recall: float) -> float:
    if not found.pairs:
        return 0.0
    mean = precision * recall / (ALPHA * precision + (1 - ALPHA) * recall)
    return (1 - GAMMA * (found.chunks / len(found.pairs)) ** BETA) * mean
