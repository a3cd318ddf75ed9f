"""The page on cases: what it shows is run, and its tables are held against the code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from active_session import active_session

from pytest_llmeval import Case
from pytest_llmeval.data.aliases import ALIASES
from pytest_llmeval.data.measured import Measured
from pytest_llmeval.data.messages import Message
from pytest_llmeval.session import Session

PAGE = Path(__file__).parent.parent.joinpath("docs/cases.md").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def session() -> Iterator[Session]:
    with active_session(mode="off", model="lexical") as session:
        yield session


def test_every_field_of_a_case_has_its_row() -> None:
    rows = re.findall(r"^\| `(\w+)` \| [^`]", PAGE.partition("```")[0], re.MULTILINE)
    assert sorted(rows) == sorted(Case.model_fields)
    for piece in (Message, Measured):
        assert all(f"`{name}`" in PAGE for name in piece.model_fields)


def test_every_name_of_another_tool_stands_beside_its_field() -> None:
    table = PAGE.partition("<!-- aliases -->")[2].partition("```")[0]
    rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", table, re.MULTILINE)
    told = {name: field for field, names in rows for name in re.findall(r"`(\w+)`", names)}
    assert told == dict(ALIASES)


def test_what_the_page_shows_runs(capsys: pytest.CaptureFixture[str]) -> None:
    for block in re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL):
        exec(compile(block, "docs/cases.md", "exec"), {})
    assert capsys.readouterr().out == "2 2 [5, 2]\npassed 1.0\n"
