"""Outside pytest: the environment as it is now, advice that fits, and warnings for notices."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("measured")

START = """
import os, warnings
from pytest_llmeval import Case, assert_grounded, evaluate
from pytest_llmeval.errors import NoJudge, UsageError
from pytest_llmeval.testing import ScriptedJudge

CASE = Case(response="The tent sleeps two.", context="The tent sleeps two.")
GOOD = '{"ungrounded": [], "reason": "r", "score": 5}'
"""


def run(folder: Path, script: str, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *options, "-c", START + script]
    return subprocess.run(command, check=True, cwd=folder, capture_output=True, text=True)


def test_a_check_without_a_judge_is_told_the_variable_that_sets_one(tmp_path: Path) -> None:
    script = """
try:
    assert_grounded(CASE)
except NoJudge as error:
    print(error)
"""
    told = run(tmp_path, script).stdout
    assert "outside pytest" in told
    assert "LLM_EVAL_MODEL" in told
    assert "--llm-eval" not in told
    assert "summary" not in told


def test_a_variable_that_is_set_later_counts_from_then_on(tmp_path: Path) -> None:
    script = """
assert type(evaluate(CASE, "groundedness").error) is NoJudge
os.environ["LLM_EVAL_MODEL"] = "lexical"
first = evaluate(CASE, "groundedness")
assert (first.judge, first.score) == ("lexical", 5)
os.environ["LLM_EVAL_THRESHOLD"] = "groundedness=5"
assert evaluate(CASE, "groundedness").threshold.value == 5
os.environ["LLM_EVAL_SEED"] = "x"
try:
    evaluate(CASE, "groundedness")
except UsageError as error:
    assert "LLM_EVAL_SEED" in str(error)
del os.environ["LLM_EVAL_SEED"], os.environ["LLM_EVAL_MODEL"]
assert type(evaluate(CASE, "groundedness").error) is NoJudge
"""
    run(tmp_path, script, "-W", "error")


def test_what_stays_as_it_was_is_one_run(tmp_path: Path) -> None:
    script = """
from pytest_llmeval.outside import current
assert current() is current()
first = evaluate(CASE, "groundedness", judge=ScriptedJudge(GOOD, kept=True))
again = evaluate(CASE, "groundedness", judge=ScriptedJudge(GOOD, kept=True))
assert (first.stored, again.stored) == (False, True)
"""
    run(tmp_path, script, "-W", "error")


STORE_TROUBLE = """
os.environ["LLM_EVAL_STORE"] = "file"
open("file", "w").close()
for _ in range(3):
    assert_grounded(CASE, judge=ScriptedJudge(GOOD, kept=True))
print("passed")
"""


def test_trouble_with_the_store_is_a_warning_once(tmp_path: Path) -> None:
    ran = run(tmp_path, STORE_TROUBLE)
    assert ran.stdout == "passed\n"
    assert ran.stderr.count("UserWarning") == 1
    assert "file is not used" in ran.stderr


def test_under_warnings_as_errors_it_is_raised_where_the_check_was_made(tmp_path: Path) -> None:
    script = f"""
try:
    exec({STORE_TROUBLE!r})
except UserWarning as warning:
    print("raised", warning)
"""
    assert run(tmp_path, script, "-W", "error").stdout.startswith("raised the store in")
