"""WordNet: which words mean the same, read from its own files where they lie, a line at a time.

The files are those of Princeton's WordNet (``man 5 wndb``): in ``index.noun`` a line for each
word, sorted, with the places of its meanings in ``data.noun``; in ``noun.exc`` its irregular
forms; the same for verbs, adjectives and adverbs. Nothing is loaded but what is looked up.
"""

from __future__ import annotations

import mmap
import zipfile
from functools import lru_cache
from pathlib import Path

_ENDINGS = {
    "noun": (
        ("s", ""),
        ("ses", "s"),
        ("ves", "f"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    "verb": (
        ("s", ""),
        ("ies", "y"),
        ("es", "e"),
        ("es", ""),
        ("ed", "e"),
        ("ed", ""),
        ("ing", "e"),
        ("ing", ""),
    ),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}
"""By part of speech, the endings of forms and what they stand for in the word itself."""

FILES = tuple(f"{kind}.{part}" for kind in ("index", "data") for part in _ENDINGS)
"""The files that a WordNet cannot do without."""


class WordNet:
    """The WordNet in a folder, or in a zip archive, called ``place``."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._files: dict[str, bytes | mmap.mmap] = {}

    def synonyms(self, word: str) -> frozenset[str]:
        """The single words that share a meaning with ``word``, a form in lower case, or its base.

        Empty where WordNet does not know it. They are spelt as WordNet does, names in capitals.
        """
        key = word.encode()
        if b" " in key or b"\n" in key:
            return frozenset()
        return frozenset(
            name
            for part in _ENDINGS
            for base in self._bases(word, part)
            for offset in self._meanings(base, part)
            for name in self._names(part, offset)
            if "_" not in name
        )

    def _bases(self, form: str, part: str) -> list[str]:
        """``form`` and what it may be a form of, each once."""
        irregular = _line(self._file(f"{part}.exc"), form.encode()).split()
        bases = [base.decode() for base in irregular[1:]] or [
            form[: -len(ending)] + base for ending, base in _ENDINGS[part] if form.endswith(ending)
        ]
        return list(dict.fromkeys([form, *bases]))

    def _meanings(self, word: str, part: str) -> list[int]:
        """Where in the data the meanings of ``word`` stand."""
        fields = _line(self._file(f"index.{part}"), word.encode()).split()
        return [int(offset) for offset in fields[-int(fields[2]) :]] if fields else []

    def _names(self, part: str, offset: int) -> list[str]:
        """The words of the meaning at ``offset``; a mark such as *(p)* after one is dropped."""
        data = self._file(f"data.{part}")
        fields = data[offset : data.find(b"\n", offset)].decode().split(" ")
        count = int(fields[3], 16)
        return [name.partition("(")[0] for name in fields[4 : 4 + 2 * count : 2]]

    def _file(self, name: str) -> bytes | mmap.mmap:
        if name not in self._files:
            self._files[name] = self._opened(name)
        return self._files[name]

    def _opened(self, name: str) -> bytes | mmap.mmap:
        if self.place.suffix == ".zip":
            with zipfile.ZipFile(self.place) as archive:
                member = f"wordnet/{name}"
                return archive.read(member) if member in archive.namelist() else b""
        file = self.place / name
        if not file.exists() or not file.stat().st_size:
            return b""
        with file.open("rb") as opened:
            return mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)


def is_wordnet(place: Path) -> bool:
    """Whether ``place`` is a folder, or a zip archive, with WordNet's files in it."""
    if place.suffix == ".zip" and place.is_file():
        try:
            with zipfile.ZipFile(place) as archive:
                return {f"wordnet/{name}" for name in FILES} <= {*archive.namelist()}
        except (OSError, zipfile.BadZipFile):
            return False
    return all((place / name).is_file() for name in FILES)


@lru_cache(maxsize=8)
def wordnet_at(place: Path) -> WordNet:
    """The WordNet at ``place``, opened once."""
    return WordNet(place)


def _line(sorted_lines: bytes | mmap.mmap, key: bytes) -> bytes:
    """The line whose first word is ``key``, found by bisection; empty where there is none."""
    low, high = 0, len(sorted_lines) if key else 0  # the lines of the licence begin with a blank
    while low < high:
        start = sorted_lines.rfind(b"\n", low, (low + high) // 2) + 1 or low
        end = sorted_lines.find(b"\n", start)
        line = sorted_lines[start : end if end >= 0 else len(sorted_lines)]
        first = line.partition(b" ")[0]
        if first == key:
            return line
        if first < key:
            low = start + len(line) + 1
        else:
            high = start
    return b""
