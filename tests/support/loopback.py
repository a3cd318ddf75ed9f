"""Loopback judges: servers on this machine that speak a provider's protocol and do as scripted."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import threading
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Literal

from aiohttp import web

Protocol = Literal["openai", "anthropic", "ollama"]


@dataclass(frozen=True)
class Behaviour:
    """What the server does with one request.

    ``text`` is the reply, None for the default answer, and goes into ``wrapped``; ``stop`` is why
    the model stopped; a ``status`` of 400 and up is told with ``message`` and ``code`` in the
    protocol's error shape; ``body`` is sent as it is; ``delay`` is in seconds.
    """

    text: str | None = None
    wrapped: str = "{}"
    stop: Literal["end", "length", "filter", "refusal"] = "end"
    reasoning: str = ""
    status: int = 200
    message: str = ""
    code: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str | None = None
    delay: float = 0.0
    connection: Literal["kept", "dropped", "hung", "trickling"] = "kept"


def says(text: str, reasoning: str = "") -> Behaviour:
    """Replies ``text``, after ``reasoning`` in the field that the protocol has for it."""
    return Behaviour(text, reasoning=reasoning)


def fenced(text: str | None = None) -> Behaviour:
    """Replies in a code fence."""
    return Behaviour(text, wrapped="```json\n{}\n```")


def with_prose(text: str | None = None) -> Behaviour:
    """Replies with prose before and after."""
    return Behaviour(text, wrapped="Here is my verdict:\n\n{}\n\nLet me know if that helps.")


def cut(text: str = '{"reason": "It was going to be a lo') -> Behaviour:
    """Replies ``text`` and stops at the token limit."""
    return Behaviour(text, stop="length")


def empty_at_limit() -> Behaviour:
    """Replies nothing: reasoning used up the token limit."""
    return Behaviour("", stop="length", reasoning="Let me think about it for as long as I may.")


def declines(text: str = "I cannot help with that.") -> Behaviour:
    """The model refuses, in the way that the protocol has for it."""
    return Behaviour(text, stop="refusal")


def filtered() -> Behaviour:
    """A filter holds the reply back."""
    return Behaviour("", stop="filter")


def status(
    number: int, message: str = "as scripted", code: str | None = None, **headers: str
) -> Behaviour:
    """An HTTP error; ``code`` stands in its body, ``retry_after="2"`` is a header."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Behaviour(status=number, message=message, code=code, headers=named)


def refuses_parameter(name: str) -> Behaviour:
    """A 400 that names the parameter."""
    return status(400, f"Unsupported parameter: '{name}' is not supported with this model.")


def raw(body: str = "<html><body>It works!</body></html>") -> Behaviour:
    """A 200 with ``body``, whatever the protocol wants."""
    return Behaviour(body=body)


def dropped() -> Behaviour:
    """Closes the connection in place of a reply."""
    return Behaviour(connection="dropped")


def hung() -> Behaviour:
    """Never replies."""
    return Behaviour(connection="hung")


def trickling() -> Behaviour:
    """Begins to reply, and never ends: a blank from time to time."""
    return Behaviour(connection="trickling")


def delayed(seconds: float, text: str | None = None) -> Behaviour:
    """Replies after ``seconds``."""
    return Behaviour(text, delay=seconds)


@dataclass(frozen=True)
class Request:
    """A request as it came, its header names in lower case."""

    path: str
    headers: Mapping[str, str]
    text: str
    body: Mapping[str, Any]

    @property
    def prompt(self) -> str:
        """All that the model is told, system text first."""
        turns = self.body.get("messages", [])
        texts = [self.body.get("system", ""), self.body.get("prompt", "")]
        return "\n".join(_text(part) for part in [*texts, *(t["content"] for t in turns)] if part)

    @property
    def tool(self) -> Mapping[str, Any] | None:
        """The tool that the reply has to be shaped as, if any."""
        tools = self.body.get("tools")
        return None if not tools else tools[0].get("function", tools[0])

    @property
    def schema(self) -> dict[str, Any] | None:
        """The JSON schema that the reply is asked to follow, if any."""
        body = self.body
        asked = body.get("format")
        if tool := self.tool:
            asked = tool.get("parameters") or tool.get("input_schema")
        elif "response_format" in body:
            asked = body["response_format"].get("json_schema", {}).get("schema")
        elif form := body.get("output_format") or body.get("output_config", {}).get("format"):
            asked = form["schema"]
        return asked if isinstance(asked, dict) else None


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content)


