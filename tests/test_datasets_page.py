"""The page on files of cases: its table of names is held against the code."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from pytest_llmeval.data.files.json_rows import HOLDERS
from pytest_llmeval.data.files.row_files import EXTENSIONS
from pytest_llmeval.data.rows import Row
from pytest_llmeval.data.words.shapes import case_of

PAGE = Path(__file__).parent.parent.joinpath("docs/datasets.md").read_text(encoding="utf-8")

VALUES: dict[str, Any] = {
    "messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}],
    "context": ["d"],
    "expected_facts": ["f"],
    "expected_context": ["x"],
    "guidelines": ["g"],
    "tools_called": ["search"],
    "expected_tools": ["search"],
    "guidelines_context": {"a": "b"},
    "measured": 2,
    "ground_truths": ["g"],
}


def named() -> list[tuple[str, str, str]]:
    """Each tool's name for each field, as the page has them."""
    table = PAGE.partition("<!-- names -->\n")[2].partition("\n\n")[0].splitlines()
    tools = table[0].split("|")[2:-1]
    return [
        (field.strip(" `"), tool.strip(), name)
        for field, *cells in (line.strip("|").split("|") for line in table[2:])
        for tool, cell in zip(tools, cells, strict=True)
        for name in re.findall(r"`([^`]+)`", cell)
    ]


@pytest.mark.parametrize(("field", "tool", "name"), named())
def test_every_name_on_the_page_gives_its_field(field: str, tool: str, name: str) -> None:
    value = VALUES.get(name, VALUES.get(field, "text"))
    outer, _, inner = name.partition(".")
    values: dict[str, Any] = {outer: {inner: value, "k": 1}} if inner else {outer: value}
    if outer in ("reference_outputs", "outputs"):
        values |= {"inputs": {"question": "q"}, "reference_outputs": values.get(outer, "r")}
    if tool == "DeepEval":
        values.setdefault("input", "q")
    assert case_of(Row("page", values)).has(field)


def test_the_page_names_every_extension_and_only_names_that_hold_rows() -> None:
    forms = PAGE.partition("## Names")[0]
    assert all(f"`{extension}`" in forms for extension in EXTENSIONS)
    told = re.findall(r"under (.*?), … or", forms)[0]
    assert {*re.findall(r"`(\w+)`", told)} <= {*HOLDERS}


def test_what_was_recognised_is_told_as_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    section = PAGE.partition("## What was recognised")[2]
    (code,) = re.findall(r"<!-- run -->\n```python\n(.*?)```", section, re.DOTALL)
    exec(compile(code, "docs/datasets.md", "exec"), {})
    (shown,) = re.findall(r"```text\n(.*?)```", section, re.DOTALL)
    assert capsys.readouterr().out == shown


def test_what_the_page_shows_of_fields_runs() -> None:
    (block,) = re.findall("<!-- fields -->\n```python\n(.*?)```", PAGE, re.DOTALL)
    exec(compile(block, "docs/datasets.md", "exec"), {})
