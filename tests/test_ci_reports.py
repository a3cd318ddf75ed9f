"""What CI is shown: the step summary, annotations, JUnit properties, and nothing unless asked."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmeval import load_run
from pytest_llmeval.cli import main
from pytest_llmeval.reports.annotations import SHOWN, Annotation, commands, in_workspace
from pytest_llmeval.reports.markdown import COMMENT, MARKER, STEP_SUMMARY, markdown

SUITE = """
import pytest
from pytest_llmeval import Case, assert_grounded, assert_quality, evaluate
from pytest_llmeval.errors import JudgeUnavailable
from pytest_llmeval.testing import ScriptedJudge
from suite_judge import saying

pytestmark = pytest.mark.llm_eval
AWAY = ScriptedJudge(JudgeUnavailable("away"))

def rated(score, reason="why: 50 %, <b>&\\x07"):
    said = {"reason": reason, "score": score, "ungrounded": []}
    return ScriptedJudge(said)

def check(score):
    assert_grounded(f"a {score}", context=["a"], judge=rated(score))  # line 16

def test_low():
    check(2)

@pytest.mark.xfail
def test_hoped():
    check(1)

@pytest.mark.xfail
def test_hoped_without_a_verdict():
    assert_grounded("a", context=["a"], judge=AWAY)  # line 27

def test_twice():
    assert evaluate(Case(response="b", context=["a"]), "groundedness", judge=rated(3)).score == 3
    assert_grounded("b", context=["a"], judge=rated(5))

def test_suite(request):
    request.node.user_properties.append(("own", 1))
    case = Case(id="c", query="q", response="r", context=["d"], ground_truth="r")
    assert_quality(case, judge=saying(safety="no"))  # line 36

@pytest.fixture
def checked():
    assert_grounded("a", context=["a"], judge=AWAY)  # line 40

def test_fixture(checked): pass

def test_other(): assert 1 == 2

scores = iter([1, 5])

@pytest.mark.flaky(reruns=1)
def test_again():
    assert_grounded("a", context=["a"], judge=rated(next(scores)))
"""
COMMANDS = [
    ("error", 16, "test_low", "groundedness 2 is below 4   (scripted)%0A  reason   why: 50 %25,"),
    (
        "error",
        36,
        "test_suite",
        "quality (databricks) failed: 1 of 4 metrics; root cause safety%0A",
    ),
    ("warning", 27, "test_hoped_without_a_verdict", "JudgeUnavailable: away"),
    ("warning", 40, "test_fixture", "JudgeUnavailable: away"),
]


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    pytester.mkdir("sub")
    (pytester.path / "sub" / "test_suite.py").write_text(SUITE, encoding="utf-8")
    monkeypatch.setenv("LLM_EVAL_MODE", "off")
    return pytester


@pytest.fixture
def step(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The step summary of a job whose workspace is the test's folder."""
    path = pytester.path / "step.md"
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(pytester.path))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(path))
    return path


def annotated(lines: list[str]) -> list[tuple[str, int, str, str]]:
    found = [
        re.fullmatch(r"::(\w+) file=sub/test_suite.py,line=(\d+),title=([^:]*)::(.*)", line)
        for line in lines
        if line.startswith("::")
    ]
    assert None not in found
    return sorted((each[1], int(each[2]), each[3], each[4]) for each in found if each)


