"""The one way in which commands write files: never over what they read, nor two into one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path

from ..errors import UsageError
from ..files import write_all


def write_outputs(*outputs: tuple[str, str | bytes], read: Iterable[str | Path]) -> None:
    """Write all ``outputs``, names of files with what goes there, or none of them.

    Raises ``UsageError`` where one is a file that was ``read``, whatever it was called there, where
    two are one file, and for what can't be written.
    """
    inputs = [*read]
    files = [file for file, _ in outputs]
    for file in files:
        for each in inputs:
            if _are_one(file, each):
                raise UsageError(
                    f"{file} would replace {each}, which is read here; name another file"
                )
    for file, other in combinations(files, 2):
        if _are_one(file, other):
            raise UsageError(
                f"{file} and {other} are one file, and would replace each other; name two"
            )
    with telling():
        write_all({Path(file): content for file, content in outputs})


def _are_one(file: str | Path, other: str | Path) -> bool:
    try:
        return os.path.samefile(file, other)
    except OSError:  # one is not there yet
        return os.path.realpath(file) == os.path.realpath(other)


@contextmanager
def telling() -> Iterator[None]:
    """A file that cannot be read or written is an error like any other."""
    try:
        yield
    except OSError as error:
        raise UsageError(str(error)) from None
