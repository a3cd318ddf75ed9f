"""Who judged, what they were asked, and what that took, as people read it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from ..records.record import Record
from ..results import Outcome, total
from ..text.plural import many


def judge_line(judge: str | None, is_llm: bool) -> str:
    """Who judges, and plainly so where it is no LLM."""
    if judge is None:
        return "no judge set"
    return f"judge {judge}" + ("" if is_llm else " (no LLM judges here: words are weighed)")


def judges_told(records: Sequence[Record]) -> Iterable[tuple[str, str]]:
    """Each judge that judged, and what it was asked at what cost."""
    for judge in sorted({record.judge for record in records}, key=str):
        group = [record for record in records if record.judge == judge]
        if judge is not None:
            who = f"{judge_line(judge, group[0].is_llm)}{_resolved(judge, group)}"
            yield who, _spent(group)


def _resolved(judge: str, group: Sequence[Record]) -> str:
    names = Counter(each.resolved_model for each in group if each.resolved_model)
    if len(names) > 1:
        said = ", ".join(f"{name} ({count})" for name, count in names.most_common())
        return f" RESOLVED TO SEVERAL MODELS: {said}"
    name = next(iter(names), "")
    return f" ({name})" if name and not judge.endswith(name) else ""


def _spent(group: Sequence[Record]) -> str:
    asked = [each for each in group if each.usage.asked]
    given = [each for each in group if each.outcome is not Outcome.ERROR]
    anew = sum(1 for each in given if each.usage.asked)
    stored = sum(1 for each in given if each.usage.stored and not each.usage.asked)
    verdicts = many(anew + stored, "verdict")
    parts = [f"{verdicts}: {stored} stored, {anew} asked" if anew + stored else "no verdict"]
    if asked and group[0].is_llm:
        tokens = total(each.usage.spent_tokens for each in asked)
        cost = total(each.usage.spent_cost for each in asked)
        parts += [price(tokens, cost), f"{sum(each.usage.seconds for each in asked):.1f} s"]
    return " · ".join(parts)


def price(tokens: int | None, cost: float | None) -> str:
    """Tokens and US dollars as people read them."""
    counted = "tokens unknown" if tokens is None else f"{_thousands(tokens)} tokens"
    return f"{counted} · " + ("cost unknown" if cost is None else f"${cost:.4f}")


def _thousands(count: int) -> str:
    return str(count) if count < 1000 else f"{count / 1000:.1f}k"
