"""How much of a suite several runs of parts of it have run together."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import UsageError
from .digests import joined
from .extent import Extent

Part = tuple[str, Extent]
"""The extent of a run and the file that it was in."""


def merged_extent(parts: Sequence[Part], allow_missing: bool = False) -> Extent:
    """What ``parts`` are together. Raises ``UsageError`` for shards that are not of one suite.

    Parts in which the same tests were found are parts of one suite; others are of different
    folders or files, and add up. In either case the whole is complete where every test that was
    found ran, once.
    """
    extents = [extent for _, extent in parts]
    shard = _shard(parts, allow_missing)
    one_suite = len({extent.collected_digest for extent in extents}) == 1
    if shard is not None and not one_suite:
        raise UsageError(f"{_other_suite(parts)}; run the same commit and the same selection")
    _refuse_overlap(parts, one_suite)
    collected = extents[0].collected if one_suite else sum(each.collected for each in extents)
    left = collected - sum(extent.due for extent in extents)
    deselected, elsewhere = max(left, 0), 0
    if shard is not None:
        deselected = _deselected(parts)
        elsewhere = max(left - deselected, 0)
    found = None
    digests = [each.collected_digest for each in extents if each.collected_digest is not None]
    if len(digests) == len(extents):
        found = digests[0] if one_suite else joined(digests)
    ran_digest = joined(extent.ran_digest for extent in extents)
    stopped = dict.fromkeys(each.stopped for each in extents if each.stopped is not None)
    errors = [extent.collection_errors for extent in extents]
    whole = not (stopped or any(errors) or deselected or elsewhere) and found == ran_digest
    return Extent(
        complete=whole,
        collected=collected,
        deselected=deselected,
        elsewhere=elsewhere,
        shard=shard or None,
        ran=sum(extent.ran for extent in extents),
        collection_errors=max(errors) if one_suite else sum(errors),
        named=any(extent.named for extent in extents),
        stopped="; ".join(stopped) or None,
        collected_digest=found,
        ran_digest=ran_digest,
    )


def _shard(parts: Sequence[Part], allow_missing: bool) -> str | None:
    """Which shards ``parts`` are: "" for all of a matrix, None where none is a shard."""
    held: dict[int, str] = {}
    matrix: str | None = None
    for path, extent in parts:
        if extent.shard is None:
            continue
        numbers, _, of = extent.shard.partition("/")
        if matrix not in (None, of):
            told = f"{path}: this is shard {extent.shard}, and others are of {matrix}"
            raise UsageError(f"{told}; merge the shards of one matrix")
        matrix = of
        for number in map(int, numbers.split(",")):
            if number in held:
                told = f"{path}: shard {number}/{of} is in {held[number]} too"
                raise UsageError(f"{told}; give each shard's file once")
            held[number] = path
    if matrix is None:
        return None
    if whole := next((path for path, extent in parts if extent.shard is None), None):
        raise UsageError(f"{whole}: this is no shard, and the other files are; merge shards alone")
    missing = [str(n) for n in range(1, int(matrix) + 1) if n not in held]
    if missing and not allow_missing:
        raise UsageError(
            f"shard {', '.join(missing)} of {matrix} is missing; give its file too, or "
            "--allow-missing for a run that is not complete"
        )
    return f"{','.join(map(str, sorted(held)))}/{matrix}" if missing else ""


def _refuse_overlap(parts: Sequence[Part], one_suite: bool) -> None:
    """Raise where a test must have run in two parts, though perhaps no check tells which."""
    held: dict[str, str] = {}
    for path, extent in parts:
        if extent.ran and (other := held.setdefault(extent.ran_digest, path)) != path:
            raise UsageError(f"{path}: the same tests ran as in {other}; give each test's run once")
    ran, of = sum(extent.ran for _, extent in parts), parts[0][1]
    if one_suite and of.collected_digest is not None and ran > of.collected:
        raise UsageError(
            f"{parts[-1][0]}: with the files before it {ran} tests ran, and {of.collected} were "
            "found: some ran in two of them; give each test's run once"
        )


def _other_suite(parts: Sequence[Part]) -> str:
    first_path, first = parts[0]
    path = next(p for p, each in parts if each.collected_digest != first.collected_digest)
    return f"{path}: its shard did not find the same tests as that in {first_path}"


def _deselected(parts: Sequence[Part]) -> int:
    """The tests that the same selection left out of every shard."""
    first_path, first = parts[0]
    for path, extent in parts[1:]:
        if extent.deselected != first.deselected:
            raise UsageError(
                f"{path}: {extent.deselected} tests were deselected, and {first.deselected} in "
                f"{first_path}; select alike in every shard"
            )
    return first.deselected
