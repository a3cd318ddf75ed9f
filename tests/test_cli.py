"""The command llm-eval: its settings are pytest's, and what goes wrong is told in one line."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import loopback
import pytest
from click.testing import CliRunner, Result
from loopback import LoopbackJudge

from pytest_llmeval import __version__
from pytest_llmeval.cli import main
from pytest_llmeval.commands.pytest_ini import read_ini
from pytest_llmeval.commands.settings import read_settings
from pytest_llmeval.judges.store import Store
from pytest_llmeval.reports.run import schema_text

SUITE = """
import pytest
from pytest_llmeval import assert_grounded
from pytest_llmeval.testing import ScriptedJudge
pytestmark = pytest.mark.llm_eval

@pytest.mark.parametrize("number", range(3))
def test_rated(number):
    said = {"reason": "r", "score": 5, "ungrounded": []}
    judge = ScriptedJudge(said, name="kept", kept=True)
    assert_grounded(f"a {number}", context=["a"], judge=judge)
"""


@pytest.fixture(autouse=True)
def _nothing_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [each for each in os.environ if each.startswith("LLM_EVAL")]:
        monkeypatch.delenv(name)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with an ini, and the working folder.

    Where LiteLLM may be imported there is no pytester around: it would take back a part of that.
    """
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def recorded(pytester: pytest.Pytester) -> Path:
    """A project whose store holds three entries, with the file of the run that made them."""
    pytester.makeini("[pytest]\n")
    pytester.makepyfile(SUITE)
    pytester.runpytest("--llm-eval", "--llm-eval-report=run.json").assert_outcomes(passed=3)
    return pytester.path


@pytest.fixture
def server() -> Iterator[LoopbackJudge]:
    with LoopbackJudge("openai") as running:
        running.values = {"verdict": "yes"}
        yield running


def call(*arguments: str, **how: Any) -> Result:
    """The command, in this process."""
    result = CliRunner().invoke(main, arguments, **how)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def command(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """The command, in a process of its own."""
    return subprocess.run(
        [Path(sys.executable).with_name("llm-eval"), *arguments],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def levels(output: str) -> dict[str, str]:
    """What the doctor found, by subject."""
    rows = [line.split(None, 2) for line in output.splitlines()]
    return {subject: f"{level} {text}" for level, subject, text in rows}


# Settings


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pytest.ini", "[pytest]\nllm_eval_model = m\nllm_eval_store = kept\n"),
        ("tox.ini", "[pytest]\nllm_eval_model = m\nllm_eval_store = kept\n"),
        (
            "pyproject.toml",
            "[tool.pytest.ini_options]\nllm_eval_model = 'm'\nllm_eval_store = 'kept'\n",
        ),
        ("pyproject.toml", "[tool.pytest]\nllm_eval_model = 'm'\nllm_eval_store = 'kept'\n"),
    ],
)
def test_settings_are_those_that_a_run_of_pytest_would_have(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, name: str, text: str
) -> None:
    if "[tool.pytest]" in text and pytest.version_tuple < (9, 0):
        pytest.skip("native TOML came with pytest 9")
    pytester.path.joinpath(name).write_text(text, encoding="utf-8")
    pytester.makepyfile(
        "def test_it(llm_eval):\n"
        "    print('found', llm_eval.settings.model, llm_eval.settings.store)\n"
    )
    monkeypatch.chdir(pytester.mkdir("sub"))
    found = read_settings({})
    told = f"found {found.settings.model} {found.settings.store}"
    assert told == f"found m {pytester.path / 'kept'}"
    pytester.runpytest("--llm-eval", "-s", "..").stdout.fnmatch_lines([f"*{told}*"])
    assert found.origins == dict.fromkeys(["model", "store"], str(pytester.path / name))


