"""A case: one thing to evaluate, in the words of the field, whatever shape its context came in."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import Field, StrictStr, model_validator

from ..errors import CaseError
from .blank import is_blank as is_blank
from .documents import Context as Context
from .documents import Document as Document
from .documents import as_documents as as_documents
from .measured import Measured as Measured
from .measuring import Measurement
from .messages import checked_role, text_of
from .piece import Piece
from .tool_calls import ToolCall, as_tool_calls

if TYPE_CHECKING:
    from .tool_calls import ToolCalls
    from .traces.trace import Trace

Role = Literal["system", "user", "assistant", "tool"]


class Message(Piece):
    """One turn of a conversation; ``context`` is what was retrieved for it.

    ``content`` may be given in parts (``[{"type": "text", "text": …}]``), as long as each is text.
    ``tool_calls`` are those that an assistant turn asks for, which then may have no content;
    ``tool_call_id`` says which call a tool's turn answers, and is carried along.
    """

    role: Role
    content: StrictStr
    context: tuple[Document, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: StrictStr | None = None

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            role: Role,
            content: str | Sequence[str | Mapping[str, Any]] | None = None,
            context: Context | None = None,
            tool_calls: ToolCalls | None = None,
            tool_call_id: str | None = None,
        ) -> None: ...

    @model_validator(mode="before")
    @classmethod
    def _shaped(cls, values: Any) -> Any:
        given = _with_documents(values)
        if isinstance(given, dict):
            for name, read in (("role", checked_role), ("content", text_of)):
                if name in given:
                    given[name] = read(given[name])
            if given.get("tool_calls"):
                given.setdefault("content", "")
        return given


class Case(Piece):
    """One thing to evaluate: a query, a response, and whatever grounds them.

    ``context`` may be given as a string, a list of strings, a list of documents or of mappings
    (``content`` with ``id`` or ``doc_uri``, and ``title``), or ``{"citations": [...]}``; it is
    kept as a tuple of ``Document``; an empty list says that nothing was retrieved. A field that is
    None is absent. ``id`` is a stable identity; ``group`` names what a case shares with others (a
    document, a conversation), so that gates do not take them for independent; it and ``metadata``
    are carried along and never judged. ``tools_called`` are the tool calls that answering took, in
    order, and ``expected_tools`` those that it ought to take; an empty list says that there are
    none. What the case lacks of query, response, context, ``measured`` and ``tools_called`` is
    taken from its ``trace`` (see ``completed``).

    Raises ``CaseError`` for an unknown field, naming the closest right one, and ``CaseTypeError``
    for a value of the wrong type: objects are never sent to a judge as their ``repr``.
    """

    id: StrictStr | None = None
    query: StrictStr | None = None
    response: StrictStr | None = None
    context: tuple[Document, ...] = ()
    ground_truth: StrictStr | None = None
    messages: tuple[Message, ...] = ()
    expected_context: tuple[StrictStr, ...] = ()
    guidelines: tuple[StrictStr, ...] | dict[str, tuple[StrictStr, ...]] = ()
    guidelines_context: dict[str, StrictStr] | None = None
    expected_facts: tuple[StrictStr, ...] = ()
    tools_called: tuple[ToolCall, ...] | None = None
    expected_tools: tuple[ToolCall, ...] | None = None
    trace: Any = Field(default=None, repr=False)
    measured: Measured | None = None
    group: StrictStr | None = None
    metadata: dict[str, Any] | None = None

    if TYPE_CHECKING:  # the shapes that fields may be given in, which type checkers can't infer

        def __init__(
            self,
            *,
            id: str | None = None,
            query: str | None = None,
            response: str | None = None,
            context: Context | None = None,
            ground_truth: str | None = None,
            messages: Sequence[Message | Mapping[str, Any]] | None = None,
            expected_context: Sequence[str] | None = None,
            guidelines: Sequence[str] | Mapping[str, Sequence[str]] | None = None,
            guidelines_context: Mapping[str, str] | None = None,
            expected_facts: Sequence[str] | None = None,
            tools_called: ToolCalls | None = None,
            expected_tools: ToolCalls | None = None,
            trace: object = None,
            measured: Measured | Measurement | Mapping[str, Any] | None = None,
            group: str | None = None,
            metadata: Mapping[str, Any] | None = None,
        ) -> None: ...

    @model_validator(mode="before")
    @classmethod
    def _shaped(cls, values: Any) -> Any:
        given = _with_documents(values)
        if isinstance(given, dict) and isinstance(messages := given.get("messages"), list | tuple):
            given["messages"] = [_message(number, each) for number, each in enumerate(messages, 1)]
        return given

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy with ``update`` in place of fields; a trace that was read is not read again.

        With another trace goes what the former one told: the other tells it anew.
        """
        newer = (update or {}).get("trace")
        if newer is not None and self.trace is not None and newer is not self.trace:
            from .completed import untold  # it is made of cases

            update = {**untold(self), **(update or {})}
        copied = super().model_copy(update=update, deep=deep)
        if "told" in self.__dict__ and copied.trace is self.trace:
            copied.__dict__["told"] = self.told
        return copied

    def answered(
        self,
        response: str | None = None,
        *,
        context: Context | None = None,
        trace: object = None,
        measured: Measured | Mapping[str, Any] | Measurement | None = None,
        tools_called: ToolCalls | None = None,
    ) -> Self:
        """This case with what the app under test answered, in place of what it holds of that.

        What is None stays as it is. Raises as a new ``Case`` does.
        """
        given = {
            "response": response,
            "context": context,
            "trace": trace,
            "measured": measured,
            "tools_called": tools_called,
        }
        return self.model_copy(
            update={name: each for name, each in given.items() if each is not None}
        )

    def has(self, name: str) -> bool:
        """Whether the field ``name`` holds anything but white space.

        A list of tool calls is there also when it is empty. ``measured.seconds`` and the like ask
        for a field of a field.
        """
        value = self.value(name)
        return value is not None if name in _TELL_WHEN_EMPTY else not is_blank(value)

    def gives(self, name: str) -> bool:
        """Whether the field ``name`` was given, be it blank: what an app gave may be nothing.

        An empty list of what is expected, or of guidelines, says that there are none, and is as
        good as not given.
        """
        if name in _NONE_WHEN_EMPTY and not self.value(name):
            return False
        return name in self.model_fields_set and getattr(self, name) is not None

    def value(self, name: str) -> Any:
        """The field ``name``, or the field of a field; None where that has none."""
        outer, _, inner = name.partition(".")
        value = getattr(self, outer)
        return getattr(value, inner, None) if inner else value

    @cached_property
    def told(self) -> Trace | None:
        """What the trace tells, None without one. Raises ``CaseError`` for one of no known kind."""
        if self.trace is None:
            return None
        from .traces.read import read_trace  # it is made of cases' documents

        return read_trace(self.trace)

    @cached_property
    def identity(self) -> str | None:
        """The given id, else a digest of what the case asks and expects; None if it asks nothing.

        The response, the context and the trace are never in it, so that it stays the same when
        the app under test changes.
        """
        if self.id is not None:
            return self.id
        kept = self.model_dump(
            mode="json",
            include={
                "query": True,
                "messages": {"__all__": {"role", "content", "context"}},
                "ground_truth": True,
                "expected_context": True,
                "expected_facts": True,
                "guidelines": True,
                **({"expected_tools": True} if self.expected_tools is not None else {}),
            },
        )
        if not any(kept.values()):
            return None
        return sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()[:12]

    @cached_property
    def digest(self) -> str:
        """The digest of all that metrics may see: every field but id, trace and what is carried."""
        seen = self.model_dump(mode="json", exclude=_CARRIED)
        return sha256(json.dumps(seen, sort_keys=True).encode()).hexdigest()[:16]


_CARRIED = {"id", "group", "trace", "measured", "metadata"}
_TELL_WHEN_EMPTY = {"tools_called", "expected_tools"}
_NONE_WHEN_EMPTY = {"expected_context", "expected_facts", "guidelines", "guidelines_context"}


def _with_documents(values: Any) -> Any:
    """``values`` without what is None, documents and tool calls in the shape that they have."""
    if not isinstance(values, Mapping):
        return values
    given = {name: value for name, value in values.items() if value is not None}
    if "context" in given:
        given["context"] = as_documents(given["context"])
    for name in ("tools_called", "expected_tools", "tool_calls"):
        if name in given:
            given[name] = as_tool_calls(given[name])
    if isinstance(measurement := given.get("measured"), Measurement):
        given["measured"] = measurement.measured
    return given


def _message(number: int, given: object) -> Message:
    """``given`` as the message that stands at ``number``, from 1."""
    try:
        return Message.model_validate(given)
    except CaseError as error:
        raise type(error)(f"message {number}: {error}") from None
