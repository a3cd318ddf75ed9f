"""Tests of cases: what ``llm_cases`` makes them of, each file read once for all that name it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from ..data.datasets import Cases, selected
from ..errors import UsageError
from ..plan import Plan, plans_of
from ..stack import Off

if TYPE_CHECKING:
    from ..data.cases import Case
    from ..session import Session

_PLUGIN = "llm_eval_cases"
_OURS = "pytest_llmeval.plugin"
"""The module whose fixture gives a test its case, by whatever name."""


class CaseTests:
    """The cases of the tests that are collected, and what is said of where they came from."""

    def __init__(self) -> None:
        self._read: dict[Any, Cases] = {}
        self._told: dict[str, None] = {}

    def of(self, metafunc: pytest.Metafunc) -> Iterator[tuple[Plan, Cases]]:
        """Each plan of the function that ``metafunc`` is about, with its cases.

        Raises an ``EvalError`` for a marker or a file that can't be.
        """
        for plan in plans_of(metafunc.definition):
            try:
                refuse_other_fixture(metafunc, plan.argname)
                if isinstance(plan.answer, str):
                    refuse_short_lived(metafunc, plan.answer)
                    refuse_unparametrized(metafunc, plan.answer)
                cases = self._cases(plan, metafunc)
            except UsageError as error:
                raise UsageError(f"llm_cases: {error}") from None
            self._told.update(dict.fromkeys(cases.told))
            yield plan, cases

    def _cases(self, plan: Plan, metafunc: pytest.Metafunc) -> Cases:
        folder = metafunc.definition.path.parent
        given = (plan.sources, plan.selection, folder, plan.names)
        try:
            known = self._read.get(given)
        except TypeError:  # data, or values to select by, that no hash tells apart
            return selected(*given)
        if known is None:
            known = self._read[given] = selected(*given)
        return known

    def pytest_report_collectionfinish(self, config: pytest.Config) -> list[str]:
        """Say which files cases were read from, and what was recognised of them."""
        if config.get_verbosity() < 0:
            return []
        return [f"llm cases: {line}" for line in self._told]


def parametrize(
    metafunc: pytest.Metafunc, run: Session | Off, case: Callable[[pytest.FixtureRequest], Case]
) -> None:
    """Make a test of each case that markers give the function that ``metafunc`` is about.

    ``case`` is what ``llm_case`` does, by whatever name the argument has. Raises an ``EvalError``
    for a marker or a file that can't be.
    """
    plugins = metafunc.config.pluginmanager
    for plan, cases in _case_tests(plugins).of(metafunc):
        if not isinstance(run, Off):
            refuse_unmeant(run, plan)
        _have_fixture(plan.argname, case, plugins)
        metafunc.parametrize(plan.argname, cases.places, ids=cases.ids, indirect=True)


def _case_tests(plugins: pytest.PytestPluginManager) -> CaseTests:
    """What gives tests their cases, there from the first test that has some."""
    found: CaseTests | None = plugins.get_plugin(_PLUGIN)
    if found is None:
        found = CaseTests()
        plugins.register(found, _PLUGIN)
    return found


def _have_fixture(
    name: str, case: Callable[[pytest.FixtureRequest], Case], plugins: pytest.PytestPluginManager
) -> None:
    """See to it that there is a fixture ``name`` that does what ``llm_case`` does."""
    if name != "llm_case" and not plugins.has_plugin(renamed := f"llm_case as {name}"):
        holder = ModuleType(renamed)
        setattr(holder, name, pytest.fixture(name=name)(case))
        plugins.register(holder, renamed)


def refuse_other_fixture(metafunc: pytest.Metafunc, name: str) -> None:
    """Raise ``UsageError`` where a fixture of the user's would be the argument ``name``.

    One that overrides ``llm_case``, and takes it as its own argument, works on the case.
    """
    definitions = metafunc.definition._fixtureinfo.name2fixturedefs.get(name, ())
    for definition in reversed(definitions):
        if getattr(definition.func, "__module__", None) == _OURS:
            return
        if name != "llm_case" or name not in definition.argnames:
            advice = "choose another argname="
            if name == "llm_case":
                advice += ", or let it take llm_case as its argument"
            raise UsageError(f"the fixture {name!r} would take the place of the case; {advice}")


def refuse_short_lived(metafunc: pytest.Metafunc, name: str) -> None:
    """Raise ``UsageError`` where no fixture ``name`` is there that can answer for several tests."""
    node = metafunc.definition
    found = node.session._fixturemanager.getfixturedefs(name, node)
    if not found:
        raise UsageError(f"answer: there is no fixture {name!r}")
    if (scope := found[-1].scope) in ("function", "class"):
        raise UsageError(
            f"answer: the fixture {name!r} is {scope}-scoped; what answers for several tests "
            f'ahead is of scope module, package or session: @pytest.fixture(scope="module")'
        )


def refuse_unparametrized(metafunc: pytest.Metafunc, name: str) -> None:
    """Raise ``UsageError`` where the fixture ``name`` has ``params=`` that the test is not made of.

    The parameters may be those of a fixture that it takes. Pytest makes a test of each for
    arguments of the test alone, and of what these take.
    """
    node = metafunc.definition
    pending, met = [(name, 1)], {(name, 1)}
    for each, up in pending:
        found = node.session._fixturemanager.getfixturedefs(each, node) or ()
        if len(found) < up:
            continue
        if found[-up].params and each not in metafunc.fixturenames:
            whose = "" if each == name else f", which {name!r} takes,"
            raise UsageError(
                f"answer: the fixture {each!r}{whose} has params=: let the test take "
                f"{name!r} as an argument too, and there is one for each"
            )
        takes = [(one, up + 1 if one == each else 1) for one in found[-up].argnames]
        pending += [one for one in takes if one not in met]
        met.update(takes)


def refuse_unmeant(run: Session, plan: Plan) -> None:
    """Raise ``UsageError`` for a metric, suite, option or threshold of ``plan`` that can't be."""
    try:
        for each in plan.metrics:
            run.names.planned(each)
        if plan.suite is not None:
            run.names.suites.wanted(run.names.suites.called(plan.suite))
    except UsageError as error:
        raise UsageError(f"llm_cases: {error}") from None
