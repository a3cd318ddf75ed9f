"""Kept questions put to another judge: which can go, what flips, and what is kept of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from active_session import active_session
from click.testing import CliRunner
from loopback import LoopbackJudge
from pydantic import BaseModel

from pytest_llmeval import Case, ask_judge, evaluate
from pytest_llmeval.cli import main
from pytest_llmeval.commands.kept_questions import entries_in, entries_of, rejudgeable
from pytest_llmeval.commands.rejudging import Rejudged, rejudge
from pytest_llmeval.errors import JudgeRefused, UsageError
from pytest_llmeval.judges.base import BaseJudge, Question
from pytest_llmeval.judges.committed import Verdicts
from pytest_llmeval.judges.engine import Engine
from pytest_llmeval.judges.lexical import LexicalJudge
from pytest_llmeval.judges.model import Judge
from pytest_llmeval.judges.store import Store
from pytest_llmeval.judges.verdict_line import VerdictLine
from pytest_llmeval.metrics.registered import Metrics
from pytest_llmeval.scales import Threshold
from pytest_llmeval.testing import ScriptedJudge

CASE = Case(query="q", response="one", context=["one", "two"])


def says(score: int, verdict: str) -> Any:
    """A script with this score and this word, whatever is asked for."""

    def script(question: Question[Any]) -> Mapping[str, Any]:
        fields = question.reply.model_fields
        values = {"score": score, "verdict": verdict, "reason": f"{score} {verdict}"}
        empty: dict[str, Any] = {name: [] for name in fields}
        return {**empty, **{name: value for name, value in values.items() if name in fields}}

    return script


class Mood(BaseModel):
    mood: str


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store with the answers of one judge to several metrics."""
    old = ScriptedJudge(says(5, "yes"), name="old", kept=True)
    odd = ScriptedJudge({"mood": "fine"}, name="old", kept=True)
    with active_session(store=tmp_path / "store"):
        for metric in ("groundedness", "fluency", "relevance_to_query"):
            evaluate(CASE, metric, judge=old)
        ask_judge("How is it? {{ text }}", Mood, judge=odd, text="well")
    return Store(tmp_path / "store")


def judged(store: Store, judge: BaseJudge, **thresholds: Threshold) -> dict[str, Rejudged]:
    """What ``judge`` says now to what ``store`` keeps, by task."""
    kept = rejudgeable(entries_of(store), judge).kept
    engine = Engine(store, "auto", 5, lambda notice: None)
    done = [*rejudge(kept, judge, engine, Metrics(), thresholds)]
    engine.close()
    return {each.kept.question.task: each for each in done}


def test_a_score_flips_across_its_pass_mark_and_a_word_when_it_changes(store: Store) -> None:
    harsh = judged(store, ScriptedJudge(says(4, "no"), name="harsh", kept=True))
    flips = {task: (each.before, each.after, each.flipped) for task, each in harsh.items()}
    assert flips == {
        "groundedness": ("pass", "pass", False),
        "fluency": ("pass", "pass", False),
        "relevance_to_query": ("yes", "no", True),
    }
    assert harsh["groundedness"].values == ("5", "4")
    assert harsh["relevance_to_query"].reasons == ("5 yes", "4 no")
    harsher = ScriptedJudge(says(4, "no"), name="harsher", kept=True)
    strict = judged(store, harsher, fluency=Threshold("at_least", 5))
    assert strict["fluency"].after == "fail"
    marks = {task: each.mark for task, each in strict.items()}
    assert marks == {"groundedness": "4", "fluency": "5", "relevance_to_query": None}


def test_what_the_new_judge_said_is_kept_under_the_key_that_a_run_looks_for(store: Store) -> None:
    judged(store, ScriptedJudge(says(2, "no"), name="new", kept=True))
    silent = ScriptedJudge(JudgeRefused("asked again"), name="new", kept=True)
    with active_session(store=store.folder):
        result = evaluate(CASE, "groundedness", judge=silent)
    assert (result.score, result.usage.stored) == (2, 1)


def test_what_cannot_go_to_another_judge_is_left_out_and_said(store: Store) -> None:
    new = ScriptedJudge(says(5, "yes"), name="new", kept=True)
    found = rejudgeable(entries_of(store), new)
    assert found.left_out == {"questions whose form no metric here asks for": 1}
    own = rejudgeable(entries_of(store), ScriptedJudge({}, name="old", kept=True))
    assert own.left_out == {"answers of this judge itself": 4}
    key, entry = next(iter(store))
    spoilt = [(key, {**entry, "said": "well"}, ())] * 2
    assert sum(rejudgeable(spoilt, new).left_out.values()) == 2
    for judge in (LexicalJudge(), Judge("ollama_chat/bespoke-minicheck"), ScriptedJudge({})):
        with pytest.raises(UsageError, match="is no LLM that answers any question"):
            rejudgeable([], judge)


def test_a_question_without_a_verdict_now_is_told_and_does_not_flip(store: Store) -> None:
    refusing = ScriptedJudge(JudgeRefused("no"), name="refusing", kept=True)
    done = judged(store, refusing)
    assert {each.error for each in done.values()} == {"no"}
    assert not any(each.flipped for each in done.values())


def test_of_a_judge_that_fails_half_the_time_what_it_said_is_kept_and_the_rest_is_asked(
    store: Store,
) -> None:
    asked: list[str] = []

    def says_half(question: Question[Any]) -> Any:
        asked.append(question.task)
        failing = len(asked) % 2 == 0
        return JudgeRefused("not now") if failing else says(5, "yes")(question)

    done = judged(store, ScriptedJudge(says_half, name="half", kept=True))
    assert sorted(each.error or "" for each in done.values()) == ["", "", "not now"]
    asked.clear()
    again = judged(store, ScriptedJudge(says_half, name="half", kept=True))
    assert [task for task, each in done.items() if each.error] == asked
    assert not any(each.error for each in again.values())


