"""Metrics in Markdown files, and rubrics replaced or extended: what is read, what is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from active_session import active_session

from pytest_llmeval import Case, Level, Outcome, Result, Rubric, RubricExtension, evaluate
from pytest_llmeval.additions import Addition
from pytest_llmeval.commands.show_prompt import SAMPLE
from pytest_llmeval.errors import MetricRefused, UsageError
from pytest_llmeval.extended import metrics_of, rubrics_in
from pytest_llmeval.judges.choice import JudgeChoice
from pytest_llmeval.metrics import CATALOGUE, built_in_rubrics
from pytest_llmeval.option import NamedFile
from pytest_llmeval.reports.run_made import shown_settings
from pytest_llmeval.settings import Settings
from pytest_llmeval.testing import ScriptedJudge

TONE = """\
+++
name = "tone"
scale = "1-5"
needs = ["response"]
at_least = 3
[levels]
1 = "rude"
5 = "warm"
+++
Is it kind?

{{ response }}
"""
GROUNDED = "Do they bear it out?\n{{ context }}\n{{ response }}\n{{ levels }}\n"
GRADE = {"ungrounded": [], "reason": "r", "score": 5}


run = partial(active_session, mode="off")


@pytest.fixture
def file(tmp_path: Path) -> Callable[..., Path]:
    def written(text: str, name: str = "tone.md") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return written


def asked(metric: str, reply: Any = GRADE) -> tuple[str, Result]:
    judge = ScriptedJudge(reply)
    result = evaluate(SAMPLE, metric, judge=judge)
    return judge.messages[0][1][1], result


def test_a_metric_is_read_from_a_file_by_someone_who_writes_no_python(
    file: Callable[..., Path],
) -> None:
    path = file("\ufeff" + TONE.replace("\n", "\r\n"))
    with run(metrics=(path,)):
        text, result = asked("tone", {"reason": "r", "score": 3})
    assert result.outcome is Outcome.PASSED
    assert result.threshold is not None
    assert result.threshold.value == 3
    assert "1: rude\n5: warm" in text


def test_a_scale_of_words_and_a_metric_on_documents_are_read(file: Callable[..., Path]) -> None:
    words = file(
        '+++\nname = "mood"\nat_least = "glad"\nscale = { sad = 0, glad = 1 }\n'
        'levels = { sad = "It weeps." }\n+++\n{{ response }}\n',
        "mood.md",
    )
    useful = file(
        '+++\nname = "useful"\nscale = "yes_no"\nper_document = true\n+++\n{{ context }}\n',
        "useful.md",
    )
    yes = {"reason": "r", "verdict": "yes"}
    with run(metrics=(words, useful)):
        assert asked("mood", {"reason": "r", "verdict": "sad"})[1].outcome is Outcome.FAILED
        assert [part.name for part in asked("useful", yes)[1].parts] == ["warranty", "tent"]


def test_levels_of_a_fraction_are_read_as_numbers(file: Callable[..., Path]) -> None:
    text = (
        '+++\nname = "share"\nscale = "0-1"\n[levels]\n0 = "none"\n"0.5" = "half"\n+++\n'
        "{{ response }}\n"
    )
    with run(metrics=(file(text),)):
        shown, result = asked("share", {"reason": "r", "score": 0.5})
    assert "0: none\n0.5: half\n" in shown
    assert result.outcome is Outcome.MEASURED
    with pytest.raises(UsageError, match=r"tone\.md:4: levels: 'good' is not on the scale 0-1"):
        metrics_of(Settings(metrics=(file(text.replace('"0.5"', "good")),)))


def test_a_pattern_names_files_and_one_named_twice_is_read_once(
    file: Callable[..., Path], tmp_path: Path
) -> None:
    path = file(TONE)
    file(TONE.replace('"tone"', '"mood"'), "mood.md")
    assert {"tone", "mood"} < {*metrics_of(Settings(metrics=(tmp_path / "*.md", path)))}
    tmp_path.joinpath("sub").mkdir()
    tmp_path.joinpath("linked").symlink_to(tmp_path)
    for spelt in ("sub/../tone.md", "linked/tone.md"):
        assert "tone" in metrics_of(Settings(metrics=(path, tmp_path / spelt)))


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("Is it kind?\n", 1, "expected +++ in the first line"),
        ("---\nname: tone\n---\n", 1, "expected +++ in the first line"),
        ("", 1, "expected +++ in the first line"),
        ('+++\nname = "a"\n', 3, "the front matter is not ended"),
        (TONE.replace('"1-5"', "1-5"), 3, "the front matter is no TOML"),
        (TONE.replace("scale =", "scole ="), 3, "a metric has no 'scole': did you mean 'scale'?"),
        (TONE.replace("needs", "prompt"), 4, "a metric has no 'prompt'"),
        (TONE.replace('scale = "1-5"\n', ""), 1, "the front matter needs scale"),
        (TONE.replace('"tone"', '"my tone"'), 2, "name is an identifier"),
        (TONE.replace('"tone"', '"relevance"'), 2, "is a built-in metric"),
        (TONE.replace('"1-5"', '"1-6"'), 3, "scale is one of"),
        (TONE.replace('"response"', '"anwser"'), 4, "a case has no field 'anwser'"),
        (TONE.replace("at_least = 3", "at_least = 9"), 5, "at_least=9 is off the scale"),
        (TONE.replace('5 = "warm"', '6 = "warm"'), 6, "6 is not on the scale 1-5"),
        (TONE.replace("{{ response }}", "{{ respnse }}"), 12, "there is no {{ respnse }}"),
        (TONE.replace("{{ response }}", "{{ response"), 12, "prompt: template, line 3"),
        (
            TONE.replace('"1-5"', f"{{ a = 1{'0' * 400}, b = 1 }}"),
            3,
            "the score of 'a' is a number",
        ),
        (TONE.replace('"1-5"', "1" * 5000), 1, "the front matter is no TOML"),
        (TONE.replace('"response"', f"{'[' * 3000}{']' * 3000}"), 1, "the front matter is no TOML"),
        (TONE.replace('"response"', f"{'[' * 150}{']' * 150}"), 4, "needs: a case has no field"),
        (TONE.replace("1 = ", f"{'1' * 5000} = "), 6, "levels: inf is not on the scale"),
        (TONE.replace("1 = ", "1.5 = "), 6, 'quote a number with a point, as "1.5" = …'),
        (TONE.replace('"rude"', '" "'), 6, "levels: expected a text for 1; got ' '"),
        (TONE.replace('"rude"', "1"), 6, "levels: expected a text for 1; got 1"),
        (TONE.replace("{{ response }}", ""), 10, "shows nothing of the case"),
    ],
)
def test_a_file_that_is_no_metric_is_refused_with_its_line(
    file: Callable[..., Path], text: str, line: int, told: str
) -> None:
    path = file(text)
    with pytest.raises(UsageError) as caught:
        metrics_of(Settings(metrics=(path,)))
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert told in str(caught.value)


def test_a_file_that_is_not_there_or_not_text_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\*\.md: there is no such file of metrics"):
        metrics_of(Settings(metrics=(tmp_path / "none*.md",)))
    tmp_path.joinpath("tone.md").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match=r"tone\.md: cannot be read"):
        metrics_of(Settings(metrics=(tmp_path / "tone.md",)))


def test_a_name_that_is_taken_is_refused_with_both_files(file: Callable[..., Path]) -> None:
    files = (file(TONE), file(TONE, "other.md"))
    with pytest.raises(UsageError) as caught:
        metrics_of(Settings(metrics=files))
    assert str(caught.value) == (
        f"the metric 'tone' is declared twice: in {files[0]} and in {files[1]}"
    )


def test_a_relative_path_is_relative_to_where_it_was_set() -> None:
    settings = Settings.read(
        command_line=lambda option: ["c.md"] if option.name == "metrics" else None,
        environment={"LLM_EVAL_RUBRIC": "relevance = r.md"},
        ini=lambda option: {"metrics": ["m/*.md"], "rubric": ["a+x/e.md"]}.get(option.name),
        here=Path("/here"),
        ini_folder=Path("/root"),
    )
    assert settings.metrics == (Path("/root/m/*.md"), Path("/here/c.md"))
    assert settings.rubric == (
        NamedFile("a", "+", Path("/root/x/e.md")),
        NamedFile("relevance", "=", Path("/here/r.md")),
    )
    for entry in ("groundedness", "= a.md", "groundedness ="):
        with pytest.raises(UsageError, match=r"LLM_EVAL_RUBRIC: expected NAME = FILE or NAME \+"):
            Settings.read(environment={"LLM_EVAL_RUBRIC": entry})


def test_the_run_file_tells_of_such_files_by_paths_below_the_root() -> None:
    settings = Settings(
        metrics=(Path("/root/m/*.md"),), rubric=(NamedFile("a", "+", Path("/root/x/e.md")),)
    )
    told = shown_settings(settings, JudgeChoice(settings), Path("/root"))
    assert (told["metrics"], told["rubric"]) == (["m/*.md"], ["a + x/e.md"])


def test_a_rubric_is_replaced_and_keeps_the_levels_that_ship(file: Callable[..., Path]) -> None:
    path = file(GROUNDED)
    with run(rubric=(NamedFile("groundedness", "=", path),)):
        text, result = asked("groundedness")
        others = asked("relevance", {"reason": "r", "score": 5})[1]
    assert text.startswith("Do they bear it out?\n<document-")
    levels = built_in_rubrics()["groundedness"].levels
    assert all(level.anchor in text and level.example in text for level in levels)
    assert result.passed
    assert result.prompts[0].startswith("groundedness+@")
    assert others.prompts[0].startswith("relevance@")


def test_a_replacement_may_bring_levels_of_its_own(file: Callable[..., Path]) -> None:
    front = "+++\n[levels]\n" + "".join(f'{n} = "level {n}"\n' for n in range(1, 6)) + "+++\n"
    with run(rubric=(NamedFile("groundedness", "=", file(front + GROUNDED)),)):
        assert "\n1: level 1\n2: level 2\n" in asked("groundedness")[0]


def test_extensions_stand_as_they_are_written_between_rubric_and_form(
    file: Callable[..., Path],
) -> None:
    path = file("A {{ tent }} of 2P sleeps two.\n")
    given = Addition("conftest.py", rubrics=(RubricExtension("groundedness", "Be just."),))
    with run(given, rubric=(NamedFile("groundedness", "+", path),)):
        text, result = asked("groundedness")
    start = text.index("Be just.\n\nA {{ tent }} of 2P sleeps two.\n\nReply with one JSON object")
    assert text.index("5: Every claim") < start
    assert result.prompts[0].startswith("groundedness+@")


def test_the_identity_of_a_prompt_changes_with_anything_that_it_says() -> None:
    rubric = Rubric("a", "{{ query }}", (Level(1, "x", "y"),))
    changed = [
        rubric,
        Rubric("a", "{{ query }}!", rubric.levels),
        Rubric("a", rubric.text, (Level(1, "x", "z"),)),
        Rubric("a", rubric.text, rubric.levels, "more"),
        Rubric("a", rubric.text, rubric.levels, built_in=False),
    ]
    assert len({each.identity for each in changed}) == len(changed)
    assert rubric.identity == Rubric("a", "{{ query }}", (Level(1, "x", "y"),)).identity


@pytest.mark.parametrize(
    ("rubric", "told"),
    [
        (Rubric("groundednes", GROUNDED), "no rubric 'groundednes': did you mean 'groundedness'?"),
        (RubricExtension("x", "more"), "there is no rubric 'x'; there are "),
        (RubricExtension("groundedness", " "), "a rubric is text; got ' '"),
        (Rubric("groundedness", "{{ response }}{{ levels }}"), "has to show {{ context }}"),
        (Rubric("groundedness", "{{ response }}{{ context }}"), "has to show {{ levels }}"),
        (Rubric("groundedness", GROUNDED + "{{ doc }}"), "there is no {{ doc }} for it"),
        (Rubric("groundedness", GROUNDED + "{{ doc"), "template, line "),
        (Rubric("groundedness", GROUNDED, (Level(1, "a"),)), "are 1, 2, 3, 4, 5, in this order"),
        (
            Rubric("correctness", "{{ query }}{{ response }}{{ levels }}"),
            "has to show {{ expected_facts }} or {{ ground_truth }}",
        ),
        (
            Rubric("guideline_adherence", "{{ query }}{{ response }}{{ levels }}"),
            "has to show {{ guidelines }}",
        ),
        ("text", "expected a Rubric or a RubricExtension; got str"),
    ],
)
def test_a_rubric_that_cannot_be_is_refused_and_says_what_it_has_to_hold(
    rubric: Any, told: str
) -> None:
    with pytest.raises(UsageError) as caught:
        rubrics_in(Settings(), [Addition("my_plugin", rubrics=(rubric,))])
    assert told in str(caught.value)
    assert str(caught.value).startswith("my_plugin: ")


def test_two_plugins_may_not_replace_one_rubric_and_the_settings_win(
    file: Callable[..., Path],
) -> None:
    first, second = (
        Addition(name, rubrics=(Rubric("groundedness", f"{name}\n{GROUNDED}"),)) for name in "ab"
    )
    with pytest.raises(UsageError, match="'groundedness' is replaced twice: by a and by b"):
        rubrics_in(Settings(), [first, second])
    with run(first, rubric=(NamedFile("groundedness", "=", file(GROUNDED)),)):
        assert asked("groundedness")[0].startswith("Do they bear it out?")


def test_only_levels_stand_before_a_rubric_in_its_file(file: Callable[..., Path]) -> None:
    path = file('+++\nname = "groundedness"\n+++\n' + GROUNDED)
    with pytest.raises(
        UsageError, match=r"tone\.md:2: .* holds levels and nothing else; got 'name'"
    ):
        rubrics_in(Settings(rubric=(NamedFile("groundedness", "=", path),)))


def test_the_lexical_judge_refuses_a_prompt_that_is_changed() -> None:
    domain = Addition("p", rubrics=(RubricExtension("groundedness", "2P: for two."),))
    with run(domain):
        error = evaluate(SAMPLE, "groundedness", judge="lexical").error
        assert isinstance(error, MetricRefused)
        assert re.match(r"groundedness: its prompt is changed \(groundedness\+@", str(error))
        assert "--llm-eval-model" in str(error)
        assert evaluate(SAMPLE, "groundedness", scale="yes_no", judge="lexical").error is None


@pytest.mark.parametrize("form", ["a", "b", "c"])
def test_what_is_said_after_relevance_is_said_in_all_its_forms(form: str) -> None:
    changes = (
        RubricExtension("relevance", "2P: for two."),
        RubricExtension("relevance/reference", "Be brief."),
    )
    judge = ScriptedJudge(
        lambda question: {
            "reason": "r",
            "bearing": "yes",
            "answer": "a",
            "score": 5,
            "contradicts": "no",
            "consistent": "yes",
        }
    )
    with run(Addition("p", rubrics=changes)):
        assert evaluate(SAMPLE, "relevance", form=form, judge=judge).score == 5
    assert len(judge.messages) == (2 if form == "b" else 1)
    for messages, question in zip(judge.messages, judge.questions, strict=True):
        more = "\n\nBe brief." * (question.task == "relevance/reference")
        assert f"\n\n2P: for two.{more}\n\nReply with" in messages[1][1]


def test_the_rubrics_of_relevance_in_conversations_can_be_replaced() -> None:
    text = "Write it.\n{{ query }}{{ context }}{{ levels }}"
    judge = ScriptedJudge({"reason": "r", "bearing": "no", "answer": ""})
    with run(Addition("p", rubrics=(Rubric("relevance/reference", text),))):
        assert evaluate(SAMPLE, "relevance", form="b", judge=judge).score == 5
    assert judge.messages[0][1][1].startswith("Write it.")


def every_task(metric: str, case: Case = SAMPLE) -> set[str]:
    judge = ScriptedJudge(Exception("asked"))
    with run():
        evaluate(case, metric, judge=judge)
    return {question.rubric.partition("@")[0] for question in judge.questions}


@pytest.mark.parametrize("metric", [each for each in CATALOGUE if CATALOGUE[each].judged])
def test_every_question_of_a_built_in_metric_has_a_rubric_that_can_be_replaced(
    metric: str,
) -> None:
    tasks = every_task(metric)
    assert tasks
    assert tasks <= built_in_rubrics().keys()


@pytest.mark.parametrize("name", [*built_in_rubrics()])
def test_every_built_in_rubric_would_be_allowed_in_its_own_place(name: str) -> None:
    rubric = built_in_rubrics()[name]
    again = Rubric(name, rubric.text, rubric.levels)
    rubrics = rubrics_in(Settings(), [Addition("p", rubrics=(again,))])
    assert rubrics.of(rubric).text == rubric.text.strip()