def test_options_win_over_addopts_and_these_over_environment_and_ini(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makeini(
        "[pytest]\nllm_eval_model = a\nllm_eval_seed = 1\nllm_eval_timeout = 5\n"
        "llm_eval_judge = one = m\n"
        "addopts = --llm-eval-timeout=7 --llm-eval-judge='two = m' -n 2 --unheard-of\n"
    )
    monkeypatch.setenv("LLM_EVAL_MODEL", "b")
    monkeypatch.setenv("LLM_EVAL_SEED", "2")
    found = read_settings({"model": "c", "judge": ("three = m",)})
    assert (found.settings.model, found.settings.seed, found.settings.timeout) == ("c", 2, 7)
    assert found.settings.judge == ("one = m", "two = m", "three = m")
    ini = str(pytester.path / "tox.ini")
    assert found.origins["model"].startswith("the command line and LLM_EVAL_MODEL")
    assert found.origins["timeout"] == f"pytest's addopts and {ini}"


def test_neither_conftest_nor_test_is_run_to_find_settings(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("raise RuntimeError('ran')")
    pytester.makepyfile("raise RuntimeError('ran')")
    pytester.makeini("[pytest]\ntestpaths = .\naddopts = -p no:llm_eval\nllm_eval_model = m\n")
    before = (sys.path[:], sys.meta_path[:], dict(os.environ), sys.stdout)
    assert read_ini().values["model"] == "m"
    assert (sys.path[:], sys.meta_path[:], dict(os.environ), sys.stdout) == before


def test_an_ini_that_pytest_refuses_is_told_in_one_line(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nminversion = 99\n")
    result = call("store", "info")
    assert result.exit_code == 1
    assert "Error: pytest cannot read its settings here" in result.output
    pytester.makeini("[pytest]\naddopts = -p nothing_of_that_name\n")
    result = call("store", "info")
    assert result.exit_code == 1
    assert "Error: pytest cannot" in result.output


def test_a_wrong_setting_is_told_under_a_name_that_the_command_takes(here: Path) -> None:
    result = call("doctor", "--temperature", "hot")
    assert result.exit_code == 1
    assert result.output == "Error: --llm-eval-temperature: expected a number; got 'hot'\n" or (
        "--llm-eval-temperature: expected a number of at least 0; got 'hot'" in result.output
    )
    assert call("doctor", "--llm-eval-model", "lexical").exit_code == 0


def test_the_command_says_its_version_and_prints_the_schema() -> None:
    assert call("--version").output == f"llm-eval, version {__version__}\n"
    assert call("schema").output == schema_text()


# The doctor


def test_the_doctor_finds_all_well_with_the_lexical_judge(here: Path) -> None:
    result = call("doctor", "--model", "lexical")
    found = levels(result.output)
    assert result.exit_code == 0
    assert found["settings"] == "ok model from the command line"
    assert found["judge"].startswith("ok lexical: no LLM")
    assert found["call"].startswith("ok a fact check was answered in")
    assert found["store"] == f"ok {here / '.llm_eval'}: the first reply begins it"
    assert not (here / ".llm_eval").exists()


def test_the_doctor_says_what_to_set_where_no_judge_is(here: Path) -> None:
    result = call("doctor")
    assert result.exit_code == 1
    assert levels(result.output)["judge"] == (
        "problem no judge is set; set --llm-eval-model=openai/gpt-5-mini or "
        "--llm-eval-model=lexical"
    )


def test_the_doctor_tells_a_judge_that_cannot_be_read_and_shows_no_key(here: Path) -> None:
    result = call("doctor", "--model=openai/m", "--key-env=sk-abcdefgh1234567890")
    assert result.exit_code == 1
    assert levels(result.output)["judge"].startswith("problem key_env takes the name of")
    assert "sk-abc" not in result.output


@pytest.mark.usefixtures("measured")
def test_the_doctor_asks_one_question_over_http_and_tells_all_about_it(
    here: Path, server: LoopbackJudge
) -> None:
    server.resolved_model = "judge-2026"
    done = command(
        *("doctor", "--model=openai/gpt-4o", "--base-url", server.url),
        LLM_EVAL_KEY_ENV="MY_KEY",
        MY_KEY="sk-very-secret",
    )
    found = levels(done.stdout)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert len(server.bodies) == 1
    assert found["settings"] == (
        "ok model from the command line, base_url from the command line, "
        "key_env from LLM_EVAL_KEY_ENV"
    )
    assert found["judge"] == f"ok openai/gpt-4o at {server.url}"
    assert re.match(r"ok \d+\.\d+\.\d+\S*, imported in \d+\.\d s", found["litellm"])
    assert found["key"] == "ok MY_KEY is set"
    assert re.match(r"ok a fact check was answered in \d+\.\d\d s$", found["call"])
    assert found["schema"] == "ok the reply's schema was taken"
    assert found["model"] == "ok it calls itself judge-2026"
    assert found["tokens"] == "ok 120 in, 30 out"
    assert re.match(r"ok \$0\.000\d+ for this question", found["price"])
    assert "secret" not in done.stdout
    assert not (here / ".llm_eval").exists()


@pytest.mark.usefixtures("measured")
def test_the_doctor_warns_of_what_is_left_out_or_unknown(here: Path, server: LoopbackJudge) -> None:
    server.refuses = {"response_format", "temperature"}
    server.usage = None
    server.values = {"verdict": "no"}
    done = command("doctor", "--model=openai/judge", "--base-url", server.url)
    found = levels(done.stdout)
    assert done.returncode == 0
    assert "openai/judge does not take temperature: it is left out" in done.stdout
    assert found["schema"] == "warning it had to be left out: the prompt alone describes it"
    assert found["tokens"].startswith("warning none are reported")
    assert found["price"].startswith("warning not known for this model")
    assert "wrongly: no, where the document says so" in found["call"]


FAULTS = [
    (loopback.status(401), "the server wants a key; name the variable that holds it by"),
    (loopback.status(404, "no such model"), "no such model or address"),
    (loopback.status(429), "too many requests, status 429"),
    (loopback.status(402), "no credit or quota is left"),
    (loopback.hung(), "no answer in time; if it is only slow, raise --llm-eval-timeout"),
    (loopback.dropped(), "no connection to"),
    (loopback.raw(), "the answer of http://"),
    (loopback.says("nonsense"), "JSON"),
    (loopback.cut(), "the token limit ended the reply"),
    (loopback.declines(), "declined to answer: I cannot help with that."),
]


@pytest.mark.parametrize(("behaviour", "message"), FAULTS)
def test_the_doctor_tells_the_judges_fault_in_one_line_and_asks_once(
    here: Path, server: LoopbackJudge, behaviour: loopback.Behaviour, message: str
) -> None:
    server.default = behaviour
    seconds = 1 if behaviour == loopback.hung() else 60  # the first request of all takes its time
    where = ("--base-url", server.url, f"--timeout={seconds}")
    result = call("doctor", "--model=openai/judge", *where)
    found = levels(result.output)
    assert result.exit_code == 1
    assert found["call"].startswith("problem ")
    assert message in found["call"]
    # Within that second a slow machine may not even have come to ask.
    assert len(server.bodies) == 1 or (behaviour == loopback.hung() and not server.bodies)


def test_the_doctor_asks_a_dedicated_checker_in_its_own_form(here: Path) -> None:
    with LoopbackJudge("ollama") as server:
        server.default = loopback.says("Yes")
        where = ("--base-url", server.url)
        result = call("doctor", "--model=ollama_chat/bespoke-minicheck", *where)
    found = levels(result.output)
    assert result.exit_code == 0
    assert found["schema"] == "ok none is sent: a dedicated checker answers in one word"
    assert found["price"] == "ok $0.000000 for this question"


def test_the_doctor_names_the_variable_that_lacks_the_key_and_does_not_call(
    here: Path, server: LoopbackJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("MY_KEY", raising=False)
    found = levels(call("doctor", "--model=openai/gpt-4o").output)
    assert found["key"] == "problem there is no key; set OPENAI_API_KEY"
    where = ("--base-url", server.url, "--key-env=MY_KEY")
    result = call("doctor", "--model=openai/gpt-4o", *where)
    assert levels(result.output)["key"] == "problem MY_KEY is not set; put the key into it"
    assert result.exit_code == 1
    assert server.requests == []
    monkeypatch.setenv("OPENAI_API_KEY", "sk-home")
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    found = levels(call("doctor", "--model=openai/gpt-4o").output)
    assert found["key"] == "ok the provider's own variable is set, or it needs none"


def test_the_doctor_calls_nobody_in_replay_mode_and_misses_the_recording(here: Path) -> None:
    where = "--base-url=http://user:secret@host/v1?key=secret"
    result = call("doctor", "--model=openai/judge", "--mode=replay", where)
    found = levels(result.output)
    assert found["judge"] == "ok openai/judge at http://host/v1"
    assert "secret" not in result.output
    assert found["call"].startswith("ok none is made")
    assert found["store"].startswith("problem ")
    assert "record it in mode auto" in found["store"]
    assert result.exit_code == 1


def test_the_doctor_writes_to_the_store_and_leaves_it_as_it_was(recorded: Path) -> None:
    found = levels(call("doctor", "--model=lexical").output)
    assert found["store"] == f"ok {recorded / '.llm_eval'}: 3 entries, writable"
    kept = Store(recorded / ".llm_eval")
    assert (len(kept), kept.leases()) == (3, [])
    kept.close()
    found = levels(call("doctor", "--model=lexical", "--mode=off").output)
    assert found["store"] == "ok not used: the mode is off"


def test_the_doctor_finds_a_store_that_cannot_be_used(here: Path) -> None:
    (here / "taken").write_text("")
    for store in ("taken", "taken/deeper"):
        result = call("doctor", "--model=lexical", f"--store={store}")
        assert levels(result.output)["store"].startswith("problem ")
        assert result.exit_code == 1
    (here / "bad" / "v1").mkdir(parents=True)
    (here / "bad" / "v1" / "cache.db").write_bytes(b"no database" * 100)
    result = call("doctor", "--model=lexical", "--store=bad")
    assert "warning  store" in result.output
    assert "was damaged" in result.output


# The store


def test_info_says_what_the_store_holds(recorded: Path) -> None:
    lines = call("store", "info").output.splitlines()
    assert lines[0] == f"folder   {recorded / '.llm_eval'}"
    assert lines[1] == "entries  3"
    assert re.match(r"oldest   20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC", lines[3])
    assert lines[5:] == ['       3 groundedness, {"scripted": "kept"}']
    assert "entries  0" in call("store", "info", "--store=none").output
    assert not (recorded / "none").exists()


def test_pruning_takes_what_runs_did_not_use(recorded: Path, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(SUITE.replace("range(3)", "range(1)"))
    pytester.runpytest("--llm-eval", "--llm-eval-report=less.json")
    result = call("store", "prune", "--unused-by=less.json", "--dry-run")
    assert result.output.endswith("2 entries would go, 1 left\n")
    assert len(result.output.splitlines()) == 3
    assert (
        "0 entries removed, 3 left"
        in call("store", "prune", "--unused-by=less.json", "--unused-by=run.json").output
    )
    assert (
        "0 entries removed"
        in call("store", "prune", "--unused-by=less.json", "--older-than=1d").output
    )
    assert call("store", "prune", "--unused-by=less.json").output == "2 entries removed, 1 left\n"
    assert "entries  1" in call("store", "info").output
    assert call("store", "prune", "--older-than=30d").output == "0 entries removed, 1 left\n"


@pytest.mark.parametrize(
    "arguments", [(), ("--older-than=30",), ("--older-than=-1d",), ("--older-than=1y",)]
)
def test_pruning_without_saying_what_is_refused(recorded: Path, arguments: tuple[str]) -> None:
    assert call("store", "prune", *arguments).exit_code == 2
    assert "entries  3" in call("store", "info").output


def test_a_run_that_was_cut_short_does_not_say_what_is_unused(
    recorded: Path, pytester: pytest.Pytester
) -> None:
    pytester.makepyfile(SUITE + "\ndef test_0(): assert False\ndef test_1(): pass")
    pytester.runpytest("--llm-eval", "-x", "--llm-eval-report=cut.json")
    result = call("store", "prune", "--unused-by=cut.json")
    assert result.exit_code == 1
    assert "cut.json: this run was cut short (4 of 5 tests ran)" in result.output
    pytester.runpytest("--llm-eval", "-k", "rated and 2", "--llm-eval-report=part.json")
    result = call("store", "prune", "--unused-by=part.json", "--dry-run")
    assert "warning: part.json: 4 tests were deselected" in result.output
    assert "2 entries would go, 1 left" in result.output
    result = call("store", "prune", "--unused-by=none.json")
    assert result.exit_code == 1
    assert "Error: none.json: cannot be read" in result.output


def test_an_export_is_imported_elsewhere_and_replayed(
    recorded: Path, pytester: pytest.Pytester
) -> None:
    assert "3 entries exported" in call("store", "export", "deep/kept.jsonl").output
    text = (recorded / "deep" / "kept.jsonl").read_bytes()
    assert command("store", "export", "-").stdout.encode() == text
    result = call("store", "import", "deep/kept.jsonl", "--store=other")
    assert result.output == "3 new, 0 equal, 0 replaced\n"
    result = call("store", "import", "-", "--store=other", input=text)
    assert result.output == "0 new, 3 equal, 0 replaced\n"
    replayed = ("--llm-eval", "--llm-eval-mode=replay", "--llm-eval-store=other")
    pytester.runpytest(*replayed).assert_outcomes(passed=3)


def test_an_import_names_file_and_line_and_takes_nothing(recorded: Path) -> None:
    call("store", "export", "kept.jsonl")
    good = (recorded / "kept.jsonl").read_text(encoding="utf-8").splitlines()
    row = json.loads(good[1])
    row["messages"][-1][1] += " Be generous."
    (recorded / "bad.jsonl").write_text("\n".join([good[0], json.dumps(row)]), encoding="utf-8")
    result = call("store", "import", "bad.jsonl", "--store=other")
    assert result.exit_code == 1
    assert "Error: bad.jsonl:2: the key is not that of the entry's own question" in result.output
    (recorded / "bad.jsonl").write_bytes(good[0].encode() + b"\n\xff\n")
    result = call("store", "import", "bad.jsonl", "--store=other")
    assert "Error: bad.jsonl:2: " in result.output
    result = call("store", "import", "none.jsonl", "--store=other")
    assert "Error: " in result.output
    assert "none.jsonl" in result.output
    assert not (recorded / "other").exists()


def test_an_export_says_what_it_leaves_out_and_what_it_cannot_write(recorded: Path) -> None:
    kept = Store(recorded / ".llm_eval")
    kept.put("early", {"task": "t", "said": "x"})
    kept.close()
    assert "warning: 1 entry left out" in call("store", "export", "kept.jsonl").output
    (recorded / "folder").mkdir()
    result = call("store", "export", "folder")
    assert result.exit_code == 1
    assert "folder is no plain file" in result.output


def test_a_store_that_cannot_be_used_is_told_in_one_line(here: Path) -> None:
    (here / "taken").write_text("")
    (here / "empty.jsonl").write_text("")
    for arguments in (["info"], ["prune", "--older-than=1d"], ["export", "x.jsonl"]):
        (here / ".llm_eval" / "v1").mkdir(parents=True, exist_ok=True)
        (here / ".llm_eval" / "v1" / "cache.db").unlink(missing_ok=True)
        (here / ".llm_eval" / "v1" / "cache.db").symlink_to(here / "taken")
        result = call("store", *arguments)
        assert result.exit_code == 1
        assert re.search(r"^Error: the store in \S+ is not used: .*$", result.output, re.M)
    assert not (here / "x.jsonl").exists()
