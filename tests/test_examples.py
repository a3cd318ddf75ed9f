"""The examples, run as a user would run them: in a process of their own, without a key."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
LEFT_BY_USE = ignore_patterns("__pycache__", ".*")


@dataclass(frozen=True)
class Run:
    """A run of pytest: its exit status, what it printed, and the files that it left behind."""

    status: int
    output: str
    left: frozenset[Path]


def copy_into(folder: Path) -> Path:
    """The examples as they stand in the repository, copied into ``folder``."""
    return Path(copytree(EXAMPLES, folder / "examples", ignore=LEFT_BY_USE))


def run(folder: Path, *arguments: str) -> Run:
    """pytest in ``folder``, without the settings and keys of whoever runs these tests."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("LLM_EVAL", "PYTEST_")) and not name.endswith("_API_KEY")
    }
    before = set(folder.rglob("*"))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
        cwd=folder,
        env={**kept, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1", "COLUMNS": "120"},
        capture_output=True,
        encoding="utf-8",
        timeout=600,
    )
    left = frozenset(set(folder.rglob("*")) - before)
    return Run(done.returncode, done.stdout + done.stderr, left)


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    """A copy of the examples for one test."""
    return copy_into(tmp_path)


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """``pytest --llm-eval examples``, from the folder above."""
    return run(copy_into(tmp_path_factory.mktemp("judged")).parent, "--llm-eval", "examples")


@pytest.fixture(scope="module")
def unjudged(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """``pytest examples``, from the folder above."""
    return run(copy_into(tmp_path_factory.mktemp("unjudged")).parent, "examples")


def test_every_example_passes_from_the_folder_above_and_one_hallucination_is_caught(
    judged: Run,
) -> None:
    assert "41 passed, 1 xfailed" in judged.output
    assert judged.status == 0


def test_the_summary_counts_every_check_and_says_plainly_that_no_llm_judged(judged: Run) -> None:
    assert "judge lexical (no LLM judges here: words are weighed)" in judged.output
    rows = {"groundedness": 19, "relevance": 19, "fact_check": 12, "fact_check[no]": 1}
    rows |= {"brief": 10, "courtesy": 1, "for_customers": 1, "no_pressure": 1, "prices": 1}
    rows |= {"context_sufficiency": 9, "correctness": 9, r"quality (shop)": 9}
    for metric, checks in rows.items():
        row = rf"^{re.escape(metric)} +{checks}/{checks} "
        assert re.search(row, judged.output, re.MULTILINE), metric


def test_every_example_passes_from_its_own_folder(examples: Path) -> None:
    done = run(examples, "--llm-eval")
    assert "41 passed, 1 xfailed" in done.output
    assert done.status == 0


def test_without_the_switch_only_plain_tests_run_and_the_others_say_how_to_run_them(
    unjudged: Run,
) -> None:
    assert "4 passed, 38 skipped" in unjudged.output
    assert unjudged.status == 0
    assert "run them with pytest --llm-eval" in unjudged.output
    assert "= llm eval =" not in unjudged.output


def test_no_file_is_left_behind(judged: Run, unjudged: Run) -> None:
    assert judged.left == unjudged.left == frozenset()


def test_the_caught_hallucination_reads_as_the_sentence_that_was_made_up(examples: Path) -> None:
    done = run(examples, "--llm-eval", "-k", "invented", "--runxfail")
    assert done.status == 1
    assert re.search(r"^E +groundedness [123] is below 4 +\(lexical\)$", done.output, re.MULTILINE)
    assert re.search(r'^E +ungrounded +"It was voted best in class', done.output, re.MULTILINE)


def test_an_assistant_that_starts_to_embellish_fails_its_examples(examples: Path) -> None:
    app = examples / "shop" / "assistant.py"
    honest = app.read_text(encoding="utf-8")
    embellished = honest.replace("or SORRY, pages)", 'or SORRY) + " It is titanium.", pages)')
    embellished = embellished.replace('return Answer(" "', 'return Answer((" "')
    assert embellished != honest
    app.write_text(embellished, encoding="utf-8")

    done = run(examples, "--llm-eval", "-k", "grounded or each_sentence")

    assert "2 failed" in done.output
    assert len(re.findall(r'^E +un\w+ +"It is titanium\."', done.output, re.MULTILINE)) == 2
    assert done.status == 1


def test_a_worse_search_breaks_the_build_by_its_root_cause_and_lists_what_flipped(
    examples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    baseline = ("--llm-eval", "--llm-eval-baseline=baseline.json", "test_quality.py")
    assert run(examples, *baseline, "--llm-eval-update-baseline").status == 0
    same = run(examples, *baseline)
    assert same.status == 0
    assert "gate baseline   held" in same.output
    monkeypatch.setenv("SHOP_RETRIEVER", "worse")
    worse = run(examples, *baseline)
    assert worse.status == 1
    assert "root causes: context_sufficiency 9" in worse.output
    assert re.search(
        r"^context_sufficiency +0/9 .* −100.0 pts, p = 0\.00\d+  REGRESSED$", worse.output, re.M
    )
    assert "gate baseline   BROKEN: context_sufficiency, " in worse.output
    flip = r"\[bag-temperature\]: context_sufficiency yes → no, .*\n    was  The documents bear"
    assert re.search(flip, worse.output)
    assert re.search(r"^    now  .*'9 degrees' is in no document", worse.output, re.M)


def test_the_readme_of_the_examples_tells_of_every_test() -> None:
    named = re.compile(r"\btest_\w+(?=[`(])")
    told = named.findall((EXAMPLES / "README.md").read_text(encoding="utf-8"))
    names = ("test_assistant.py", "test_quality.py", "test_own_metrics.py")
    files = [EXAMPLES / name for name in names]
    assert told == [test for file in files for test in named.findall(file.read_text("utf-8"))]
