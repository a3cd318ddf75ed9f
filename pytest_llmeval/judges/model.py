"""Which LLM judges: a model by its LiteLLM name, and how it is reached and asked."""

from __future__ import annotations

import json
import math
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from ..errors import UsageError
from .base import BaseJudge, Line

_OURS = {
    "api_base": "base_url",
    "base_url": "base_url",
    "api_key": "key_env",
    "key_env": "key_env",
    "max_tokens": "reply_tokens",
    "max_completion_tokens": "reply_tokens",
    "reply_tokens": "reply_tokens",
    "temperature": "temperature",
    "seed": "seed",
    "timeout": "timeout",
    "request_timeout": "timeout",
    "model": "model",
    "custom_llm_provider": "model",
}
"""Parameters of a request that are set through a field of the judge."""

_NEVER = {"messages", "response_format", "stream", "n", "max_retries", "num_retries", "fallbacks"}
"""Parameters that a line sets itself, or that would send the question elsewhere."""

_SECRET = re.compile(
    r"((?<!cache_)key|token|secret|password|credentials?|authorization)$", re.IGNORECASE
)


@dataclass(frozen=True)
class Judge(BaseJudge):
    """An LLM as judge, called by its LiteLLM name (``openai/gpt-5-mini``, ``ollama_chat/qwen3``).

    ``base_url`` is where it is served, if not at its provider. ``key_env`` names the environment
    variable that holds its key; without it, LiteLLM takes the provider's own variable, and a
    server at ``base_url`` gets no key at all. ``params`` are further parameters of the request
    (JSON values; no secrets), passed through as they are. A ``temperature`` of None is not sent.
    ``reply_tokens`` is the most tokens of one reply; ``timeout`` is in seconds for one request,
    None for the run's. ``name`` is how reports call the judge, the model unless given.

    A model with ``minicheck`` in its name is a dedicated checker: it is asked for one word.

    Raises ``UsageError`` for what cannot be meant.
    """

    remote = True

    model: str
    base_url: str | None = None
    key_env: str | None = None
    params: Mapping[str, Any] = field(default_factory=dict, hash=False)
    temperature: float | None = 0.0
    seed: int | None = None
    reply_tokens: int = 4096
    timeout: float | None = None
    name: str = ""
    checker: bool = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.model.strip():
            raise UsageError("a judge needs a model, such as openai/gpt-5-mini; got a blank one")
        if self.base_url is not None and not _is_web_address(self.base_url):
            raise UsageError(
                f"base_url starts with http:// or https:// and a host; got {_bare(self.base_url)!r}"
            )
        _check_key_env(self.key_env)
        _check_number("temperature", self.temperature, 0)
        _check_number("seed", self.seed, -math.inf, whole=True)
        _check_number("reply_tokens", self.reply_tokens or 0, 1, whole=True)
        _check_number("timeout", self.timeout, 0.001)
        object.__setattr__(self, "params", MappingProxyType(_checked(self.params)))
        object.__setattr__(self, "name", self.name or self.model)
        object.__setattr__(self, "checker", "minicheck" in self.model.lower())

    @property
    def identity(self) -> Mapping[str, Any]:
        """What shapes the answers, as JSON values: never a key, a timeout or the name."""
        return {
            "model": self.model,
            "base_url": None if self.base_url is None else _bare(self.base_url),
            "temperature": self.temperature,
            "seed": self.seed,
            "reply_tokens": self.reply_tokens,
            "params": dict(self.params),
        }

    def prepare(self, notice: Callable[[str], None]) -> None:
        """Import LiteLLM now."""
        from .litellm_import import load

        load(notice)

    def connect(self, timeout: float, notice: Callable[[str], None]) -> Line:
        """A line through LiteLLM, which is imported now."""
        from .litellm import LiteLLMLine

        return LiteLLMLine(self, timeout, notice)


def _is_web_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False


