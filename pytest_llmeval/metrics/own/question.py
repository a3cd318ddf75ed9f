"""A question of the user's own: their prompt, their texts, their reply."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import isclass
from typing import Any

from pydantic import BaseModel, RootModel

from ...errors import UsageError
from ...judges.base import Message, Question, ReplyT
from ...text.exhibits import Exhibit
from ...text.templates import placeholders, render, shown_by
from ..ask import Ask
from ..prompts import JUDGING, Rubric
from ..reply_form import reply_text


def own_question(
    prompt: str,
    reply: type[ReplyT] | None,
    values: Mapping[str, str],
    ask: Ask,
    task: str = "llm_judge",
) -> Question[ReplyT]:
    """The question ``prompt`` of a ``task``, a template over ``values``: what it prints is fenced.

    Raises ``UsageError`` for a prompt, a reply or values that can't be: nothing is asked then.
    """
    wanted: type[ReplyT] = _checked_reply(reply)
    _check_texts(prompt, values)
    filled = {name: Exhibit(text, name) for name, text in values.items()}
    user = f"{render(prompt, filled)}\n\n{reply_text(wanted, ask.reason_language)}"
    messages: tuple[Message, ...] = (("system", JUDGING), ("user", user))
    identity = Rubric(task, prompt, built_in=False).identity
    return Question(task, messages, wanted, values, rubric=identity)


def _checked_reply(reply: Any) -> Any:
    if not (isclass(reply) and issubclass(reply, BaseModel)) or issubclass(reply, RootModel):
        came = reply.__name__ if isclass(reply) else type(reply).__name__
        raise UsageError(
            f"the reply is a pydantic model, as class Tone(BaseModel) with its fields; got {came}"
        )
    if not reply.model_fields:
        raise UsageError(f"the reply {reply.__name__} has no field for the judge to fill")
    return reply


def _check_texts(prompt: object, values: Mapping[str, object]) -> None:
    if not isinstance(prompt, str) or not prompt.strip():
        came = "blank text" if isinstance(prompt, str) else type(prompt).__name__
        raise UsageError(f"the prompt is text; got {came}")
    for name, value in values.items():
        if not isinstance(value, str):
            came = type(value).__name__
            raise UsageError(
                f"{{{{ {name} }}}} stands for text; got {came}: take the text out of it first"
            )
    names = placeholders(prompt)
    if "judge" in names:
        raise UsageError(
            "judge= says who is asked, so no placeholder can be called judge: rename {{ judge }}"
        )
    if unused := sorted(values.keys() - names):
        raise UsageError(
            f"the prompt does not show {unused[0]} to the judge: put {{{{ {unused[0]} }}}} into it"
        )
    if values and not shown_by(prompt):
        raise UsageError(
            f"the prompt asks about {', '.join(values)} and shows nothing of it to the judge: put "
            f"{{{{ {next(iter(values))} }}}} into it"
        )
