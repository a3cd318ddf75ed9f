"""Deferred tests report what blocking ones do: the same suites run both ways, report by report."""

from __future__ import annotations

import pytest
from twice import HEAD, compared

OUTCOMES = """
def test_plain_pass(): ok()
def test_plain_fail(): assert_grounded("bad", context=DOCS, judge=JUDGE)
def test_fail_in_a_helper(): ok("bad in a helper")
def test_error(): ok("boom")
def test_no_check(): pass
def test_no_check_fails(): assert 1 == 2
def test_several_pass(): ok("a"); ok("b"); ok("c")
def test_the_last_fails(): ok("a"); ok("b"); ok("bad c")
def test_the_last_errs(): ok("a"); ok("boom c")
def test_raises_before(): raise ValueError("before") ; ok()
def test_raises_after(): ok(); raise ValueError("after")
def test_raises_an_assertion_after(): ok(); assert [1, 2] == [1, 3]
def test_raises_a_group_after(): ok(); raise ExceptionGroup("many", [ValueError("x")])
def test_skips_before(): pytest.skip("early")
def test_skips_after(): ok(); pytest.skip("late")
def test_xfails_after(): ok(); pytest.xfail("so it is")
def test_fails_after(): ok(); pytest.fail("told", pytrace=False)
def test_chained():
    try: raise KeyError("first")
    except KeyError: ok("bad while handling")
def test_inner_function():
    def inner(text): ok(text)
    inner("bad in an inner function")
def test_lambda(): (lambda: ok("bad in a lambda"))()
def test_in_a_comprehension(): [ok(t) for t in ("a", "bad b")]
def test_over_several_lines():
    assert_grounded(
        "bad over several lines",
        context=DOCS,
        judge=JUDGE,
    )
def test_relevance(): assert_relevant("bad relevance", query="Which tent?", judge=JUDGE)
def test_threshold(): assert_grounded("fine", context=DOCS, at_least=5, judge=JUDGE)
def test_blank_response(): assert_grounded(" ", context=DOCS, judge=JUDGE)
def test_missing_context(): assert_grounded("fine", judge=JUDGE)
def test_a_wrong_type(): assert_grounded(3, context=DOCS, judge=JUDGE)
def test_a_wrong_threshold(): assert_grounded("a", context=DOCS, at_least=9, judge=JUDGE)
def test_evaluate_asks_by_itself():
    from pytest_llmeval import Case
    result = evaluate(Case(response="bad", context=DOCS), "groundedness", judge=JUDGE)
    assert result.score > 3
def test_evaluate_asserts_nothing():
    from pytest_llmeval import Case
    evaluate(Case(response="bad", context=DOCS), "groundedness", judge=JUDGE)
def test_a_result_is_read(): assert ok("a").score == 5; assert ok("b").reason == "read b"
def test_together_inside():
    with together():
        ok("a"); ok("bad b"); ok("bad c")
def test_together_passes():
    with together(): ok("a"); ok("b")
    ok("bad c")
def test_catching(): # what is caught here is no verdict
    with pytest.raises(ZeroDivisionError): 1 / 0
    ok("bad")

@pytest.mark.xfail
def test_xfail_fails(): ok("bad")
@pytest.mark.xfail
def test_xfail_passes(): ok()
@pytest.mark.xfail(strict=True)
def test_xfail_strict_passes(): ok()
@pytest.mark.xfail(strict=True, reason="known")
def test_xfail_strict_fails(): ok("bad")
@pytest.mark.xfail(raises=CheckFailed)
def test_xfail_raises_right(): ok("bad")
@pytest.mark.xfail(raises=ValueError)
def test_xfail_raises_other(): ok("bad")
@pytest.mark.xfail(raises=AssertionError, strict=True)
def test_xfail_raises_parent(): ok("bad")
@pytest.mark.xfail
def test_xfail_of_an_error(): ok("boom")
@pytest.mark.xfail(run=False)
def test_xfail_not_run(): ok("bad")
@pytest.mark.xfail(False, reason="not so")
def test_xfail_condition(): ok("bad")
def test_xfail_added(request):
    request.node.add_marker(pytest.mark.xfail(reason="added"))
    ok("bad")
@pytest.mark.skip(reason="not today")
def test_skip(): ok()
@pytest.mark.skipif(True, reason="nor tomorrow")
def test_skipif(): ok()
@pytest.mark.llm_eval(deferred=False)
def test_opted_out(): ok("bad and at once")
@pytest.mark.usefixtures("monkeypatch")
@pytest.mark.parametrize("text", ["a", "bad b", "boom c", "d"])
def test_parametrized(text): ok(text)
def test_the_last(): ok()
"""

