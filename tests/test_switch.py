"""The switch: evals run when asked for, and are visibly skipped otherwise."""

from __future__ import annotations

import pytest

from pytest_llmeval.settings import OPTIONS

MARKED = """
    import pytest
    from pytest_llmeval import assert_grounded
    from pytest_llmeval.testing import ScriptedJudge

    @pytest.fixture
    def costly():
        raise RuntimeError("set up")

    @pytest.mark.llm_eval
    def test_marked(costly): pass

    def test_by_fixture(llm_judge, costly): pass

    def test_plain(): pass
"""
JUDGED = """
    import pytest
    from pytest_llmeval import assert_grounded
    from pytest_llmeval.testing import ScriptedJudge

    def test_judged():
        judge = ScriptedJudge({"reason": "r", "score": 5, "ungrounded": []})
        assert_grounded("a", context="a", judge=judge)
"""


def test_without_the_switch_evals_are_skipped_before_their_setup(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(MARKED)
    result = pytester.runpytest("-rs")
    result.assert_outcomes(passed=1, skipped=2)
    result.stdout.fnmatch_lines(["*LLM evals are off: run them with pytest --llm-eval*"])
    assert "llm eval" not in result.stdout.str().replace("LLM evals", "")


def test_a_unittest_class_is_skipped_before_its_setup(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest, unittest
        @pytest.mark.llm_eval
        class TestIt(unittest.TestCase):
            @classmethod
            def setUpClass(cls): raise RuntimeError("set up")
            def test_it(self): pass
        """
    )
    pytester.runpytest().assert_outcomes(skipped=1)


def test_a_marker_set_by_a_conftest_counts_too(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_it(): raise RuntimeError")
    pytester.makeconftest(
        """
        def pytest_collection_modifyitems(items):
            for item in items: item.add_marker("llm_eval")
        """
    )
    pytester.runpytest().assert_outcomes(skipped=1)


def test_an_unmarked_test_is_skipped_at_the_call_with_the_advice_to_mark_it(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(JUDGED)
    result = pytester.runpytest("-rs")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*mark the test with @pytest.mark.llm_eval*"])


@pytest.mark.parametrize("way", ["option", "environment", "ini"])
def test_each_of_the_three_switches_turns_evals_on(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    pytester.makepyfile(JUDGED)
    if way == "environment":
        monkeypatch.setenv("LLM_EVAL", "1")
    if way == "ini":
        pytester.makeini("[pytest]\nllm_eval = true\n")
    result = pytester.runpytest(*(["--llm-eval"] if way == "option" else []))
    result.assert_outcomes(passed=1)


def test_evals_are_selected_by_marker_also_those_that_only_use_a_fixture(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(MARKED)
    result = pytester.runpytest("-m", "llm_eval", "--strict-markers")
    result.assert_outcomes(skipped=2, deselected=1)
    pytester.runpytest("-m", "not llm_eval").assert_outcomes(passed=1, deselected=2)


def test_collecting_never_asks_a_judge(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        from pytest_llmeval import evaluate, Case
        from pytest_llmeval.testing import ScriptedJudge
        def asked(question): raise RuntimeError("asked")
        def pytest_generate_tests(metafunc):
            evaluate(Case(response="a", context="a"), "groundedness", judge=ScriptedJudge(asked))
        def test_it(): pass
        """
    )
    result = pytester.runpytest("--llm-eval", "--co", "-q")
    assert "asked" not in result.stdout.str()
    assert not pytester.path.joinpath(".llm_eval").exists()


@pytest.mark.parametrize(
    ("marker", "message"),
    [
        (
            "llm_eval(min_pas_rate=1)",
            "llm_eval has no min_pas_rate=: did you mean 'min_pass_rate'?",
        ),
        ("llm_eval(strict=True)", "llm_eval has no strict=: known are deferred, min_pass_rate, "),
        ("llm_eval('x')", "trials= and max_trials=; got 'x'"),
        ("llm_cases()", "llm_cases takes files or patterns, relative to the test file; got none"),
        ("llm_cases('a.jsonl', limits=2)", "llm_cases has no limits=: did you mean 'limit'?"),
        ("llm_cases(3)", "llm_cases: cases come from a path, a list of cases or mappings"),
    ],
)
def test_an_unknown_marker_argument_is_refused_by_name(
    pytester: pytest.Pytester, marker: str, message: str
) -> None:
    pytester.makepyfile(f"import pytest\n@pytest.mark.{marker}\ndef test_it(): pass")
    result = pytester.runpytest("--llm-eval")
    assert result.ret in (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.INTERRUPTED)
    assert message in result.stdout.str() + result.stderr.str()


def test_a_file_of_cases_makes_a_test_of_each(pytester: pytest.Pytester) -> None:
    folder = pytester.mkdir("deep")
    folder.joinpath("cases.jsonl").write_text('{"id": "one", "query": "q"}\n{"query": "r"}\n')
    folder.joinpath("test_it.py").write_text(
        "import pytest\n"
        '@pytest.mark.llm_cases("cases.jsonl")\n'
        "def test_it(llm_case): assert llm_case.query in 'qr'\n"
    )
    result = pytester.runpytest("--llm-eval", "-v", "-m", "llm_eval")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["*test_it?one?*"])
    pytester.runpytest().assert_outcomes(skipped=2)


