"""Datasets: JSONL as people have it, and refusals with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_llmeval.data.datasets import load_cases
from pytest_llmeval.errors import CaseError


def written(folder: Path, content: bytes) -> Path:
    path = folder / "cases.jsonl"
    path.write_bytes(content)
    return path


def test_a_bom_crlf_and_blank_lines_are_read(tmp_path: Path) -> None:
    path = written(tmp_path, b'\xef\xbb\xbf{"query": "a"}\r\n\r\n  \n{"query": "\xc3\xa9"}')
    assert [case.query for case in load_cases(path)] == ["a", "é"]


def test_separators_that_are_no_line_ends_stay_inside_text(tmp_path: Path) -> None:
    path = written(tmp_path, '{"query": "a\u2028b\u0085c"}\n'.encode())
    assert [case.query for case in load_cases(path)] == ["a\u2028b\u0085c"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "cases.jsonl: found no case"),
        (b"\n \n", "found no case"),
        (b'{"query": "a"}\n{"query": 5}\n', "cases.jsonl:2: Case.query: .* got int"),
        (b'{"query": "a"}\n[1]\n', "cases.jsonl:2: expected a JSON object, got list"),
        (b'\n{"query": \n', "cases.jsonl:2: expected a JSON object"),
        (b'{"qurey": "a"}\n', "cases.jsonl:1: Case has no field 'qurey': did you mean 'query'"),
        (
            b'{"id": "x"}\n{"id": "y"}\n{"id": "x"}\n',
            "cases.jsonl:3: id 'x' was given in line 1 already",
        ),
        (b"\xff\xfe", "cases.jsonl: cannot be read"),
        (b"[" * 100_000, "cases.jsonl:1: expected a JSON object"),
    ],
)
def test_a_bad_row_is_refused_with_file_and_line(
    tmp_path: Path, content: bytes, message: str
) -> None:
    with pytest.raises(CaseError, match=message):
        load_cases(written(tmp_path, content))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(CaseError, match="nowhere.jsonl: cannot be read"):
        load_cases(tmp_path / "nowhere.jsonl")


def test_ids_are_unique_and_do_not_move_when_rows_are_added(tmp_path: Path) -> None:
    rows = [b'{"query": "a"}', b'{"query": "b"}', b'{"query": "a"}', b'{"id": "given"}']
    before = load_cases(written(tmp_path, b"\n".join(rows))).ids
    after = load_cases(written(tmp_path, b"\n".join([b'{"query": "new"}', *rows]))).ids
    assert len(set(before)) == len(before)
    assert after[1:] == before
    assert before[3] == "given"


@pytest.mark.parametrize(
    ("row", "name"),
    [
        (b'{"query": "a", "query": "b"}', "query"),
        (b'{"query": "a", "context": [{"content": "a", "content": "b"}]}', "content"),
        (b'{"metadata": {"x": 1, "y": 2, "x": 1}}', "x"),
    ],
)
def test_a_name_given_twice_in_one_object_is_refused(tmp_path: Path, row: bytes, name: str) -> None:
    with pytest.raises(CaseError, match=f"cases.jsonl:2: '{name}' is given twice in one object"):
        load_cases(written(tmp_path, b'{"query": "a"}\n' + row))