AROUND = """
@pytest.fixture
def broken_setup(): raise RuntimeError("no setup")
@pytest.fixture
def broken_teardown():
    yield
    raise RuntimeError("no teardown")
@pytest.fixture
def talking(record_property):
    print("setup talks")
    record_property("setup", 1)
    yield "talking"
    print("teardown talks")
    record_property("teardown", 3)
@pytest.fixture
def checked():
    ok("a of the setup")
    yield
    ok("b of the teardown")
@pytest.fixture
def failing_in_setup(): ok("bad in setup")
@pytest.fixture
def failing_in_teardown():
    yield
    ok("bad in teardown")
@pytest.fixture
def failing_with_an_error(): ok("boom in setup")
@pytest.fixture(scope="module")
def app():
    print("app starts")
    yield "app"
    print("app ends")
@pytest.fixture(scope="class")
def of_the_class():
    yield 1
    print("the class ends")
@pytest.fixture(scope="module", params=["x", "y"])
def variant(request):
    print("variant", request.param)
    yield request.param
    print("end of variant", request.param)

def test_setup_breaks(broken_setup): ok()
def test_teardown_breaks(broken_teardown): ok()
def test_teardown_breaks_too(broken_teardown): ok("bad")
def test_all_talk(talking, record_property):
    print("call talks"); sys.stderr.write("and errs\\n")
    record_property("call", 2)
    ok("bad and talking")
def test_all_talk_well(talking): print("call talks"); ok("talking")
def test_checks_around(checked): ok("c of the call")
def test_checks_around_a_failure(checked): ok("bad c of the call")
def test_fails_in_setup(failing_in_setup): ok()
def test_fails_in_teardown(failing_in_teardown): ok("late")
def test_fails_in_both(failing_in_teardown): ok("bad")
def test_errs_in_setup(failing_with_an_error): ok()
def test_capsys(capsys): print("x"); ok(); assert capsys.readouterr().out == "x\\n"
def test_capsys_left(capsys): print("left over"); ok("bad")
def test_capfd(capfd): os.write(1, b"deep"); assert capfd.readouterr().out == "deep"; ok("bad")
def test_caplog(caplog):
    logging.getLogger("shop").warning("closed")
    ok("bad"); assert caplog.messages == ["closed"]
def test_log(): logging.getLogger("shop").error("on fire"); ok("bad")
def test_warns(): warnings.warn(UserWarning("careful")); ok()
def test_warns_and_fails(): warnings.warn(UserWarning("careful too")); ok("bad")
def test_recwarn(recwarn): warnings.warn("x"); ok(); assert len(recwarn) == 1
def test_monkeypatch(monkeypatch): monkeypatch.setenv("HERE", "1"); ok("bad")
def test_tmp_path(tmp_path): tmp_path.joinpath("a").write_text("a"); ok()
def test_app(app): ok("bad app")
def test_app_again(app): ok("app again")
def test_variants(variant): ok("bad " + variant)
def test_variants_again(variant, app): ok(variant)

class TestClass:
    def setup_method(self): self.text = "bad method"
    def teardown_method(self): print("method ends")
    def test_method(self, of_the_class): ok(self.text)
    def test_other(self, of_the_class, app): ok("other")
    class TestInner:
        def test_inner(self, of_the_class): ok("bad inner")
class TestSecond:
    @classmethod
    def setup_class(cls): cls.text = "fine class"
    @classmethod
    def teardown_class(cls): print("second ends")
    def test_one(self): ok(self.text)
    def test_two(self): ok("bad two")
    @staticmethod
    def test_static(): ok("bad static")
class TestCase(unittest.TestCase):
    def setUp(self): self.text = "bad unit"
    def test_unit(self): ok(self.text)
    def test_unit_passes(self): ok()
    def test_unit_skips(self): self.skipTest("no")
    @unittest.expectedFailure
    def test_expected(self): ok("bad as expected")
    @unittest.expectedFailure
    def test_unexpected(self): ok()
def test_after_the_class(app): ok("bad after")

@pytest.mark.asyncio
async def test_async(): await asyncio.sleep(0); ok("bad async")
@pytest.mark.asyncio
async def test_async_passes(): ok(); await asyncio.sleep(0)
@pytest.mark.asyncio
async def test_async_awaits():
    async def inner(): await asyncio.sleep(0); ok("bad and awaited")
    await inner()
@pytest.mark.asyncio
async def test_async_together():
    async with together(): ok("a"); ok("bad b")
@pytest.mark.asyncio
async def test_async_raises(): ok(); await asyncio.sleep(0); raise ValueError("async")
def test_runs_a_loop():
    async def inner(): ok("fine in a loop")
    asyncio.run(inner())
def test_thread():
    from concurrent.futures import ThreadPoolExecutor
    with ThreadPoolExecutor() as pool:
        with pytest.raises(CheckFailed):
            pool.submit(ok, "bad in a thread").result()
def test_the_end(app, talking): ok("bad at the end")
"""

SUBTESTS = """
def test_with_subtests(subtests):
    for text in ("a", "bad b", "boom c", "d"):
        with subtests.test(msg=text):
            ok(text)
def test_subtests_pass(subtests):
    with subtests.test(): ok()
def test_after_them(): ok("bad")
"""


def test_outcomes_are_alike(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(HEAD + OUTCOMES)
    blocking, deferred = compared(pytester, "-v")
    assert blocking.lines() == deferred.lines()
    assert len(deferred.outcomes()) >= 48
    assert deferred.outcomes()["test_fail_in_a_helper"] == "failed"


def test_fixtures_classes_and_ways_of_running_are_alike(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(HEAD + AROUND + (SUBTESTS if hasattr(pytest, "Subtests") else ""))
    blocking, deferred = compared(pytester, "-rA")
    assert sorted(blocking.lines()) == sorted(deferred.lines())
    assert len(deferred.outcomes()) >= 40


@pytest.mark.parametrize(
    "options",
    ["-x", "--maxfail=3", "--maxfail=12", "-k async -x", "--tb=short -l -q", "--runxfail -vv"],
)
def test_it_stops_where_a_blocking_run_does(pytester: pytest.Pytester, options: str) -> None:
    pytester.makepyfile(test_a=HEAD + AROUND, test_b=HEAD + OUTCOMES)
    compared(pytester, *(options.rsplit(" ", 1) if "-k" in options else options.split()))
