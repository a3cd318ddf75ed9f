"""What a run that records says and leaves, where there is little or nothing to record."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from committed_lines import entry

from pytest_llmeval.judges.committed import Verdicts
from pytest_llmeval.judges.verdict_files import Used, record

JUDGED = """
import pytest
from pytest_llmeval import assert_grounded
from pytest_llmeval.testing import ScriptedJudge
JUDGE = ScriptedJudge({"ungrounded": [], "reason": "of bob@x.com", "score": 5}, kept=True)
@pytest.mark.llm_eval
@pytest.mark.parametrize("text", ["one", "two"])
def test_it(text): assert_grounded(text, context=["c"], judge=JUDGE)
"""
COMPUTED = """
import pytest
from pytest_llmeval import assert_f1
@pytest.mark.llm_eval
def test_words(): assert_f1("a b", ground_truth="a b", at_least=0.5)
"""
LEXICAL = """
import pytest
from pytest_llmeval import assert_grounded
@pytest.mark.llm_eval
def test_it(): assert_grounded("The tent is red.", context="The tent is red.", judge="lexical")
"""
HOOK = "def pytest_llm_eval_redact(entry):\n    "


def run(pytester: pytest.Pytester, folder: str = "kept", *options: str) -> list[str]:
    """What a run that records says of verdicts that are recorded, or are not."""
    result = pytester.runpytest(
        "--llm-eval", f"--llm-eval-verdicts={folder}", "--llm-eval-record", *options
    )
    return [each for each in result.outlines if re.match("(no )?verdicts ", each)]


def files(folder: Path) -> set[str]:
    return {path.name.removesuffix(".verdicts.jsonl") for path in folder.rglob("*.jsonl")}


def test_verdicts_of_a_deleted_file_go_also_where_the_rest_of_the_run_uses_none(
    pytester: pytest.Pytester,
) -> None:
    pytester.makeini("[pytest]")
    for folder, dropped in (("kept", True), (str(pytester.path.parent / "elsewhere"), False)):
        pytester.makepyfile(test_judged=JUDGED, test_words=COMPUTED)
        assert [each.rpartition(": ")[2] for each in run(pytester, folder)] == ["2 new"]
        (pytester.path / "test_judged.py").unlink()
        told = [each.rpartition(": ")[2] for each in run(pytester, folder)]
        assert ("2 dropped" in told) is dropped
        assert files(pytester.path / folder) == (set() if dropped else {"test_judged.py"})


def test_verdicts_that_no_run_can_record_are_told(pytester: pytest.Pytester) -> None:
    kept = pytester.mkdir("kept")
    anew = "are made anew in every run, and not recorded"
    pytester.makepyfile(test_a=LEXICAL, test_b=COMPUTED)
    assert run(pytester) == [f"verdicts of f1, lexical {anew}"]
    assert kept.is_dir()  # which somebody made
    pytester.makepyfile(test_a=JUDGED, test_b=COMPUTED)
    assert run(pytester) == [f"verdicts stored in {kept}, to be committed: 2 new"]
    pytester.makepyfile(test_b=LEXICAL)
    assert run(pytester) == [f"verdicts of lexical {anew}"]


def test_lines_that_a_hook_leaves_out_are_told_apart_from_unused_ones(
    pytester: pytest.Pytester,
) -> None:
    kept = pytester.path / "kept"
    pytester.makepyfile(test_a=JUDGED)
    run(pytester)
    pytester.makepyfile(test_a=JUDGED.replace('"one", "two"', '"two", "new"'))
    pytester.makeconftest(f"{HOOK}return None")
    left_out = f"verdicts not stored in {kept}: 2 left out by pytest_llm_eval_redact"
    stored = f"verdicts stored in {kept}, to be committed"
    assert run(pytester) == [f"{stored}: 1 dropped", left_out]
    assert run(pytester) == [left_out]
    assert files(kept) == set()


def test_the_hook_of_the_page_takes_addresses_out(pytester: pytest.Pytester) -> None:
    page = Path(__file__).parents[1] / "docs/verdicts.md"
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    (hook,) = (each for each in blocks if "pytest_llm_eval_redact" in each)
    pytester.makeconftest(hook)
    said = r"""r'{"ungrounded": [], "reason": "of\nbob\u0040x.com", "score": 5}'"""
    judged = re.sub(r"\{.*\}", lambda match: said, JUDGED).replace('["c"]', '"c@d"')
    pytester.makepyfile(test_a=judged)
    run(pytester)
    text = (pytester.path / "kept/test_a.py.verdicts.jsonl").read_text(encoding="utf-8")
    assert "bob" not in text
    assert "c@d" not in text
    assert text.count('"reason": "of\\n(address)"') == 2


@pytest.mark.parametrize("length", [120, 115])
def test_a_name_that_the_system_refuses_is_told_with_the_file(
    pytester: pytest.Pytester, length: int
) -> None:
    name = "test_" + "x" * (2 * length)  # the longest is 255, and what is recorded has a longer one
    pytester.makepyfile(**{name: JUDGED})
    told = f"no verdicts were recorded in *kept: File name too long: */{name}.py.verdicts.jsonl"
    (line,) = run(pytester)
    assert re.fullmatch(re.escape(told).replace(r"\*", ".*"), line), line


def test_a_folder_without_a_verdict_stays_and_one_that_was_made_for_verdicts_goes(
    tmp_path: Path,
) -> None:
    key, kept = entry("a")
    (tmp_path / "empty").mkdir()
    asked = Used({"sub/one.py": {key: {"test_it"}}}, {key: kept}, ())
    record(Verdicts(tmp_path), asked, None)
    assert (tmp_path / "sub").is_dir()
    record(Verdicts(tmp_path), Used({}, {}, {"sub/one.py", "empty/two.py"}), None)
    assert [path.name for path in tmp_path.iterdir()] == ["empty"]
