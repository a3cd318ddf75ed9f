"""A judge that is told what it says to each metric of a suite."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_llmeval.judges.base import Question
from pytest_llmeval.testing import ScriptedJudge


def saying(
    told: Mapping[str, object] | None = None,
    *,
    name: str = "scripted",
    kept: bool = False,
    **more: object,
) -> ScriptedJudge:
    """Says yes, 5 or very low to every metric but those that are ``told``: no (1, high) or an
    error to raise.

    Metrics are told by their names, whatever their scale.
    """
    verdicts = {**(told or {}), **more}

    def reply(question: Question[Any]) -> Any:
        metric = question.task.partition("[")[0]
        said = verdicts.get(metric, "yes")
        if isinstance(said, Exception):
            return said
        values = {
            "reason": f"{metric}: {said}",
            "verdict": said,
            "score": 5 if said == "yes" else 1,
            "severity": "very low" if said == "yes" else "high",
        }
        return {field: values.get(field, []) for field in question.reply.model_fields}

    return ScriptedJudge(reply, name=name, kept=kept)
