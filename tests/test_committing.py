"""Runs that record verdicts for a repository, and runs that are answered by them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import textwrap
from contextlib import suppress
from pathlib import Path
from typing import Literal

import pytest
from active_session import active_session
from loopback import LoopbackJudge

from pytest_llmeval import assert_grounded
from pytest_llmeval.commands.doctor import examine
from pytest_llmeval.judges.verdict_line import parsed
from pytest_llmeval.settings import Settings
from pytest_llmeval.testing import ScriptedJudge

JUDGE = """
import os, pytest
from pytest_llmeval import assert_grounded, evaluate
from pytest_llmeval.errors import JudgeUnavailable
from pytest_llmeval.testing import ScriptedJudge
pytestmark = pytest.mark.llm_eval
def say(question):
    text = question.inputs["response"]
    if "down" in text and os.environ.get("DOWN"): raise JudgeUnavailable("down")
    score = 1 if "bad" in text else 5
    return {"ungrounded": [], "reason": os.environ.get("REASON", "r"), "score": score}
def check(text):
    if os.environ.get("ASKING", "1") == "0":
        judge = ScriptedJudge(JudgeUnavailable("nobody may ask"), kept=True)
    else:
        judge = ScriptedJudge(say, kept=True)
    return assert_grounded(text, context=["c"], judge=judge)
def evaluated(text):
    judge = ScriptedJudge(say, kept=True)
    return evaluate("groundedness", response=text, context=["c"], judge=judge)
