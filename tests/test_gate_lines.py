"""Gates as people read them: in columns, and by a short name where room is scarce."""

from __future__ import annotations

import pytest

from pytest_llmeval.gates.expression import parse_gate
from pytest_llmeval.gates.gate import GateResult, GateState
from pytest_llmeval.metrics.registered import Metrics
from pytest_llmeval.reports.gates import gate_lines, short_names

KEY = "response/llm_judged/relevance_to_query/rating/percentage >= 0.8"


def gate(name: str) -> GateResult:
    held = GateState.HELD
    if name == "baseline" or "min_pass_rate" in name:
        return GateResult(name, held, "all is well")
    return GateResult(name, held, "all is well", rule=parse_gate(name, Metrics(), ()))


def test_what_gates_came_to_stands_in_one_column_beside_keys_of_aggregates_too() -> None:
    names = ("f1.mean >= 0.5", KEY, "support min_pass_rate=0.8")
    lines = [*gate_lines([gate(name) for name in names])]
    assert {line.index("held: ") for line in lines} == {len(f"gate {KEY}   ")}


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (["a/test_a.py::test_x min_pass_rate=0.5", "baseline"], ["test_x", "baseline"]),
        (
            ["a/test_a.py::T::test_x min_pass_rate=0.5", "a/test_b.py::T::test_x min_pass_rate=1"],
            ["test_a.py::T::test_x", "test_b.py::T::test_x"],
        ),
        (
            ["a/test_a.py min_pass_rate=0.5", "b/test_a.py min_pass_rate=0.5"],
            ["a/test_a.py", "b/test_a.py"],
        ),
        # Only the rate tells these apart.
        (
            ["a.py::test_x min_pass_rate=0.5", "a.py::test_x min_pass_rate=0.8"],
            ["a.py::test_x min_pass_rate=0.5", "a.py::test_x min_pass_rate=0.8"],
        ),
        (["support min_pass_rate=0.5", "a.py::support min_pass_rate=1"], None),
        ([KEY, "f1.mean >= 0.5"], [KEY, "f1.mean >= 0.5"]),
        (["my tests/test a.py::test_x min_pass_rate=0.5"], ["test_x"]),
    ],
)
def test_the_short_name_of_a_group_is_the_shortest_that_no_other_gate_has(
    names: list[str], short: list[str] | None
) -> None:
    found = short_names([gate(name) for name in names])
    assert found == (short or ["support min_pass_rate=0.5", "a.py::support"])
    assert len({*found}) == len(found)


def test_a_group_that_is_broken_says_so_in_the_width_of_a_terminal(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("CI", raising=False)
    pytester.mkdir("evaluations_of_the_shop")
    path = "evaluations_of_the_shop/test_answers_of_the_shop.py"
    pytester.path.joinpath(path).write_text(
        "import pytest\n"
        "from pytest_llmeval import assert_exact_match\n"
        "@pytest.mark.llm_eval(min_pass_rate=0.9)\n"
        "@pytest.mark.parametrize('text', 'ab')\n"
        "def test_the_shop_answers(text): assert_exact_match(text, ground_truth='a')\n"
    )
    result = pytester.runpytest("--llm-eval", "--junitxml=junit.xml")
    row = "FAILED llm_eval::gate[test_the_shop_answers]"
    if pytest.version_tuple >= (9,):  # before, a row of no test has no message
        row += " - BROKEN: 1/2 passed"
    assert row in result.outlines
    assert f"gate {path}::test_the_shop_answers min_pass_rate=0.9" in result.stdout.str()
    assert 'name="gate[test_the_shop_answers]"' in pytester.path.joinpath("junit.xml").read_text()
