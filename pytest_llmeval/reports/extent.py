"""The extent of a run: how much of the suite was run, and which part of it."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Digest = Annotated[str, Field(pattern="^[0-9a-f]{32}$")]
"""As ``digests`` writes them."""


class RunPart(BaseModel):
    """A part of the run file: frozen, and nothing in it but what its model names."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
        use_attribute_docstrings=True,
        json_schema_serialization_defaults_required=True,
    )


class Extent(RunPart):
    """How much of the suite was run."""

    complete: bool
    """Whether every test that was found ran to its end: none left out, nothing cut short."""
    collected: int
    """Tests found, those included that were left out."""
    deselected: int
    """Tests left out by the user's selection (``-k``, ``-m``, ``--lf``, …)."""
    elsewhere: int
    """Tests left to other shards."""
    shard: Annotated[str, Field(pattern=r"^[1-9]\d{0,3}(,[1-9]\d{0,3})*/[1-9]\d{0,3}$")] | None
    """Which part of the suite this is (``2/3``; ``1,3/3`` of several merged); null for all of it.
    """
    ran: int
    """Tests that were started, skipped ones included."""
    collection_errors: int
    """Files and other collectors that pytest could not collect."""
    named: bool
    """Whether single tests were named (node ids, or ``--lf``), so that others of their files were
    not even collected."""
    stopped: str | None
    """Why the run ended early (``-x``, ``--maxfail``, an interrupt); null where it did not."""
    collected_digest: Digest | None
    """The digest of the node ids of all tests found; null where no process lived to tell it."""
    ran_digest: Digest
    """The digest of the node ids of the tests that ran. Digests of disjoint sets add up."""

    @property
    def due(self) -> int:
        """How many tests were to run here."""
        return self.collected - self.deselected - self.elsewhere

    @property
    def missing(self) -> str:
        """What keeps this from being the whole suite, in words; blank where it is complete."""
        return "" if self.complete else self.left or "tests are unknown"

    @property
    def left(self) -> str:
        """What was not run, by these counts, in words; blank for nothing."""
        counts = {
            "in other shards": self.elsewhere,
            "deselected": self.deselected,
            "not run": max(self.due - self.ran, 0),
            "not collected": self.collection_errors,
        }
        told = [f"{count} {what}" for what, count in counts.items() if count]
        return ", ".join([*told, *([self.stopped] if self.stopped is not None else [])])
