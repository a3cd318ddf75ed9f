"""What a command says where a file can't be written, and of a run that it has made."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import UsageError


@contextmanager
def telling() -> Iterator[None]:
    """A file that cannot be written is an error like any other."""
    try:
        yield
    except OSError as error:
        raise UsageError(str(error)) from None
