"""``llm-eval show-prompt``: what would be sent, to the letter, and nothing is."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from active_session import active_session
from click.testing import CliRunner, Result

from pytest_llmeval import evaluate
from pytest_llmeval.cli import main
from pytest_llmeval.data.datasets import load_cases
from pytest_llmeval.judges.schema import schema_form
from pytest_llmeval.metrics import CATALOGUE
from pytest_llmeval.session import Session
from pytest_llmeval.testing import ScriptedJudge

CASES = (
    '{"id": "a", "query": "Which?", "response": "The tent.", "context": ["The tent.", "A bag."]}\n'
    '{"id": "b", "query": "Where?", "response": "There.", "context": "There."}\n'
)
TONE = '+++\nname = "tone"\nscale = "yes_no"\n+++\nIs it kind?\n{{ response }}\n'


@pytest.fixture(autouse=True)
def here(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in list(os.environ):
        if name.startswith("LLM_EVAL"):
            monkeypatch.delenv(name)
    pytester.path.joinpath("cases.jsonl").write_text(CASES)
    pytester.path.joinpath("tone.md").write_text(TONE)
    pytester.makeini("[pytest]\nllm_eval_metrics = *.md\n")
    return pytester.path


@pytest.fixture
def session() -> Iterator[Session]:
    with active_session(mode="off") as session:
        yield session


def show(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["show-prompt", *arguments])


def test_every_message_and_the_schema_are_shown_as_they_are_sent(
    here: Path, session: Session
) -> None:
    judge = ScriptedJudge(Exception("asked"))
    evaluate(load_cases(here / "cases.jsonl")[0], "groundedness", judge=judge)
    shown = show("groundedness", "--case", "cases.jsonl:a")
    assert shown.exit_code == 0
    for role, text in judge.messages[0]:
        assert f"--- {role}\n{text}\n" in shown.output
    form = shown.output.partition("--- response_format, where the model takes it\n")[2]
    assert json.loads(form) == schema_form(judge.questions[0].reply)
    assert shown.output.startswith(f"prompt: {judge.questions[0].rubric}\n")


def test_a_case_is_named_by_its_id_or_its_number() -> None:
    for which in ("b", "2"):
        assert "Where?" in show("relevance", "--case", f"cases.jsonl:{which}").output


@pytest.mark.parametrize("metric", [name for name in CATALOGUE if CATALOGUE[name].judged])
def test_every_judged_metric_is_shown_on_the_sample(metric: str) -> None:
    shown = show(metric)
    assert shown.exit_code == 0, shown.output
    assert "--- system\n" in shown.output
    assert "Alpine tent" in shown.output


def test_of_several_questions_every_one_is_shown_under_a_heading() -> None:
    shown = show("chunk_relevance", "--case", "cases.jsonl:a").output
    first, second = shown.split("=== question 2 of 2, ")
    assert first.startswith("=== question 1 of 2, ")
    assert ("The tent." in first, "A bag." in first) == (True, False)
    assert ("The tent." in second, "A bag." in second) == (False, True)
    assert "=== question" not in show("relevance").output


@pytest.mark.parametrize("named", [("fluency[each_turn]",), ("fluency", "turns=each")])
def test_of_each_turn_there_is_a_question_that_knows_nothing_of_later_ones(
    named: tuple[str, ...],
) -> None:
    first, second = show(*named).output.split("=== question 2 of 2, ")
    assert ("our lightest" in first, "two years" in first) == (True, False)
    assert "two years" in second


def test_what_is_asked_after_a_reply_is_shown_for_one_that_is_made_up() -> None:
    shown = show("relevance", "form=b").output
    assert re.findall("^prompt: (.*)@", shown, re.MULTILINE) == [
        "relevance/reference",
        "relevance/against_reference",
    ]
    assert re.search(r"<reference-\w+>\n\(made up\)\n", shown)


def test_the_guidelines_of_the_settings_are_shown() -> None:
    shown = show("guideline_adherence", "--guideline", "Never promise a refund.").output
    assert shown.count("=== question") == 2
    assert "- Never promise a refund.\n" in shown


def test_a_row_of_the_summary_is_shown_by_its_name() -> None:
    assert show("groundedness[yes_no]").output.startswith("prompt: groundedness[yes_no]@")
    assert "did you mean 'groundedness[yes_no]'?" in show("groundedness[yesno]").output


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ("at_least=5", "at_least= is no option of a metric: it says what passes"),
        ("at_most=5", "at_most= is no option of a metric: it says what passes"),
        ("judge=x", "judge= is no option of a metric: say who judges by --judge or --model"),
    ],
)
def test_what_changes_no_prompt_is_refused_with_what_to_do(option: str, told: str) -> None:
    assert told in show("relevance", option).output


CONFTEST = """
from pytest_llmeval import JudgedMetric, RubricExtension

