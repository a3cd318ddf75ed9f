"""A merge of shards decides as one run of the whole would have, however that was set."""

from __future__ import annotations

from typing import Any

import pytest
from baseline_project import UPDATE, Project, worse
from click.testing import CliRunner

from pytest_llmeval import load_run
from pytest_llmeval.cli import main
from pytest_llmeval.reports.gates import decision_of

SUITE = """
@pytest.mark.llm_eval(tags=["some"])
@pytest.mark.parametrize("case", [f"c{n}" for n in range(10)])
def test_it(case):
    made = Case(id=case, response=f"r {SAYS.get(case, 5)}", context=["c"])
    evaluate(made, "groundedness", judge=judge(case))

@pytest.mark.llm_eval(tags=["some"])
def test_asserted(): check("asserted")

if "gone" not in SAYS:
    def test_that_goes(): check("gone")
"""
DROP, FLIP = "--llm-eval-fail-on=drop", "--llm-eval-fail-on=any-flip"
GATES = (
    "--llm-eval-gate=groundedness.pass_rate >= 0.9",
    "--llm-eval-gate=groundedness.mean > 4.5",
    "--llm-eval-group=few: min_pass_rate=0.5 tags=some must_pass=c9",
)


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.delenv("CI", raising=False)
    made = Project(pytester)
    made.write(test_a=SUITE)
    assert made.run(*UPDATE).ret == 0
    return made


def sharded(project: Project, number: int, *options: str) -> None:
    share = (f"--llm-eval-shard={number}/2", f"--llm-eval-report={number}.json")
    project.run("--llm-eval", *share, *options)


def merged(*options: str) -> tuple[int, str]:
    """The exit status, and what is printed where the files of two shards are merged."""
    command = ["merge", "1.json", "2.json", "--output", "m.json", *options]
    done = CliRunner().invoke(main, command)
    return done.exit_code, done.output


def gates(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("gate ")]


B = "--llm-eval-baseline=b.json"
BROKEN = "BROKEN: groundedness"
OPEN = "not decided: checks that would decide: 1 deselected (groundedness)"
Row = tuple[tuple[str, ...], dict[str, str], dict[str, Any], tuple[int, str]]
LAW: dict[str, Row] = {
    "a regression": ((B,), {}, worse(8), (1, BROKEN)),
    "no regression": ((B,), {}, worse(2), (0, "held")),
    "a drop": ((B, DROP), {}, worse(1), (1, BROKEN)),
    "a drop that may be": ((B, DROP, "--llm-eval-tolerance=30%"), {}, worse(3), (0, "held")),
    "what the environment allows": (
        (B, DROP),
        {"LLM_EVAL_TOLERANCE": "30%;groundedness=5%"},
        worse(3),
        (1, BROKEN),
    ),
    "a flip": (
        (),
        {"LLM_EVAL_FAIL_ON": "any-flip", "LLM_EVAL_BASELINE": "b.json"},
        worse(1),
        (1, BROKEN),
    ),
    "a selection": ((B, FLIP, "-k", "not c2"), {}, {}, (0, OPEN)),
    "a selection in a CI": ((B, FLIP, "-k", "not c2"), {"CI": "1"}, {}, (1, OPEN)),
    "a test that is gone": ((B, FLIP, "-k", "not c2"), {}, {"gone": 1}, (0, OPEN)),
    "gates that are broken": ((*GATES, B), {}, worse(3), (1, "held")),
    "a group that is held": ((*GATES[2:], B), {}, {**worse(4), "asserted": 2}, (0, "held")),
    "a skipped error": (("--llm-eval-on-error=skip", B), {}, {"asserted": "down"}, (0, "held")),
}


@pytest.mark.parametrize(("options", "environment", "says", "expected"), LAW.values(), ids=LAW)
def test_a_merge_of_shards_decides_as_one_run_would(
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[str, ...],
    environment: dict[str, str],
    says: dict[str, Any],
    expected: tuple[int, str],
) -> None:
    project.says(**says)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    whole = project.run("--llm-eval", "--llm-eval-report=whole.json", *options)
    for number in (1, 2):
        sharded(project, number, *options)
    for name in {*environment} - {"CI"}:
        monkeypatch.delenv(name)  # what the shards were set is in their files
    status, text = merged()
    assert gates(text) == gates(whole.stdout.str())
    one, made = (load_run(name) for name in ("whole.json", "m.json"))
    assert (made.gates, made.comparison) == (one.gates, one.comparison)
    assert status == made.exit_status == one.exit_status == whole.ret
    assert (status, decision_of(made.gates[-1])) == expected


def test_a_variable_that_is_set_for_the_merge_alone_is_warned_of(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.says(**worse(1))
    for number in (1, 2):
        sharded(project, number, B)
    monkeypatch.setenv("LLM_EVAL_FAIL_ON", "drop")
    monkeypatch.setenv("LLM_EVAL_BASELINE", str(project.file))  # the same by another name
    status, text = merged()
    told = "LLM_EVAL_FAIL_ON is 'drop' here, and 'regression' in the runs, which counts"
    assert (status, gates(text)) == (0, ["gate baseline   held"])
    assert f"warning: {told}; or give --fail-on" in text
    assert text.count("warning:") == 1
    assert "warning:" not in merged("--fail-on=drop")[1]


def test_shards_that_were_set_otherwise_are_refused_and_options_of_the_merge_win(
    project: Project,
) -> None:
    project.says(**worse(1))
    sharded(project, 1, B, DROP)
    sharded(project, 2, B)
    status, text = merged()
    told = "2.json: setting fail_on is 'regression', and 'drop' in 1.json"
    assert f"{told}; merge runs that were made alike, or give --fail-on" in text
    assert status == 1
    for chosen, came in (("drop", "BROKEN: groundedness"), ("regression", "held")):
        status, text = merged("--fail-on", chosen)
        assert gates(text) == [f"gate baseline   {came}"]
        assert load_run("m.json").settings["fail_on"] == chosen
    status, text = merged("--fail-on=drop", "--tolerance=20%")
    assert (status, gates(text)) == (0, ["gate baseline   held"])
    assert load_run("m.json").settings["tolerance"] == ["20%"]
    command = ["baseline", "m.json", "--against", "b.json"]
    for more, broken in ([], 0), (["--tolerance=1%"], 1), (["--fail-on", "any-flip"], 1):
        assert CliRunner().invoke(main, [*command, *more]).exit_code == broken
    sharded(project, 1)
    sharded(project, 2, B)
    assert "2.json: setting baseline is 'b.json', and None in 1.json" in merged()[1]
    assert gates(merged("--baseline=b.json")[1]) == ["gate baseline   held"]
    sharded(project, 2)
    assert "--fail-on: no baseline is set, so that nothing would" in merged("--fail-on=drop")[1]
    assert "fail-on: expected one of regression" in merged("--fail-on=any", "--baseline=b.json")[1]