class Rejected(Exception):
    """The request is not what the protocol allows."""

    def __init__(self, message: str, number: int = 400) -> None:
        super().__init__(message)
        self.number = number


_NUMBER = (int, float)
_TURNS = {"messages": list}
_TOOLS = {"tools": list, "tool_choice": (dict, str)}
_FIELDS: dict[str, dict[str, Any]] = {
    "/v1/chat/completions": {
        "model": str, **_TURNS, **_TOOLS, "temperature": _NUMBER, "top_p": _NUMBER, "seed": int,
        "max_tokens": int, "max_completion_tokens": int, "response_format": dict,
        "reasoning_effort": str, "top_k": int,
    },
    "/v1/messages": {
        "model": str, "max_tokens": int, **_TURNS, **_TOOLS, "system": (str, list),
        "temperature": _NUMBER, "top_k": int, "output_format": dict, "output_config": dict,
    },
    "/api/chat": {
        "model": str, "stream": bool, **_TURNS, "options": dict, "format": (dict, str),
        "keep_alive": (str, int), "think": (bool, str),
    },
    "/api/generate": {
        "model": str, "stream": bool, "prompt": str, "options": dict, "format": (dict, str),
        "images": list, "keep_alive": (str, int), "think": (bool, str),
    },
    "/api/show": {"name": str},
}  # fmt: skip
"""The fields of a body and their types; those before ``messages`` or ``prompt`` must be there."""

_OPTIONS = {"temperature": _NUMBER, "seed": int, "num_predict": int, "num_ctx": int, "top_k": int}
_PATHS: dict[Protocol, tuple[str, ...]] = {
    "openai": ("/v1/chat/completions",),
    "anthropic": ("/v1/messages",),
    "ollama": ("/api/chat", "/api/generate", "/api/show"),
}


def _check_fields(values: Mapping[str, Any], known: Mapping[str, Any], where: str) -> None:
    for name, value in values.items():
        if name not in known:
            raise Rejected(f"{where}: unknown field {name!r}")
        kinds = known[name] if isinstance(known[name], tuple) else (known[name],)
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise Rejected(f"{where}: {name!r} has the wrong type, {type(value).__name__}")


def _check_body(path: str, body: Mapping[str, Any]) -> None:
    known = _FIELDS[path]
    _check_fields(body, known, "request")
    last = next((name for name in ("messages", "prompt") if name in known), "name")
    needed = [*list(known)[: list(known).index(last)], last]
    if missing := [name for name in needed if name not in body]:
        raise Rejected(f"request: missing {', '.join(missing)}")
    _check_fields(body.get("options", {}), _OPTIONS, "options")
    for turn in body.get("messages", ["none"] if "messages" in known else []):
        _check_fields(turn, {"role": str, "content": (str, list), "images": list}, "message")
        if turn.get("role") not in ("system", "user", "assistant") or not turn.get("content"):
            raise Rejected("message: role or content is missing")
        if turn["role"] == "system" and path == "/v1/messages":
            raise Rejected("messages: unexpected role system")
    if "messages" in known and not body["messages"]:
        raise Rejected("messages: at least one is needed")


