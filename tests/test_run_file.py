"""The run file: what a run leaves behind, whoever ran it and however it ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import jsonschema
import pytest
from awaited import GUARD, until
from hypothesis import given, settings
from hypothesis import strategies as st

import pytest_llmeval
from pytest_llmeval import Run, load_run
from pytest_llmeval.errors import UsageError
from pytest_llmeval.files import write_whole
from pytest_llmeval.judges.choice import JudgeChoice, described
from pytest_llmeval.judges.model import Judge
from pytest_llmeval.ledger import Ledger, Made
from pytest_llmeval.rates.pass_rate import metric_rows
from pytest_llmeval.records.record import Record
from pytest_llmeval.records.tests import TestRow
from pytest_llmeval.reports.digests import digest_of
from pytest_llmeval.reports.extent import Extent
from pytest_llmeval.reports.run import schema_text
from pytest_llmeval.reports.run_made import run_of, shown_settings
from pytest_llmeval.results import Evidence, Outcome, Part, Usage
from pytest_llmeval.scales import Bound
from pytest_llmeval.settings import Settings
from pytest_llmeval.testing import ScriptedJudge

SCHEMA = Path(pytest_llmeval.__file__).parent / "reports" / "run-1.schema.json"
SUITE = """
import pytest
from pytest_llmeval import assert_grounded, assert_fact_checked
from pytest_llmeval.errors import JudgeUnavailable
from pytest_llmeval.testing import ScriptedJudge

def judge(score):
    said = {"reason": "Étagère \\ud800.", "score": score, "ungrounded": []}
    return ScriptedJudge(said, name="kept", kept=True)

pytestmark = pytest.mark.llm_eval

@pytest.mark.parametrize("score", [1, 3, 4, 5])
def test_rated(score):
    assert_grounded(f"a {score}", context=["a"], judge=judge(score))

def test_twice():
    for score in (5, 4):
        assert_grounded(f"b {score}", context=["a"], judge=judge(score))

def test_down():
    assert_grounded("a", context=["a"], judge=ScriptedJudge(JudgeUnavailable("down")))

@pytest.mark.xfail
def test_hoped(): assert_grounded("c", context=["a"], judge=judge(2))

