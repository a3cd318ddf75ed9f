"""How files of committed verdicts are called: like the test files, as every system takes it."""

from __future__ import annotations

import re
from urllib.parse import unquote

from .committed import SUFFIX

NO_TEST = "outside-tests"
"""The file, before its suffix, of verdicts that no test asked for."""

_UNSAFE = re.compile(
    # What Windows allows in no name, its devices, and a name's end that it drops.
    r"[%<>:\"|?*\\\x00-\x1f]|^(?=(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³])(?:\.|$))."
    r"|^\.+$|[. ]$",
    re.IGNORECASE,
)


def file_name(test_file: str) -> str:
    """The name below the folder for ``test_file``, as node ids name it: the same path.

    What a name can't hold on every system stands there as ``%XX``.
    """
    parts = [_UNSAFE.sub(_escaped, part) for part in test_file.split("/") if part]
    return ("/".join(parts) or NO_TEST) + SUFFIX


def _escaped(unsafe: re.Match[str]) -> str:
    return "".join(f"%{ord(character):02X}" for character in unsafe[0])


def recorded_for(name: str) -> str | None:
    """The test file that ``file_name`` made ``name`` of; None for that of no test."""
    stem = name.removesuffix(SUFFIX)
    return None if stem == NO_TEST else unquote(stem)
