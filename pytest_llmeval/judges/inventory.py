"""What a store holds, told in numbers, and what of it may go."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import partial
from operator import eq
from pathlib import Path
from typing import Any

from ..errors import UsageError
from .leases import drop_dead
from .store import Store


@dataclass(frozen=True, slots=True)
class Inventory:
    """The entries of a store.

    ``size`` is in bytes on disk; ``groups`` counts the entries by judge and task; ``oldest`` and
    ``newest`` are when replies were heard (seconds since 1970, UTC), None where that is not known.
    """

    folder: Path
    entries: int
    size: int
    groups: Mapping[tuple[str, str], int]
    oldest: int | None
    newest: int | None


def inventory(store: Store) -> Inventory:
    """What ``store`` holds."""
    groups: Counter[tuple[str, str]] = Counter()
    moments = []
    for _, entry in store:
        groups[judge_of(entry), str(entry.get("task", "?"))] += 1
        if (moment := heard(entry)) is not None:
            moments.append(moment)
    return Inventory(
        folder=store.folder,
        entries=groups.total(),
        size=store.size(),
        groups=dict(sorted(groups.items())),
        oldest=min(moments, default=None),
        newest=max(moments, default=None),
    )


def heard(entry: Mapping[str, Any]) -> int | None:
    """When the reply of ``entry`` was heard; None for entries that do not say."""
    moment = entry.get("heard")
    return moment if isinstance(moment, int) else None


def prune(
    store: Store,
    older_than: float | None = None,
    used: Collection[str] | None = None,
    dry_run: bool = False,
) -> list[str]:
    """Remove entries of ``store``, and leases that nobody holds; the keys of the entries.

    With ``older_than`` (seconds) those go that were heard longer ago than that, never those whose
    age is not known; with ``used`` those whose keys are not in it; with both, what meets both.
    ``dry_run`` removes nothing. Raises ``UsageError`` with neither.
    """
    if older_than is None and used is None:
        raise UsageError("say what may go: what is older than some age, or what no run used")
    since = None if older_than is None else time.time() - older_than
    going = {
        key: entry
        for key, entry in store
        if (since is None or ((moment := heard(entry)) is not None and moment < since))
        and (used is None or key not in used)
    }
    if dry_run:
        return [*going]
    drop_dead(store)
    # Another process may have asked anew meanwhile: what it was told stays.
    return [key for key, entry in going.items() if store.drop(key, partial(eq, entry))]


def judge_of(entry: Mapping[str, Any]) -> str:
    """Who gave the reply of ``entry``, in words."""
    return told_by(entry.get("judge"))


def told_by(identity: object) -> str:
    """The judge of ``identity`` in words: its model, and where that is served if not at its
    provider."""
    if not isinstance(identity, Mapping) or not isinstance(identity.get("model"), str):
        return json.dumps(identity, sort_keys=True)
    where = identity.get("base_url")
    return f"{identity['model']} at {where}" if where else str(identity["model"])