def test_a_bad_file_of_cases_is_told_by_file_and_line(pytester: pytest.Pytester) -> None:
    pytester.path.joinpath("cases.jsonl").write_text('{"qury": "q"}\n')
    pytester.makepyfile(
        """
        import pytest
        @pytest.mark.llm_cases("cases.jsonl")
        def test_it(llm_case): pass
        """
    )
    result = pytester.runpytest("--llm-eval")
    result.stdout.fnmatch_lines(
        ["*cases.jsonl:1: Case has no field 'qury': did you mean 'query'?*"]
    )
    assert result.ret != 0


@pytest.mark.parametrize("options", [["--llm-eval", "-n", "2"], ["-n", "2"], []], ids=" ".join)
def test_an_argument_of_the_marker_is_refused_by_workers_as_well(
    pytester: pytest.Pytester, options: list[str]
) -> None:
    pytester.makepyfile(
        """
        import pytest, unittest
        @pytest.mark.llm_eval("x")
        class TestIt(unittest.TestCase):
            def test_it(self): pass
        """
    )
    pytester.makepyfile(test_other="def test_other(): pass")
    result = pytester.runpytest_subprocess(*options)
    assert result.ret in (pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED)
    text = result.stdout.str()
    assert "TestIt::test_it: llm_eval takes deferred=, " in text
    assert "trials= and max_trials=; got 'x'" in text
    assert "INTERNALERROR" not in text + result.stderr.str()


@pytest.mark.parametrize("name", ["llm_judge", "llm_eval", "llm_case"])
def test_a_fixture_asked_for_while_the_test_runs_skips_it_where_evals_are_off(
    pytester: pytest.Pytester, name: str
) -> None:
    pytester.makepyfile(f"def test_it(request): request.getfixturevalue('{name}')")
    result = pytester.runpytest("-rs")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*run them with pytest --llm-eval; mark the test with*"])


OWN = """
    import pytest

    @pytest.fixture
    def llm_judge(): return "a judge of the project's own"

    @pytest.fixture
    def llm_eval(): return 5

    def test_fixture(llm_judge, llm_eval): assert llm_judge and llm_eval == 5

    @pytest.mark.parametrize("llm_case", [1, 2])
    def test_parameter(llm_case): assert llm_case

    @pytest.mark.usefixtures("llm_judge")
    class TestClass:
        def test_it(self): pass
"""


@pytest.mark.parametrize("evals", [["--llm-eval"], []], ids=["on", "off"])
def test_what_a_project_calls_as_we_do_is_its_own(
    pytester: pytest.Pytester, evals: list[str]
) -> None:
    pytester.makepyfile(OWN)
    pytester.runpytest(*evals).assert_outcomes(passed=4)
    pytester.runpytest(*evals, "-m", "llm_eval").assert_outcomes(deselected=4)


