"""Digests of sets of tests, which add up: those of disjoint sets give that of their union."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

_BYTES = 16


def digest_of(nodeids: Iterable[str]) -> str:
    """The digest of the set of ``nodeids``, whatever their order.

    It is the sum of the digests of each, so that it can be told of shards whether together they
    are the suite, without every node id in every file.
    """
    parts = (
        sha256(nodeid.encode("utf-8", "surrogatepass")).digest()[:_BYTES] for nodeid in set(nodeids)
    )
    return _written(sum(int.from_bytes(part) for part in parts))


def joined(digests: Iterable[str]) -> str:
    """The digest of the union of disjoint sets with these ``digests``."""
    return _written(sum(int(digest, 16) for digest in digests))


def _written(number: int) -> str:
    return f"{number % (1 << 8 * _BYTES):0{2 * _BYTES}x}"
