"""Malformed files: each is refused with its place and what to do, and with nothing but that."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmeval.data.datasets import load_cases
from pytest_llmeval.data.files.row_files import EXTENSIONS, row_file
from pytest_llmeval.data.words.shapes import case_of
from pytest_llmeval.errors import CaseError, EvalError, UsageError

DEEP = b'{"query": "q", "metadata": {"x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}}"
HUGE = b'{"query": "q", "metadata": {"x": ' + b"9" * 5000 + b"}}"
A, B = b'{"id": "a", "query": "q"}', b'{"id": "b", "query": "q"}'
HEAD = b"id,query\n"

AS_JSON = "write it as JSON, as json.dumps does"
SIDE_BY_SIDE = f"two texts stand side by side without a comma, as numpy prints a list: {AS_JSON}"
PRINTED = f"a list or an object that was printed, can't be read back: {AS_JSON}"
QUOTE = "quote a cell that has a separator"
NONE = "none of its names is one of a case"
SAY = 'say what they are, as in fields={{"{}": "query"}}'
UNKNOWN = "expected a file of cases (.jsonl, .ndjson, .json, .csv, .tsv, .parquet)"


def quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"'


MALFORMED: list[tuple[str, bytes, str]] = [
    # JSONL
    ("q.jsonl", b"", "q.jsonl: found no case"),
    ("q.jsonl", b"\xef\xbb\xbf", "q.jsonl: found no case"),
    ("q.jsonl", b"\n\r\n  \n", "q.jsonl: found no case"),
    ("q.jsonl", b"hello\n", "q.jsonl:1: expected a JSON object: expecting value at column 1"),
    (
        "q.jsonl",
        A + b'\n{"query": "cut',
        "q.jsonl:2: expected a JSON object: unterminated string starting at at column 11",
    ),
    (
        "q.jsonl",
        b"{'query': 'q'}",
        (
            "q.jsonl:1: expected a JSON object: expecting property name enclosed in double quotes "
            "at column 2"
        ),
    ),
    ("q.jsonl", A + B, "q.jsonl:1: expected a JSON object: something follows its end at column 26"),
    (
        "q.jsonl",
        b"[" + A + b"]",
        (
            "q.jsonl:1: expected a JSON object, got list; "
            "an array of objects is read from a .json file"
        ),
    ),
    ("q.jsonl", A + b"\n5\n", "q.jsonl:2: expected a JSON object, got int"),
    ("q.jsonl", A + b'\n"q"\n', "q.jsonl:2: expected a JSON object, got str"),
    ("q.jsonl", b"null", "q.jsonl:1: expected a JSON object, got NoneType"),
    ("q.jsonl", b"{}", "q.jsonl:1: it is empty"),
    ("q.jsonl", b'{"query": null}', "q.jsonl:1: it has no value but null"),
    ("q.jsonl", b'{"a": 1}', f"q.jsonl:1: {NONE}: a; {SAY.format('a')}"),
    ("q.jsonl", b'{"": 1, "query": "q"}', "q.jsonl:1: a name is blank: ''"),
    (
        "q.jsonl",
        A + b'\n{"query": "\xff"}',
        "q.jsonl:2: expected UTF-8, got byte 0xff at byte 12",
    ),
    (
        "q.jsonl",
        '{"query": "é"}'.encode("latin-1"),
        "q.jsonl:1: expected UTF-8, got byte 0xe9 at byte 12",
    ),
    (
        "q.jsonl",
        A.decode().encode("utf-16"),
        "q.jsonl: cannot be read: expected UTF-8, got UTF-16",
    ),
    ("q.jsonl", A.decode().encode("utf-16-be"), "q.jsonl:1: expected text, got a NUL byte"),
    ("q.jsonl", A + b"\n\0\0\0\0", "q.jsonl:2: expected text, got a NUL byte"),
    (
        "q.jsonl",
        b'{"query": "a\x01"}',
        "q.jsonl:1: expected a JSON object: invalid control character at at column 13",
    ),
    ("q.jsonl", b'{"query": "q", "query": "r"}', "q.jsonl:1: 'query' is given twice in one object"),
    (
        "q.jsonl",
        b'{"query": "q", "metadata": {"x": NaN}}',
        "q.jsonl:1: NaN is no number that JSON knows; leave it out, or write null",
    ),
    (
        "q.jsonl",
        b'{"query": "q", "metadata": {"x": -Infinity}}',
        "q.jsonl:1: -Infinity is no number that JSON knows; leave it out, or write null",
    ),
    ("q.jsonl", HUGE, "q.jsonl:1: a number has too many digits"),
    ("q.jsonl", DEEP, "q.jsonl:1: expected a JSON object: it is nested too deeply"),
    ("q.jsonl", b'{"query": 5}', "q.jsonl:1: Case.query: input should be a valid string, got int"),
    (
        "q.jsonl",
        b'{"query": "q", "response": ["r"]}',
        "q.jsonl:1: Case.response: input should be a valid string, got list",
    ),
    (
        "q.jsonl",
        b'{"id": true, "query": "q"}',
        "q.jsonl:1: Case.id: input should be a valid string, got bool",
    ),
    (
        "q.jsonl",
        b'{"id": 1.0, "query": "q"}',
        "q.jsonl:1: Case.id: input should be a valid string, got float",
    ),
    (
        "q.jsonl",
        b'{"query": "q", "expected_facts": "one"}',
        "q.jsonl:1: Case.expected_facts: input should be a valid list, got str",
    ),
    (
        "q.jsonl",
        b'{"query": "q", "measured": {"seconds": -1}}',
        "q.jsonl:1: Measured.seconds: input should be greater than or equal to 0, got int",
    ),
    (
        "q.jsonl",
        b'{"contxt": ["d"]}',
        "q.jsonl:1: Case has no field 'contxt': did you mean 'context'?",
    ),
    (
        "q.jsonl",
        b'{"Response ": "r"}',
        "q.jsonl:1: Case has no field 'Response ': did you mean 'response'?",
    ),
    (
        "q.jsonl",
        b'{"messages": [{"role": "robot", "content": "x"}]}',
        "q.jsonl:1: messages: message 1: its role is system, user, assistant or tool; got 'robot'",
    ),
    ("q.jsonl", A + b"\n" + B + b"\n" + A, "q.jsonl:3: id 'a' was given in line 1 already"),
    # JSON
    ("q.json", b"", "q.json: found no case"),
    ("q.json", b"[]", "q.json: found no case"),
    ("q.json", b'{"rows": []}', "q.json: found no case"),
    ("q.json", b"{}", "q.json: expected one array of objects, got none in {}"),
    ("q.json", b'{"version": 1}', "q.json: expected one array of objects, got none in version"),
    (
        "q.json",
        b'{"rows": [' + A + b'], "data": []}',
        "q.json: expected one array of objects, got several: rows, data",
    ),
    ("q.json", b"5", "q.json:1: expected JSON: expecting an array of objects"),
    ("q.json", b"[\n" + A + b",\n5]", "q.json:3 (row 2): expected a JSON object, got int"),
    ("q.json", b"[\n" + A + b"\n" + B + b"]", "q.json:3: expected JSON: expecting ',' or ']'"),
    ("q.json", b"[\n" + A + b",\n]", "q.json:3: expected JSON: expecting value"),
    ("q.json", b"[\n" + A, "q.json:2: expected JSON: expecting ',' or ']'"),
    ("q.json", b"[" + A + b"]\nmore", "q.json:2: expected JSON: something follows its end"),
    (
        "q.json",
        A + b"\n" + B,
        "q.json:2: expected JSON: several objects, as in a .jsonl file",
    ),
    (
        "q.json",
        b'[{"query": "q",\n "query": "r"}]',
        "q.json:1: 'query' is given twice in one object",
    ),
    ("q.json", b"[" * 100_000, "q.json:1: expected JSON: it is nested too deeply"),
    (
        "q.json",
        b'[{"query": "q"},\n {"qurey": "q"}]',
        "q.json:2 (row 2): Case has no field 'qurey': did you mean 'query'?",
    ),
    ("q.json", b'["\xff"]', "q.json: expected UTF-8, got byte 0xff at byte 3"),
    # CSV
    ("q.csv", b"", "q.csv: found no case"),
    ("q.csv", HEAD, "q.csv: found no case"),
    ("q.csv", b"\xef\xbb\xbf" + HEAD + b"\n\n", "q.csv: found no case"),
    (
        "q.csv",
        HEAD + b"a,How long?\nb,Yes, but\n",
        "q.csv:3: expected 2 cells as in the header, got 3; quote a cell that has a separator",
    ),
    (
        "q.csv",
        HEAD + b'"a\nb","q\nr"\nx\n',
        "q.csv:5: expected 2 cells as in the header, got 1; quote a cell that has a separator",
    ),
    (
        "q.csv",
        HEAD + b'a,"open\nb,q\n',
        "q.csv:2: expected CSV: a quote is opened and never closed",
    ),
    ("q.csv", HEAD + b'a,"q" r\n', "q.csv:2: expected CSV: a quote within a cell is written twice"),
    ("q.csv", b"query,query\na,b\n", "q.csv:1: there are two columns 'query'"),
    (
        "q.csv",
        b",query\n0,q\n",
        "q.csv:1: column 1 has no name; pandas writes no such column with index=False",
    ),
    ("q.csv", b"query, ,x\na,b,c\n", "q.csv:1: column 2 has no name"),
    ("q.csv", HEAD + b",\n,\n", "q.csv: found no case"),
    ("q.csv", b"query,\na,x\n", "q.csv:2: expected 1 cell as in the header, got 2; " + QUOTE),
    (
        "q.csv",
        b"sep=;\nquery;context\nq;\"['a' 'b']\"\n",
        f"q.csv:3: context: {SIDE_BY_SIDE}",
    ),
    *(
        (
            "q.csv",
            f'query,{name}\nq,"{cell}"\n'.encode(),
            f"q.csv:2: {name}: {SIDE_BY_SIDE}",
        )
        for name in ("context", "expected_facts", "guidelines", "tools_called", "inputs.context")
        for cell in ("['a' 'b']", "['a'\n 'b'\n 'c']", "['a', 'b' 'c']")
    ),
    *(
        ("q.csv", f"id,{name}\nq,{quoted(cell)}\n".encode(), f"q.csv:2: {name}: {PRINTED}")
        for name in ("context", "request")
        for cell in (
            "[{'content': 'a'} {'content': 'b'}]",
            "['a', None, nan]",
            "[nan, 'a']",
            '["a", "b',
            "('a','b')",
            "array(['a', 'b'], dtype=object)",
            "[Document(page_content='a')]",
            "['C:\\x']",
            "['\\d']",
            '{"content": "a"',
        )
    ),
    (
        "q.csv",
        b"query,context\nq,\"['a', None]\"\n",
        "q.csv:2: context: expected a list of texts or of objects, got None among them",
    ),
    (
        "q.csv",
        b'query,context\nq,"[1, ""a""]"\n',
        "q.csv:2: context: expected a list of texts or of objects, got 1 among them",
    ),
    *(
        (
            "q.csv",
            f'id,request\nq,"[{{""role"": ""user""}}, {odd}]"\n'.encode(),
            f"q.csv:2: request: expected a list of objects, got {told} among them",
        )
        for odd, told in (('""a""', "'a'"), ("1", "1"))
    ),
    ("q.csv", HEAD + b"a,q\xff\n", "q.csv:2: expected UTF-8, got byte 0xff at byte 4"),
    ("q.csv", HEAD + b"a,q\0\n", "q.csv:2: expected text, got a NUL byte"),
    (
        "q.csv",
        (HEAD + b"a,q").decode().encode("utf-16"),
        "q.csv: cannot be read: expected UTF-8, got UTF-16",
    ),
    ("q.csv", b"a,b\n1,2\n", f"q.csv:2: {NONE}: a, b; {SAY.format('a')}"),
    (
        "q.csv",
        b"query,grond_truth\nq,g\n",
        "q.csv:2: Case has no field 'grond_truth': did you mean 'ground_truth'?",
    ),
    (
        "q.csv",
        b"query,expected_facts\nq,one\n",
        "q.csv:2: expected_facts: expected a list, as JSON in its cell; got 'one'",
    ),
    (
        "q.csv",
        b'query,expected_facts\nq,"[1]"\n',
        "q.csv:2: Case.expected_facts.0: input should be a valid string, got int",
    ),
    ("q.csv", HEAD + b"a,q\nb,q\na,q\n", "q.csv:4: id 'a' was given in line 2 already"),
    ("q.csv", HEAD + b"a,q\rb,q\r", "q.csv:2: expected CSV: a line ends with CR alone"),
    ("q.tsv", b"id,query\na,q\n", f"q.tsv:2: {NONE}: id,query; {SAY.format('id,query')}"),
    # Parquet
    ("q.parquet", b"", "q.parquet: expected Parquet: Parquet file size is 0 bytes"),
    ("q.parquet", b"PAR1 and more PAR1", "q.parquet: expected Parquet: "),
    ("q.parquet", A, "q.parquet: expected Parquet: Parquet magic bytes not found in footer."),
    # Others
    (
        "q.yaml",
        b"- query: q",
        f"q.yaml: {UNKNOWN}, got '.yaml'; YAML is not read: write it as JSON",
    ),
    ("q.txt", b"q", f"q.txt: {UNKNOWN}, got '.txt'"),
]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    MALFORMED,
    ids=[f"{n}{i}" for i, (n, *_) in enumerate(MALFORMED)],
)
def test_a_malformed_file_is_refused_with_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: bytes, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(EvalError) as raised:
        load_cases(Path(name))
    told = str(raised.value)
    told = re.sub(r"(that was printed), .*?, (can't)", r"\1, \2", told, flags=re.DOTALL)
    assert isinstance(raised.value, CaseError | UsageError)
    assert "\n" not in told
    assert told == message or (message.startswith("q.parquet: expected") and message in told)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "folder.jsonl",
            "folder.jsonl: expected a file, got a folder; all of it is folder.jsonl/*.jsonl",
        ),
        ("nowhere.jsonl", "nowhere.jsonl: cannot be read: No such file or directory"),
        ("nowhere.csv", "nowhere.csv: cannot be read: No such file or directory"),
        ("nowhere.parquet", "nowhere.parquet: cannot be read: No such file or directory"),
        ("no\0where.jsonl", "no\0where.jsonl: cannot be read: embedded null byte"),
        (f"{'x' * 300}.json", f"{'x' * 300}.json: cannot be read: File name too long"),
    ],
)
def test_what_is_no_file_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.jsonl").mkdir()
    with pytest.raises(CaseError) as raised:
        load_cases(Path(name))
    assert str(raised.value) == message


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("any")


PIECES = [*'{}[]",:;\t\n\r 1aé\0', "query", '"query"', "null", '{"query": "q"}']
CONTENT = st.binary(max_size=60) | st.lists(st.sampled_from(PIECES), max_size=20).map(
    lambda pieces: "".join(pieces).encode()
)


@given(CONTENT, st.sampled_from(EXTENSIONS))
def test_whatever_a_file_holds_nothing_else_is_raised(
    folder: Path, content: bytes, extension: str
) -> None:
    path = folder / f"any{extension}"
    path.write_bytes(content)
    rows = row_file(path, folder)
    try:
        read = [(place, case_of(row)) for place, row in rows]
    except CaseError:
        return
    assert [case_of(rows.row(place)) for place, _ in read] == [case for _, case in read]