"""
TWO = """
@pytest.mark.parametrize("text", ["one", "two"])
def test_it(text): check(text)
"""
RECORD = ("--llm-eval-verdicts=kept", "--llm-eval-record")
REPLAY = ("--llm-eval-verdicts=kept", "--llm-eval-mode=replay")


def lay_out(pytester: pytest.Pytester, **files: str) -> None:
    pytester.makepyfile(**{name: JUDGE + textwrap.dedent(text) for name, text in files.items()})


def run(pytester: pytest.Pytester, *options: str) -> pytest.RunResult:
    return pytester.runpytest("--llm-eval", *options)


def kept(folder: Path) -> dict[str, list[str]]:
    """By test file the responses, in the order of the lines."""
    return {
        path.relative_to(folder).as_posix().removesuffix(".verdicts.jsonl"): [
            re.findall(r"<response-\w+>\n(.*)\n</", parsed(raw).entry["messages"][1][1])[0]
            for raw in path.read_bytes().splitlines()
        ]
        for path in sorted((folder / "kept").rglob("*.verdicts.jsonl"))
    }


def bytes_of(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*.verdicts.jsonl")}


@pytest.mark.parametrize(
    "how",
    [[], ["--llm-eval-mode=off"], ["-n", "2", "--llm-eval-mode=off"], ["--llm-eval-deferred"]],
    ids=" ".join,
)
def test_a_run_records_what_it_used_and_the_replay_needs_no_store_and_no_judge(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, how: list[str]
) -> None:
    pytester.mkdir("sub")
    lay_out(pytester, **{"test_a": TWO, "sub/test_b": TWO + "def test_bad(): check('bad')"})
    result = run(pytester, *RECORD, *how)
    result.assert_outcomes(passed=4, failed=1)
    result.stdout.fnmatch_lines(
        [
            "verdicts stored in *kept, to be committed: 5 new",
            'put "[*].verdicts.jsonl merge=union" into .gitattributes: *',
        ]
    )
    responses = {"kept/sub/test_b.py": ["bad", "one", "two"], "kept/test_a.py": ["one", "two"]}
    assert kept(pytester.path) == responses
    assert [*pytester.path.glob(".llm_eval/v1/*")] == [] or "--llm-eval-mode=off" not in how
    before = bytes_of(pytester.path)
    monkeypatch.setenv("ASKING", "0")
    replayed = run(pytester, *REPLAY, "--llm-eval-store=none", "--llm-eval-record")
    replayed.assert_outcomes(passed=4, failed=1)
    replayed.stdout.re_match_lines([r"llm eval: no judge set, mode: replay, verdicts: \S+kept$"])
    assert "stored in" not in replayed.stdout.str()
    assert not (pytester.path / "none").exists()
    assert bytes_of(pytester.path) == before


def test_a_replay_looks_at_the_folder_alone_and_says_how_to_record(
    pytester: pytest.Pytester,
) -> None:
    lay_out(pytester, test_a=TWO)
    run(pytester)  # which fills the store
    result = run(pytester, *REPLAY)
    result.assert_outcomes(errors=2)
    told = (
        "*replay: *kept (not there) has no reply to this question (groundedness, *; record it by "
    )
    result.stdout.fnmatch_lines([f"{told}a run with --llm-eval-mode=auto --llm-eval-record*"])


CHANGED = """
@pytest.mark.parametrize("text", ["one", "new"])
def test_it(text): check(text)
"""


@pytest.mark.parametrize(
    ("tests", "options", "whole"),
    [
        (CHANGED, (), True),
        (CHANGED, ("-n", "2"), True),
        (CHANGED + "def test_bad(): check('bad')", (), False),
        (CHANGED + "def test_bad(): assert evaluated('bad').score == 1", (), True),
        (CHANGED, ("test_a.py",), True),
        (CHANGED, ("--ignore=test_b.py",), True),
        (CHANGED, ("-o", "python_functions=test_it*"), False),
        (CHANGED, ("-o", "console_output_style=classic"), True),
        (CHANGED, ("test_a.py::test_it",), False),
        (CHANGED, ("-k", "test_it and (one or new) or x", "--deselect=test_a.py::test_x"), True),
        (CHANGED, ("-k", "new"), False),
        (CHANGED, ("-k", "new", "-n", "2"), False),
        (CHANGED + "def test_bad(): check('bad')", ("-x",), False),
        (CHANGED + "def test_skipped(): pytest.skip('not here')", (), False),
        (CHANGED + "def test_broken(): assert 0", (), False),
        (CHANGED + "def test_down(): check('down')", ("--llm-eval-on-error=skip",), False),
        (CHANGED + "@pytest.mark.xfail\ndef test_bad(): check('bad')", (), False),
        (CHANGED + "@pytest.mark.xfail\ndef test_broken(): assert 0", (), False),
        (CHANGED + "def test_stopped(): raise KeyboardInterrupt", (), False),
    ],
    ids=range(19),
)
def test_what_is_unused_goes_when_every_test_of_the_file_ran_to_its_end(
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    tests: str,
    options: tuple[str, ...],
    whole: bool,
) -> None:
    lay_out(pytester, test_a=TWO, test_b="def test_it(): check('b')", test_c="check")
    run(pytester, *RECORD)
    lay_out(pytester, test_a=tests)
    (pytester.path / "test_b.py").unlink()
    monkeypatch.setenv("DOWN", "1")
    with suppress(KeyboardInterrupt):  # which pytester hands on
        run(pytester, *RECORD, *options)
    left = kept(pytester.path)
    assert "new" in left["kept/test_a.py"]
    assert ("two" in left["kept/test_a.py"]) is not whole
    assert ("bad" in left["kept/test_a.py"]) is ("test_bad" in tests)


def test_a_test_file_that_is_gone_takes_its_verdicts_along_after_a_run_without_doubt(
    pytester: pytest.Pytester,
) -> None:
    pytester.makeini("[pytest]")
    lay_out(pytester, test_a=TWO, test_b=TWO)
    run(pytester, *RECORD)
    (pytester.path / "test_b.py").rename(pytester.path / "test_c.py")
    run(pytester, *RECORD, "test_c.py::test_it")
    assert [*kept(pytester.path)] == [f"kept/test_{name}.py" for name in "abc"]
    result = run(pytester, *RECORD)
    assert [*kept(pytester.path)] == [f"kept/test_{name}.py" for name in "ac"]
    result.stdout.fnmatch_lines(["*judge scripted*4 stored, 0 asked", "*2 dropped"])


def test_tests_that_moved_take_their_verdicts_along_in_the_same_run(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makeini("[pytest]")
    pytester.mkdir("old")
    lay_out(pytester, **{"old/test_a": TWO, "old/test_b": "def test_it(): check('b')"})
    run(pytester, *RECORD)
    (pytester.path / "old").rename(pytester.path / "new")
    monkeypatch.setenv("ASKING", "0")
    run(pytester, *REPLAY).assert_outcomes(passed=3)
    result = run(pytester, *REPLAY, "--llm-eval-record")
    result.stdout.fnmatch_lines(["*to be committed: 3 new, 3 dropped"])
    lines = {"kept/new/test_a.py": ["one", "two"], "kept/new/test_b.py": ["b"]}
    assert kept(pytester.path) == lines
    assert not (pytester.path / "kept/old").exists()
    nothing = "def test_nothing(): pass"
    lay_out(pytester, **{"new/test_b": "", "new/test_c": nothing})
    run(pytester, *REPLAY, "--llm-eval-record", "--rootdir=new")  # where no test file is there
    assert kept(pytester.path) == {**lines, "kept/test_a.py": ["one", "two"]}
    run(pytester, *REPLAY, "--llm-eval-record")
    assert [*kept(pytester.path)] == ["kept/new/test_a.py"]


def test_refresh_asks_anew_and_records_what_it_hears_for_every_file(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay_out(pytester, test_a=TWO, test_b=TWO)
    run(pytester, *RECORD)
    monkeypatch.setenv("REASON", "another")
    result = run(pytester, *RECORD, "--llm-eval-mode=refresh", "test_a.py")
    result.stdout.fnmatch_lines(["*to be committed: 4 changed"])
    run(pytester, *REPLAY).assert_outcomes(passed=4)
    rows = [
        json.loads(raw)
        for text in bytes_of(pytester.path).values()
        for raw in text.split(b"\n")
        if raw
    ]
    assert {row["verdict"]["reason"] for row in rows} == {"another"}


@pytest.mark.parametrize("how", [[], ["-n", "2"], ["--llm-eval-record"]])
def test_a_damaged_line_ends_the_run_before_its_tests(
    pytester: pytest.Pytester, how: list[str]
) -> None:
    lay_out(pytester, test_a=TWO)
    run(pytester, *RECORD)
    path = pytester.path / "kept/test_a.py.verdicts.jsonl"
    path.write_text("<<<<<<< HEAD\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    result = run(pytester, *REPLAY, *how)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *test_a.py.verdicts.jsonl:1: a merge left its conflict*"])
    assert "test session starts" not in result.stdout.str()


@pytest.mark.parametrize("how", [[], ["-n", "2"], ["--llm-eval-on-error=skip"], ["-x"]])
def test_a_line_under_the_key_of_another_question_ends_the_run_with_status_4(
    pytester: pytest.Pytester, how: list[str]
) -> None:
    lay_out(pytester, test_a=TWO)
    run(pytester, *RECORD)
    path = pytester.path / "kept/test_a.py.verdicts.jsonl"
    first, second = map(parsed, path.read_bytes().splitlines())
    forged = type(first)(first.key, second.entry, first.tests)
    path.write_text(forged.text() + "\n" + second.text() + "\n", encoding="utf-8")
    result = run(pytester, *REPLAY, *how)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.assert_outcomes(errors=1, passed=0 if "-x" in how else 1)
    result.stdout.fnmatch_lines(["*verdicts.jsonl:1: the key is not that of the entry's own*"])


def test_what_cannot_be_recorded_is_told_and_ends_with_status_4(
    pytester: pytest.Pytester,
) -> None:
    lay_out(pytester, test_a=TWO)
    result = run(pytester, "--llm-eval-record")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --llm-eval-record writes*give --llm-eval-verdicts=DIR"])
    (pytester.path / "kept").mkdir()
    (pytester.path / "kept/test_a.py.verdicts.jsonl").mkdir()
    result = run(pytester, *RECORD)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *test_a.py.verdicts.jsonl: cannot be read: *"])


HOOK = """
def pytest_llm_eval_redact(entry):
    {body}
