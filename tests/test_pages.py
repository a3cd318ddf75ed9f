"""The pages of the documentation: every link leads somewhere, and every page can be found."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
START = ROOT / "README.md"
HUB = ROOT / "docs" / "README.md"
PAGES = sorted([START, *(ROOT / "docs").glob("**/*.md")])


def links(page: Path) -> Iterator[tuple[Path, str]]:
    """The files, and the places in them, that ``page`` links to in this repository."""
    prose = re.sub(r"^```.*?^```$|`[^`\n]*`", "", page.read_text("utf-8"), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        if "://" not in target:
            name, _, place = target.partition("#")
            yield ((page.parent / name).resolve() if name else page), place


def anchors(page: Path) -> set[str]:
    """The headings of ``page`` as links name them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.M | re.S)
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    for target, place in links(page):
        assert target.exists(), f"{page.name} links to {target}, which is not there"
        if place:
            assert place in anchors(target), f"{target.name} has no heading #{place}"


def test_every_page_can_be_reached_from_the_readme() -> None:
    found, new = set[Path](), {START}
    while new:
        found |= new
        new = {to for page in new for to, _ in links(page) if to.suffix == ".md"} - found
    assert [page.name for page in PAGES if page not in found] == []


def test_the_list_of_pages_names_each_and_each_leads_back_to_it() -> None:
    listed = {target for target, _ in links(HUB)}
    assert [page.name for page in PAGES if page not in {*listed, HUB}] == []
    pages = [page for page in PAGES if page not in (START, HUB)]
    silent = [page.name for page in pages if HUB not in {target for target, _ in links(page)}]
    assert silent == ["architecture.md"]  # for those who work on the project


def test_the_page_on_the_architecture_names_every_module() -> None:
    told = set(
        re.findall(r"`(\w+)(?:\.py)?`", (ROOT / "docs" / "architecture.md").read_text("utf-8"))
    )
    package = ROOT / "pytest_llmeval"
    modules = {path for path in package.glob("**/*.py") if not path.stem.startswith("__")}
    # Metrics, readers and text tools are as many as there are forms: their folders are named.
    listed = {"metrics", "text", "assertions", "suites", "files", "traces"}
    named = {path for path in modules if path.parent.name not in listed}
    assert sorted(path.stem for path in named if told.isdisjoint(_numbers(path.stem))) == []
    rooms = {path.name for path in package.iterdir() if (path / "__init__.py").exists()}
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    assert sorted(room for room in rooms if f"`{room}/`" not in page) == []


def _numbers(name: str) -> set[str]:
    """``name`` and its singular, as prose has it (`rule`s)."""
    return {name, name.removesuffix("s")}
