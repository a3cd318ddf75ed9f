"""Metrics of one's own over HTTP, through LiteLLM: passed, failed, and no verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import loopback
import pytest
from loopback import LoopbackJudge
from pydantic import BaseModel, Field

from pytest_llmeval import Case, Document, JudgedMetric, Metric, Outcome, OwnAsk, metric
from pytest_llmeval.session import Session
from pytest_llmeval.settings import Settings

CASE = Case(response="Dear you.", context=(Document(content="a"), Document(content="b")))


class Tone(BaseModel):
    reason: str = Field(description="what decides")
    warm: bool = Field(description="whether it is warm")


@metric(needs="response", scale="yes_no")
async def warm(case: Case, ask: OwnAsk) -> tuple[bool, str]:
    tone = await ask("Is it warm?\n{{ text }}", Tone, text=case.response or "")
    return tone.warm, tone.reason


def declared(
    name: str, scale: Any, prompt: str = "Is it kind?\n{{ response }}", **how: Any
) -> Metric:
    return JudgedMetric(name, scale=scale, prompt=prompt, **how)


ROWS: list[tuple[Metric, Mapping[str, Any], Mapping[str, Any], int]] = [
    (declared("kind", "1-5"), {"score": 4}, {"score": 3}, 1),
    (declared("kinder", "1.0-5.0", at_least=4.5), {"score": 4.5}, {"score": 4.4}, 1),
    (declared("is_kind", "yes_no"), {"verdict": "yes"}, {"verdict": "no"}, 1),
    (declared("unkind", "0-1", at_most=0.5), {"score": 0.5}, {"score": 0.6}, 1),
    (
        declared("warmth", {"cold": 0, "warm": 2}, at_least=2),
        {"verdict": "warm"},
        {"verdict": "cold"},
        1,
    ),
    (
        declared("of_use", "yes_no", "Of use?\n{{ context }}", per_document=True),
        {"verdict": "yes"},
        {"verdict": "no"},
        2,
    ),
    (warm, {"warm": True}, {"warm": False}, 1),
]


@pytest.fixture(scope="module")
def server() -> Iterator[LoopbackJudge]:
    with LoopbackJudge("openai") as running:
        yield running


@pytest.fixture(scope="module")
def session(server: LoopbackJudge) -> Iterator[Session]:
    session = Session(Settings(model="openai/judge", base_url=server.url, mode="off"))
    yield session
    session.close()


@pytest.mark.parametrize(("tone", "good", "bad", "asked"), ROWS)
def test_over_http_a_metric_passes_fails_and_is_an_error_as_the_judge_says(
    session: Session,
    server: LoopbackJudge,
    tone: Metric,
    good: Mapping[str, Any],
    bad: Mapping[str, Any],
    asked: int,
) -> None:
    server.values, sent = {"reason": "r", **good}, len(server.bodies)
    passed = session.evaluate(CASE, tone)
    assert (passed.outcome, passed.error) == (Outcome.PASSED, None)
    assert len(server.bodies) - sent == passed.usage.asked == asked
    server.values = {"reason": "r", **bad}
    failed = session.evaluate(CASE, tone)
    assert failed.outcome is Outcome.FAILED
    assert failed.reason
    server.script(*[loopback.declines()] * asked)
    refused = session.evaluate(CASE, tone)
    assert (refused.outcome, refused.graded) == (Outcome.ERROR, None)
    assert "declined to answer" in str(refused.error)
