"""Files that are there whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def write_whole(path: Path, content: str | bytes) -> None:
    """Put ``content`` into the file at ``path``, text as UTF-8, in one step; its folders are made.

    What stood there stays until the new file is complete. A link is followed. Raises ``OSError``
    for what cannot be written, and for a ``path`` that is something else than a plain file.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        # A device would be replaced by a file, which nobody wants of /dev/null.
        raise OSError(f"{target} is no plain file")
    target.parent.mkdir(parents=True, exist_ok=True)
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        beside.write_bytes(content.encode() if isinstance(content, str) else content)
        beside.replace(target)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise
