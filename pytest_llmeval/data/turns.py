"""The turns of a conversation, each as a case of its own that knows nothing of what came later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from .cases import Case
from .conversation import as_judged, faults_of, last_turn

JudgedTurns = Literal["last", "each"]
"""Which turns of a conversation are judged."""

OF_THE_LAST_TURN = (
    *("ground_truth", "expected_facts", "expected_context", "expected_tools"),
    *("measured", "trace"),
)
"""Fields of a case that speak of its last turn, and that no message has for an earlier one."""

_WITHOUT = dict.fromkeys(
    ("query", "response", "said_before", "context", "tools_called", *OF_THE_LAST_TURN)
)

_FAULTS = {"context": "documents of a turn are given as the context of its messages"}


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn: ``case`` as metrics see it, and why it lacks the fields that it lacks, by name."""

    case: Case
    faults: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Turns:
    """The ``turns`` in order; ``joined`` counts user messages that are no turn of their own."""

    turns: tuple[Turn, ...]
    joined: int


def turns_of(case: Case, whole_turn: bool = False) -> Turns:
    """The turns of ``case``, the last one as ``as_judged`` gives it; a single turn is one.

    A turn is a user message that the assistant answers before the next one, and it has what
    ``as_judged`` would give the conversation that ends there: its documents are those of its own
    messages. What the case has beside its messages is of the last turn, but for id, guidelines
    and metadata, which are of each. A user message that another one follows, with no answer in
    between, stands in the history of that one. ``whole_turn`` is as for ``as_judged``: then
    everything that the assistant said is in the response of some turn.
    """
    messages = case.messages
    asked = [place for place, each in enumerate(messages) if each.role == "user"]
    ends = [*asked[1:], len(messages)]
    before = [pair for pair in zip(asked, ends, strict=False) if pair[0] != last_turn(case)]
    answered = [
        end
        for start, end in before
        if any(each.role == "assistant" for each in messages[start:end])
    ]
    earlier = (case.model_copy(update={**_WITHOUT, "messages": messages[:end]}) for end in answered)
    turns = (
        *(Turn(as_judged(each, whole_turn), _FAULTS) for each in earlier),
        Turn(as_judged(case, whole_turn), faults_of(case)),
    )
    return Turns(turns, len(before) - len(answered))
