"""Readers: every form of file gives the same rows, read through or one at a time."""

from __future__ import annotations

import csv
import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_llmeval import Case, load_cases
from pytest_llmeval.data.files.json_rows import JsonRows
from pytest_llmeval.data.files.row_files import row_file, row_files
from pytest_llmeval.data.rows import RowFile
from pytest_llmeval.data.words.shapes import case_of
from pytest_llmeval.errors import CaseError, UsageError

ROWS: list[dict[str, Any]] = [
    {
        "id": "a",
        "query": "Wie lange, bitte?",
        "context": ["eins", "zwei; drei"],
        "response": "Zwei",
    },
    {"id": "b", "query": 'A "tent"\r\nof two lines', "context": [{"id": "x", "content": "d"}]},
    {"id": "c", "query": "日本語 \u2028 🙂", "expected_facts": ["f"], "note": "[1]"},
]
NAMES = ["id", "query", "context", "response", "expected_facts", "note"]


def cell(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    """``rows`` in the form that the extension of ``path`` says."""
    form = path.suffix
    if form in (".csv", ".tsv"):
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, delimiter="\t" if form == ".tsv" else ",")
            writer.writerow(NAMES)
            writer.writerows([[cell(row.get(name, "")) for name in NAMES] for row in rows])
    elif form == ".parquet":
        texts = [{name: cell(row[name]) if name in row else None for name in NAMES} for row in rows]
        pq.write_table(pa.Table.from_pylist(texts), path, row_group_size=2)
    elif form == ".json":
        path.write_text(json.dumps(rows, ensure_ascii=False, indent=1), encoding="utf-8")
    else:
        lines = (json.dumps(row, ensure_ascii=False) for row in rows)
        path.write_text("\n\n".join(lines), encoding="utf-8")


def cases(rows: RowFile) -> list[Case]:
    return [case_of(row) for _, row in rows]


WANTED = [Case.model_validate({k: v for k, v in row.items() if k != "note"}) for row in ROWS]
WANTED[2] = WANTED[2].model_copy(update={"metadata": {"note": "[1]"}})
FORMS = ["jsonl", "ndjson", "json", "csv", "tsv", "parquet"]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_rows_and_each_again_at_its_place(
    tmp_path: Path, form: str
) -> None:
    path = tmp_path / f"q.{form}"
    write(path, ROWS)
    rows = row_file(f"q.{form}", tmp_path)
    through = list(rows)
    assert [case_of(row) for _, row in through] == WANTED
    assert [rows.row(place) for place, _ in reversed(through)] == [row for _, row in through[::-1]]
    fresh = row_file(path, Path())
    assert [fresh.row(place) for place, _ in through] == [row for _, row in through]
    assert len({row.where for _, row in through}) == len(through)


@pytest.mark.parametrize("form", FORMS)
def test_a_file_that_changed_under_the_run_is_told_and_not_misread(
    tmp_path: Path, form: str
) -> None:
    path = tmp_path / f"q.{form}"
    write(path, ROWS)
    rows = row_file(path, tmp_path)
    place, _ = next(iter(rows))
    write(path, [{**ROWS[0], "query": "other"}, *ROWS[1:]])
    os.utime(path, ns=(1, 1))
    with pytest.raises(CaseError, match=rf"q\.{form}: the file has changed since its rows were"):
        rows.row(place)
    assert cases(rows)[0].query == "other"
    path.unlink()
    with pytest.raises(CaseError, match="cannot be read: No such file"):
        rows.row(place)


@settings(max_examples=30)
@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1)))
def test_any_text_comes_through_every_form_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    folder = tmp_path_factory.getbasetemp()
    for form in FORMS:
        path = folder / f"any.{form}"
        write(path, [{"query": text} for text in texts])
        rows = row_file(path, folder)
        places = [place for place, _ in rows]
        assert [rows.row(place).values["query"] for place in places] == texts


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("query;response;note\na, b;c;d\n", ";"),
        ("query\tresponse\na, b\tc\n", "\t"),
        ('"query",response\n"a, b",c\n', ","),
        ("query\na\n", ","),
        ('"note, or; so";query\nx;a, b\n', ";"),
    ],
)
def test_the_separator_of_a_csv_is_told_by_its_header(
    tmp_path: Path, text: str, separator: str
) -> None:
    path = tmp_path / "q.csv"
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    ((_, row),) = row_file(path, tmp_path)
    assert row.values["query"] == ("a" if text.startswith("query\n") else "a, b")
    assert (
        len(row.values) == text.partition("\n")[0].replace("note, or; so", "").count(separator) + 1
    )


