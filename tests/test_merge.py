"""Merging: the runs of shards are together the run that nobody made."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from pytest_llmeval import Run, load_run
from pytest_llmeval.cli import main
from pytest_llmeval.errors import UsageError
from pytest_llmeval.reports.merged import DECIDING, ledger_of, merged

SUITE = """
import pytest
from pytest_llmeval import Case, assert_chunks_relevant, assert_grounded, evaluate
from pytest_llmeval.errors import JudgeUnavailable
from pytest_llmeval.testing import ScriptedJudge

def judge(score, name="kept"):
    said = {"reason": "r", "score": score, "ungrounded": []}
    return ScriptedJudge(said, name=name, kept=True)

pytestmark = pytest.mark.llm_eval

@pytest.mark.parametrize("score", [2, 3, 4, 5])
def test_rated(score):
    case = Case(id=f"case {score}", response=f"a {score}", context=["a"], ground_truth="a 4")
    evaluate(case, "f1")
    assert_grounded(case, judge=judge(score, f"judge {score % 2}"))

def test_down():
    assert_grounded("a", context=["a"], judge=ScriptedJudge(JudgeUnavailable("down")))

@pytest.mark.xfail
def test_hoped(): assert_grounded("c", context=["a"], judge=judge(2))

def test_documents():
    assert_chunks_relevant("How long is it?", context=["It is long.", "The moon shines."])

