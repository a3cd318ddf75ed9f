"""The line to an LLM through LiteLLM, and the one place that imports it."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import os
import re
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import lru_cache
from importlib import import_module
from types import ModuleType
from typing import Any, Literal

from pydantic import BaseModel

from ..errors import ContextTooLong, JudgeError, JudgeMisconfigured, UsageError
from .base import Message, Question, Said
from .faults import as_judge_error, refused_parameters
from .model import Judge

_QUIET = {
    "LITELLM_MODE": "PRODUCTION",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
    "LITELLM_LOG": "ERROR",
}
"""Environment of the import: no ``.env`` read, nothing fetched, nothing logged."""

KEEPS_KEYS = (
    *("anthropic", "azure", "azure_ai", "cerebras", "cohere", "cohere_chat", "custom_openai"),
    *("deepinfra", "deepseek", "fireworks_ai", "gemini", "groq", "hosted_vllm", "litellm_proxy"),
    *("llamafile", "lm_studio", "mistral", "moonshot", "nvidia_nim", "ollama", "ollama_chat"),
    *("openai", "openrouter", "perplexity", "together_ai", "xai"),
)
"""Providers whose requests to another server carry the key that they are given, and no other."""

NO_KEY = "no-key"
"""Sent to a server at a ``base_url`` in place of a key: LiteLLM would look for one else."""

OLLAMA_WINDOW = 8192
"""Tokens. Ollama cuts what exceeds its window, by default a small one, and says nothing."""

_lock = threading.Lock()
_litellm: ModuleType | None = None
_seconds: float | None = None


def import_seconds() -> float | None:
    """The seconds that importing LiteLLM took; None while it was not needed."""
    return _seconds


def load() -> ModuleType:
    """LiteLLM, imported at the first call: offline, silent, the environment left as it was."""
    global _litellm, _seconds
    _hush()
    with _lock:
        if _litellm is None:
            started = time.monotonic()
            _litellm = _imported()
            _seconds = time.monotonic() - started
    return _litellm


def _hush() -> None:
    # LiteLLM builds some models only when they are needed, and these warn; said before every
    # call, since pytest puts the filters of warnings back after each test.
    for message in (
        r".*`ReadOnly` qualifier",
        r".*(protected namespace|attribute on the instance is deprecated)",
        r"Pydantic serializer warnings",
    ):
        warnings.filterwarnings("ignore", message=message)


@contextmanager
def _same_environment() -> Iterator[None]:
    kept = {name: os.environ.get(name) for name in (*_QUIET, "TIKTOKEN_CACHE_DIR")}
    try:
        yield
    finally:
        for name, value in kept.items():
            if value is not None:
                os.environ[name] = value
            else:
                os.environ.pop(name, None)


def _imported() -> ModuleType:
    collecting = gc.isenabled()
    gc.disable()
    try:
        with _same_environment(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            os.environ.update(_QUIET)
            import litellm

            # Loaded now: at its first use the one would fetch a file, the other set a variable.
            with suppress(ImportError):
                betas = import_module("litellm.anthropic_beta_headers_manager")
                betas.get_provider_name("anthropic")
            with suppress(ImportError):
                import_module("litellm.litellm_core_utils.default_encoding")
    finally:
        if collecting:
            gc.enable()
    # What an import leaves behind stays for good: no collection needs to look at it again.
    gc.freeze()
    litellm.suppress_debug_info = True
    for logger in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(logger).setLevel(logging.CRITICAL)
    return litellm


async def close_clients() -> None:
    """Close the connections that LiteLLM pools; nothing where it was never imported."""
    if _litellm is not None:
        await _litellm.close_litellm_async_clients()


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
        load()  # here, so that its seconds are not taken for the judge's

    async def say(self, question: Question[Any], messages: tuple[Message, ...]) -> Said:
        """What the judge says to ``messages``; raises the ``JudgeError`` that fits."""
        while True:
            outcome = await self._put(question, messages)
            if isinstance(outcome, Said):
                return outcome
            if outcome is not None:
                raise outcome

    async def close(self) -> None:
        """Close the connections; those of all lines are in one pool."""
        await close_clients()

    async def _put(
        self, question: Question[Any], messages: tuple[Message, ...]
    ) -> Said | JudgeError | None:
        """One request; None where it is to be made again, without what was refused.

        Errors are returned, so that no frame of their traceback holds a key.
        """
        litellm = load()
        asked = self._asked(question)
        request = {
            "messages": [{"role": role, "content": content} for role, content in messages],
            "timeout": self._timeout,
            "max_retries": 0,
            "caching": False,
            **asked,
            **self._judge.params,
            **_access(self._judge, litellm),
        }
        started = time.monotonic()
        try:
            response = await asyncio.wait_for(litellm.acompletion(**request), self._timeout)
            return self._fitting(_said(response, time.monotonic() - started), request)
        except Exception as exc:
            if refused := refused_parameters(exc, asked):
                self._leave_out(refused, asked)
                return None
            return as_judge_error(exc, self._judge, _unset(self._judge, litellm))

    def _asked(self, question: Question[Any]) -> dict[str, Any]:
        """What the model may refuse and be asked without, as far as it has not yet."""
        tokens = "max_completion_tokens" if "max_tokens" in self._refused else "max_tokens"
        asked: dict[str, Any] = {
            "temperature": self._judge.temperature,
            "seed": self._judge.seed,
            tokens: self._judge.reply_tokens,
        }
        if question.form == "json":
            forms = (_schema_form(question.reply), {"type": "json_object"})
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

    def _fitting(self, said: Said, request: Mapping[str, Any]) -> Said | JudgeError:
        window = request.get("num_ctx")
        if not isinstance(window, int) or (said.input_tokens or 0) < window:
            return said
        return ContextTooLong(
            f"{self._judge.name}: the question filled the window of {window} tokens, and Ollama "
            "cuts off what exceeds it; raise it by --llm-eval-param=num_ctx=N"
        )


def _access(judge: Judge, litellm: ModuleType) -> dict[str, Any]:
    """What names the model and gets a request to it, and the one key that it may carry."""
    provider, _, name = judge.model.partition("/")
    access: dict[str, Any] = {"model": judge.model}
    if provider in ("ollama", "ollama_chat"):
        # Asked as a chat: /api/generate would get the messages glued into one text. A model that
        # LiteLLM does not know would be looked up by calls that block the loop.
        access["model"] = f"ollama_chat/{name}"
        access["num_ctx"] = judge.params.get("num_ctx", OLLAMA_WINDOW)
        free = {"input_cost_per_token": 0.0, "output_cost_per_token": 0.0}
        known = {"litellm_provider": "ollama_chat", "mode": "chat", **free}
        litellm.model_cost.setdefault(access["model"], known)
    if provider == "hosted_vllm" and not (judge.base_url or os.environ.get("HOSTED_VLLM_API_BASE")):
        raise JudgeMisconfigured(f"{judge.name}: say where it is served, by --llm-eval-base-url")
    key = _own_key(judge)
    if judge.base_url is None:
        return access if key is None else {**access, "api_key": key}
    if provider not in KEEPS_KEYS:
        raise JudgeMisconfigured(
            f"{judge.name}: a base_url goes with providers that can be kept from sending other "
            f"credentials there: {', '.join(KEEPS_KEYS)}. They are not those whose requests are "
            "signed for a cloud (bedrock, sagemaker, vertex_ai, watsonx). What speaks OpenAI's "
            "protocol, whoever serves it, is openai/MODEL"
        )
    if provider == "azure":
        # Blank: else a token got with AZURE_USERNAME and AZURE_PASSWORD would be sent.
        access["azure_username"] = ""
    key = key or NO_KEY
    headers = {**_withheld(provider, key), **judge.params.get("extra_headers", {})}
    return {**access, "api_base": judge.base_url, "api_key": key, "extra_headers": headers}


def _own_key(judge: Judge) -> str | None:
    if judge.key_env is None:
        return None
    if key := os.environ.get(judge.key_env, "").strip():
        return key
    raise JudgeMisconfigured(
        f"{judge.name}: the environment variable {judge.key_env}, which was named for its key, is "
        "not set; set it"
    )


def _withheld(provider: str, key: str) -> dict[str, str]:
    """Headers that OpenAI's client would fill from the environment, whoever the server is."""
    headers = {"OpenAI-Organization": "", "OpenAI-Project": ""}
    if provider == "azure" and "AZURE_OPENAI_AD_TOKEN" in os.environ:
        headers |= {"Authorization": "", "api-key": key}
    authorized = {"authorization": f"Bearer {key}", "api-key": key}
    for line in os.environ.get("OPENAI_CUSTOM_HEADERS", "").splitlines():
        name, colon, _ = line.partition(":")
        if colon:
            headers[name.strip()] = authorized.get(name.strip().lower(), "")
    return headers