"""


@pytest.mark.parametrize("how", [[], ["-n", "2"]])
def test_a_conftest_takes_out_what_is_not_to_be_committed(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, how: list[str]
) -> None:
    asked = "entry['messages'][1]"
    body = f"{asked}[1] = {asked}[1].replace('one', '[masked]'); return entry"
    pytester.makeconftest(HOOK.format(body=body))
    lay_out(pytester, test_a=TWO)
    run(pytester, *RECORD, *how)
    text = (pytester.path / "kept/test_a.py.verdicts.jsonl").read_text(encoding="utf-8")
    assert "[masked]" in text
    assert "\\none\\n" not in text
    monkeypatch.setenv("ASKING", "0")
    result = run(pytester, *REPLAY, *how)
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["redacted verdicts: 2, found by their keys, *"])
    (pytester.path / "conftest.py").unlink()
    result = run(pytester, *REPLAY, *how, "--llm-eval-on-error=skip")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(["*verdicts.jsonl:1: it says that it was redacted, and nothing *"])


def test_a_redaction_that_fails_or_comes_late_has_nothing_written(
    pytester: pytest.Pytester,
) -> None:
    lay_out(pytester, test_a=TWO)
    pytester.makeconftest(HOOK.format(body="raise ValueError('odd')"))
    result = run(pytester, *RECORD)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stdout.fnmatch_lines(
        ["no verdicts were recorded in *: *conftest.py: *redact raised ValueError: odd*test_it*"]
    )
    body = "entry['said'] = entry['said'].replace('5', '4'); return entry"
    (pytester.path / "conftest.py").write_text(HOOK.format(body=body))
    result = run(pytester, *RECORD)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    told = '*redact changes what the reply decides, from *"score":5* to *"score":4*; have *'
    result.stdout.fnmatch_lines([f"{told} (groundedness of test_a.py::test_it[[]*])"])
    (pytester.path / "conftest.py").write_text("")
    (pytester.mkdir("sub") / "conftest.py").write_text(HOOK.format(body="return None"))
    lay_out(pytester, **{"sub/test_b": TWO})
    result = run(pytester, *RECORD)
    result.stdout.fnmatch_lines(["*holds for the whole run; give it in the conftest of the root*"])
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert kept(pytester.path) == {}


def git(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    told = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.autocrlf=false")
    return subprocess.run(
        ["git", *told, *command], cwd=folder, capture_output=True, text=True, timeout=600
    )


@pytest.mark.parametrize("advised", [True, False])
def test_branches_that_each_add_verdicts_merge_with_the_advised_attribute_and_only_so(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, advised: bool
) -> None:
    folder = pytester.path
    pytester.makefile(".ini", pytest="[pytest]\nllm_eval_verdicts = kept\nllm_eval = true\n")
    if advised:
        (folder / ".gitattributes").write_text("*.verdicts.jsonl merge=union\n")
    lay_out(pytester, test_a=TWO)
    result = pytester.runpytest("--llm-eval-record")
    assert ("merge=union" in result.stdout.str()) is not advised
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".gitattributes", "kept") if advised else git(folder, "add", "kept")
    git(folder, "commit", "-qm", "begun")
    for branch, word in (("left", "x"), ("right", "y")):
        git(folder, "checkout", "-qb", branch, "main")
        lay_out(pytester, test_a=TWO + f"def test_{word}(): check('{word}')")
        pytester.runpytest("--llm-eval-record")
        git(folder, "commit", "-qam", branch)
    merged = git(folder, "merge", "left")
    assert (merged.returncode == 0) is advised
    more = "def test_x(): check('x')\ndef test_y(): check('y')"
    lay_out(pytester, test_a=TWO + more)
    monkeypatch.setenv("ASKING", "0")
    result = pytester.runpytest("--llm-eval-mode=replay", "--llm-eval-record")
    if advised:
        result.assert_outcomes(passed=4)
        assert kept(folder) == {"kept/test_a.py": ["one", "two", "x", "y"]}
    else:
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines(["ERROR: *verdicts.jsonl:3: a merge left its conflict*"])


CASES = """
import sys
import pytest
from pytest_llmeval import assert_metrics
@pytest.mark.llm_cases("qa.jsonl", metrics=["groundedness", "relevance"])
def test_it(llm_case): assert_metrics(llm_case)
"""
NOTHING_ELSE = """
import socket, sys
def refuse(*args, **kwargs): raise AssertionError("a socket was opened")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
def pytest_unconfigure():
    print("imported:", *{"litellm", "openai", "sqlite3", "diskcache"}.intersection(sys.modules))