def _check_form(path: str, request: Request) -> None:
    form = request.body.get("response_format", {"type": "text"})
    if form.get("type") not in ("text", "json_object", "json_schema"):
        raise Rejected("response_format: unknown type")
    if form["type"] == "json_object" and "json" not in request.prompt.lower():
        raise Rejected("'messages' must contain the word 'json' to use 'response_format'")
    if form["type"] == "json_schema":
        named = form.get("json_schema", {})
        well_named = re.fullmatch(r"[\w-]{1,64}", named.get("name", ""))
        if not well_named or named.get("strict") is not True:
            raise Rejected("response_format: json_schema needs a name, and strict to be true")
    if path == "/api/chat" and request.body.get("format", "json") not in ("json", request.schema):
        raise Rejected("format: a schema or json")
    if request.tool is None:
        _check_schema(request.schema or {})


def _check_schema(schema: Mapping[str, Any]) -> None:
    """Refuse what strict structured output does."""
    if not schema:
        return
    if schema.get("type") == "object":
        if schema.get("additionalProperties") is not False:
            raise Rejected("Invalid schema for response_format: additionalProperties must be false")
        if sorted(schema.get("required", [])) != sorted(schema.get("properties", {})):
            raise Rejected("Invalid schema for response_format: every property must be required")
    if "default" in schema or ("$ref" in schema and len(schema) > 1):
        raise Rejected("Invalid schema for response_format: default, or $ref beside others")
    inner = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values()]
    for each in [*inner, *schema.get("anyOf", []), schema.get("items")]:
        _check_schema(each or {})


def object_for(request: Request, values: Mapping[str, Any]) -> dict[str, Any]:
    """A valid answer to ``request``: what its schema asks for, or what its prompt describes.

    A field takes its value from ``values`` where one is given; else the first of several words,
    the highest of several numbers, a short text, or an empty list.
    """
    schema = request.schema
    if schema is not None:
        return {
            name: values.get(name, _value_for(each))
            for name, each in schema.get("properties", {}).items()
        }
    described = re.findall(r'^ *"(\w+)": (.*?),?$', request.prompt, re.MULTILINE)
    return {name: values.get(name, _described_value(text)) for name, text in described}


def _value_for(schema: Mapping[str, Any]) -> Any:
    if "enum" in schema:
        numbers = [value for value in schema["enum"] if not isinstance(value, str)]
        return max(numbers) if numbers else schema["enum"][0]
    if schema.get("type") == "object":
        return {name: _value_for(each) for name, each in schema.get("properties", {}).items()}
    if "anyOf" in schema:
        options = [each for each in schema["anyOf"] if each.get("type") != "null"]
        return None if len(options) < len(schema["anyOf"]) else _value_for(options[0])
    kinds = {"integer": schema.get("maximum", 5), "number": schema.get("maximum", 1.0)}
    return {**kinds, "array": [], "boolean": True}.get(schema.get("type", ""), "as it is asked")


def _described_value(text: str) -> Any:
    if text.startswith("["):
        return []
    if words := re.findall(r'"([^"]*)"(?= or |$|  \()', text):
        return words[0]
    numbers = [int(digits) for digits in re.findall(r"\b\d+\b", text.partition("  (")[0])]
    return max(numbers) if numbers else "as it is asked"


