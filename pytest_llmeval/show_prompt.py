"""What a metric would send to the judge: every message and the reply's schema, and nothing sent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from .checks import Asking
from .data.cases import Case, Document, Message
from .data.datasets import load_cases
from .errors import EvalError, NoJudge, UsageError
from .extended import metrics_of, rubrics_in
from .judges.base import BaseJudge, Question
from .judges.choice import JudgeChoice
from .judges.model import Judge
from .judges.schema import schema_form
from .metrics.base import Metric
from .settings import Settings

SAMPLE = Case(
    id="sample",
    query="How long is the warranty of the Alpine tent, and what does it cover?",
    response="The warranty runs for two years. It covers seams and poles.",
    context=(
        Document(
            id="warranty",
            title="Warranty",
            content="The warranty of the Alpine tent runs for two years and covers the seams.",
        ),
        Document(id="tent", title="Alpine tent", content="It sleeps two. Its outer is nylon."),
    ),
    ground_truth="Two years; it covers the seams.",
    expected_context=("warranty",),
    guidelines=("Name the length of a warranty in years.",),
    expected_facts=("The warranty runs for two years.", "It covers the seams."),
)
"""A case of a single turn with all that a metric may ask about, for those who give none."""

TALK = (
    Message(role="user", content="Do you sell tents?"),
    Message(role="assistant", content="We do: the Alpine tent is our lightest."),
    Message(role="user", content=SAMPLE.query or ""),
    Message(role="assistant", content=SAMPLE.response or ""),
)
"""The same as a conversation, for metrics that need one."""


class _Asked(EvalError):
    """In the place of a reply: the question is known, and nothing is sent."""


def shown_prompt(
    settings: Settings, metric: str, case: str | None, options: Iterable[str]
) -> Iterator[str]:
    """What ``metric`` would put to the judge first, under ``settings``, a paragraph at a time.

    ``case`` is ``FILE.jsonl:ID`` or ``FILE.jsonl:N`` (the N-th, from 1), None for a sample that
    ships; ``options`` are the metric's, each as ``NAME=VALUE``. Raises ``UsageError`` for what
    can't be, and a ``CaseError`` where the case lacks what the metric needs.
    """
    metrics = metrics_of(settings)
    rubrics = rubrics_in(settings)
    if metric not in metrics:
        nearest = get_close_matches(metric, metrics, n=1)
        meant_by = f"did you mean {nearest[0]!r}?" if nearest else f"there are {', '.join(metrics)}"
        raise UsageError(
            f"there is no metric {metric!r}: {meant_by} (metrics that a conftest gives are "
            "known to pytest only)"
        )
    meant = metrics[metric].with_options(dict(map(_option, options)))
    questions: list[Question[Any]] = []

    async def ask(judge: BaseJudge, question: Question[Any]) -> Any:
        questions.append(question)
        raise _Asked("nothing is sent")

    asking = Asking(
        ask,
        lambda: _judge(settings),
        settings.reason_language,
        rubrics=rubrics,
        guidelines=settings.guideline,
    )
    asyncio.run(_put(meant, _case(case, meant), asking))
    if not questions:
        yield f"{meant.row} asks no judge anything about this case."
        return
    if len(questions) > 1:
        yield f"The first of {len(questions)} questions that are asked at the same time:"
    if not _judge(settings).is_llm:
        yield "The judge that is set reads no prompts; an LLM in its place would be sent this."
    yield from _told(questions[0])


async def _put(metric: Metric, case: Case, asking: Asking) -> None:
    try:
        await metric.verdict(case, asking)
    except _Asked:
        return


def _judge(settings: Settings) -> BaseJudge:
    try:
        return JudgeChoice(settings).of(None)
    except NoJudge:
        return Judge("openai/any")


def _told(question: Question[Any]) -> Iterator[str]:
    yield f"prompt: {question.rubric or question.task}"
    for role, text in question.messages:
        yield f"--- {role}\n{text}"
    if question.form == "json":
        form = json.dumps(schema_form(question.reply), indent=2, ensure_ascii=False)
        yield f"--- response_format, where the model takes it\n{form}"
    else:
        yield "--- no schema: a dedicated checker answers in one word"


def _option(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not (name.strip() and equals):
        raise UsageError(f"an option of the metric is NAME=VALUE; got {text!r}")
    try:
        return name.strip(), json.loads(value)
    except ValueError:
        return name.strip(), value


def _case(text: str | None, metric: Metric) -> Case:
    if text is None:
        talks = "messages" in metric.needs
        return SAMPLE.model_copy(update={"messages": TALK}) if talks else SAMPLE
    file, colon, which = text.rpartition(":")
    if not (colon and file and which):
        raise UsageError(f"--case is FILE.jsonl:ID, or :N for the N-th line; got {text!r}")
    cases = load_cases(Path(file))
    found = next((case for case in cases if case.identity == which), None)
    if found is None and which.isdecimal() and 1 <= int(which) <= len(cases):
        found = cases[int(which) - 1]
    if found is None:
        raise UsageError(f"{file}: there is no case {which!r}; it holds {len(cases)}")
    return found
