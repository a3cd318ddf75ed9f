"""What is told when verdicts were recorded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..judges.committed import SUFFIX
from ..judges.verdict_files import Recorded

ATTRIBUTE = f"*{SUFFIX} merge=union"
"""What has git merge the files line by line."""


def told(recorded: Recorded, folder: Path) -> Iterator[str]:
    """The lines that say what was ``recorded`` in ``folder``."""
    counts = {"new": recorded.new, "changed": recorded.changed, "dropped": recorded.dropped}
    if changes := ", ".join(f"{count} {what}" for what, count in counts.items() if count):
        yield f"verdicts stored in {folder}, to be committed: {changes}"
    if recorded.first and not _advised(folder):
        yield f'put "{ATTRIBUTE}" into .gitattributes: branches that add verdicts then merge'


def _advised(folder: Path) -> bool:
    """Whether a ``.gitattributes`` at or above ``folder`` speaks of such files."""
    for place in (folder, *folder.absolute().parents):
        try:
            if SUFFIX in (place / ".gitattributes").read_text(encoding="utf-8", errors="replace"):
                return True
        except OSError:
            continue
    return False