def _unset(judge: Judge, litellm: ModuleType) -> list[str]:
    """The variables in which LiteLLM looks for a key of ``judge``, where none of them is set."""
    if judge.base_url or judge.key_env:
        return []
    try:
        missing = litellm.validate_environment(judge.model)["missing_keys"]
    except Exception:
        # It does not know the model; then the error itself has to do.
        return []
    return [name for name in missing if re.search("KEY|TOKEN", name)]


def _said(response: Any, seconds: float) -> Said:
    choice = response.choices[0] if response.choices else None
    message = getattr(choice, "message", None)
    fields = getattr(message, "provider_specific_fields", None) or {}
    refusal = getattr(message, "refusal", None) or fields.get("refusal")
    finish = getattr(choice, "finish_reason", None)
    usage = getattr(response, "usage", None)
    given = getattr(usage, "prompt_tokens", None)
    taken = getattr(usage, "completion_tokens", None)
    counted = bool(given or taken)
    stop: Literal["end", "length", "refused"] = "length" if finish == "length" else "end"
    return Said(
        text=refusal or getattr(message, "content", None) or "",
        stop="refused" if refusal or finish == "content_filter" else stop,
        resolved_model=response.model,
        # Without a report LiteLLM gives zeros, and a price made of these.
        input_tokens=given if counted else None,
        output_tokens=taken if counted else None,
        cost=response._hidden_params.get("response_cost") if counted else None,
        seconds=seconds,
    )


def _schema_form(reply: type[BaseModel]) -> dict[str, Any]:
    """``reply`` as strict structured output wants it (OpenAI, "Structured Outputs")."""
    # A copy for each request: LiteLLM changes what it is given.
    form = {"name": "reply", "strict": True, "schema": json.loads(_schema_text(reply))}
    return {"type": "json_schema", "json_schema": form}


@lru_cache(maxsize=256)
def _schema_text(reply: type[BaseModel]) -> str:
    schema = reply.model_json_schema()
    return json.dumps(_strict(_undescribed(schema), schema.get("$defs", {}), ()))


def _undescribed(model: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of a class without its docstring, which is for people who read the code."""
    return {key: value for key, value in model.items() if key != "description"}


def _strict(schema: Any, definitions: Mapping[str, Any], within: tuple[str, ...]) -> Any:
    """``schema`` with every property required, none added, no defaults, references resolved."""
    if isinstance(schema, list):
        return [_strict(each, definitions, within) for each in schema]
    if not isinstance(schema, Mapping):
        return schema
    if reference := schema.get("$ref"):
        name = reference.rpartition("/")[2]
        if name in within:
            raise UsageError(f"a reply may not hold itself: {name} does")
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        resolved = {**_undescribed(definitions[name]), **beside}
        return _strict(resolved, definitions, (*within, name))
    strict = {
        key: {name: _strict(each, definitions, within) for name, each in value.items()}
        if key == "properties"
        else _strict(value, definitions, within)
        for key, value in schema.items()
        if key not in ("default", "title", "$defs")
    }
    if "properties" in strict:
        strict |= {"required": list(strict["properties"]), "additionalProperties": False}
    return strict
