"""Text as it is shown: one line that no terminal takes for a command."""

from __future__ import annotations


def shown(text: str, limit: int = 300) -> str:
    """``text`` as one line of at most ``limit`` characters, fit for any terminal.

    Runs of white space become one space; what does not print (control characters, marks that
    change the direction of writing, zero-width characters, lone surrogates) is written as its
    escape (``\\x1b``, ``\\u202e``). Whatever prints, in any script, stays as it is. A cut is
    marked by ``…`` at the end and never splits an escape.
    """
    line = " ".join(text.split(maxsplit=limit))  # of more words than this none would be left
    if line[: limit + 1].isprintable():
        return line if len(line) <= limit else line[: max(limit - 1, 0)].rstrip() + "…"[:limit]
    pieces: list[str] = []
    length = kept = 0
    for piece in map(_visible, line):
        length += len(piece)
        if length > limit:
            return "".join(pieces[:kept]).rstrip() + "…"[:limit]
        pieces.append(piece)
        if length < limit:
            kept = len(pieces)
    return "".join(pieces)


def printable(text: str) -> str:
    """``text`` with its spaces as they are, and whatever does not print, line ends too, escaped."""
    return "".join(map(_visible, text))


def _visible(character: str) -> str:
    if character.isprintable():
        return character
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
