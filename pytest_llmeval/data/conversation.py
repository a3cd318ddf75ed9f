"""A conversation as it is judged: its last turn, and what was said before that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .blank import is_blank
from .cases import Case
from .documents import Document
from .messages import Message
from .tool_calls import ToolCall


def as_judged(case: Case) -> Case:
    """``case`` as metrics see it: of a conversation the last turn, ``messages`` what came before.

    The query is the last user turn, the response the last assistant turn after it; a response
    that the case has of its own takes that one's place. Documents of the last turn's messages join
    those of the case, and so do its tool calls where the case lacks them. A query of its own that
    is not the last user turn was asked after all of the messages; then, and where there is no user
    turn, nothing is taken from them.
    """
    messages = case.messages
    asked = last_turn(case)
    if asked is None:
        return case
    answered = _last(messages, "assistant", after=asked)
    response = case.response
    if response is None and answered is not None:
        response = messages[answered].content
    between = messages[asked + 1 : answered]
    return case.model_copy(
        update={
            "messages": (*messages[:asked], *between),
            "query": messages[asked].content,
            "response": response,
            "context": _context(case, messages[asked:]),
            "tools_called": _tools_called(case, messages[asked:]),
        }
    )


def last_turn(case: Case) -> int | None:
    """Where in the messages of ``case`` the turn begins that is judged, None if it isn't there."""
    asked = _last(case.messages, "user")
    return None if asked is None or _asks_on(case, case.messages[asked]) else asked


def _context(case: Case, turn: Sequence[Message]) -> tuple[Document, ...] | None:
    """The documents of ``case``, then those of its last ``turn``; None where neither gives any."""
    if not case.gives("context") and all("context" not in each.model_fields_set for each in turn):
        return None
    found = dict.fromkeys(each for message in turn for each in message.context)
    return (*case.context, *(each for each in found if each not in case.context))


def _tools_called(case: Case, turn: Sequence[Message]) -> tuple[ToolCall, ...] | None:
    """The tool calls of ``case``, else those of its last ``turn``; None where nothing tells.

    An answered turn without a tool call says that there was none, unless a trace may know better.
    """
    if case.tools_called is not None:
        return case.tools_called
    calls = tuple(call for message in turn for call in message.tool_calls)
    answered = case.trace is None and any(message.role == "assistant" for message in turn)
    return calls if calls or answered else None


def has_earlier_turns(judged: Case) -> bool:
    """Whether the user had asked something before the turn that is judged."""
    return _last(judged.messages, "user") is not None


def faults_of(case: Case) -> Mapping[str, str]:
    """Why the messages of ``case`` give no query or response, by field; empty if that isn't why."""
    fault = _fault(case)
    return dict.fromkeys(("query", "response", "messages"), fault) if fault else {}


def _fault(case: Case) -> str:
    if "messages" not in case.model_fields_set:
        return ""
    if is_blank(case.messages):
        return "its conversation is empty"
    asked = _last(case.messages, "user")
    if asked is None:
        return "" if case.has("query") else "its conversation has no user turn"
    if _asks_on(case, case.messages[asked]):
        return "its query is not the last user turn of its conversation"
    if _last(case.messages, "assistant", after=asked) is None:
        last = case.messages[-1]
        return (
            f"its conversation ends on a {'tool call' if last.tool_calls else f'{last.role} turn'}"
        )
    return ""


def _last(messages: Sequence[Message], role: str, after: int = -1) -> int | None:
    """Where the last turn of ``role`` stands, if there is one behind the index ``after``.

    One that only calls tools is on the way to the answer, and no turn of its own.
    """
    places = range(len(messages) - 1, after, -1)
    return next((at for at in places if _speaks(messages[at], role)), None)


def _speaks(message: Message, role: str) -> bool:
    only_calls = bool(message.tool_calls) and is_blank(message.content)
    return message.role == role and not only_calls


def _asks_on(case: Case, last: Message) -> bool:
    """Whether the case's own query comes after the ``last`` user turn, instead of being it."""
    own = case.query or ""
    return not is_blank(own) and own.strip() != last.content.strip()
