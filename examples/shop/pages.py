"""The shop's product pages, as they lie in the folder ``products``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

PRODUCTS = Path(__file__).parent.parent / "products"


@dataclass(frozen=True, slots=True)
class Page:
    """One page. Its ``name`` is that of its file, without the ending."""

    name: str
    title: str
    text: str


def read_pages(folder: Path = PRODUCTS) -> list[Page]:
    """Every page in ``folder``, by name."""
    return [_page(path) for path in sorted(folder.glob("*.md"))]


def _page(path: Path) -> Page:
    title, _, text = path.read_text(encoding="utf-8").partition("\n")
    return Page(path.stem, title.removeprefix("# "), text.strip())
