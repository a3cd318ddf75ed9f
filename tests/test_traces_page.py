"""The page on traces: what it shows is run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from active_session import active_session

from pytest_llmeval import Case, CheckFailed, ToolCall, assert_tools_called
from pytest_llmeval.session import Session

PAGE = Path(__file__).parent.parent.joinpath("docs/traces.md").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def session() -> Iterator[Session]:
    with active_session(mode="off") as session:
        yield session


def test_what_the_page_shows_runs(capsys: pytest.CaptureFixture[str]) -> None:
    for block in re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL):
        exec(compile(block, "docs/traces.md", "exec"), {})
    assert capsys.readouterr().out == "129 2.5\nThree are in stock.\n"


def test_the_failure_that_the_page_shows_reads_so() -> None:
    called = [ToolCall("search"), ToolCall("book", {"room": 4}), ToolCall("pay")]
    with pytest.raises(CheckFailed) as failed:
        assert_tools_called(Case(tools_called=called), ["search", ToolCall("book", {"room": 3})])
    shown = re.findall(r"^E {7}(.*)$", PAGE, re.MULTILINE)
    assert str(failed.value).splitlines() == shown
