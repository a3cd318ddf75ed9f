"""Untrusted text in Markdown: shown as it is, and taken for nothing else.

It stands in code spans alone, between as many backticks as are nowhere in the text. Nothing in them
is markup by the specification, and GitHub and GitLab make no link, mention, issue reference or
formula of what stands there; a backslash would not keep them from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..text.shown import shown

_TICKS = re.compile("`+")
_WORDS = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ]*")


def code(text: str, limit: int = 300) -> str:
    """``text`` on one line of at most ``limit`` characters, as a code span; blank for blank."""
    line = shown(text, limit)
    if not line:
        return ""
    runs = {len(run) for run in _TICKS.findall(line)}
    ticks = "`" * next(count for count in range(1, len(runs) + 2) if count not in runs)
    space = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{space}{line}{space}{ticks}"


def named(text: str) -> str:
    """``text`` as it is where it is made of plain words, else as a code span."""
    return text if _WORDS.fullmatch(text) else code(text, 100)


def row(cells: Iterable[str]) -> str:
    """A line of a table. What is Markdown in ``cells`` stays so."""
    return f"| {' | '.join(cell.replace('|', _BAR) for cell in cells)} |"


_BAR = r"\|"
"""How a table takes ``|`` in a cell, also in a code span."""
