"""What a run that records may take away of committed verdicts, and what it has to keep."""

from __future__ import annotations

from pathlib import Path

import pytest

JUDGED = """
import pytest
from pytest_llmeval import assert_grounded
from pytest_llmeval.testing import ScriptedJudge
JUDGE = ScriptedJudge({"ungrounded": [], "reason": "r", "score": 4}, kept=True)
pytestmark = pytest.mark.llm_eval
def check(text, **mark): assert_grounded(text, context=["c"], judge=JUDGE, **mark)
"""
ONE = JUDGED + "def test_one(): check('one')\n"
TWO = JUDGED + "@pytest.mark.parametrize('text', 'bc')\ndef test_two(text): check(text)\n"
RECORD = ("--llm-eval", "--llm-eval-verdicts=kept", "--llm-eval-record")


def lines(folder: Path) -> dict[str, int]:
    """How many verdicts are kept, by test file."""
    kept = folder / "kept"
    return {
        path.relative_to(kept).as_posix().removesuffix(".verdicts.jsonl"): len(
            path.read_bytes().splitlines()
        )
        for path in kept.rglob("*.jsonl")
    }


@pytest.mark.parametrize(
    ("options", "stays"),
    [
        ((), False),
        ((".",), False),
        (("tests",), False),
        (("tests/test_a.py",), True),
        (("test_moved.py",), True),
        (("tests/test_a.py", "test_moved.py"), True),
        (("-k", "one"), True),
        (("-k", "one or two"), False),
        (("--deselect=test_moved.py::test_two[c]",), True),
        (("--ignore=test_moved.py",), True),
        (("--ignore-glob=test_mo*",), True),
        (("-o", "python_files=test_a*"), True),
        (("-opython_functions=test_one*",), True),
        (("-o", "testpaths=tests"), True),
        (("--lf",), True),
        (("--collect-only",), True),
    ],
)
def test_a_narrower_run_keeps_what_tests_have_that_may_have_moved(
    pytester: pytest.Pytester, options: tuple[str, ...], stays: bool
) -> None:
    pytester.makeini("[pytest]")
    pytester.mkdir("tests")
    pytester.makepyfile(**{"tests/test_a": ONE, "tests/test_b": TWO})
    pytester.runpytest(*RECORD)
    (pytester.path / "tests/test_b.py").rename(pytester.path / "test_moved.py")
    pytester.runpytest(*RECORD, *options)
    kept = lines(pytester.path)
    assert ("tests/test_b.py" in kept) is stays
    assert kept["tests/test_a.py"] == 1