def test_nothing(): pass
"""


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makepyfile(test_suite=SUITE)
    return pytester


def run(suite: pytest.Pytester, *options: str, name: str = "run.json") -> Path:
    report = f"--llm-eval-report={name}"
    suite.runpytest("--llm-eval", "--llm-eval-model=lexical", report, *options)
    return suite.path / name


def shard(suite: pytest.Pytester, number: int, of: int, *options: str) -> Path:
    share = f"--llm-eval-shard={number}/{of}"
    return run(suite, share, *options, name=f"{number}-of-{of}.json")


def merge(suite: pytest.Pytester, *arguments: object) -> tuple[int, str, Run | None]:
    output = suite.path / "merged.json"
    output.unlink(missing_ok=True)
    command = ["merge", *map(str, arguments), "--output", str(output)]
    done = CliRunner().invoke(main, command)
    return done.exit_code, done.output, load_run(output) if output.exists() else None


def lasting(made: Run) -> dict[str, Any]:
    """What does not depend on when and where ``made`` was, nor on its parts."""
    values = made.model_dump(mode="json", exclude={"started", "finished", "merged_from"})
    for name in ("report", "shard"):
        del values["settings"][name]
    for part in (values["totals"], *(record["usage"] for record in values["records"])):
        part["seconds"] = 0
    return values


def test_three_shards_are_together_the_run_of_the_whole(suite: pytest.Pytester) -> None:
    run(suite)
    whole = load_run(run(suite))  # from here on all is stored
    shards = [shard(suite, number, 3, *(["-n", "1"] * (number == 2))) for number in (3, 1, 2)]
    status, said, made = merge(suite, *shards)
    assert made is not None
    assert lasting(made) == lasting(whole)
    assert status == made.exit_status == 1
    assert made.extent.complete
    assert made.extent.shard is made.settings["shard"] is made.settings["report"] is None
    assert made.settings["model"] == "lexical"
    parts = [load_run(path) for path in shards]
    assert made.started == min(each.started for each in parts)
    assert made.finished == max(each.finished for each in parts)
    summary = suite.runpytest("--llm-eval", "--llm-eval-model=lexical").outlines
    for line in ("chunk_relevance", "f1", "groundedness", "errors: 1", "  1 × groundedness: down"):
        (shown,) = (each for each in summary if each.startswith(line))
        assert shown in said.splitlines()
    assert said.splitlines()[-1] == "merged 3 runs: 8 of 8 tests ran, 2 failed, 1 error"


def test_shards_that_are_missing_are_refused_or_told(suite: pytest.Pytester) -> None:
    one, three = shard(suite, 1, 3), shard(suite, 3, 3)
    status, said, made = merge(suite, one, three)
    assert (status, made) == (1, None)
    assert "shard 2 of 3 is missing; give its file too, or --allow-missing" in said
    status, said, made = merge(suite, one, three, "--allow-missing")
    assert made is not None
    assert (made.extent.shard, made.extent.complete) == ("1,3/3", False)
    assert (made.extent.ran, made.extent.elsewhere, made.extent.collected) == (5, 3, 8)
    assert "warning: this is not the whole suite: 3 in other shards" in said
    early = suite.path / "early.json"
    early.write_text(made.text(), encoding="utf-8")
    _, _, late = merge(suite, early, shard(suite, 2, 3))
    assert late is not None
    assert late.extent.complete
    assert len(late.records) == 11
    pruned = CliRunner().invoke(main, ["store", "prune", "--unused-by", str(early), "--dry-run"])
    assert "this is shard 1,3/3, and can't tell what is unused" in pruned.output


def test_selections_are_merged_as_far_as_they_go(suite: pytest.Pytester) -> None:
    rated, others = (
        run(suite, "-k", "rated", name="a.json"),
        run(suite, "-k", "not rated", name="b.json"),
    )
    _, _, made = merge(suite, rated, others)
    assert made is not None
    assert (made.extent.complete, made.extent.deselected, made.extent.ran) == (True, 0, 8)
    some = run(suite, "-k", "documents or nothing", name="c.json")
    status, said, made = merge(suite, rated, some)
    assert made is not None
    assert (made.extent.complete, made.extent.deselected, made.extent.ran) == (False, 2, 6)
    assert "warning: this is not the whole suite: 2 deselected" in said
    status, said, made = merge(suite, some)
    assert (status, said.splitlines()[-2:][0]) == (0, "merged 1 run: 2 of 8 tests ran")


def test_folders_that_were_run_apart_add_up(pytester: pytest.Pytester) -> None:
    for name in ("a", "b"):
        pytester.mkdir(name)
        (pytester.path / name / f"test_{name}.py").write_text("def test_it(): pass")
    files = [run(pytester, name, name=f"{name}.json") for name in ("a", "b")]
    status, said, made = merge(pytester, *files)
    whole = load_run(run(pytester))
    assert made is not None
    assert made.extent == whole.extent
    assert (status, "no check was made" in said) == (0, True)


def test_a_run_that_is_given_twice_is_refused_by_its_file(pytester: pytest.Pytester) -> None:
    for name in ("a", "b", "c"):
        (pytester.mkdir(name) / f"test_{name}.py").write_text("def test_it(): pass")
    a, b, c = (run(pytester, name, name=f"{name}.json") for name in ("a", "b", "c"))
    copy, link, hard = (pytester.path / name for name in ("copy.json", "link.json", "hard.json"))
    copy.write_text(json.dumps(json.loads(a.read_text("utf-8"))), encoding="utf-8")
    link.symlink_to(a)
    hard.hardlink_to(a)
    both, others = pytester.path / "both.json", pytester.path / "others.json"
    for path, parts in ((both, (a, b)), (others, (c, b))):
        _, _, made = merge(pytester, *parts)
        assert made is not None
        path.write_text(made.text(), encoding="utf-8")
    anew = run(pytester, "a", name="anew.json")
    for given, message in (
        ((a, b, a), "a.json: this file is given twice"),
        *(((a, same), f"{same.name}: this is the same run as in ") for same in (copy, link, hard)),
        ((both, a), "a.json: its run is in "),
        ((b, c, both), "both.json: it was merged of the run in "),
        ((both, others), "others.json: it and "),
        ((both, both), "both.json: this file is given twice"),
        ((a, anew), "anew.json: the same tests ran as in "),
    ):
        status, said, made = merge(pytester, *given)
        assert (status, made) == (1, None)
        assert message in said
    _, _, made = merge(pytester, both, c)
    assert made is not None
    assert (made.extent.ran, len(made.merged_from)) == (3, 3)


def test_tests_without_checks_that_ran_in_two_files_are_refused(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_a(): pass\ndef test_b(): pass\ndef test_c(): pass")
    files = [
        run(pytester, "-k", f"{chosen} or test_b", name=f"{chosen}.json")
        for chosen in ("test_a", "test_c")
    ]
    status, said, made = merge(pytester, *files)
    assert (status, made) == (1, None)
    assert "with the files before it 4 tests ran, and 3 were found" in said


def test_a_shard_that_found_nothing_or_stopped_early_counts_as_that(suite: pytest.Pytester) -> None:
    files = [shard(suite, number, 2, "-k", "documents") for number in (1, 2)]
    status, _, made = merge(suite, *files)
    assert made is not None
    assert (status, made.exit_status, made.extent.ran) == (0, 0, 1)
    assert (made.extent.complete, made.extent.deselected, made.extent.elsewhere) == (False, 7, 0)
    files = [shard(suite, number, 2, "-x") for number in (1, 2)]
    _, said, made = merge(suite, *files)
    assert made is not None
    assert made.extent.stopped == "stopping after 1 failures"
    assert "not run, stopping after 1 failures" in said


ONE, TWO = "1-of-2.json", "2-of-2.json"
SUITE_ON = {
    "suite": "own",
    "outcome": "error",
    "root_cause": None,
    "fix": None,
    "failed": [],
    "errors": [],
    "left_out": [["bleu", "no ground_truth"]],
    "case_id": "c",
    "judged": None,
    "nodeid": "a",
    "xfailed": False,
}

SUITE_ROW: dict[str, Any] = {
    "suite": "own",
    "rate": None,
    "interval": [0.0, 1.0],
    "causes": {},
    "trials": [],
    "errors": 1,
    **dict.fromkeys(("passed", "judged", "not_applicable", "measured", "xfailed", "uncertain"), 0),
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"plugin_version": "9"}, "plugin_version is '9', and '"),
        ({"settings.model": "m"}, "setting model is 'm', and 'lexical' in "),
        ({"settings.threshold": ["f1=1"]}, "setting threshold is ['f1=1'], and [] in"),
        ({"settings.guideline": ["x"]}, "setting guideline is ['x']"),
        ({"settings.temperature": 1}, "setting temperature is 1, and 0 in"),
        ({"extent.shard": None}, "this is no shard, and the other files are"),
        ({"extent.shard": "1/2"}, "shard 1/2 is in"),
        (
            {"extent.shard": "2/4"},
            "this is shard 2/4, and others are of 2; merge the shards of one",
        ),
        ({"extent.collected_digest": "0" * 32}, "its shard did not find the same tests as that in"),
        ({"extent.collected_digest": None}, "its shard did not find the same tests as that in"),
        ({"extent.deselected": 1}, "1 tests were deselected, and 0 in"),
        ({"records": "test_suite.py::test_down"}, "test_suite.py::test_down is in"),
        ({"schema_version": 2}, "its schema_version is 2"),
        ({"extent.shard": "x"}, "extent.shard: String should match pattern"),
    ],
)
def test_files_that_are_not_of_one_run_are_refused(
    change: dict[str, Any], message: str, made_once: tuple[str, str], tmp_path: Path
) -> None:
    one, two = (json.loads(text) for text in made_once)
    for name, value in change.items():
        if name == "records":
            two["records"][0]["nodeid"] = one["records"][0]["nodeid"] = value
            continue
        *path, last = name.split(".")
        (two[path[0]] if path else two)[last] = value
        if name == "extent.shard":
            two["settings"]["shard"] = value
    for name, document in ((ONE, one), (TWO, two)):
        (tmp_path / name).write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        merged([(name, load_run(tmp_path / name)) for name in (ONE, TWO)])
    assert message in str(caught.value)
    assert TWO in str(caught.value)


def test_the_page_names_every_setting_that_has_to_be_the_same() -> None:
    page = Path(__file__).parent.parent.joinpath("docs/distributed.md").read_text("utf-8")
    told = page.partition("- settings that differ and shape")[2].partition(";")[0]
    assert tuple(re.findall(r"`(\w+)`", told)) == DECIDING


def test_settings_that_shape_no_verdict_may_differ(
    made_once: tuple[str, str], tmp_path: Path
) -> None:
    one, two = (json.loads(text) for text in made_once)
    two["settings"] |= {"concurrency": 1, "store": "elsewhere"}
    one["records"][0]["nodeid"] = two["records"][0]["nodeid"] = ""  # made between tests
    for document, nodeid in ((one, "b"), (two, "a")):
        document["assessments"] = [SUITE_ON | {"nodeid": nodeid}]
        document["suites"] = [SUITE_ROW]
    for name, document in ((ONE, one), (TWO, two)):
        (tmp_path / name).write_text(json.dumps(document), encoding="utf-8")
    made = merged([(name, load_run(tmp_path / name)) for name in (ONE, TWO)])
    assert made.settings["concurrency"] is made.settings["store"] is None
    assert [each.nodeid for each in made.assessments] == ["a", "b"]
    assert [each.nodeid for each in ledger_of(made).assessments] == ["a", "b"]
    with pytest.raises(UsageError, match="needs the run files"):
        merged([])


@pytest.fixture
def made_once(suite: pytest.Pytester) -> tuple[str, str]:
    """The text of two shards' files."""
    if not MADE:
        MADE.extend(shard(suite, n, 2).read_text(encoding="utf-8") for n in (1, 2))
    return MADE[0], MADE[1]


MADE: list[str] = []