"""


@pytest.mark.processes
def test_a_replay_with_sockets_blocked_and_no_key_says_what_the_live_run_said(
    tmp_path: Path,
) -> None:
    rows = [{"id": f"c{n}", "query": "q", "response": f"r{n}", "context": ["c"]} for n in range(4)]
    (tmp_path / "qa.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "test_app.py").write_text(CASES)
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -p no:anyio -p no:asyncio\n")
    with LoopbackJudge("openai") as server:
        server.values = {"score": 3, "reason": "so"}
        settings = (f"--llm-eval-base-url={server.url}", "--llm-eval-model=openai/judge")
        live = process(tmp_path, *settings, *RECORD)
        asked = len(server.bodies)
    (tmp_path / "conftest.py").write_text(NOTHING_ELSE)
    replay = process(tmp_path, *settings, *REPLAY, "--llm-eval-store=none")
    assert asked == 8
    assert live.returncode == replay.returncode == 1
    assert summary(live.stdout) == summary(replay.stdout)
    assert re.findall("imported:.*", replay.stdout) == ["imported:"]
    assert not (tmp_path / "none").exists()
    told = [each for each in live.stdout.splitlines() if each.startswith("E  ")]
    assert told
    assert [each for each in replay.stdout.splitlines() if each.startswith("E  ")] == told


def process(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    surroundings = {name: text for name, text in os.environ.items() if "KEY" not in name}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--llm-eval", *options],
        cwd=folder, capture_output=True, text=True, timeout=600, env=surroundings,
    )  # fmt: skip


def summary(output: str) -> list[str]:
    """The section but for what was stored, asked and spent, and for what was recorded."""
    section = re.split("=+ llm eval =+", output)[1].split("====")[0].split("short test")[0]
    apart = ("judge ", "importing LiteLLM", "verdicts stored", 'put "')
    return [each for each in section.splitlines() if not each.startswith(apart)]


def test_the_doctor_looks_at_every_line(pytester: pytest.Pytester) -> None:
    lay_out(pytester, test_a=TWO)
    folder = pytester.path / "kept"

    def found(mode: Literal["auto", "replay"]) -> dict[str, tuple[str, str]]:
        settings = Settings(model="lexical", verdicts=folder, mode=mode)
        return {each.subject: (each.level, each.text) for each in examine(settings, {})}

    assert found("auto")["verdicts"][0] == "ok"
    assert found("replay")["verdicts"] == (
        "problem",
        f"{folder}: there is none yet; --llm-eval-record writes them",
    )
    run(pytester, *RECORD)
    assert found("replay")["verdicts"] == ("ok", f"{folder}: 2 questions answered, files: 1")
    assert "store" not in found("replay")
    path = folder / "test_a.py.verdicts.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace("0.0", "0.1"), encoding="utf-8")
    level, told = found("auto")["verdicts"]
    assert (level, told.split(": ")[0]) == ("problem", f"{path}:1")


def test_a_script_outside_pytest_is_answered_by_the_folder_as_well(
    pytester: pytest.Pytester,
) -> None:
    lay_out(pytester, test_a=TWO)
    run(pytester, *RECORD)
    silent = ScriptedJudge("nothing", kept=True)
    with active_session(verdicts=pytester.path / "kept", mode="replay"):
        result = assert_grounded("one", context=["c"], judge=silent)
    assert result.usage.stored == 1
    assert silent.questions == []
