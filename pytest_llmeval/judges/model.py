"""Which LLM judges: a model by its LiteLLM name, and how it is reached and asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from ..errors import UsageError
from ..text.shown import shown
from .base import BaseJudge, Line
from .params import Params, checked


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
        for name in ("model", "base_url", "key_env", "name"):
            _check_text(name, getattr(self, name), optional=name in ("base_url", "key_env"))
        if not self.model.strip():
            raise UsageError("a judge needs a model, such as openai/gpt-5-mini; got a blank one")
        if self.base_url is not None and not _is_web_address(self.base_url):
            raise UsageError(
                f"base_url starts with http:// or https:// and a host; got {_bare(self.base_url)!r}"
            )
        _check_key_env(self.key_env)
        _check_number("temperature", self.temperature, 0)
        _check_number("seed", self.seed, -(2**63), whole=True)
        _check_number("reply_tokens", self.reply_tokens or 0, 1, whole=True)
        _check_number("timeout", self.timeout, 0.001)
        object.__setattr__(self, "params", Params(checked(self.params)))
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


def _check_text(name: str, value: Any, optional: bool) -> None:
    if not isinstance(value, str) and not (optional and value is None):
        raise UsageError(f"{name} is text; got {type(value).__name__}")


def _check_number(name: str, value: Any, least: float, whole: bool = False) -> None:
    kind, told = (int, "a whole number") if whole else ((int, float), "a number")
    if value is None or (_is_number(value, kind) and least <= value < 2**63):
        return
    bound = "" if least < 0 else f", {least:g} or more"
    raise UsageError(f"{name} is {told}{bound}; got {_told(value)}")


def _is_number(value: Any, kind: Any) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def _told(value: Any) -> str:
    try:
        return shown(repr(value), 60)
    except Exception:  # such as an integer that is too long to be written down
        return f"a {type(value).__name__}"
