"""A conversation as it is judged: its last turn, and what was said before that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .blank import is_blank
from .cases import Case
from .documents import Document
from .messages import Message
from .tool_calls import ToolCall


def as_judged(case: Case, whole_turn: bool = False) -> Case:
    """``case`` as metrics see it: of a conversation the last turn, ``messages`` what came before.

    The query is the last user turn, the response the last assistant turn after it; a response
    that the case has of its own takes that one's place. Documents of the last turn's messages join
    those of the case, and so do its tool calls where the case lacks them. A query of its own that
    is not the last user turn was asked after all of the messages; then, and where there is no user
    turn, nothing is taken from them.

    With ``whole_turn`` the response is everything that the assistant said in that turn, in order
    and parted by blank lines, and ``messages`` hold nothing of it. To the first turn belongs what
    the assistant said before it. A response that the case has of its own stands at the end, and
    takes no message's place that asks for tools: it was said after these. Before it stands what
    ``said_before`` has and no message of the turn.
    """
    messages = case.messages
    asked = last_turn(case)
    if asked is None:
        return _of_whole_turn(case, len(messages)) if whole_turn else case
    answered = _last(messages, "assistant", after=asked)
    response = case.response
    if whole_turn and response is not None and answered is not None:
        answered = None if messages[answered].tool_calls else answered
    if response is None and answered is not None:
        response = messages[answered].content
    between = messages[asked + 1 : answered]
    judged = case.model_copy(
        update={
            "messages": (*messages[:asked], *between),
            "query": messages[asked].content,
            "response": response,
            "said_before": case.said_before,
            "context": _context(case, messages[asked:]),
            "tools_called": _tools_called(case, messages[asked:]),
        }
    )
    return _of_whole_turn(judged, asked) if whole_turn else judged


def last_turn(case: Case) -> int | None:
    """Where in the messages of ``case`` the turn begins that is judged, None if it isn't there."""
    asked = _last(case.messages, "user")
    return None if asked is None or _asks_on(case, case.messages[asked]) else asked


def _of_whole_turn(judged: Case, begins: int) -> Case:
    """``judged`` with all that was said in its turn as the response, in place of the end of it.

    The turn's messages are those from ``begins`` on, and what opened the conversation if nothing
    that was asked before is answered. Where there is no response, these are none.
    """
    messages = judged.messages
    first_asked = next((at for at, each in enumerate(messages) if each.role == "user"), begins)
    is_first = all(each.role != "assistant" for each in messages[first_asked:begins])
    said = [
        at
        for at, each in enumerate(messages)
        if (is_first or at >= begins) and each.role == "assistant" and not is_blank(each.content)
    ]
    if judged.response is None or not (said or judged.said_before):
        return judged
    texts = [messages[at].content for at in said]
    texts += [each for each in judged.said_before or () if each not in (*texts, judged.response)]
    rest = tuple(each for at, each in enumerate(messages) if at not in said)
    response = "\n\n".join(text for text in (*texts, judged.response) if not is_blank(text))
    return judged.model_copy(update={"messages": rest, "response": response})


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
