"""The page on tests of cases: what it shows is run, and comes to what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_llmeval.data.datasets import CHECKED_WHOLE
from pytest_llmeval.plan import ARGUMENTS

PAGE = Path(__file__).parent.parent.joinpath("docs/llm-cases.md").read_text(encoding="utf-8")


def blocks(named: str) -> list[str]:
    return re.findall(f"<!-- {named} -->\n```\\w+\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def here(pytester: pytest.Pytester) -> Path:
    for name in ("questions.jsonl", "test_shop.py"):
        (text,) = blocks(name)
        pytester.path.joinpath(name).write_text(text, encoding="utf-8")
    return pytester.path


@pytest.mark.usefixtures("here")
def test_the_tests_of_the_page_run_as_it_shows(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest("--llm-eval", "-v")
    result.assert_outcomes(passed=5)
    shown = PAGE.partition("```console\n")[2].partition("```")[0].splitlines()[1:]
    lines = [line.replace("[", "?").replace("]", "?").replace("_" * 8, "?" * 8) for line in shown]
    result.stdout.fnmatch_lines([f"{line}*" for line in lines])


def test_the_app_of_the_page_tells_its_documents(pytester: pytest.Pytester, here: Path) -> None:
    (text,) = blocks("test_rag.py")
    test = here.joinpath("test_rag.py")
    test.write_text(text, encoding="utf-8")
    result = pytester.runpytest(test, "--llm-eval", "--llm-eval-model=lexical")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["groundedness * 2/2 *", "answers of the app: 2, *"])


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("block", blocks("run"))
def test_the_scripts_of_the_page_run(block: str) -> None:
    exec(compile(block, "docs/llm-cases.md", "exec"), {})


def test_the_page_names_every_argument_and_the_limit_as_they_are() -> None:
    told = re.findall(r"^\| `(\w+)=.*?` \|", PAGE, re.MULTILINE)
    assert sorted(told) == sorted(ARGUMENTS)
    assert f"first {CHECKED_WHOLE:,} rows" in PAGE
