"""Responses: what an app answered, its text and the tool calls that are told with it."""

from __future__ import annotations

from typing import Any

from .calls import calls_in
from .chat import response_of

CALLS = "tools_called in the response"
"""Under this key stand the calls that a response tells of; ``tools_called`` goes before them."""


def answer_of(value: object) -> dict[str, Any]:
    """The text of what an app answered, and the tool calls in it, where it tells of some."""
    calls = calls_in(value)
    answer = {"response": response_of(value)}
    return {**answer, CALLS: calls} if calls else answer
