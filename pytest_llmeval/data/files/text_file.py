"""A file of text that rows are read from: in UTF-8, and the same one throughout the run."""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO

from ...errors import CaseError

_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
BOM = b"\xef\xbb\xbf"


class TextFile:
    """The file at ``path``, called ``name`` in messages."""

    def __init__(self, path: Path, name: str) -> None:
        self._path = path
        self.name = name
        self._stamp: tuple[int, int, int] | None = None

    def opened(self) -> BinaryIO:
        """The file at its beginning, to be read as a whole. Raises ``CaseError`` where it can't."""
        file = self._open()
        self._stamp = _stamp(file)
        if file.read(2) in _UTF_16:
            file.close()
            raise CaseError(f"{self.name}: cannot be read: expected UTF-8, got UTF-16")
        file.seek(0)
        return file

    def opened_again(self) -> BinaryIO:
        """The file to be read at some place. Raises ``CaseError`` where it has changed."""
        file = self._open()
        if _stamp(file) != self._stamp:
            file.close()
            raise CaseError(f"{self.name}: the file has changed since its rows were counted")
        return file

    def _open(self) -> BinaryIO:
        try:
            return self._path.open("rb")
        except (OSError, ValueError) as error:
            told = error.strerror if isinstance(error, OSError) else str(error)
            raise CaseError(f"{self.name}: cannot be read: {told}") from None


def _stamp(file: BinaryIO) -> tuple[int, int, int]:
    status = os.fstat(file.fileno())
    return status.st_size, status.st_mtime_ns, status.st_ino


def text_of(content: bytes, where: str) -> str:
    """``content`` as text. Raises ``CaseError`` for what is no UTF-8, and for NUL bytes."""
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        byte, column = content[error.start], error.start + 1
        raise CaseError(
            f"{where}: expected UTF-8, got byte 0x{byte:02x} at byte {column}"
        ) from None
    if "\0" in text:
        raise CaseError(f"{where}: expected text, got a NUL byte")
    return text