def test_words(): assert_fact_checked("The tent sleeps two.", context=["The tent sleeps two."])
"""


def run(
    pytester: pytest.Pytester, *options: str, suite: str = SUITE, name: str = "run.json"
) -> tuple[pytest.RunResult, Run]:
    pytester.makepyfile(test_suite=suite)
    result = pytester.runpytest(
        "--llm-eval", "--llm-eval-model=lexical", f"--llm-eval-report={name}", *options
    )
    return result, load_run(pytester.path / name)


def test_every_record_and_what_they_amount_to_is_in_the_file(pytester: pytest.Pytester) -> None:
    result, made = run(pytester, name="deep/er/run.json")
    assert result.ret == made.exit_status == 1
    names = ["down", "hoped", *(f"rated[{score}]" for score in (1, 3, 4, 5)), "twice", "words"]
    digest = digest_of(f"test_suite.py::test_{name}" for name in names)
    assert made.extent == Extent(
        complete=True,
        collected=8,
        deselected=0,
        elsewhere=0,
        shard=None,
        ran=8,
        collection_errors=0,
        named=False,
        stopped=None,
        collected_digest=digest,
        ran_digest=digest,
    )
    assert [record.nodeid for record in made.records] == sorted(r.nodeid for r in made.records)
    assert [r.score for r in made.records if r.nodeid.endswith("test_twice")] == [5, 4]
    assert made.started <= made.finished
    assert made.plugin_version == pytest_llmeval.__version__
    assert made.settings["model"] == "lexical"
    assert made.settings["store"] == ".llm_eval"
    judges = {judge.name: (judge.is_llm, judge.identities) for judge in made.judges}
    assert judges == {
        "kept": (True, ({"scripted": "kept"},)),
        "lexical": (False, ()),
        "scripted": (True, ()),
    }
    assert next(j for j in made.judges if j.name == "kept").resolved_models == ("kept",)
    assert list((pytester.path / "deep" / "er").iterdir()) == [pytester.path / "deep/er/run.json"]


def test_the_aggregates_are_those_that_the_records_give(pytester: pytest.Pytester) -> None:
    _, made = run(pytester)
    (words, grounded) = made.metrics
    assert (words.metric, words.passed, words.judged, words.mean) == ("fact_check", 1, 1, None)
    assert (grounded.passed, grounded.judged, grounded.errors, grounded.xfailed) == (4, 6, 1, 1)
    scores = [
        each.score for each in made.records if each.score is not None and not each.label
        and not each.xfailed
    ]  # fmt: skip
    assert grounded.mean == sum(scores) / len(scores)
    for aggregate, row in zip(made.metrics, metric_rows(made.records), strict=True):
        assert (aggregate.rate, aggregate.interval) == (row.rate, row.interval)
    assert made.totals.checks == len(made.records) == 9
    assert made.totals.asked == sum(each.usage.asked for each in made.records) == 8
    again = run(pytester)[1].totals
    assert (again.asked, again.stored) == (1, 7)  # the lexical judge's are not stored


def without_time(made: Run) -> dict[str, Any]:
    values = made.model_dump(mode="json", exclude={"started", "finished", "settings"})
    for part in (values["totals"], *(record["usage"] for record in values["records"])):
        part["seconds"] = 0
    return values


def test_workers_bring_the_same_file(pytester: pytest.Pytester) -> None:
    run(pytester)
    _, one = run(pytester)
    _, two = run(pytester, "-n", "2")
    assert without_time(one) == without_time(two)


@pytest.mark.parametrize("workers", [[], ["-n", "2"]])
def test_deselected_tests_are_counted_wherever_they_were(
    pytester: pytest.Pytester, workers: list[str]
) -> None:
    _, made = run(pytester, "-k", "twice or words", *workers)
    assert not made.extent.complete
    counts = (made.extent.collected, made.extent.deselected, made.extent.ran)
    assert counts == (8, 6, 2)
    assert made.extent.stopped is None


@pytest.mark.parametrize("options", [["-x"], ["--maxfail=1", "-n", "1"]])
def test_a_run_that_stops_early_says_why(pytester: pytest.Pytester, options: list[str]) -> None:
    _, made = run(pytester, *options)
    assert not made.extent.complete
    assert made.extent.stopped == "stopping after 1 failures"
    assert len(made.records) == made.extent.ran == 1


def test_what_could_not_be_collected_makes_a_run_incomplete(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_broken="import nothing_of_that_name")
    result, made = run(pytester, "--continue-on-collection-errors", "-k", "words")
    assert made.extent.collection_errors == 1
    assert result.ret == made.exit_status == 1
    result, made = run(pytester)
    assert result.ret == made.exit_status == 2
    assert not made.extent.complete
    assert made.records == ()


def test_ctrl_c_leaves_a_file_with_what_was_done(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        test_suite=SUITE + "\ndef test_x_waits():\n    open('ready', 'w')\n"
        "    import time\n    time.sleep(600)\n"
    )
    command = [sys.executable, "-m", "pytest", "--llm-eval", "--llm-eval-report=run.json"]
    child = subprocess.Popen(command, cwd=pytester.path, stdout=subprocess.DEVNULL)
    until((pytester.path / "ready").exists, of=lambda: child.poll() is None)
    child.send_signal(signal.SIGINT)
    assert child.wait(GUARD) == 2
    made = load_run(pytester.path / "run.json")
    assert made.exit_status == 2
    assert made.extent.stopped == "KeyboardInterrupt"
    assert not made.extent.complete
    assert len(made.records) == 9


def test_nothing_of_it_is_imported_or_written_without_the_option(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(test_suite=SUITE)
    pytester.makeconftest(
        "import sys\ndef pytest_unconfigure():\n"
        "    ours = [n for n in sys.modules if n.startswith('pytest_llmeval.')]\n"
        "    print('found:', [n for n in ours if 'recording' in n or '.run' in n or 'cli' in n])\n"
    )
    result = pytester.runpytest_subprocess("--llm-eval", "-s", "-k", "twice")
    result.stdout.fnmatch_lines(["found: ['pytest_llmeval.hooks.running']"])
    pytester.makeini("[pytest]\nllm_eval_report = run.json")
    result = pytester.runpytest_subprocess("-s")
    result.stdout.fnmatch_lines(["found: []"])
    assert not (pytester.path / "run.json").exists()


def test_the_path_is_relative_as_that_of_the_store_is(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makepyfile(test_suite=SUITE)
    pytester.makeini("[pytest]\nllm_eval = true\nllm_eval_report = from_ini.json\n")
    monkeypatch.chdir(pytester.mkdir("sub"))
    pytester.runpytest("..", "-k", "twice")
    assert (pytester.path / "from_ini.json").exists()
    monkeypatch.setenv("LLM_EVAL_REPORT", "from_environment.json")
    pytester.runpytest("..", "-k", "twice")
    assert (pytester.path / "sub" / "from_environment.json").exists()


def test_settings_and_judges_show_no_secret() -> None:
    key = "sk-abcdefgh1234567890"
    where = f"https://user:{key}@host:1/v1?key={key}"
    given = Settings(model="openai/m", base_url=where, judge=(f"strict=openai/n base_url={where}",))
    unused = Settings(model="lexical", base_url=where)
    named = Settings(model="strict", base_url=where, judge=given.judge)
    for settings_ in (given, unused, named):
        judges = JudgeChoice(settings_)
        assert judges.configured is not None
        shown = shown_settings(settings_, judges, Path("/root"))
        assert key not in json.dumps([shown, described(judges.configured)])
    shown = shown_settings(given, JudgeChoice(given), Path("/root"))
    assert (shown["base_url"], shown["judge"]) == ("https://host:1/v1", ["strict"])


def test_an_identity_that_json_cannot_say_or_carry_does_no_harm() -> None:
    class Odd(ScriptedJudge):
        @property
        def identity(self) -> Mapping[str, Any]:
            return {"at": datetime.now(UTC)}

    assert described(Odd("x"))["identity"] is None
    lone = described(Judge("openai/m", params={"stop": "\ud800"}))
    assert lone["identity"]["params"] == {"stop": "?"}


TEXT = st.text(st.characters(codec="utf-8"), max_size=8)
NUMBER = st.floats(allow_nan=False, allow_infinity=False)
COUNT = st.integers(0, 10**6)
RECORDS = st.builds(
    Record,
    metric=st.sampled_from(["groundedness", "fact_check[no]", "é"]),
    outcome=st.sampled_from(Outcome),
    scale=TEXT,
    higher_is_better=st.booleans(),
    label=st.none() | TEXT,
    bound=st.none() | st.sampled_from(get_args(Bound)),
    threshold=st.none() | NUMBER,
    score=st.none() | st.floats(-9, 9),
    reason=TEXT,
    evidence=st.lists(st.builds(Evidence, TEXT, TEXT, TEXT), max_size=2).map(tuple),
    parts=st.lists(
        st.builds(Part, TEXT, st.none() | NUMBER, TEXT, st.none() | TEXT), max_size=2
    ).map(tuple),
    error=st.none() | TEXT,
    message=TEXT,
    judge=st.none() | TEXT,
    is_llm=st.booleans(),
    resolved_model=st.none() | TEXT,
    usage=st.builds(
        Usage,
        asked=COUNT,
        stored=COUNT,
        input_tokens=st.none() | COUNT,
        output_tokens=st.none() | COUNT,
        cost=st.none() | st.floats(0, 9),
        seconds=st.floats(0, 9),
        spent_tokens=st.none() | COUNT,
        spent_cost=st.none() | st.floats(0, 9),
    ),
    keys=st.lists(TEXT, max_size=2).map(tuple),
    case_id=st.none() | TEXT,
    nodeid=st.sampled_from(["t.py::a", "t.py::b", "ü.py::c"]),
    xfailed=st.booleans(),
)
WHOLE = Extent(
    complete=True,
    collected=1,
    deselected=0,
    elsewhere=0,
    shard=None,
    ran=1,
    collection_errors=0,
    named=False,
    stopped=None,
    collected_digest=digest_of(["t.py::a"]),
    ran_digest=digest_of(["t.py::a"]),
)


def run_with(records: list[Record]) -> Run:
    ledger = Ledger()
    for record in records:
        judge = {"name": record.judge, "is_llm": record.is_llm, "identity": None}
        judges = [] if record.judge is None else [judge]
        news = {**Made([record]).plain(), "notices": [], "answers": [], "judges": judges}
        ledger.tests[record.nodeid] = TestRow(record.nodeid, "xfailed")
        report = {"nodeid": record.nodeid, "when": "call", "llm_eval": news, "skipped": True}
        xfail = {"wasxfail": ""} if record.xfailed else {}
        ledger.receive(type("Report", (), {**report, **xfail}))
    moment = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    given = Settings(model="openai/m", base_url="http://h")
    return run_of(
        ledger,
        given,
        JudgeChoice(given),
        extent=WHOLE,
        started=moment,
        finished=moment,
        exit_status=0,
        root=Path("/root"),
    )


def _as_it_can_be(record: Record) -> Record:
    """``record`` with the outcome, pass rule and turn that its other values allow."""
    record = replace(record, bound=None, threshold=None, turn=None)
    if record.error is not None:
        return replace(record, outcome=Outcome.ERROR, score=None)
    if record.score is None:
        return replace(record, outcome=Outcome.FAILED)
    return replace(record, outcome=Outcome.MEASURED)


@settings(max_examples=60)
@given(records=st.lists(RECORDS, max_size=4))
def test_what_is_written_is_read_back_equal_and_fits_the_schema(
    records: list[Record], tmp_path_factory: pytest.TempPathFactory
) -> None:
    records = [_as_it_can_be(record) for record in records]
    made = run_with(records)
    assert sorted(map(repr, made.records)) == sorted(map(repr, records))
    path = tmp_path_factory.getbasetemp() / "round.json"
    write_whole(path, made.text())
    assert load_run(path) == made
    jsonschema.validate(json.loads(made.text()), json.loads(SCHEMA.read_text(encoding="utf-8")))


def test_the_schema_that_is_shipped_is_the_one_that_the_models_give() -> None:
    advice = "run: llm-eval schema > pytest_llmeval/reports/run-1.schema.json"
    assert SCHEMA.read_text(encoding="utf-8") == schema_text(), advice


def test_the_page_on_the_run_file_names_every_field() -> None:
    page = (Path(__file__).parent.parent / "docs" / "run-file.md").read_text(encoding="utf-8")
    schema = json.loads(schema_text())
    models = {"Run": schema, **schema["$defs"]}
    missing = [
        f"{name}.{each}"
        for name, model in models.items()
        for each in model.get("properties", {})
        if f"`{each}`" not in page
    ]
    assert missing == []


GOOD = json.loads(run_with([]).text())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "cannot be read"),
        (b"\xff\xfe", "cannot be read"),
        ("{", "this is no JSON"),
        ("[" * 100_000, "this is no JSON"),
        ("[]", "this is no run file: it has no schema_version"),
        ({**GOOD, "schema_version": 2}, "its schema_version is 2, this plugin reads 1; read it"),
        ({**GOOD, "schema_version": True}, "its schema_version is True"),
        ({**GOOD, "mood": "good"}, "mood: Extra inputs are not permitted; write it anew with"),
        ({**GOOD, "exit_status": "0"}, "exit_status: Input should be a valid integer"),
        ({**GOOD, "records": [{}]}, "records.0.metric"),
        ({k: v for k, v in GOOD.items() if k != "totals"}, "totals: Field required"),
        (json.dumps(GOOD).replace('"seconds": 0.0', '"seconds": NaN'), "totals.seconds"),
    ],
)
def test_a_file_that_is_no_run_is_refused_by_name(tmp_path: Path, text: Any, message: str) -> None:
    path = tmp_path / "run.json"
    if isinstance(text, bytes):
        path.write_bytes(text)
    elif text is not None:
        path.write_text(text if isinstance(text, str) else json.dumps(text), encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        load_run(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)


def test_a_run_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps(GOOD), encoding="utf-8-sig")
    assert load_run(str(path)).records == ()


def test_a_file_is_there_whole_or_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    write_whole(path, "old")
    with pytest.raises(UnicodeEncodeError):
        write_whole(path, "new \ud800")
    monkeypatch.setattr(Path, "replace", lambda self, target: os.close(-1))
    with pytest.raises(OSError, match="Bad file"):
        write_whole(path, "new")
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_is_followed_and_a_device_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "target")
    write_whole(tmp_path / "link", "text")
    assert (tmp_path / "target").read_text(encoding="utf-8") == "text"
    assert (tmp_path / "link").is_symlink()
    with pytest.raises(OSError, match="no plain file"):
        write_whole(Path(os.devnull), "text")
