"""What a run keeps of a case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from ..data.cases import Case


@dataclass(frozen=True, slots=True)
class JudgedCase:
    """What of a case the run keeps, as it was judged: of a conversation the last turn.

    ``digest`` is of all that metrics may see; records name it, and have the case's id.

    ``documents`` are their ids in order, None for one without; contents are not kept.
    """

    digest: str
    query: str | None
    response: str | None
    ground_truth: str | None
    documents: tuple[str | None, ...]

    @classmethod
    def of(cls, case: Case) -> Self:
        """What is kept of ``case``."""
        return cls(
            digest=case.digest,
            query=case.query,
            response=case.response,
            ground_truth=case.ground_truth,
            documents=tuple(document.id for document in case.context),
        )

    @classmethod
    def from_plain(cls, values: Mapping[str, Any]) -> Self:
        """What ``plain`` made ``values`` of."""
        return cls(**{**values, "documents": tuple(values["documents"])})