class LoopbackJudge:
    """A judge server in a thread of its own, on a free port of the loopback interface.

    ``with LoopbackJudge("openai") as server:`` or ``start()`` and ``stop()``. Requests that the
    protocol does not allow are answered by 400 (401 without a key, 404 off its paths). Others
    meet the next of what ``script`` queued, else ``default``, by which they get ``answer``.

    ``values`` are what the default answer holds; ``refuses`` names parameters that the model never
    takes; ``key`` is the one key that is accepted, None for any; ``usage`` the tokens in and out
    that every reply reports, None for no report; ``resolved_model`` the model's name in replies,
    None for the one asked for. ``requests`` holds all that came, ``most_in_flight`` counts those
    at the same time, probes for a model's properties excepted. With ``parties`` nobody is answered
    before so many have been there at the same time.
    """

    def __init__(self, protocol: Protocol = "openai", key: str | None = None) -> None:
        self.protocol: Protocol = protocol
        self.key = key
        self.values: dict[str, Any] = {}
        self.refuses: set[str] = set()
        self.usage: tuple[int, int] | None = (120, 30)
        self.resolved_model: str | None = None
        self.default = Behaviour()
        self.answer: Callable[[Request], str] = lambda request: json.dumps(
            object_for(request, self.values)
        )
        self.requests: list[Request] = []
        self.most_in_flight = 0
        self.parties = 0
        self._in_flight = 0
        self._queue: deque[Behaviour] = deque()
        self._ready = threading.Event()
        self._port = 0

    def script(self, *behaviours: Behaviour) -> None:
        """Queue what happens to the next requests, one each."""
        self._queue.extend(behaviours)

    @property
    def url(self) -> str:
        """The base URL that a judge is given."""
        return f"http://127.0.0.1:{self._port}" + ("/v1" if self.protocol == "openai" else "")

    @property
    def bodies(self) -> list[Mapping[str, Any]]:
        """The bodies of the questions that came, probes excepted."""
        return [each.body for each in self.requests if each.path != "/api/show"]

    def start(self) -> None:
        """Serve; ``url`` can be called from here on."""
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._port = self._socket.getsockname()[1]
        self._begin()

    def stop(self) -> None:
        """Close every connection, and the port."""
        self._end()
        self._socket.close()

    def begin_anew(self) -> None:
        """Serve at the same address, with nothing left of what came and what was scripted.

        What is still on its way from clients that are gone comes no more.
        """
        self._end()
        with suppress(BlockingIOError):
            while True:
                self._socket.accept()[0].close()
        self._queue.clear()
        self.requests.clear()
        self._begin()

    def _begin(self) -> None:
        self._ready.clear()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._thread.start()
        self._ready.wait()

    def _end(self) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()

    def __enter__(self) -> LoopbackJudge:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._over = asyncio.Event()
        self._met = asyncio.Event()
        app = web.Application(client_max_size=2**26)
        app.router.add_route("*", "/{path:.*}", self._handle)
        runner = web.AppRunner(
            app, access_log=None, handler_cancellation=True, shutdown_timeout=0.05
        )
        await runner.setup()
        await web.SockSite(runner, self._socket.dup()).start()
        self._ready.set()
        await self._over.wait()
        await runner.cleanup()

    async def _handle(self, came: web.Request) -> web.StreamResponse:
        text = (await came.read()).decode("utf-8", "replace")
        headers = {name.lower(): value for name, value in came.headers.items()}
        try:
            body = json.loads(text)
        except ValueError:
            body = {}
        request = Request(came.path_qs, headers, text, body if isinstance(body, dict) else {})
        self.requests.append(request)
        try:
            self._check(came, request)
        except Rejected as error:
            return self._error(Behaviour(status=error.number, message=str(error)))
        if came.path == "/api/show":
            return web.json_response({"template": "{{ .Prompt }}", "model_info": {}})
        self._in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self._in_flight)
        try:
            return await self._behave(came, request)
        finally:
            self._in_flight -= 1

    def _check(self, came: web.Request, request: Request) -> None:
        if came.path not in _PATHS[self.protocol]:
            raise Rejected(f"no such path: {came.path}", 404)
        if came.method != "POST":
            raise Rejected(f"{came.path} takes POST", 405)
        name = "x-api-key" if self.protocol == "anthropic" else "authorization"
        key = request.headers.get(name, "").removeprefix("Bearer ")
        if (not key and self.protocol != "ollama") or self.key not in (None, key):
            raise Rejected(f"Incorrect API key provided: {key or '(none)'}", 401)
        if self.protocol != "ollama" and came.content_type != "application/json":
            raise Rejected(f"content type {came.content_type}")
        if self.protocol == "anthropic" and "anthropic-version" not in request.headers:
            raise Rejected("anthropic-version: header is required")
        if not request.body:
            raise Rejected("the body is no JSON object")
        _check_body(came.path, request.body)
        _check_form(came.path, request)
        sent = {*request.body, *request.body.get("options", {})}
        for refused in sorted(self.refuses & sent):
            raise Rejected(refuses_parameter(refused).message)

    async def _behave(self, came: web.Request, request: Request) -> web.StreamResponse:
        behaviour = self._queue.popleft() if self._queue else self.default
        if self.most_in_flight >= self.parties:
            self._met.set()
        await self._met.wait()
        await asyncio.sleep(behaviour.delay)
        if behaviour.connection == "hung":
            await self._over.wait()
        if behaviour.connection == "trickling":
            return await self._trickle(came)
        if behaviour.connection == "dropped" and came.transport is not None:
            came.transport.abort()
        if behaviour.body is not None:
            return web.Response(text=behaviour.body, content_type="application/json")
        if behaviour.status >= 400:
            return self._error(behaviour)
        text = self.answer(request) if behaviour.text is None else behaviour.text
        said = behaviour.wrapped.replace("{}", text)
        reply = {"openai": self._openai, "anthropic": self._anthropic, "ollama": self._ollama}
        return web.json_response(reply[self.protocol](request, said, behaviour))

    async def _trickle(self, came: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(came)
        while not self._over.is_set():
            await response.write(b" ")
            await asyncio.sleep(0.05)
        return response

    def _error(self, behaviour: Behaviour) -> web.Response:
        message, code = behaviour.message, behaviour.code
        shapes: dict[Protocol, Any] = {
            "openai": {"error": {"message": message, "type": code, "param": None, "code": code}},
            "anthropic": {
                "type": "error",
                "error": {"type": code or "invalid_request_error", "message": message},
            },
            "ollama": {"error": message},
        }
        return web.json_response(
            shapes[self.protocol], status=behaviour.status, headers=behaviour.headers
        )

    def _model(self, request: Request) -> str:
        return self.resolved_model or request.body["model"]

    def _openai(self, request: Request, said: str, behaviour: Behaviour) -> dict[str, Any]:
        stops = {"end": "stop", "length": "length", "filter": "content_filter", "refusal": "stop"}
        message: dict[str, Any] = {"role": "assistant", "content": said, "refusal": None}
        if behaviour.stop == "refusal":
            message.update(content=None, refusal=said)
        if behaviour.reasoning:
            message["reasoning_content"] = behaviour.reasoning
        reply = {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": self._model(request),
            "choices": [{"index": 0, "message": message, "finish_reason": stops[behaviour.stop]}],
        }
        if self.usage:
            given, taken = self.usage
            reply["usage"] = {
                "prompt_tokens": given,
                "completion_tokens": taken,
                "total_tokens": given + taken,
            }
        return reply

    def _anthropic(self, request: Request, said: str, behaviour: Behaviour) -> dict[str, Any]:
        stops = {"end": "end_turn", "length": "max_tokens", "filter": "refusal"}
        stop = stops.get(behaviour.stop, "refusal")
        block: dict[str, Any] = {"type": "text", "text": said}
        if request.tool is not None and said.startswith("{") and stop == "end_turn":
            stop = "tool_use"
            name, filled = request.tool["name"], json.loads(said)
            block = {"type": "tool_use", "id": "toolu_1", "name": name, "input": filled}
        thinking = {"type": "thinking", "thinking": behaviour.reasoning, "signature": "s"}
        given, taken = self.usage or (0, 0)
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": self._model(request),
            "content": [thinking] * bool(behaviour.reasoning) + [block] * bool(said),
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": {"input_tokens": given, "output_tokens": taken},
        }

    def _ollama(self, request: Request, said: str, behaviour: Behaviour) -> dict[str, Any]:
        counts = dict(zip(("prompt_eval_count", "eval_count"), self.usage or (), strict=False))
        reply = {
            "model": self._model(request),
            "created_at": "2026-01-01T00:00:00Z",
            "done": True,
            "done_reason": "length" if behaviour.stop == "length" else "stop",
            **counts,
        }
        if "prompt" in request.body:
            return {**reply, "response": said}
        message = {"role": "assistant", "content": said}
        if behaviour.reasoning:
            message["thinking"] = behaviour.reasoning
        return {**reply, "message": message}
