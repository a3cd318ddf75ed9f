"""The vocabulary of files: every name that says something about a case, ours and other tools'."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from ..aliases import ALIASES
from ..cases import Case

FIELDS = frozenset(Case.model_fields)

Role = Literal["asked", "answered", "expected", "expectations", "metadata"]
"""What the objects hold that rows nest their fields in: what the app was asked, what it answered,
what it ought to answer, that as MLflow has it, and anything else."""

NESTING: Mapping[str, Role] = {
    "inputs": "asked",
    "vars": "asked",
    "outputs": "answered",
    "reference_outputs": "expected",
    "expectations": "expectations",
    "metadata": "metadata",
    "additional_metadata": "metadata",
}
"""Names of objects that fields are nested in. In a flat file they are prefixes: inputs.question."""

ANSWER_NAMES = frozenset(
    [
        "response",
        "content",
        "text",
        "result",
        "generation",
        "completion",
        "message",
        "final_answer",
        "prediction",
    ]
)
"""What apps call their answer where an object has several values, and none that is known as one."""

KNOWN = FIELDS | ALIASES.keys() | NESTING.keys()
"""Names that make a row a case, and that others may be a misspelling of."""

TOOLS_OWN = frozenset(["retrieved_context_ids", "reference_contexts", "run_type"])
"""Names that other tools mean as they are written."""


TALKING = frozenset(
    name
    for name in KNOWN
    if ALIASES.get(name, name) in ("query", "response", "messages", "inputs", "outputs", "vars")
)
"""Names that only a case has, and nothing that holds several."""


def field_of(name: str) -> str | None:
    """The field of a case that ``name``, in snake case, is; None where it is none."""
    return name if name in FIELDS else ALIASES.get(name)


LISTS = frozenset(
    [
        *("messages", "expected_context", "expected_facts", "guidelines"),
        *("said_before", "tools_called", "expected_tools"),
    ]
)
OBJECTS = frozenset(("guidelines_context", "measured", "metadata"))
