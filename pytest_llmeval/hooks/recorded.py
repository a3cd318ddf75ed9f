"""What is told when verdicts were recorded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from ..judges.committed import SUFFIX
from ..judges.redacted import HOOK
from ..judges.verdict_files import Recorded
from ..records.record import Record
from ..results import Outcome

ATTRIBUTE = f"*{SUFFIX} merge=union"
"""What has git merge the files line by line."""

_NO_VERDICT = (Outcome.ERROR, Outcome.NOT_APPLICABLE)


def told(recorded: Recorded, folder: Path) -> Iterator[str]:
    """The lines that say what was ``recorded`` in ``folder``."""
    counts = {"new": recorded.new, "changed": recorded.changed, "dropped": recorded.dropped}
    if changes := ", ".join(f"{count} {what}" for what, count in counts.items() if count):
        yield f"verdicts stored in {folder}, to be committed: {changes}"
    if recorded.left_out:
        yield f"verdicts not stored in {folder}: {recorded.left_out} left out by {HOOK}"
    if recorded.first and not _advised(folder):
        yield f'put "{ATTRIBUTE}" into .gitattributes: branches that add verdicts then merge'


def not_recorded(records: Iterable[Record]) -> Iterator[str]:
    """The line that says whose verdicts among ``records`` no run can record.

    Metrics that ask no judge are no news beside verdicts that were recorded.
    """
    records = [each for each in records if each.outcome not in _NO_VERDICT]
    recordable = any(each.keys for each in records)
    makers = {
        each.judge or each.metric
        for each in records
        if not each.keys and (each.judge is not None or not recordable)
    }
    if whose := ", ".join(sorted(makers)):
        yield f"verdicts of {whose} are made anew in every run, and not recorded"


def _advised(folder: Path) -> bool:
    """Whether a ``.gitattributes`` at or above ``folder`` speaks of such files."""
    for place in (folder, *folder.absolute().parents):
        try:
            if SUFFIX in (place / ".gitattributes").read_text(encoding="utf-8", errors="replace"):
                return True
        except OSError:
            continue
    return False
