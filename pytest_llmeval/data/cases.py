"""A case: one thing to evaluate, in the words of the field, whatever shape its context came in."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Self

from pydantic import Field, StrictStr, model_validator

from ..errors import CaseError
from .blank import is_blank
from .documents import Context, Document
from .measured import Measured
from .measuring import Measurement
from .messages import Message, with_pieces
from .piece import Piece
from .tool_calls import ToolCall

if TYPE_CHECKING:
    from .tool_calls import ToolCalls
    from .traces.trace import Trace


class Case(Piece):
    """One thing to evaluate: a query, a response, and whatever grounds them.

    ``context`` may be given as a string, a list of strings, a list of documents or of mappings
    (``content`` with ``id`` or ``doc_uri``, and ``title``), or ``{"citations": [...]}``; it is
    kept as a tuple of ``Document``; an empty list says that nothing was retrieved. A field that is
    None is absent. ``id`` is a stable identity; ``group`` names what a case shares with others (a
    document, a conversation), so that gates do not take them for independent; it and ``metadata``
    are carried along and never judged. ``said_before`` are the texts that the app said in the same
    turn before the response, which metrics of harm judge with it. ``tools_called`` are the tool
    calls that answering took, in order, and ``expected_tools`` those that it ought to take; an
    empty list says that there are none. What the case lacks of query, response, ``said_before``,
    context, ``measured`` and ``tools_called`` is taken from its ``trace`` (see ``completed``).

    Raises ``CaseError`` for an unknown field, naming the closest right one, and ``CaseTypeError``
    for a value of the wrong type: objects are never sent to a judge as their ``repr``.
    """

    id: StrictStr | None = None
    query: StrictStr | None = None
    response: StrictStr | None = None
    said_before: tuple[StrictStr, ...] | None = None
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
            said_before: Sequence[str] | None = None,
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
        given = with_pieces(values)
        if not isinstance(given, dict):
            return given
        if isinstance(messages := given.get("messages"), list | tuple):
            given["messages"] = [_message(number, each) for number, each in enumerate(messages, 1)]
        if isinstance(measurement := given.get("measured"), Measurement):
            given["measured"] = measurement.measured
        return given

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy with ``update`` in place of fields; a trace that was read is not read again.

        With another trace goes what the former one told: the other tells it anew; and with
        another response what was said before the former one, also by the trace of that.
        """
        if update and self.response is not None and "response" in update:
            stale = self.trace is not None and update.get("trace") is None
            update = {"said_before": () if stale else None, **update}
        newer = (update or {}).get("trace")
        if newer is not None and self.trace is not None and newer is not self.trace:
            update = {**self._said_as_told(), **(update or {})}
        copied = super().model_copy(update=update, deep=deep)
        if "told" in self.__dict__ and copied.trace is self.trace:
            copied.__dict__["told"] = self.told
        return copied

    def answered(
        self,
        response: str | None = None,
        *,
        said_before: Sequence[str] | None = None,
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
            "said_before": said_before,
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
        from .traces.read import read_trace  # with a reader for each format

        return read_trace(self.trace)

    def _said_as_told(self) -> dict[str, Any]:
        """What the case says just as its trace tells it, taken back: None by field.

        Of measured the rest is kept. The query is not among it. Nothing is where the trace can't
        be read.
        """
        with suppress(CaseError):
            if (told := self.told) is not None:
                its = {
                    "response": told.response,
                    "said_before": told.said_before,
                    "context": told.documents,
                    "tools_called": told.tool_calls,
                }
                same = [name for name, value in its.items() if getattr(self, name) == value]
                measured = None if self.measured is None else self.measured.without(told)
                return {**dict.fromkeys(same), "measured": measured}
        return {}

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

    @property
    def question(self) -> str | None:
        """The digest of what is asked, the query and what users said, whatever the app was told
        and answered; None where it is blank."""
        said = [(each.role, each.content) for each in self.messages if each.role == "user"]
        asked = [self.query, said]
        if is_blank(self.query) and all(is_blank(content) for _, content in said):
            return None
        return sha256(json.dumps(asked).encode()).hexdigest()[:12]

    @cached_property
    def expectations(self) -> str | None:
        """The digest of what is expected of the app; None where nothing is."""
        kept = self.model_dump(mode="json", include=_EXPECTED, exclude_defaults=True)
        return sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()[:12] if kept else None

    @cached_property
    def digest(self) -> str:
        """The digest of all that metrics may see: every field but id, trace and what is carried."""
        unsaid = set() if self.said_before else {"said_before"}
        seen = self.model_dump(mode="json", exclude=_CARRIED | unsaid)
        return sha256(json.dumps(seen, sort_keys=True).encode()).hexdigest()[:16]


_ASKING = ("system", "user")
_EXPECTED = {
    *("ground_truth", "expected_context", "expected_facts", "expected_tools", "guidelines")
}
_CARRIED = {"id", "group", "trace", "measured", "metadata"}
_TELL_WHEN_EMPTY = {"tools_called", "expected_tools"}
_NONE_WHEN_EMPTY = {"expected_context", "expected_facts", "guidelines", "guidelines_context"}


def _message(number: int, given: object) -> Message:
    """``given`` as the message that stands at ``number``, from 1."""
    try:
        return Message.model_validate(given)
    except CaseError as error:
        raise type(error)(f"message {number}: {error}") from None