@pytest.mark.parametrize(
    "options",
    [
        ["--tb=native"],
        ["-q", "--tb=no", "--no-summary"],
        ["-p", "no:terminal"],
        ["--llm-eval-deferred", "--junit-xml=junit.xml"],
        [
            *("-n1", "-q", "--llm-eval-markdown=page.md", "--llm-eval-report=run.json"),
            *("--junit-xml=junit.xml", "-ojunit_family=xunit2"),
        ],
    ],
    ids=" ".join,
)
def test_github_is_shown_the_lines_that_failed_and_a_summary(
    suite: pytest.Pytester, step: Path, options: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    step.write_text("# Of another tool\n", encoding="utf-8")
    result = suite.runpytest("--llm-eval", *options)
    assert result.ret == 1
    found = annotated(result.outlines)
    assert [each[:3] for each in found] == [each[:3] for each in COMMANDS]
    for (*_, message), (*_, begins) in zip(found, COMMANDS, strict=True):
        assert message.startswith(begins)
    assert all(line.startswith("::") for line in result.outlines[-len(COMMANDS) :])
    other, summary = step.read_text(encoding="utf-8").split(f"\n{MARKER}\n")
    assert other == "# Of another tool\n"
    counted = (
        "11 checks: 5 passed, 2 failed, 1 failed without failing a test, 2 without a verdict, "
        "1 in xfailed tests. 1 test failed by something else than a check: "
        "`sub/test_suite.py::test_other`.\n"
    )
    assert counted in summary  # what was run again counts once
    assert "`sub/test_suite.py::test_low`" in summary
    if "--junit-xml=junit.xml" in options:
        holds_what_was_checked(suite.path / "junit.xml")
    if "-n1" in options:
        page = suite.path.joinpath("page.md").read_text(encoding="utf-8")
        assert page == f"{MARKER}\n{summary}" == markdown(load_run(suite.path / "run.json"))


@pytest.mark.parametrize(
    ("setting", "summary", "lines"),
    [("off", False, False), ("summary", True, False), ("annotations", False, True)],
)
def test_what_github_is_shown_can_be_switched_off(
    suite: pytest.Pytester, step: Path, setting: str, summary: bool, lines: bool
) -> None:
    result = suite.runpytest("--llm-eval", f"--llm-eval-github={setting}", "-k", "low")
    assert step.exists() is summary
    assert bool(annotated(result.outlines)) is lines


def test_what_another_plugin_annotates_is_not_annotated_twice(
    suite: pytest.Pytester, step: Path
) -> None:
    suite.makeconftest(
        "def pytest_configure(config): config.pluginmanager.register(object(), 'annotate_errors')"
    )
    result = suite.runpytest("--llm-eval")
    assert [each[2] for each in annotated(result.outlines)] == ["test_fixture"]


def test_nothing_is_written_or_printed_without_being_asked_for(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, step: Path
) -> None:
    suite.runpytest("-p", "no:cacheprovider").assert_outcomes(skipped=8)
    assert not step.exists()
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name)
    result = suite.runpytest("--llm-eval", "-p", "no:cacheprovider")
    assert not annotated(result.outlines)
    written = {path.name for path in suite.path.rglob("*") if "__pycache__" not in path.parts}
    assert written == {"sub", "test_suite.py"}


def test_a_step_summary_that_cannot_be_written_costs_a_notice_alone(
    suite: pytest.Pytester, step: Path
) -> None:
    step.write_bytes(b"x" * (STEP_SUMMARY.size - 100))
    result = suite.runpytest("--llm-eval", "-k", "again")
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        ["the step summary */step.md could not be written: it holds nearly as much as GitHub *"]
    )
    assert step.stat().st_size == STEP_SUMMARY.size - 100


def test_what_other_parts_decide_at_the_end_is_in_the_summary(suite: pytest.Pytester) -> None:
    suite.makeconftest(
        """
        def pytest_sessionfinish(session): session.exitstatus = 1
        """
    )
    assert suite.runpytest("--llm-eval", "--llm-eval-markdown=page.md", "-k", "again").ret == 1
    page = suite.path.joinpath("page.md").read_text(encoding="utf-8")
    assert page.startswith(f"{MARKER}\n## LLM evals: failed\n")