def test_committed_questions_come_with_their_tests_and_redacted_ones_not_at_all(
    store: Store, tmp_path: Path
) -> None:
    lines = [
        VerdictLine(key, entry, (f"test_{entry['task']}",), entry["task"] == "fluency")
        for key, entry in store
    ]
    text = "".join(f"{line.text()}\n" for line in lines)
    for name in ("test_a.py", "test_b.py"):
        (tmp_path / f"{name}.verdicts.jsonl").write_text(text)
    new = ScriptedJudge(says(5, "yes"), name="new", kept=True)
    found = rejudgeable(entries_in(Verdicts(tmp_path)), new)
    tests = {each.question.task: each.tests for each in found.kept}
    assert tests == {
        name: (f"test_a.py::test_{name}", f"test_b.py::test_{name}")
        for name in ("groundedness", "relevance_to_query")
    }


def test_the_command_says_how_many_it_asks_and_lists_what_flips(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.close()
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    with LoopbackJudge("openai") as server:
        server.values = {"score": 2, "reason": "so so", "verdict": "yes"}
        command = ["rejudge", "--model=openai/new", f"--base-url={server.url}", "--store=store"]
        declined = CliRunner().invoke(main, command, input="n\n")
        assert declined.exit_code == 1
        assert server.bodies == []
        assert "0 answered already, 3 to ask: fluency 1, groundedness 1" in declined.stderr
        first = CliRunner().invoke(main, [*command, "--yes", "--limit=1", "--task=groundedness"])
        assert first.exit_code == 0, first.output
        assert "groundedness  pass → fail" in first.stdout
        assert f"  now 2 by openai/new at {server.url}: so so" in first.stdout
        assert len(server.bodies) == 1
        again = CliRunner().invoke(main, [*command, "--yes"])
        assert "1 answered already, 2 to ask" in again.stderr
        assert "relevance_to_query: 0 of 1 verdicts flip\n" in again.stdout
        at = "verdicts flip at 4; marks of single tests are not known here\n"
        assert f"groundedness: 1 of 1 {at}" in first.stdout
        assert len(server.bodies) == 3
    empty = CliRunner().invoke(main, [*command, "--verdicts=empty"])
    assert (empty.exit_code, empty.stderr.count("\n")) == (1, 1)
    assert "no verdict is kept in" in empty.stderr
    (tmp_path / "kept").mkdir()
    lines = [VerdictLine(key, entry, redacted=True).text() for key, entry in store]
    (tmp_path / "kept" / "test_a.py.verdicts.jsonl").write_text("\n".join(lines))
    redacted = CliRunner().invoke(main, [*command, "--verdicts=kept"])
    assert (redacted.exit_code, redacted.stdout) == (0, "")
    assert "left out: 7 × redacted questions\n0 questions for openai/new" in redacted.stderr
    nothing = CliRunner().invoke(main, [*command, "--task=none"])
    assert "no question of none is kept" in nothing.stderr


def test_flips_stand_by_metric_and_both_judges_are_named_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    metrics = ("relevance", "coherence", "groundedness", "fluency")
    with LoopbackJudge("openai") as server:
        server.values = {"score": 5, "reason": "fine"}
        with active_session(store=tmp_path / "store"):
            for metric in metrics * 2:
                case = Case(query="q", response=f"one {metric}", context=["one"])
                old = Judge("openai/old", base_url=server.url, key_env="OPENAI_API_KEY")
                assert evaluate(case, metric, judge=old).score == 5
        server.values = {"score": 2, "reason": "so so"}
        command = ["rejudge", "--model=openai/new", f"--base-url={server.url}", "--yes"]
        done = CliRunner().invoke(main, [*command, "--key-env=OPENAI_API_KEY", "--store=store"])
        lines = done.stdout.splitlines()
        assert lines[:3] == [
            "coherence  pass → fail",
            f"  was 5 by openai/old at {server.url}: fine",
            f"  now 2 by openai/new at {server.url}: so so",
        ]
        assert [line.split()[0] for line in lines[:12:3]] == sorted(metrics)


def test_flips_are_listed_worst_first_and_a_test_is_named_by_its_file_where_names_meet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "kept").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    with active_session(store=tmp_path / "store"):
        for score in (1, 4, 5):
            old = ScriptedJudge(says(score, "yes"), name="old", kept=True)
            evaluate(Case(query="q", response=f"scored {score}"), "relevance", judge=old)
    entries = {json.loads(e["said"])["score"]: (key, e) for key, e in Store(Path("store"))}
    tests = {"a": {5: ["test_one"], 4: ["test_two"]}, "b": {5: ["test_one"], 1: ["test_b"]}}
    for name, asked in tests.items():
        lines = [VerdictLine(*entries[score], tuple(told)) for score, told in asked.items()]
        text = "".join(f"{line.text()}\n" for line in lines)
        (tmp_path / f"kept/test_{name}.py.verdicts.jsonl").write_text(text)
    command = ["rejudge", "--model=openai/new", "--yes", "--store=store", "--verdicts=kept"]
    command.append("--threshold=relevance=3")
    for said, flips in (
        (2, ["pass → fail   test_a.py::test_one, test_b.py::test_one", "pass → fail   test_two"]),
        (5, ["fail → pass   test_b"]),
    ):
        with LoopbackJudge("openai") as server:
            server.values = {"score": said, "reason": "so so"}
            done = CliRunner().invoke(main, [*command, f"--base-url={server.url}"])
        told = [line for line in done.stdout.splitlines() if "→" in line]
        assert told == [f"relevance  {flip}" for flip in flips], done.output
