"""Odd flags, kinds of tests and plugins around us; and runs that don't use us at all."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = [
    "litellm",
    "openai",
    "pydantic",
    "numpy",
    "diskcache",
    "sqlite3",
    "jinja2",
    "httpx",
    "tenacity",
    "nltk",
]
KINDS = """
import asyncio, threading, unittest
import pytest
from pytest_llmeval import assert_grounded
from pytest_llmeval.testing import ScriptedJudge

def check(score=5):
    judge = ScriptedJudge({"ungrounded": [], "reason": "r", "score": score})
    return assert_grounded("a", context=["a"], judge=judge)

pytestmark = pytest.mark.llm_eval

class TestUnit(unittest.TestCase):
    def setUp(self): check()
    def test_unit(self): assert check().score == 5

class TestClass:
    @pytest.mark.parametrize("score", [4, 5])
    def test_each(self, score): assert check(score).score == score

@pytest.mark.asyncio
async def test_async():
    assert check().passed
    await asyncio.sleep(0)
    assert (await asyncio.to_thread(check)).passed

@pytest.fixture(scope="module")
def checked(): return check()

def test_fixture(checked): assert checked.passed

def test_thread():
    threads = [threading.Thread(target=check) for _ in range(4)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()

def test_question(llm_judge, llm_eval):
    from pydantic import BaseModel
    class Tone(BaseModel):
        reason: str
        polite: bool
    judge = ScriptedJudge({"reason": "r", "polite": True})
    assert llm_judge("Polite?\\n{{ text }}", Tone, judge=judge, text="Hi").polite
    assert "<text-" in judge.messages[0][1][1]
    assert llm_eval.settings.mode == "auto"
"""


@pytest.mark.parametrize(
    "options",
    [
        ["-W", "error", "-p", "no:cacheprovider", "--strict-markers", "-p", "no:anyio"],
        ["-p", "no:terminal"],
        ["-q", "--no-summary"],
        ["-x"],
        ["--lf"],
        ["--import-mode=importlib"],
        ["-n", "2", "--dist=loadfile"],
        ["-p", "no:xdist", "-p", "no:rerunfailures", "--maxfail=1"],
    ],
    ids=" ".join,
)
def test_every_kind_of_test_works_under_every_flag(
    pytester: pytest.Pytester, options: list[str]
) -> None:
    pytester.makepyfile(KINDS)
    result = pytester.runpytest_subprocess("--llm-eval", *options)
    assert result.ret == 0
    assert "ResourceWarning" not in result.stderr.str()
    if "no:terminal" not in options:
        result.assert_outcomes(passed=7)


@pytest.mark.parametrize(("option", "ran"), [("-x", 1), ("--maxfail=2", 2)])
def test_an_error_stops_the_run_where_a_failure_would(
    pytester: pytest.Pytester, option: str, ran: int
) -> None:
    pytester.makepyfile(
        """
        import pytest
        from pytest_llmeval import assert_relevant
        from pytest_llmeval.testing import ScriptedJudge
        @pytest.mark.parametrize("n", range(4))
        def test_it(n): assert_relevant("a", judge=ScriptedJudge("x"))
        """
    )
    pytester.runpytest("--llm-eval", option).assert_outcomes(errors=ran)
    result = pytester.runpytest("--llm-eval", "--lf")
    result.assert_outcomes(errors=ran)


def test_a_run_that_does_not_use_us_pays_nothing(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        f"""
        import sys, threading
        def test_plain():
            assert not set({HEAVY}) & set(sys.modules)
            assert threading.active_count() == 1
        """
    )
    before = {path.name for path in pytester.path.iterdir()}
    plugins = [option for name in PARTNERS for option in ("-p", f"no:{name}")]
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", *plugins)
    result.assert_outcomes(passed=1)
    made = {path.name for path in pytester.path.iterdir()} - before
    pytesters_own = {"runpytest-0", "runpytest-current", "__pycache__", "stdout", "stderr"}
    assert made <= pytesters_own
    text = result.stdout.str()
    assert "llm" not in text.replace("llm-evaluation", "").replace(str(pytester.path), "").lower()


PARTNERS = ["hypothesispytest", "anyio", "asyncio", "xdist", "rerunfailures", "pytest_cov"]


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = f"import sys, pytest_llmeval; assert not set({HEAVY}) & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_every_public_name_can_be_imported_and_is_listed() -> None:
    import pytest_llmeval

    for name in pytest_llmeval.__all__:
        public = getattr(pytest_llmeval, name)
        assert hasattr(public, "__metadata__") or public.__name__ == name
        assert name in dir(pytest_llmeval)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = pytest_llmeval.nothing


def test_scripts_judge_outside_pytest(tmp_path: Path) -> None:
    script = """
from pytest_llmeval import Case, LexicalJudge, assert_grounded, evaluate
case = Case(response="The tent sleeps two.", context="The tent sleeps two.")
assert evaluate(case, "groundedness", judge="lexical").score == 5
assert assert_grounded(case, judge=LexicalJudge()).judge == "lexical"
assert evaluate(case, "groundedness").outcome == "error"
"""
    subprocess.run([sys.executable, "-W", "error", "-c", script], check=True, cwd=tmp_path)
    assert list(tmp_path.iterdir()) == []
