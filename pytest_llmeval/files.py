"""Files that are there whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path


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
