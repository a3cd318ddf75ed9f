"""What a metric would send to the judge: every message and the reply's schema, and nothing sent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..additions import Addition
from ..checks import Asking
from ..data.cases import Case
from ..data.datasets import load_cases
from ..data.documents import Document
from ..data.messages import Message
from ..errors import EvalError, NoJudge, UsageError
from ..extended import metrics_of, rubrics_in
from ..judges.base import BaseJudge, Question
from ..judges.choice import JudgeChoice
from ..judges.heard import Answer
from ..judges.made_up import made_up
from ..judges.model import Judge
from ..judges.schema import schema_form
from ..metrics.base import Metric
from ..metrics.measures import measure
from ..settings import Settings

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
    Message(
        role="assistant",
        content="We do: the Alpine tent is our lightest.",
        context=(Document(id="tents", content="Alpine: our lightest tent."),),
    ),
    Message(role="user", content=SAMPLE.query or ""),
    Message(role="assistant", content=SAMPLE.response or ""),
)
"""The same as a conversation, for metrics that need one."""

_MARK = "it says what passes, and no judge is told; leave it out"
_NO_OPTIONS = {
    "at_least": _MARK,
    "at_most": _MARK,
    "judge": "say who judges by --judge or --model",
}
"""What a check takes beside the options of its metric, and what to do with it here."""


class _Asked(EvalError):
    """In the place of a reply that can't be made up: nothing is sent."""


def shown_prompt(
    settings: Settings,
    metric: str,
    case: str | None,
    options: Iterable[str],
    additions: Sequence[Addition] = (),
) -> Iterator[str]:
    """What ``metric`` would put to the judge under ``settings``, a paragraph at a time.

    ``metric`` is a metric's name or a row's (``groundedness[yes_no]``). ``case`` is
    ``FILE.jsonl:ID`` or ``FILE.jsonl:N`` (the N-th, from 1), None for a sample that ships;
    ``options`` are the metric's, each as ``NAME=VALUE``; ``additions`` are what plugins give.
    Every question is answered by a reply that is made up, so that those after it are seen too.
    Raises ``UsageError`` for what can't be, and a ``CaseError`` where the case lacks what the
    metric needs.
    """
    meant = _meant(metric, metrics_of(settings, additions))
    meant = meant.with_options(dict(map(_option, options)))
    questions: list[Question[Any]] = []

    async def ask(judge: BaseJudge, question: Question[Any]) -> Answer[Any]:
        questions.append(question)
        if (reply := made_up(question.reply)) is None:
            raise _Asked("nothing is sent")
        return Answer(reply, "", False, None, None, 0, 0, 0.0, 0.0)

    asking = Asking(
        ask,
        lambda: _judge(settings),
        settings.reason_language,
        rubrics=rubrics_in(settings, additions),
        guidelines=settings.guideline,
    )
    try:
        asyncio.run(meant.verdict(_case(case, meant), asking))
    except EvalError as error:
        if not questions or isinstance(error, UsageError):
            raise
    if not questions:
        yield f"{meant.row} asks no judge anything about this case."
        return
    if not _judge(settings).is_llm:
        yield "The judge that is set reads no prompts; an LLM in its place would be sent this."
    for number, question in enumerate(questions, 1):
        if len(questions) > 1:
            yield f"=== question {number} of {len(questions)}, the replies to others made up"
        yield from _told(question)


def _meant(name: str, metrics: Mapping[str, Metric]) -> Metric:
    try:
        return measure(name, metrics)
    except UsageError as error:
        told = "metrics of a conftest below the root folder are known to pytest only"
        raise UsageError(f"{error} ({told})") from None


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
    if name.strip() in _NO_OPTIONS:
        raise UsageError(f"{name.strip()}= is no option of a metric: {_NO_OPTIONS[name.strip()]}")
    try:
        return name.strip(), json.loads(value)
    except ValueError:
        return name.strip(), value


def _case(text: str | None, metric: Metric) -> Case:
    if text is None:
        talks = "messages" in metric.needs or metric.turns == "each"
        return SAMPLE.model_copy(update={"messages": TALK}) if talks else SAMPLE
    file, colon, which = text.rpartition(":")
    if not (colon and file and which):
        raise UsageError(f"--case is FILE.jsonl:ID, or :N for the N-th line; got {text!r}")
    cases = load_cases(Path(file))
    if which in cases.ids:
        return cases[cases.ids.index(which)]
    found = next((case for case in cases if case.identity == which), None)
    if found is None and which.isdecimal() and 1 <= int(which) <= len(cases):
        found = cases[int(which) - 1]
    if found is None:
        raise UsageError(f"{file}: there is no case {which!r}; it holds {len(cases)}")
    return found
