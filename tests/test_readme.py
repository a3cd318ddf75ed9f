"""README and its first pages: what they show is run, against a judge that speaks HTTP."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from loopback import LoopbackJudge, Request, object_for

ROOT = Path(__file__).parent.parent
README, MANY, JUDGES = (
    ROOT.joinpath(name).read_text(encoding="utf-8")
    for name in ("README.md", "docs/many-checks.md", "docs/judges.md")
)
APP = """
from types import SimpleNamespace

def ask(query):
    text = "The warranty of the Alpine tent is two years."
    return SimpleNamespace(text=text, query=query, documents=[text])

app = rag = SimpleNamespace(ask=ask)
"""
CONFTEST = """
import pytest
import shop_app

@pytest.fixture
def app(): return shop_app.app
"""
WEIGHT = {
    "ungrounded": [{"quote": "It weighs 2 kg.", "why": "no document gives a weight"}],
    "reason": "The weight of the tent is in no document.",
    "score": 3,
}


def blocks(language: str, page: str = README) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def shown_tests() -> dict[str, str]:
    """Each block that holds a test, after what the blocks before it import."""
    imports = ["from shop_app import rag"]
    found: dict[str, str] = {}
    for block in [*blocks("python"), *blocks("python", MANY)]:
        nodes = ast.parse(block).body
        for node in nodes:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                found[f"test_{len(found)}_{node.name[5:]}"] = "\n".join([*imports, block])
        imports += [ast.unparse(each) for each in nodes if isinstance(each, ast.Import)]
        imports += [ast.unparse(each) for each in nodes if isinstance(each, ast.ImportFrom)]
    return found


def answer(request: Request) -> str:
    if "The Alpine Explorer. It weighs 2 kg." in request.prompt:
        return json.dumps(WEIGHT)
    made_up = "runs for ten years" in request.prompt
    values = {"score": 5, "verdict": "no" if made_up else "yes", "polite": True}
    return json.dumps(object_for(request, values))


@pytest.fixture
def server() -> Iterator[LoopbackJudge]:
    with LoopbackJudge("openai") as running:
        running.answer = answer
        yield running


def run(pytester: pytest.Pytester, server: LoopbackJudge, *options: str) -> pytest.RunResult:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(shop_app=APP)
    pytester.path.joinpath("questions.jsonl").write_text(blocks("json")[0])
    return pytester.runpytest_subprocess(
        "--llm-eval",
        "--llm-eval-model=openai/gpt-5-mini",
        f"--llm-eval-base-url={server.url}",
        "-W",
        "error",
        *options,
    )


def test_every_test_that_is_shown_runs_under_the_ini_that_is_shown(
    pytester: pytest.Pytester, server: LoopbackJudge
) -> None:
    shown = shown_tests()
    assert len(shown) == 7
    pytester.makepyprojecttoml(f"{blocks('toml', JUDGES)[0]}pythonpath = ['.']\n")
    pytester.makepyfile(**shown)
    result = run(pytester, server)
    result.assert_outcomes(passed=6, failed=1)
    result.stdout.fnmatch_lines(["FAILED test_0_the_answer_is_grounded.py::*"])


def test_the_first_test_fails_in_the_words_that_are_shown(
    pytester: pytest.Pytester, server: LoopbackJudge
) -> None:
    pytester.makepyfile(test_shop=next(iter(shown_tests().values())))
    result = run(pytester, server, "-o", "pythonpath=.")
    told = [line for line in README.splitlines() if line.startswith("E   ")]
    assert len(told) == 5
    assert [line.rstrip() for line in result.stdout.lines if line.startswith("E   ")] == told
    start = README.splitlines().index(next(each for each in told if "response" in each))
    judge, *table = README.splitlines()[start + 3 : start + 6]
    assert re.match(r"judge openai/gpt-5-mini .* 1 verdict: 0 stored, 1 asked · ", judge)
    assert set(table) <= set(result.stdout.lines)


def test_the_case_that_is_shown_fails_in_the_words_and_with_the_cause_that_are_shown(
    pytester: pytest.Pytester, server: LoopbackJudge
) -> None:
    def decide(request: Request) -> str:
        values: dict[str, Any] = {"verdict": "yes"}
        if "hold what it takes to give the expected answer" in request.prompt:
            reason = "No document says how long the warranty is."
            values = {"reason": reason, "missing": ["how long the warranty is"], "verdict": "no"}
        elif "Is the response correct" in request.prompt:
            values = {"verdict": "no"}
        return json.dumps(object_for(request, values))

    server.answer = decide
    test = next(code for name, code in shown_tests().items() if name.endswith("_answers"))
    pytester.makepyfile(test_shop=test)
    result = run(pytester, server, "-o", "pythonpath=.")
    (block,) = blocks("text")
    said = " ".join(" ".join(line.removeprefix("E") for line in result.stdout.lines).split())
    for shown in block.split("…"):
        assert " ".join(shown.split()) in said
    result.stdout.fnmatch_lines(["FAILED test_shop.py::test_answers[[]warranty]*"])
    result.stdout.fnmatch_lines(["root causes: context_sufficiency 1"])


def test_the_scripted_judge_that_is_shown_says_what_it_is_told_to(
    pytester: pytest.Pytester,
) -> None:
    code = re.search(r"`(assert_grounded\(text, .*?\}\)\))`", README)
    assert code is not None
    pytester.makepyfile(
        f"""
        from pytest_llmeval import assert_grounded
        from pytest_llmeval.testing import ScriptedJudge
        def test_it():
            text = docs = "a"
            {code[1]}
        """
    )
    result = pytester.runpytest("--llm-eval")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E  *groundedness 2 is below 4   (scripted)"])
