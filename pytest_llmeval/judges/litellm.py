"""The line to an LLM through LiteLLM: what is sent, and what comes back."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Any

from ..errors import ContextTooLong, JudgeError, JudgeUnavailable
from ..text.encodable import encodable
from ..text.shown import shown
from .access import access, unset
from .base import Message, Question, Said, Stop
from .clients import JudgeClient, trip
from .faults import as_judge_error, refused_parameters, without_secrets
from .litellm_import import hold, load, release
from .model import Judge
from .schema import schema_form


class LiteLLMLine:
    """A line to ``judge``. It remembers what the model refused and leaves that out from then on.

    ``timeout`` is in seconds for one request, unless the judge has its own; ``notice`` is told
    once for each thing left out.
    """

    def __init__(self, judge: Judge, timeout: float, notice: Callable[[str], None]) -> None:
        self._judge = judge
        self._timeout = judge.timeout or timeout
        self._notice = notice
        self._refused: set[str] = set()
        self._answered = False
        self._open = True
        hold()
        self._client = JudgeClient(judge, lambda url: shown(without_secrets(_address(url), judge)))
        load(notice)  # here, so that its seconds are not taken for the judge's

    async def say(self, question: Question[Any], messages: tuple[Message, ...]) -> Said:
        """What the judge says to ``messages``; raises the ``JudgeError`` that fits."""
        while True:
            outcome = await self._put(question, messages)
            if isinstance(outcome, Said):
                return outcome
            if outcome is not None:
                raise outcome

    async def close(self) -> None:
        """Close the connections: the line's own, and those that LiteLLM pools."""
        await self._client.close()
        if self._open:
            self._open = False
            await release()

    async def _put(
        self, question: Question[Any], messages: tuple[Message, ...]
    ) -> Said | JudgeError | None:
        """One request; None where it is to be made again, without what was refused.

        Errors are returned, so that no frame of their traceback holds a key.
        """
        litellm = load()
        asked = self._asked(question)
        way = access(self._judge, litellm)
        client = self._client.argument(way, litellm)
        request = {
            "messages": [{"role": role, "content": encodable(text)} for role, text in messages],
            "timeout": self._timeout,
            "max_retries": 0,
            "caching": False,
            **asked,
            **self._judge.params,
            **way,
        }
        started = time.monotonic()
        with trip() as taken:
            try:
                answer = litellm.acompletion(**request, **client)
                response = await asyncio.wait_for(answer, self._timeout)
                self._answered = True
                return self._fitting(response, time.monotonic() - started, request)
            except Exception as exc:
                if taken.fault is not None:
                    return taken.fault
                if self._client.misfits(client.get("client"), exc):
                    return None
                if not taken.answered and (refused := refused_parameters(exc, asked)):
                    self._leave_out(refused, asked)
                    return None
                lacking = unset(self._judge, litellm)
                return as_judge_error(exc, self._judge, lacking, taken.status, self._answered)

    def _asked(self, question: Question[Any]) -> dict[str, Any]:
        """What the model may refuse and be asked without, as far as it has not yet."""
        tokens = "max_completion_tokens" if "max_tokens" in self._refused else "max_tokens"
        asked: dict[str, Any] = {
            "temperature": self._judge.temperature,
            "seed": self._judge.seed,
            tokens: self._judge.reply_tokens,
        }
        if question.form == "json":
            forms = (schema_form(question.reply), {"type": "json_object"})
            free = (form for form in forms if form["type"] not in self._refused)
            asked["response_format"] = next(free, None)
        return {
            name: value
            for name, value in asked.items()
            if value is not None and name not in self._refused
        }

    def _leave_out(self, refused: set[str], asked: Mapping[str, Any]) -> None:
        for name in sorted(refused):
            what = asked[name]["type"] if name == "response_format" else name
            if what not in self._refused:
                self._refused.add(what)
                if what != "max_tokens":  # which goes by another name from here on
                    self._notice(f"{self._judge.name} does not take {what}: it is left out")

    def _fitting(
        self, response: Any, seconds: float, request: Mapping[str, Any]
    ) -> Said | JudgeError:
        if not response.choices:
            return JudgeUnavailable(
                f"{self._judge.name}: the reply had no choices; check the model's provider"
            )
        said = _said(response, seconds)
        window = request.get("num_ctx")
        if not isinstance(window, int) or (said.input_tokens or 0) < window:
            return said
        return ContextTooLong(
            f"{self._judge.name}: the question filled the window of {window} tokens, and Ollama "
            "cuts off what exceeds it; raise it by --llm-eval-param=num_ctx=N"
        )


def _address(url: str) -> str:
    """``url`` without its query, where secrets may stand."""
    return url.partition("?")[0].partition("#")[0]


def _said(response: Any, seconds: float) -> Said:
    choice = response.choices[0]
    message = getattr(choice, "message", None)
    fields = getattr(message, "provider_specific_fields", None) or {}
    refusal = getattr(message, "refusal", None) or fields.get("refusal")
    finish = getattr(choice, "finish_reason", None)
    usage = getattr(response, "usage", None)
    given = getattr(usage, "prompt_tokens", None)
    taken = getattr(usage, "completion_tokens", None)
    counted = bool(given or taken)
    stops: dict[Any, Stop] = {"length": "length", "content_filter": "filtered"}
    return Said(
        text=refusal or getattr(message, "content", None) or "",
        stop="refused" if refusal else stops.get(finish, "end"),
        resolved_model=response.model,
        # Without a report LiteLLM gives zeros, and a price made of these.
        input_tokens=given if counted else None,
        output_tokens=taken if counted else None,
        cost=response._hidden_params.get("response_cost") if counted else None,
        seconds=seconds,
    )