def pytest_llm_eval_metrics():
    return [JudgedMetric("calm", prompt="Is it calm?\\n{{ response }}", scale="yes_no")]

def pytest_llm_eval_rubrics():
    return [RubricExtension("relevance", "2P: for two.")]
"""


def test_what_the_roots_conftest_adds_is_shown(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(CONFTEST)
    assert "Is it calm?" in show("calm").output
    assert "\n\n2P: for two.\n\n" in show("relevance").output


@pytest.mark.parametrize(
    ("conftest", "told"),
    [
        ("def pytest_llm_eval_metrics(): 1 / 0", "conftest.py: pytest_llm_eval_metrics raised"),
        ("1 / 0", "pytest cannot read its settings here, as it says above"),
    ],
)
def test_a_conftest_that_cannot_be_used_is_told_in_one_line(
    pytester: pytest.Pytester, conftest: str, told: str
) -> None:
    pytester.makeconftest(conftest)
    shown = show("relevance")
    assert shown.exit_code == 1
    assert told in shown.output


def test_options_of_the_metric_and_the_form_of_a_checker_are_heeded() -> None:
    checker = ("--model", "ollama_chat/bespoke-minicheck", "--case", "cases.jsonl:b")
    shown = show("fact_check", "claims=sentences", *checker).output
    assert "--- user\nDocument: There.\nClaim: There.\n" in shown
    assert "no schema: a dedicated checker answers in one word" in shown
    assert "claims is one of 'response', 'sentences'" in show("fact_check", "claims=x").output
    assert "an option of the metric is NAME=VALUE; got 'x'" in show("fact_check", "x").output


def test_metrics_of_files_and_changed_rubrics_are_shown_as_pytest_would_put_them(
    here: Path,
) -> None:
    assert "Is it kind?" in show("tone").output
    here.joinpath("domain.txt").write_text("2P means a tent for two.")
    shown = show("fact_check", "--rubric", "fact_check + domain.txt").output
    assert shown.startswith("prompt: fact_check+@")
    assert "\n\n2P means a tent for two.\n\nReply with one JSON object" in shown


def test_a_judge_that_reads_no_prompts_is_told() -> None:
    assert "The judge that is set reads no prompts" in show("relevance", "--model=lexical").output
    assert "reads no prompts" not in show("relevance").output


def test_where_nothing_would_be_asked_that_is_said(here: Path) -> None:
    here.joinpath("cases.jsonl").write_text('{"query": "q", "response": " "}\n')
    shown = show("relevance", "--case", "cases.jsonl:1")
    assert shown.output == "relevance asks no judge anything about this case.\n\n"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("relevence",), "there is no metric 'relevence': did you mean 'relevance'?"),
        (("relevance", "--case", "cases.jsonl"), "--case is FILE.jsonl:ID, or :N"),
        (("relevance", "--case", "cases.jsonl:c"), "there is no case 'c'; it holds 2"),
        (("relevance", "--case", "cases.jsonl:3"), "there is no case '3'; it holds 2"),
        (("correctness", "--case", "cases.jsonl:a"), "correctness needs ground_truth or"),
        (("relevance", "--case", "none.jsonl:a"), "none.jsonl: cannot be read"),
    ],
)
def test_what_cannot_be_shown_is_told_in_one_line(arguments: tuple[str, ...], told: str) -> None:
    shown = show(*arguments)
    assert shown.exit_code == 1
    assert shown.output.startswith("Error: ")
    assert told in shown.output


def test_nothing_is_stored_and_litellm_is_not_imported(pytester: pytest.Pytester) -> None:
    code = (
        "import sys; from click.testing import CliRunner; from pytest_llmeval.cli import main\n"
        "args = ['show-prompt', 'relevance', '--model', 'openai/x']\n"
        "print(CliRunner().invoke(main, args).output)\n"
        "print('loaded:', sorted({'litellm', 'openai'} & set(sys.modules)))"
    )
    result = pytester.runpython(pytester.makepyfile(code))
    result.stdout.fnmatch_lines(["--- system", "loaded: []"])
    assert not pytester.path.joinpath(".llm_eval").exists()