def test_a_cell_may_be_longer_than_csv_allows_and_its_limit_stays(tmp_path: Path) -> None:
    limit = csv.field_size_limit()
    path = tmp_path / "q.csv"
    path.write_text(f"query,context\nq,{'x' * 200_000}\n")
    (case,) = cases(row_file(path, tmp_path))
    assert len(case.context[0].content) == 200_000
    assert csv.field_size_limit() == limit


def test_numbers_in_a_csv_are_text_and_empty_cells_are_absent(tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    path.write_text("id,query,response,score\n1,42,,3\n")
    (case,) = cases(row_file(path, tmp_path))
    assert case == Case(id="1", query="42", metadata={"score": "3"})


@pytest.mark.parametrize(
    ("text", "holder", "count"),
    [
        ('{"version": 1, "goldens": [{"query": "q"}]}', "goldens", 1),
        (
            '{"description": "d", "prompts": [{"a": 1}], "tests": [{"vars": {"query": "q"}}]}',
            "tests",
            1,
        ),
        ('{"mine": [{"query": "q"}, {"query": "r"}], "tags": ["x"], "none": []}', "mine", 2),
        ('{"query": "q", "context": [{"content": "d"}]}', None, 1),
        ('{"metadata": {"v": 1}, "id": "x", "all": [{"query": "q"}]}', "all", 1),
        ('{"query": "q", "examples": [{"a": 1}]}', None, 1),
        ('{"messages": [{"role": "user", "content": "q"}]}', None, 1),
        ('\ufeff [\n{"query": "q"} ]\n', None, 1),
    ],
)
def test_a_json_file_holds_its_rows_in_one_array(
    tmp_path: Path, text: str, holder: str | None, count: int
) -> None:
    path = tmp_path / "q.json"
    path.write_text(text, encoding="utf-8")
    rows = JsonRows(path)
    places = [place for place, _ in rows]
    assert (rows.holder, len(places)) == (holder, count)
    assert [case_of(rows.row(place)) for place in places] == cases(rows)


def test_parquet_and_datasets_hold_lists_and_objects_and_nan_is_absent(tmp_path: Path) -> None:
    table = pa.table(
        {
            "request": ["q", "r"],
            "retrieved_context": [[{"doc_uri": "a", "content": "d"}], None],
            "score": [1.5, float("nan")],
        }
    )
    pq.write_table(table, tmp_path / "q.parquet")
    wanted = [
        Case(query="q", context=[{"id": "a", "content": "d"}], metadata={"score": 1.5}),
        Case(query="r"),
    ]
    assert cases(row_file("q.parquet", tmp_path)) == wanted
    import datasets  # takes seconds

    dataset = datasets.Dataset.from_list(table.to_pylist()[:1])
    rows = row_file(dataset, tmp_path)
    assert cases(rows) == wanted[:1]
    assert rows.row(1) == next(iter(rows))[1]
    assert rows.row(1).where == f"{rows.name}:row 1"


def test_a_parquet_file_with_two_columns_of_one_name_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "q.parquet"
    pq.write_table(
        pa.Table.from_arrays([pa.array(["a"]), pa.array(["b"])], ["query", "query"]), path
    )
    with pytest.raises(CaseError, match="q.parquet: there are two columns 'query'"):
        list(row_file(path, tmp_path))


@pytest.mark.parametrize("place", range(4, 300, 12))
def test_a_parquet_file_that_is_damaged_raises_nothing_else(tmp_path: Path, place: int) -> None:
    path = tmp_path / "q.parquet"
    write(path, ROWS)
    content = bytearray(path.read_bytes())
    content[place : place + 8] = b"\xff" * 8
    path.write_bytes(content)
    rows = row_file(path, tmp_path)
    try:
        read = cases(rows)
    except CaseError:
        return
    assert len(read) == len(ROWS)


def test_without_pyarrow_parquet_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    told = r"q.parquet: to read Parquet files: pip install 'pytest-llm-evaluation\[parquet\]'"
    with pytest.raises(UsageError, match=told):
        list(row_file(tmp_path / "q.parquet", tmp_path))


def test_python_rows_are_cases_and_mappings(tmp_path: Path) -> None:
    case = Case(query="q", context=["d"])
    rows = row_file([case, {"question": "r"}], tmp_path)
    assert cases(rows) == [case, Case(query="r")]
    assert case_of(rows.row(2)).query == "r"
    with pytest.raises(
        CaseError, match="the given cases:row 1: expected a Case or a mapping, got str"
    ):
        list(row_file(["q"], tmp_path))


class Stream:
    column_names = None


class Splits(Stream):
    column_names: Any = {"train": ["query"], "test": ["query"]}  # noqa: RUF012


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            5,
            (
                "cases come from a path, a list of cases or mappings, a data frame, or a "
                "datasets.Dataset; got int"
            ),
        ),
        (Case(), "got Case; put the one into a list"),
        ({"query": "q"}, "got dict; put the one into a list"),
        (b"q.jsonl", "got bytes"),
        (({} for _ in ()), "got generator; it can be read once only: make a list of it"),
        (
            Splits(),
            r"choose a split, as in dataset\['train'\]; it has train, test",
        ),
        (Stream(), "a dataset that is a stream can't be counted"),
    ],
)
def test_what_is_no_source_of_cases_is_refused(tmp_path: Path, source: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        row_file(source, tmp_path)


def test_a_pattern_means_all_files_that_it_finds_in_order(tmp_path: Path) -> None:
    for name in ("b.jsonl", "a.jsonl", "sub/c.jsonl", "q[1].jsonl", "sub/d.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        write(tmp_path / name, ROWS)

    def found(pattern: str) -> list[str]:
        return [Path(rows.name).name for rows in row_files(pattern, tmp_path)]

    assert found("*.jsonl") == ["a.jsonl", "b.jsonl", "q[1].jsonl"]
    assert found("**/*.jsonl")[-1] == "c.jsonl"
    assert found("sub/*") == ["c.jsonl", "d.csv"]
    assert found("q[1].jsonl") == ["q[1].jsonl"]
    assert [rows.name for rows in row_files([{"query": "q"}], tmp_path)] == ["the given cases"]
    with pytest.raises(CaseError, match=r"x\*\.jsonl: the pattern finds no file"):
        row_files("x*.jsonl", tmp_path)


COLUMNS: dict[str, list[Any]] = {
    "id": [1, 2],
    "query": ["q", "r"],
    "context": [["d", "e"], None],
    "score": [1.5, None],
    "when": [datetime(2026, 1, 2), None],
    "measured": [{"input_tokens": 10.0, "output_tokens": None}, None],
}
FRAMED = [
    Case(
        id="1",
        query="q",
        context=["d", "e"],
        measured={"input_tokens": 10},
        metadata={"score": 1.5, "when": "2026-01-02T00:00:00"},
    ),
    Case(id="2", query="r"),
]


def frames() -> dict[str, Any]:
    pandas, numpy = pytest.importorskip("pandas"), pytest.importorskip("numpy")
    frame = pandas.DataFrame(COLUMNS)
    given = {
        "pandas": frame,
        "pandas, nullable": frame.convert_dtypes(),
        "pandas, selected": pandas.concat([frame, frame]).iloc[:2],
        "records": frame.to_dict("records"),
        "arrow": pa.Table.from_pylist(pa.table(COLUMNS).to_pylist()),
        "numpy": [
            {
                "id": numpy.int64(1),
                "query": numpy.str_("q"),
                "context": numpy.array(["d", "e"], dtype=object),
                "score": numpy.float32(1.5),
                "when": pandas.Timestamp("2026-01-02"),
                "measured": {"input_tokens": numpy.float64(10), "output_tokens": pandas.NA},
            },
            {"id": numpy.int8(2), "query": "r", "score": numpy.nan, "when": pandas.NaT},
        ],
    }
    with suppress(ImportError):
        import polars

        given["polars"] = polars.DataFrame(COLUMNS)
    return given


def test_frames_of_every_kind_and_what_numpy_leaves_in_rows_are_plain_rows(tmp_path: Path) -> None:
    for name, frame in frames().items():
        rows = row_file(frame, tmp_path)
        assert cases(rows) == FRAMED, name
        assert case_of(rows.row(2)) == FRAMED[1], name
        assert next(iter(rows))[1].where.endswith(":row 1"), name


def test_a_frame_that_is_lazy_or_has_a_name_twice_is_refused(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    with pytest.raises(CaseError, match="the given frame: there are two columns 'query'"):
        row_file(pandas.DataFrame([["a", "b"]], columns=["query", "query"]), tmp_path)
    with suppress(ImportError):
        import polars

        with pytest.raises(UsageError, match="a lazy frame has no rows yet; give frame.collect()"):
            row_file(polars.LazyFrame(COLUMNS), tmp_path)


def test_parquet_of_pandas_has_no_row_labels_and_its_maps_are_objects(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    table = pa.table(
        {
            "query": ["q", "r"],
            "metadata": pa.array([[("topic", "tents")], []], pa.map_(pa.string(), pa.string())),
            "guidelines": pa.array(
                [[("tone", ["Be kind."])], None], pa.map_(pa.string(), pa.list_(pa.string()))
            ),
            "measured": [{"input_tokens": 10.0}, None],
        }
    )
    pq.write_table(table, tmp_path / "q.parquet")
    wanted = [
        Case(
            query="q",
            metadata={"topic": "tents"},
            guidelines={"tone": ["Be kind."]},
            measured={"input_tokens": 10},
        ),
        Case(query="r"),
    ]
    assert cases(row_file("q.parquet", tmp_path)) == wanted
    assert cases(row_file(table, tmp_path)) == wanted
    pandas.DataFrame({"query": ["a", "b", "c"]}).iloc[[2, 0]].to_parquet(tmp_path / "p.parquet")
    assert cases(row_file("p.parquet", tmp_path)) == [Case(query="c"), Case(query="a")]
    twice = pa.array([[("a", "1"), ("a", "2")]], pa.map_(pa.string(), pa.string()))
    with pytest.raises(CaseError, match="row 1: a name is given twice in one map"):
        list(row_file(pa.table({"query": ["q"], "metadata": twice}), tmp_path))


def test_a_dataset_in_another_format_has_the_same_rows_and_its_labels_are_named(
    tmp_path: Path,
) -> None:
    import datasets  # takes seconds

    features = datasets.Features(
        {
            "query": datasets.Value("string"),
            "context": datasets.List(datasets.Value("string")),
            "topic": datasets.ClassLabel(names=["tents", "returns"]),
        }
    )
    rows = [{"query": "q", "context": ["d", "e"], "topic": 1}]
    dataset = datasets.Dataset.from_list(rows, features=features)
    wanted = [Case(query="q", context=["d", "e"], metadata={"topic": "returns"})]
    for each in (dataset, dataset.with_format("numpy"), dataset.with_format("pandas")):
        assert cases(row_file(each, tmp_path)) == wanted


class Lazy(Sequence[Any]):
    def __len__(self) -> int:
        return 2

    def __getitem__(self, at: Any) -> Any:
        if at:
            raise ValueError("no such\nplace")
        return {"query": "q"}


def test_a_sequence_that_raises_is_told_with_its_row(tmp_path: Path) -> None:
    rows = row_file(Lazy(), tmp_path)
    for reading in (lambda: list(rows), lambda: rows.row(2)):
        with pytest.raises(CaseError, match="cases:row 2: to read it raised ValueError: no such$"):
            reading()


@pytest.mark.parametrize(
    "text",
    [
        "id,query\na,q\n,\n,\n",
        "id,query,,\na,q,,\n,,,\n",
        "id,query\n,\na,q,,\n",
        "sep=,\nid,query\na,q\n",
        "sep=;\nid;query\na;q\n",
        "SEP=|\nid|query\na|q\n",
        "id|query\na|q\n",
    ],
)
def test_a_csv_as_excel_leaves_it_is_read(tmp_path: Path, text: str) -> None:
    path = tmp_path / "q.csv"
    for bom in (b"", b"\xef\xbb\xbf"):
        path.write_bytes(bom + text.replace("\n", "\r\n").encode())
        rows = row_file(path, tmp_path)
        assert cases(rows) == [Case(id="a", query="q")]
        assert case_of(rows.row(1)).id == "a"


def test_what_promptfoo_gives_every_test_is_in_each(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    shared = {"vars": {"context": "shared", "tone": "kind"}}
    tests = [{"vars": {"query": "q"}}, {"vars": {"query": "r", "context": "own"}}]
    path.write_text(json.dumps({"prompts": [], "defaultTest": shared, "tests": tests}))
    rows = row_file(path, tmp_path)
    assert [case_of(rows.row(at)).context[0].content for at in (2, 1)] == ["own", "shared"]
    assert [each.metadata for each in cases(rows)] == [{"vars.tone": "kind"}] * 2
    path.write_text(json.dumps({"defaultTest": "file://d.yaml", "tests": tests}))
    with pytest.raises(CaseError, match="p.json: defaultTest: 'file://d.yaml' is a file, which is"):
        list(row_file(path, tmp_path))


def test_an_id_that_is_given_twice_is_told_with_its_place(tmp_path: Path) -> None:
    rows = [{"id": 3, "query": "q"}, {"id": "3", "query": "r"}]
    with pytest.raises(CaseError, match="cases:row 2: id '3' was given in row 1 already"):
        load_cases(rows)
    (tmp_path / "q.json").write_text(json.dumps(rows, indent=1))
    with pytest.raises(CaseError, match=r"given in line 2 \(row 1\) already"):
        load_cases(tmp_path / "q.json")