def test_the_commands_write_the_page_that_the_run_does(suite: pytest.Pytester) -> None:
    baseline = "--llm-eval-baseline=base.json"
    suite.runpytest("--llm-eval", baseline, "--llm-eval-update-baseline")
    written = ("--llm-eval-report=run.json", "--llm-eval-markdown=page.md")
    ran = suite.runpytest("--llm-eval", baseline, *written)
    ran.stdout.fnmatch_lines([f"-* llm eval wrote {suite.path}?run.json, {suite.path}?page.md -*"])
    page = suite.path.joinpath("page.md").read_bytes()
    assert b"### Baseline" in page
    done = CliRunner().invoke(main, ["markdown", "run.json"])
    assert (done.exit_code, done.stdout_bytes) == (0, page)
    done = CliRunner().invoke(main, ["markdown", "run.json", "--output", "again.md"])
    assert suite.path.joinpath("again.md").read_bytes() == page
    merging = ["merge", "run.json", "--output", "merged.json", "--markdown", "merged.md"]
    assert CliRunner().invoke(main, merging).exit_code == 1
    assert suite.path.joinpath("merged.md").read_bytes() == page
    assert COMMENT.of(page.decode()) < COMMENT.size
    done = CliRunner().invoke(main, ["markdown", "run.json", "--output", "sub"])
    assert done.exit_code == 1
    assert done.output.startswith("Error: ")


def unescaped(text: str) -> str:
    for code, character in (("%2C", ","), ("%3A", ":"), ("%0A", "\n"), ("%0D", "\r")):
        text = text.replace(code, character)
    return text.replace("%25", "%")


_TEXT = st.text(st.sampled_from("%0AD25,:;\n\r=é x"), max_size=12)


@given(file=_TEXT, title=_TEXT, message=_TEXT)
def test_an_annotation_is_one_line_that_reads_as_it_was_meant(
    file: str, title: str, message: str
) -> None:
    command = Annotation("error", file, 3, title, message).command
    assert not re.search(r"[\r\n]", command)
    found = re.fullmatch(r"::error file=([^,:]*),line=3,title=([^,:]*)::(.*)", command)
    assert found is not None
    assert [unescaped(each) for each in found.groups()] == [file, title, message]


def test_no_more_are_annotated_than_are_shown_and_the_rest_is_counted(tmp_path: Path) -> None:
    every = [Annotation("error", "a", n, "", "x" * 9000) for n in range(SHOWN + 3)]
    every += [Annotation("warning", "a", n, "", "") for n in range(SHOWN)]
    made = [*commands(every)]
    assert made[SHOWN] == "llm eval: 3 more failed; GitHub shows 10 of each"
    assert len(made) == 2 * SHOWN + 1
    assert len(made[0]) < 5000