def test_tests_that_moved_and_did_not_ask_everything_keep_what_they_had(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_ADDOPTS", "--ignore=old")
    pytester.makeini("[pytest]\nasyncio_default_fixture_loop_scope = function")
    skipped = ONE + "def test_two(): pytest.skip('here')\n"
    pytester.makepyfile(test_a=skipped, test_b=TWO)
    pytester.runpytest(*RECORD)
    (pytester.path / "test_b.py").rename(pytester.path / "test_moved.py")
    pytester.runpytest(*RECORD, "-k", "one")
    assert lines(pytester.path) == {"test_a.py": 1, "test_b.py": 2}
    pytester.makepyfile(test_moved=TWO.replace("check(text)", "check(text, at_least=5)"))
    pytester.runpytest(*RECORD)
    # All of it was asked after all, so that it stands in the other file.
    assert lines(pytester.path) == {"test_a.py": 1, "test_moved.py": 2}
    (pytester.path / "test_moved.py").unlink()
    pytester.runpytest(*RECORD)
    assert lines(pytester.path) == {"test_a.py": 1, "test_moved.py": 2}
    monkeypatch.delenv("PYTEST_ADDOPTS")
    pytester.runpytest(*RECORD)
    # The test that is skipped may be one that moved.
    assert lines(pytester.path) == {"test_a.py": 1, "test_moved.py": 2}
    pytester.makepyfile(test_a=ONE)
    pytester.runpytest(*RECORD)
    assert lines(pytester.path) == {"test_a.py": 1}


@pytest.mark.parametrize("how", [(), ("-n", "1")])
def test_tests_that_moved_to_where_they_are_skipped_or_fail_early_keep_what_they_had(
    pytester: pytest.Pytester, how: tuple[str, ...]
) -> None:
    pytester.makeini("[pytest]")
    pytester.makepyfile(test_a=ONE, test_old=TWO)
    pytester.runpytest(*RECORD)
    (pytester.path / "test_old.py").unlink()
    skipped = "import pytest\npytest.importorskip('of_another_system')\n" + TWO
    early = ONE + "def test_two(): check('other', at_least=5); check('b'); check('c')\n"
    for moved, own in (
        ({"test_new": skipped}, 1),
        ({"test_new": "", "test_a": ONE + "@pytest.mark.skip\ndef test_two(): check('b')\n"}, 1),
        ({"test_a": early}, 2),
    ):
        pytester.makepyfile(**moved)
        pytester.runpytest(*RECORD, *how)
        assert lines(pytester.path) == {"test_a.py": own, "test_old.py": 2}
    pytester.makepyfile(test_a=ONE)
    pytester.runpytest(*RECORD, *how)
    assert lines(pytester.path) == {"test_a.py": 1}


def test_what_an_attempt_that_is_run_again_used_is_recorded_too(
    pytester: pytest.Pytester,
) -> None:
    attempts = "ATTEMPTS = []\ndef test_it():\n    ATTEMPTS.append(1)\n"
    test = "    check(f'answer {len(ATTEMPTS)}', at_least=4 if len(ATTEMPTS) > 1 else 5)\n"
    pytester.makepyfile(test_a=JUDGED + attempts + test)
    for options in (RECORD, (*RECORD[:2], "--llm-eval-mode=replay")):
        result = pytester.runpytest(*options, "--reruns=1")
        result.stdout.fnmatch_lines(["*1 passed, 1 rerun*"])
        assert "has no reply" not in result.stdout.str()
    assert lines(pytester.path) == {"test_a.py": 2}


@pytest.mark.parametrize(
    "mark", ["", "@pytest.mark.xfail\n", "@pytest.mark.llm_eval(min_pass_rate=0.5)\n"]
)
def test_a_failed_check_keeps_the_verdicts_of_those_after_it(
    pytester: pytest.Pytester, mark: str
) -> None:
    test = "def test_it():\n    check('one'{}); check('two'); check('three')\n"
    for text, left in (
        (mark + test.format(""), 3),
        (mark + test.format(", at_least=5"), 3),
        (test.format("").replace("check('two');", ""), 2),
    ):
        pytester.makepyfile(test_a=JUDGED + text)
        pytester.runpytest(*RECORD)
        assert lines(pytester.path) == {"test_a.py": left}


HOOK = """
class Redaction:
    def pytest_llm_eval_redact(self, entry):
        {body}
"""
REGISTER = "config.pluginmanager.register(Redaction())"


@pytest.mark.parametrize(
    ("registered", "used"),
    [
        (f"@pytest.hookimpl(trylast=True)\ndef pytest_configure(config): {REGISTER}", True),
        (f"def pytest_sessionstart(session): session.{REGISTER}", True),
        (f"def pytest_collection_modifyitems(config): {REGISTER}", False),
        (f"def pytest_runtest_setup(item): item.{REGISTER}", False),
    ],
)
@pytest.mark.parametrize("how", [(), ("-n", "1")])
def test_a_redaction_that_is_registered_before_collection_is_used_and_a_later_one_is_refused(
    pytester: pytest.Pytester, registered: str, used: bool, how: tuple[str, ...]
) -> None:
    body = "return {**entry, 'said': entry['said'].replace('\"r\"', '\"(r)\"')}"
    pytester.makeconftest(f"import pytest\n{HOOK.format(body=body)}{registered}\n")
    pytester.makepyfile(test_a=ONE)
    result = pytester.runpytest(*RECORD, *how)
    if used:
        assert result.ret == pytest.ExitCode.OK
        assert pytester.runpytest(*RECORD, *how).ret == pytest.ExitCode.OK  # reads what it wrote
        (path,) = pytester.path.rglob("*.jsonl")
        assert '"redacted": true' in path.read_text(encoding="utf-8")
    else:
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        told = "*pytest_llm_eval_redact holds for the whole run;*before tests are collected"
        result.stdout.fnmatch_lines([f"no verdicts were recorded in *: {told}"])
        assert lines(pytester.path) == {}


OWN = """
import pytest
from typing import Annotated
from pydantic import AfterValidator, BaseModel
from pytest_llmeval import FreeText, ask_judge
from pytest_llmeval.testing import ScriptedJudge
def short(text):
    if len(text) > 4: raise ValueError("too long")
    return text
class Tone(BaseModel):
    reason: Annotated[FreeText, AfterValidator(short)]
    polite: bool
@pytest.mark.llm_eval
def test_tone():
    judge = ScriptedJudge({"reason": "Ann", "polite": True}, kept=True)
    assert ask_judge("Is {{ a }} polite?", Tone, a="Ann", judge=judge).polite
"""


@pytest.mark.parametrize("how", [(), ("-n", "1")])
def test_a_redacted_reply_that_the_tests_own_model_does_not_take_is_refused(
    pytester: pytest.Pytester, how: tuple[str, ...]
) -> None:
    pytester.makepyfile(test_a=OWN)
    register = f"def pytest_configure(config): {REGISTER}\n"
    for name, status in (("(name)", pytest.ExitCode.USAGE_ERROR), ("(n)", pytest.ExitCode.OK)):
        body = f"return {{**entry, 'said': entry['said'].replace('Ann', '{name}')}}"
        pytester.makeconftest(HOOK.format(body=body) + register)
        result = pytester.runpytest(*RECORD, *how)
        assert result.ret == status
        if status == pytest.ExitCode.USAGE_ERROR:
            told = (
                "*leaves a reply that Tone does not take, since 'reason' was*too long*::test_tone)"
            )
            result.stdout.fnmatch_lines([f"no verdicts were recorded in *: {told}"])
            assert lines(pytester.path) == {}
    assert lines(pytester.path) == {"test_a.py": 1}


def test_without_the_hook_a_recording_run_ends_before_its_tests_where_a_line_is_redacted(
    pytester: pytest.Pytester,
) -> None:
    body = "return {**entry, 'said': entry['said'].replace('\"r\"', '\"(r)\"')}"
    pytester.makeconftest(f"{HOOK.format(body=body)}def pytest_configure(config): {REGISTER}\n")
    pytester.makepyfile(test_a=ONE)
    pytester.runpytest(*RECORD)
    (pytester.path / "conftest.py").unlink()
    for how in ((), ("-n", "1")):
        result = pytester.runpytest(*RECORD, *how)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines(["ERROR: *test_a.py.verdicts.jsonl:1: it says that it was *"])
        assert "passed" not in result.stdout.str()


def test_an_interrupt_while_a_hook_redacts_is_told_in_a_line(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("def pytest_llm_eval_redact(entry): raise KeyboardInterrupt")
    pytester.makepyfile(test_a=ONE)
    result = pytester.runpytest(*RECORD)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["no verdicts were recorded in *kept: interrupted"])
    assert "Traceback" not in result.stdout.str() + result.stderr.str()
    assert lines(pytester.path) == {}
