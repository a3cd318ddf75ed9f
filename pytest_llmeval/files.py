"""Files that are there whole or not at all, and folders that one process at a time changes."""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

_PATIENCE = 30.0
"""Seconds after which whoever holds the folder is not waited for any longer."""
_PAUSE = 0.02


def write_whole(path: Path, content: str | bytes) -> None:
    """Put ``content`` into the file at ``path``, text as UTF-8, in one step; its folders are made.

    What stood there stays until the new file is complete. A link is followed. Raises ``OSError``
    for what cannot be written, and for a ``path`` that is something else than a plain file.
    """
    write_all({path: content})


def write_all(contents: Mapping[Path, str | bytes]) -> None:
    """Put each of ``contents`` into its file, as ``write_whole`` does, when all are complete.

    A disk that is full, or a file that may not be written, leaves all as it was.
    """
    complete: list[tuple[Path, Path]] = []
    with ExitStack() as beside_them:
        for path, content in contents.items():
            target = Path(os.path.realpath(path))
            if target.exists() and not target.is_file():
                # A device would be replaced by a file, which nobody wants of /dev/null.
                raise OSError(f"{target} is no plain file")
            target.parent.mkdir(parents=True, exist_ok=True)
            beside = target.with_name(f".{target.name}.{os.getpid()}")
            beside_them.callback(_remove, beside)
            try:
                beside.write_bytes(content.encode() if isinstance(content, str) else content)
            except OSError as error:
                error.filename = str(target)  # the one that somebody knows
                raise
            complete.append((beside, target))
        for beside, target in complete:
            beside.replace(target)


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink()


if sys.platform == "win32":

    def _held(folder: Path) -> int | None:
        """A file that the system removes with the process that made it; None where it is there."""
        new = os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_TEMPORARY
        try:
            return os.open(folder / ".written", new)
        except (FileExistsError, PermissionError):  # the latter while it is being removed
            return None

else:
    import fcntl

    def _held(folder: Path) -> int | None:
        """A lock of the folder itself, which ends with its process; None where another has it."""
        opened = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in (errno.EAGAIN, errno.EACCES):
                os.close(opened)
                return None
            # Some network disks have no locks: a run is no worse off there than without this.
        return opened


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Hold ``folder``, which is made, against everyone else who holds it in this way.

    Raises ``TimeoutError`` (an ``OSError``) where another one does so for half a minute.
    """
    folder.mkdir(parents=True, exist_ok=True)
    until = time.monotonic() + _PATIENCE
    while (held := _held(folder)) is None:
        if time.monotonic() > until:
            told = f"another process has been writing there for {_PATIENCE:.0f} s"
            raise TimeoutError(errno.ETIMEDOUT, told, str(folder))
        time.sleep(_PAUSE)
    try:
        yield
    finally:
        os.close(held)