def test_what_is_said_at_one_line_is_one_annotation() -> None:
    def said(title: str, brief: str, line: int = 1) -> Annotation:
        return Annotation("error", "a", line, title, f"{brief}\n  query {title}", brief)

    many = [said("t[0]", "low: no"), *(said(f"t[{n}]", "low: no") for n in range(1, 6))]
    made = [*commands([*many, said("u", "high", 2), said("t[6]", "odd")])]
    others = "t[1], t[2], t[3], 2 more: the same%0At[6]: odd"
    assert made == [
        f"::error file=a,line=1,title=t[0] and 6 more::low: no%0A  query t[0]%0A%0A{others}",
        "::error file=a,line=2,title=u::high%0A  query u",
    ]
    lines = [said(f"t[{n}]", f"{n % 4}", n // 4) for n in range(4 * (SHOWN + 2))]
    *shown, last = commands(lines)
    assert len(shown) == SHOWN
    assert last == "llm eval: 8 more failed; GitHub shows 10 of each"


def test_files_are_told_as_the_workspace_has_them(tmp_path: Path) -> None:
    inside = str(tmp_path / "sub" / "test_a.py")
    assert in_workspace(inside, tmp_path, str(tmp_path)) == "sub/test_a.py"
    assert in_workspace("test_a.py", tmp_path / "sub", str(tmp_path)) == "sub/test_a.py"
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "sub", target_is_directory=True)
    assert in_workspace("test_a.py", link, str(tmp_path)) == "sub/test_a.py"
    assert in_workspace(inside, tmp_path, None) == Path(inside).as_posix()
    assert in_workspace(inside, tmp_path, str(tmp_path / "other")) == Path(inside).as_posix()


def test_junit_holds_scores_outcomes_and_reasons_of_each_test(suite: pytest.Pytester) -> None:
    suite.runpytest("--llm-eval", "--junit-xml=junit.xml", "-o", "junit_family=xunit1")
    holds_what_was_checked(suite.path / "junit.xml")


def is_as_readers_of_junit_know_it(path: Path) -> None:
    """The elements and attributes of xunit2, as Jenkins takes them, with counts that agree."""
    (suite,) = ET.parse(path).getroot()
    cases = [*suite]
    assert {case.tag for case in cases} == {"testcase"}
    inner = {"properties", "skipped", "error", "failure", "system-out", "system-err"}
    for case in cases:
        tags = [each.tag for each in case]
        assert {*tags} <= inner
        assert len({*tags}) == len(tags)
        assert {"classname", "name", "time"} <= case.attrib.keys()
        for each in case:
            if each.tag in ("error", "failure"):
                assert each.attrib["message"]
                assert each.text
    for tag, count in (("error", "errors"), ("failure", "failures"), ("skipped", "skipped")):
        assert len([*suite.iter(tag)]) == int(suite.attrib[count])
    named = {(case.attrib["classname"], case.attrib["name"]) for case in cases}
    assert len(named) == int(suite.attrib["tests"])  # one that is run again stands there twice


def holds_what_was_checked(path: Path) -> None:
    is_as_readers_of_junit_know_it(path)
    tests = {
        case.attrib["name"]: [(p.attrib["name"], p.attrib["value"]) for p in case.iter("property")]
        for case in ET.parse(path).iter("testcase")
    }
    reason = "why: 50 %, <b>&\\x07"
    rated = "llm_eval.groundedness"
    assert tests["test_low"] == [
        (rated, "2"),
        (f"{rated}.outcome", "failed"),
        (f"{rated}.reason", reason),
    ]
    assert tests["test_twice"] == [
        (rated, "3"),
        (f"{rated}.outcome", "failed"),
        (f"{rated}.reason", reason),
        (f"{rated}#2", "5"),
        (f"{rated}#2.outcome", "passed"),
        (f"{rated}#2.reason", reason),
    ]
    assert tests["test_fixture"] == [(f"{rated}.outcome", "error"), (f"{rated}.reason", "away")]
    assert tests["test_other"] == []
    assert tests["test_again"][0] == (rated, "5")
    assert len(tests["test_again"]) == 3
    suites = dict(tests["test_suite"])
    assert suites["own"] == "1"
    assert suites["llm_eval.safety"] == "no"
    assert suites["llm_eval.quality[databricks].outcome"] == "failed"
    assert suites["llm_eval.quality[databricks].root_cause"] == "safety"
    assert suites["llm_eval.quality[databricks].fix"]


def test_the_short_summary_of_a_ci_has_a_line_for_each_failure_and_the_section_all_of_it(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "true")
    pytester.makepyfile(
        """
        from pytest_llmeval import assert_exact_match, assert_grounded
        def test_wrong(): assert_exact_match("a", ground_truth="b")
        def test_unjudged(): assert_grounded("a", context=None)
        def test_plain(): assert 1 == 2, "one\\ntwo"
        """
    )
    for options in ((), ("-n1",)):
        result = pytester.runpytest("--llm-eval", "--junitxml=j.xml", *options)
        said = result.stdout.str().partition(" short test summary info ")
        told = [
            line.partition("::")[2] for line in said[2].partition("= llm eval =")[0].split("\n")
        ]
        assert "test_wrong - exact_match is fail, not pass" in told
        assert not any("ground_truth" in line for line in told)
        assert re.search(r"^E +ground_truth b$", said[0], re.MULTILINE)
        assert "two" in said[2]  # what is not ours is left as it is
        assert "ground_truth b" in (pytester.path / "j.xml").read_text().partition("<failure")[2]