def _bare(url: str) -> str:
    """``url`` without user, password, query and fragment, where secrets may stand."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url.rpartition("@")[2]
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _check_key_env(name: str | None) -> None:
    if name is None:
        return
    random = len(name) >= 20 and re.search(r"\d", name) and re.search("[a-z]", name)
    if random or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        # The value is not shown: it may well be a key.
        raise UsageError(
            "key_env takes the name of an environment variable, such as OPENAI_API_KEY; what was "
            "given looks like something else. Put the key into a variable and name that here"
        )


def _check_number(name: str, value: Any, least: float, whole: bool = False) -> None:
    kind, told = (int, "a whole number") if whole else ((int, float), "a number")
    if value is None or (isinstance(value, kind) and least <= value < math.inf):
        return
    bound = "" if least == -math.inf else f", {least:g} or more"
    raise UsageError(f"{name} is {told}{bound}; got {value!r}")


def _checked(params: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of ``params``, sorted, once nothing in them is ours, secret or no JSON value."""
    for name, value in params.items():
        if name in _OURS:
            raise UsageError(f"{name} is no parameter here: it is set through {_OURS[name]}")
        if name in _NEVER:
            raise UsageError(f"the parameter {name} cannot be set for a judge")
        _check_secret(name, value)
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError):
            raise UsageError(f"the parameter {name} is no JSON value: {value!r}") from None
    copy: dict[str, Any] = json.loads(json.dumps(dict(sorted(params.items()))))
    return copy


def _check_secret(name: str, value: Any) -> None:
    """Refuse secrets: parameters are part of what the store keeps, and are shown."""
    if _SECRET.search(name) and isinstance(value, str):
        raise UsageError(f"the parameter {name} looks like a secret: name its variable by key_env")
    if isinstance(value, Mapping):
        for inner, item in value.items():
            _check_secret(str(inner), item)


_FIELDS: dict[str, Callable[[str], Any]] = {
    "base_url": str,
    "key_env": str,
    "temperature": lambda text: None if text.lower() == "none" else float(text),
    "seed": int,
    "reply_tokens": int,
    "timeout": float,
    "name": str,
}


def parse_judge(line: str) -> tuple[str, Judge]:
    """``strict = openai/gpt-5-mini temperature=0 reasoning_effort=high`` as a name and its judge.

    Words are split as in a shell. Fields of ``Judge`` are set by their names (``temperature=none``
    is not sent), anything else is a parameter of the request. Raises ``UsageError`` that names the
    line, never showing more of it than name and model.
    """
    name, equals, rest = (part.strip() for part in line.partition("="))
    try:
        words = shlex.split(rest)
        if not equals or not re.fullmatch(r"[\w.-]+", name) or not words:
            raise UsageError("expected NAME = MODEL, then KEY=VALUE as often as needed")
        return name, _judge_of(words[0], dict(map(_entry, words[1:])))
    except ValueError as error:
        raise UsageError(f"judge {name!r}: {error}; quote it as in a shell") from None
    except UsageError as error:
        model = rest.partition(" ")[0] if equals else ""
        raise UsageError(f"judge '{name} = {model}': {error}") from None


def _judge_of(model: str, entries: Mapping[str, str]) -> Judge:
    fields: dict[str, Any] = {}
    for name, text in entries.items():
        if name in _FIELDS:
            try:
                fields[name] = _FIELDS[name](text)
            except ValueError:
                raise UsageError(f"{name} is a number; got {text!r}") from None
    params = {name: _value(name, text) for name, text in entries.items() if name not in _FIELDS}
    return Judge(model, params=params, **fields)


def parse_param(entry: str) -> tuple[str, Any]:
    """``reasoning_effort=high`` as a name and its value: JSON where it is JSON, else text.

    Raises ``UsageError`` for an entry without a name or a value.
    """
    name, text = _entry(entry)
    return name, _value(name, text)


def _entry(word: str) -> tuple[str, str]:
    name, equals, text = (part.strip() for part in word.partition("="))
    if not name or not equals or not text:
        raise UsageError(f"expected KEY=VALUE, such as reasoning_effort=high; got {name!r}")
    return name, text


def _value(name: str, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        if text[0] in "{[":
            raise UsageError(
                f"{name} looks like JSON and is none; in an ini, single quotes go around the whole "
                f"entry: '{name}={{...}}'"
            ) from None
        return text