def test_a_fixture_that_is_made_of_ours_counts_as_ours(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest

        @pytest.fixture
        def llm_judge(llm_judge): return llm_judge

        @pytest.fixture
        def asked(llm_judge): raise RuntimeError("set up")

        def test_it(asked): pass
        """
    )
    pytester.runpytest("-rs").assert_outcomes(skipped=1)


def test_a_project_may_have_a_fixture_llm_eval_beside_our_judge(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(
        """
        import pytest

        @pytest.fixture
        def llm_eval(): return "ours"

        def test_it(llm_eval, llm_judge): assert llm_eval == "ours" and callable(llm_judge)
        """
    )
    pytester.runpytest("--llm-eval").assert_outcomes(passed=1)


def test_a_check_outside_of_tests_skips_its_module_with_our_advice(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(
        test_module="""
        from pytest_llmeval import assert_grounded
        assert_grounded("a", context="a")
        def test_it(): pass
        """,
        test_other="def test_other(): pass",
    )
    result = pytester.runpytest("-rs")
    result.assert_outcomes(passed=1, skipped=1)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*SKIPPED*LLM evals are off: run them with pytest --llm-eval*"])


GATE = ["--llm-eval-gate", "f1.mean > 0.2"]


def test_an_option_written_on_the_command_line_needs_the_switch(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    def told(*options: str) -> str:
        assert pytest.main(["-p", "no:cacheprovider", *options]) == pytest.ExitCode.USAGE_ERROR
        (line,) = (each for each in capsys.readouterr().err.splitlines() if "ERROR: " in each)
        return line.removeprefix("ERROR: ")

    pytester.makepyfile(MARKED)
    given = []
    for option in OPTIONS[1:]:
        like = {"switch": "", "share": "=1/1", "named files": "=a=b"}
        first = option.choices[0] if option.choices else option.default or 1
        given.append(option.flag + like.get(option.kind, f"={first}"))
    idle = [option.flag for option in OPTIONS[1:] if option.name != "shard"]
    assert told(*given, "-n", "2").partition(": ")[0] == ", ".join(idle)
    pytester.makeini("[pytest]\nllm_eval = false")
    assert told(*GATE) == (
        "--llm-eval-gate: evals are off, so that nothing would come of it: give --llm-eval, too "
        "(or LLM_EVAL=1, or llm_eval = true in the ini)"
    )


def test_what_holds_for_plain_runs_and_what_shows_only_needs_no_switch(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makepyfile(MARKED)
    for look in ("--collect-only", "--help", "--setup-plan"):
        assert pytest.main([*GATE, look]) == 0, look
    assert pytest.main(["--llm-eval-shard=1/1"]) == 0
    monkeypatch.setenv("LLM_EVAL_GATE", "f1.mean > 0.2")
    assert pytest.main([]) == 0
    with monkeypatch.context() as off:
        off.setenv("LLM_EVAL", "0")
        assert pytest.main(GATE) == 0
    with monkeypatch.context() as around:
        around.setenv("PYTEST_ADDOPTS", "--llm-eval-report=run.json", prepend=" ")
        assert pytest.main([]) == 0
    pytester.makeini("[pytest]\naddopts = --llm-eval-report=run.json --llm-eval-record")
    assert pytest.main(["-n", "0"]) == 0
    assert not pytester.path.joinpath("run.json").exists()


@pytest.mark.parametrize("look", ["--setup-only", "--fixtures"])
def test_a_look_at_what_there_is_asks_decides_and_writes_nothing(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str], look: str
) -> None:
    pytester.makepyfile(JUDGED + "\n    @pytest.mark.llm_eval\n    def test_marked(): pass\n")
    written = ("--llm-eval-report=run.json", "--llm-eval-markdown=run.md")
    baseline = ("--llm-eval-baseline=b.json", "--llm-eval-update-baseline")
    assert (
        pytest.main(["--llm-eval", *GATE, *written, *baseline, "-p", "no:cacheprovider", look]) == 0
    )
    text = capsys.readouterr().out
    assert "not decided" not in text
    assert ("test_marked" in text) == look.startswith("--setup")
    made = {path.suffix for path in pytester.path.iterdir() if path.is_file()}
    assert made == {".py"}


@pytest.mark.parametrize("workers", [["--tx=2*popen"], ["--tx=popen", "--tx=popen"], ["-n2"]])
def test_running_each_test_in_every_worker_is_refused(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str], workers: list[str]
) -> None:
    pytester.makepyfile(JUDGED)
    given = ["--llm-eval", "--dist=each", *workers]
    assert pytest.main(given) == pytest.ExitCode.USAGE_ERROR
    assert "--dist=each runs every test in every worker" in capsys.readouterr().err
    assert pytest.main([*given, "--collect-only"]) == 0
