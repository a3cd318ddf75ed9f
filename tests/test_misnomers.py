"""Names in groups that no test answers to: told while there is time, with the closest one."""

from __future__ import annotations

import pytest


def test_names_that_no_test_answers_to_are_told_before_a_test_runs_with_the_closest(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    pytester.makepyfile(
        """
        import pytest
        from pytest_llmeval import assert_exact_match
        @pytest.mark.llm_eval(min_pass_rate=0.5, must_pass=["refunds"], tags=["returns"])
        @pytest.mark.parametrize("text", ["a", "b"], ids=["refund", "parcel"])
        def test_it(text): assert_exact_match(text, ground_truth="a")
        """
    )
    groups = ("typo: min_pass_rate=0.5 tags=retuns", "part: min_pass_rate=0.5 tags=returns,xyz")
    given = [each for group in groups for each in ("--llm-eval-group", group)]
    assert pytest.main(["--llm-eval", "-p", "no:cacheprovider", *given]) == 1
    out = capsys.readouterr().out
    before, _, after = out.partition(".py .")
    told = [line for line in before.splitlines() if line.startswith("llm eval: group ")]
    (function,) = (line.split()[3] for line in told if "refunds" in line)
    refunds = "must_pass 'refunds' is in no test of it"
    assert told == [
        "llm eval: group typo: no test has the tag 'retuns' (did you mean 'returns'?)",
        "llm eval: group part: no test has the tag 'xyz'",
        f"llm eval: group {function} {refunds} (did you mean 'refund'?)",
    ]
    assert "no test is in it: none has the tag 'retuns' (did you mean 'returns'?)\n" in after
    assert "must pass and is not in the group: refunds (did you mean 'refund'?)\n" in after
    pytest.main(["--llm-eval", f"{function.rstrip(':').partition('::')[0]}::test_it[refund]"])
    assert "llm eval: group" not in capsys.readouterr().out


def test_a_class_is_no_name_of_a_test_and_brings_up_no_other(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    pytester.makepyfile(
        """
        import pytest
        from pytest_llmeval import assert_exact_match
        @pytest.mark.llm_eval(min_pass_rate=0.5, must_pass=["TestB"])
        class TestB:
            def test_b(self): assert_exact_match("a", ground_truth="a")
        """
    )
    assert pytest.main(["--llm-eval"]) == 1
    before, _, after = capsys.readouterr().out.partition(".py .")
    hint = "(a class can't be named; name its tests)"
    assert f"must_pass 'TestB' is in no test of it {hint}\n" in before
    assert f"must pass and is not in the group: TestB {hint}\n" in after


def test_a_test_without_a_marker_answers_to_its_name(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    pytester.makepyfile(
        """
        import pytest
        from pytest_llmeval import assert_exact_match
        def test_plain(): assert_exact_match("a", ground_truth="a")
        @pytest.mark.llm_eval
        def test_marked(): assert_exact_match("a", ground_truth="a")
        """
    )
    group = ("--llm-eval-group", "all: min_pass_rate=0.5 must_pass=test_plain")
    assert pytest.main(["--llm-eval", *group]) == 0
    out = capsys.readouterr().out
    assert "llm eval: group" not in out
    assert "gate all min_pass_rate=0.5   held" in out


@pytest.mark.processes
def test_they_are_told_under_xdist_too(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest
        @pytest.mark.llm_eval
        def test_it(): pass
        """
    )
    group = ("--llm-eval-group", "typo: min_pass_rate=0.5 tags=retuns")
    result = pytester.runpytest_subprocess("--llm-eval", *group, "-n", "1")
    assert result.outlines.count("llm eval: group typo: no test has the tag 'retuns'") == 1
