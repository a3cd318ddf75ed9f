"""What a judge is: something with a name that opens a line, over which questions get replies."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Generic, Literal, Protocol, TypeVar, get_args

from pydantic import BaseModel

from ..text.encodable import encodable
from ..text.shown import shown

Stop = Literal["end", "length", "refused", "filtered"]
Message = tuple[Literal["system", "user", "assistant"], str]
ReplyT = TypeVar("ReplyT", bound=BaseModel)


@dataclass(frozen=True)
class Question(Generic[ReplyT]):
    """One thing to ask a judge.

    ``task`` names what is asked (a metric's name); ``messages`` is the prompt, for judges that
    read prompts; ``inputs`` holds the same matter in pieces, for judges that don't (``response``
    and ``query`` as text, as lists of text ``documents``, their ``titles``, one for each, and
    ``headings``, their ids and titles), every text under test among them; ``reply`` is what a
    valid answer looks like. ``form="word"`` asks a dedicated checker for a bare Yes or No: its
    messages are sent exactly as they are, with no schema and no second request. ``rubric`` says
    which prompt this is, for the record. ``fault_of`` tells what is wrong with a reply that is
    valid by itself and cannot be one about these inputs, None where nothing is: it depends on
    nothing but what the messages show.
    """

    task: str
    messages: tuple[Message, ...]
    reply: type[ReplyT]
    inputs: Mapping[str, Any] = field(default_factory=dict)
    form: Literal["json", "word"] = "json"
    rubric: str = ""
    fault_of: Callable[[ReplyT], str | None] | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """What came back over the line, unread.

    ``stop`` is why the judge stopped: of its own accord, at the token limit, since it refused, or
    held back by its provider's filter (then ``text`` is what was given instead). Tokens, cost (US
    dollars) and the resolved model are None where they are not known.

    Everything is kept in plain types, whatever it came as, so that it can be stored and can cross
    processes: numbers of other libraries become ``int`` and ``float``, a figure that is no finite
    count is unknown, lone surrogates in ``text`` are replaced, and the model's name is made
    printable. Raises ``TypeError`` for a ``text`` that is none and ``ValueError`` for another
    ``stop``.
    """

    text: str
    stop: Stop = "end"
    resolved_model: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    seconds: float = 0.0

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise TypeError(f"Said.text is text; got {type(self.text).__name__}")
        if self.stop not in get_args(Stop):
            raise ValueError(f"Said.stop is one of {', '.join(get_args(Stop))}; got {self.stop!r}")
        model = self.resolved_model
        plain = {
            "text": encodable(str(self.text)),
            "resolved_model": _printable(str(model)) if isinstance(model, str) else None,
            "input_tokens": _count(self.input_tokens),
            "output_tokens": _count(self.output_tokens),
            "cost": _amount(self.cost),
            "seconds": _amount(self.seconds) or 0.0,
        }
        for name, value in plain.items():
            object.__setattr__(self, name, value)


@lru_cache(maxsize=64)
def _printable(model: str) -> str | None:
    return shown(model, 200) or None


def _amount(value: object) -> float | None:
    """``value`` as a finite number from 0 on, None where it is none."""
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    return number if 0 <= number < math.inf and not isinstance(value, str | bool) else None


def _count(value: object) -> int | None:
    """``value`` as a whole number from 0 on, None where it is none."""
    number = _amount(value)
    return int(number) if number is not None and number.is_integer() else None


class Line(Protocol):
    """An open connection to a judge, used from the engine's event loop only."""

    async def say(self, question: Question[Any], messages: tuple[Message, ...]) -> Said:
        """Put ``messages`` (those of ``question``, or those and a second request) to the judge.

        Raises a ``JudgeError`` of the kind that fits when nothing came back.
        """
        ...

    async def close(self) -> None:
        """Give up the connection."""
        ...


class BaseJudge(ABC):
    """Anything that answers questions. ``name`` is how header, records and failures call it.

    ``checker`` tells a model made for fact checks, asked for one word; ``remote`` a judge behind a
    network, which may be asked again when it is unavailable; ``timeout`` the seconds that one
    request to this judge may take, None for the session's.
    """

    name: str = "a judge without a name"
    is_llm: bool = True
    checker: bool = False
    remote: bool = False
    timeout: float | None = None

    @property
    def identity(self) -> Mapping[str, Any] | None:
        """What of the judge shapes its answers, as JSON values; None keeps them out of the store.

        Never in it: keys, secrets, retry or timeout settings.
        """
        return None

    def prepare(self, notice: Callable[[str], None]) -> None:  # noqa: B027
        """Do what takes long before the first question, from any thread. Nothing, unless said.

        ``notice`` takes what the user ought to be told once.
        """

    @abstractmethod
    def connect(self, timeout: float, notice: Callable[[str], None]) -> Line:
        """A line to this judge.

        ``timeout`` is in seconds for one request; ``notice`` takes what the user ought to be told
        once and that is no error (a parameter that the model refuses and that was dropped).
        """
