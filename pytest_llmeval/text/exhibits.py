"""Exhibits: text under test as a template has it, and as it stands in the prompt, in a fence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .fences import fenced


class Own(str):
    """Text of ours, or of whoever wrote the prompt: it stands in the prompt as it is."""

    __slots__ = ()

    @property
    def printed(self) -> str:
        """The text."""
        return str(self)


class Exhibit(str):
    """A text under test. A template works on the text; printed as it is, it stands in a fence.

    ``tag`` is what the fence is called. Where there is no text, ``absent`` says so in the prompt,
    and what the template works on is empty.
    """

    tag: str
    absent: str

    def __new__(cls, text: str, tag: str, absent: str = "") -> Exhibit:
        made = super().__new__(cls, text)
        made.tag, made.absent = tag, absent
        return made

    @classmethod
    def of_field(cls, name: str, text: str | None) -> Exhibit:
        """The text of the field ``name``, in whose place a line says so if it was not given."""
        if text is not None and text.strip():
            return cls(text, name)
        return cls("", name, f"(no {name.replace('_', ' ')} was given)")

    @property
    def printed(self) -> str:
        """The text in its fence, or that there is none."""
        return self.absent or fenced(self.tag, str(self))


@dataclass(frozen=True)
class Compound:
    """Several texts that are printed as one ``whole``; each of its ``pieces`` is there by name."""

    whole: Exhibit
    pieces: Mapping[str, str]

    def __getitem__(self, name: str) -> Exhibit:
        """The piece called ``name``, which templates write as an attribute."""
        return Exhibit.of_field(name, self.pieces[name])

    def __str__(self) -> str:
        return str(self.whole)

    @property
    def printed(self) -> str:
        """The whole in one fence."""
        return self.whole.printed


@dataclass(frozen=True)
class Exhibits(Sequence[Exhibit | Compound]):
    """Exhibits in order, to be looped over and indexed; printed they are joined by ``joint``.

    Where there are none, ``absent`` says so in the prompt.
    """

    items: tuple[Exhibit | Compound, ...]
    absent: str
    joint: str = "\n"

    def __getitem__(self, index: int | slice) -> Exhibit | Compound | Exhibits:  # type: ignore[override]
        """One of them, or some as such a list."""
        if isinstance(index, slice):
            return Exhibits(self.items[index], self.absent, self.joint)
        return self.items[index]

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Exhibit | Compound]:
        return iter(self.items)

    def __str__(self) -> str:
        return self.joint.join(map(str, self.items))

    @property
    def printed(self) -> str:
        """Each in its fence, in order."""
        return self.joint.join(each.printed for each in self.items) or self.absent


Exhibited = Own | Exhibit | Compound | Exhibits
"""What has a form of its own in the prompt (``printed``)."""
