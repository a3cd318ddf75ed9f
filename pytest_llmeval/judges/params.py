"""Parameters of a request: which may be given, and a mapping of them that stays as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..errors import UsageError

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


class Params(Mapping[str, Any]):
    """JSON values by name. Nothing can be set; copies and pickles like any value."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = dict(values)

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return repr(self._values)


def checked(params: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of ``params``, sorted.

    Raises ``UsageError`` where something in them is set by a field of the judge or by us, is a
    secret or no JSON value.
    """
    if not isinstance(params, Mapping):
        raise UsageError(f"params maps names to JSON values; got {type(params).__name__}")
    for name, value in params.items():
        if not isinstance(name, str):
            raise UsageError(f"the names of params are text; got {type(name).__name__}")
        if name in _OURS:
            raise UsageError(f"{name} is no parameter here: it is set through {_OURS[name]}")
        if name in _NEVER:
            raise UsageError(f"the parameter {name} cannot be set for a judge")
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            # The value is not shown: it may hold a secret.
            raise UsageError(f"the parameter {name} is no JSON value: {error}") from None
        _check_secret(name, value)
    copy: dict[str, Any] = json.loads(json.dumps(dict(sorted(params.items()))))
    return copy


def _check_secret(name: str, value: Any) -> None:
    """Refuse secrets: parameters are part of what the store keeps, and are shown."""
    if _SECRET.search(name) and isinstance(value, str):
        raise UsageError(f"the parameter {name} looks like a secret: name its variable by key_env")
    if isinstance(value, Mapping):
        for inner, item in value.items():
            _check_secret(str(inner), item)
