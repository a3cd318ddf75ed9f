"""Deferred tests report what blocking ones do: the same suites run both ways, report by report."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from twice import HEAD, compared, run

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
@pytest.fixture
def anyio_backend(): return "asyncio"
@pytest.mark.anyio
async def test_anyio(): await asyncio.sleep(0); ok("bad anyio")
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


SMALL = """
@pytest.fixture(scope="module")
def app():
    yield "app"
    print("app ends"); raise RuntimeError("the app crashed")
@pytest.fixture
def own():
    yield
    raise ValueError("own")
def test_first(app): ok("first")
def test_second(app): ok("bad second")
def test_third(app): ok("bad third")
@pytest.mark.flaky
def test_flaky(app): ok("bad flaky")
def test_error(app): ok("boom")
def test_both(own): ok("bad both")
def test_last(own): assert_grounded("no judge is named", context=DOCS)
"""


@pytest.mark.parametrize(
    "options",
    [
        "",
        "-x",
        "--maxfail=2",
        "--maxfail=5",
        "--reruns=1",
        "-p no:rerunfailures",
        "--llm-eval-on-error=skip",
        "--llm-eval-on-error=fail -x",
        "--sw",
        "--tb=native",
        "-p no:terminal",
        "-p no:logging",
        "-s",
    ],
)
def test_a_run_with_options_is_alike(pytester: pytest.Pytester, options: str) -> None:
    """Also where the fixture of a module breaks when ``-x`` ends it, and where a judge lacks."""
    pytester.makeini("[pytest]\nmarkers = flaky")
    pytester.makepyfile(HEAD + SMALL)
    if options == "--sw":
        pytester.plugins.append("cacheprovider")
    blocking, _ = compared(pytester, *options.split())
    if options in ("", "-s"):
        assert blocking.result.ret == pytest.ExitCode.USAGE_ERROR


def test_junit_is_alike(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_a=HEAD + AROUND, test_b=HEAD + OUTCOMES)
    compared(pytester, "--junitxml=out.xml", "-o", "junit_logging=all")
    cases = []
    for deferred in (False, True):
        run(pytester, "--junitxml=out.xml", "-o", "junit_logging=all", deferred=deferred)
        root = ElementTree.parse(pytester.path / "out.xml").getroot()
        for element in root.iter():
            element.attrib.pop("time", None)
            element.attrib.pop("timestamp", None)
        cases.append(_without_addresses(ElementTree.tostring(root, encoding="unicode")))
    assert cases[0] == cases[1]


def _without_addresses(text: str) -> str:
    return re.sub(r"0x[0-9a-f]+", "0x", text)


CONFTEST = """
import pytest

@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    item.stash.setdefault(KEY, {})[report.when] = report
    used = sorted(item.funcargs)
    report.sections.append(("used", f"{used} in {call.when}"))
    if call.when == "call":
        item.user_properties.append(("outcome", report.outcome))
        item.add_report_section("call", "seen", report.outcome)
    return report

KEY = pytest.StashKey()
"""


def test_what_a_conftest_does_with_reports_is_alike(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(HEAD + AROUND)
    compared(pytester)


OBSERVED = """
def pytest_runtest_protocol(item, nextitem):
    print("observed")
"""


def test_where_another_plugin_may_run_tests_in_its_own_way_nothing_is_held(
    pytester: pytest.Pytester,
) -> None:
    pytester.makeconftest(OBSERVED)
    pytester.makepyfile(HEAD + AROUND)
    blocking, deferred = compared(pytester, "-s")
    assert blocking.lines() == deferred.lines()


texts = st.sampled_from(["fine", "good", "bad", "boom"])
before = st.lists(
    st.sampled_from(
        [
            "ok('fine one')",
            "ok('fine two')",
            "print('talks')",
            "record_property('n', 1)",
            "logging.getLogger('shop').warning('logs')",
            "warnings.warn('careful')",
            "assert ok('fine three').score == 5",
            "with together(): ok('a'); ok('b')",
        ]
    ),
    max_size=3,
)
ends = st.one_of(
    st.builds("ok({!r})".format, texts),
    st.sampled_from(
        ["pass", "raise ValueError('x')", "pytest.skip('x')", "pytest.xfail('x')", "assert 0"]
    ),
)
marks = st.sampled_from(
    [
        *["", "", "", "xfail", "xfail(strict=True)", "xfail(raises=ValueError)", "skip"],
        *["parametrize('p', [1, 2])", "asyncio", "llm_eval(deferred=False)"],
    ]
)
fixtures = st.sets(
    st.sampled_from(["app", "kind", "own", "checked", "capsys", "caplog", "tmp_path", "of_class"]),
    max_size=3,
)
a_test = st.tuples(before, ends, marks, fixtures, st.sampled_from(["module", "A", "B"]))

SHARED = """
@pytest.fixture(scope="module")
def app(): yield 1; print("app ends")
@pytest.fixture(scope="module", params=["x", "y"])
def kind(request): yield request.param; print("kind ends")
@pytest.fixture(scope="class")
def of_class(): yield 2; print("class ends")
@pytest.fixture
def own(): print("own"); yield; print("own ends")
@pytest.fixture
def checked(): ok("fine in setup"); yield; ok("fine in teardown")
"""


def _suite(tests: list[tuple[list[str], str, str, set[str], str]]) -> str:
    lines: list[str] = []
    for owner in ("module", "A", "B"):
        inside = "" if owner == "module" else "    "
        mine = [(index, test) for index, test in enumerate(tests) if test[4] == owner]
        lines += [f"class Test{owner}:"] if mine and inside else []
        for index, (begins, end, mark, used, _) in mine:
            names = ["self"] * bool(inside) + ["record_property", *sorted(used)]
            names += ["p"] * mark.startswith("parametrize")
            lines += [f"{inside}@pytest.mark.{mark}"] if mark else []
            define = "async def" if mark == "asyncio" else "def"
            lines.append(f"{inside}{define} test_{index}({', '.join(names)}):")
            lines += [f"{inside}    {line}" for line in (*begins, end)]
    return HEAD + SHARED + "\n".join(lines) + "\n"


@settings(
    max_examples=15,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.generate,),  # an example takes a second: what fails is small as it is
)
@given(
    st.lists(a_test, min_size=2, max_size=12),
    st.lists(a_test, max_size=3),
    st.sampled_from([(), ("-x",), ("--maxfail=2",), ("-rA", "--durations=0")]),
    st.integers(1, 3),
)
def test_any_suite_is_alike(
    pytester: pytest.Pytester,
    tests: list[tuple[list[str], str, str, set[str], str]],
    more: list[tuple[list[str], str, str, set[str], str]],
    options: tuple[str, ...],
    places: int,
) -> None:
    pytester.makepyfile(test_one=_suite(tests), test_two=_suite(more))
    compared(pytester, *options, f"--llm-eval-concurrency={places}")
