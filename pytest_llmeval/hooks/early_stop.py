"""Early stop: trials beyond those that were set run until it is decided which side a case is on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator
from typing import Any

import pytest

from ..records.tests import Weight
from ..session import Session
from ..statistics.stopped import soonest, weights
from ..statistics.trials import decided
from ..trials import case_test, kept_together, target_of, trial_of
from .raised import all_of
from .xdist_queue import dist_of

PLUGIN = "llm_eval_early_stop"
_FAILURES = (AssertionError, pytest.fail.Exception)
_DIST = "llm_eval_dist"
_TOGETHER = ("no", "loadgroup", "loadscope", "loadfile", "each")
"""How xdist may deal out tests so that all trials of a case come to one process."""


class EarlyStop:
    """Hooks that skip a trial that is not needed any more.

    What a trial came to is told by what its call raised: nothing is a pass, an assertion that did
    not hold a failure, and anything else says nothing of the case, as does a test that pytest
    reports as skipped, xfailed or xpassed. Of a test that is run again the last run counts.
    """

    def __init__(self, config: pytest.Config, session: Session) -> None:
        told = getattr(config, "workerinput", {}).get(_DIST)
        self._dist: str = told or dist_of(config)
        self._knows_all = self._dist in _TOGETHER
        self._config = config
        self._session = session
        self._passed: dict[str, dict[int, bool]] = {}
        self._needless: set[str] = set()
        self._told: dict[str, dict[str, Any]] = {}
        """By node id, what a trial told that others may hang on, in whatever process it ran."""

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker how tests are dealt out, which xdist does not."""
        node.workerinput[_DIST] = dist_of(self._config)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(
        self, items: list[pytest.Item]
    ) -> Generator[None, None, None]:
        """Have ``--dist=loadgroup`` keep the trials of a case together, unless a marker does."""
        if self._dist == "loadgroup":
            for item in items:
                group = kept_together(item)
                if group is not None and item.get_closest_marker("xdist_group") is None:
                    item.add_marker(pytest.mark.xdist_group(group))
        yield

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        several = [item for item in session.items if kept_together(item)]
        why = "no process knows all trials of a case"
        if self._dist == "loadgroup":  # which has no effect where xdist is older than pytest
            self._knows_all = all(_has_group(item.nodeid) for item in several)
            why = f"pytest-xdist is too old to group tests under pytest {pytest.__version__}"
        if several and not self._knows_all:
            replaying = self._session.settings.mode == "replay"
            lacks = ", as a replay needs where they ended early when recorded" if replaying else ""
            self._session.notebook.notice(
                f"trials: all of max_trials= run under --dist={self._dist} here, where {why}; "
                f"--dist=loadscope ends them early{lacks}"
            )

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Mark ``item`` as skipped, before pytest looks at that, where it is not needed."""
        trial = trial_of(item)
        if trial is None or trial.most == trial.fixed:
            return
        trials = self._passed.setdefault(case_test(item), {})
        trials.pop(trial.number, None)
        passed, target = sum(trials.values()), target_of(item)
        side = decided(passed, len(trials) - passed, target)
        if side and trial.extra and self._knows_all:
            what = f"decided after {len(trials)} trials: {side} {target:g}"
            item.add_marker(pytest.mark.skip(reason=what), append=False)
            self._needless.add(item.nodeid)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, Any, Any]:
        report = yield
        trial, raised = trial_of(item), call.excinfo
        if call.when == "setup" and item.nodeid in self._needless:
            report.llm_eval_needless = True
        elif trial is not None and call.when == "call" and not hasattr(report, "wasxfail"):
            failed = raised is not None and bool(all_of(raised.value, _FAILURES))
            if failed or raised is None:
                self._passed.setdefault(case_test(item), {})[trial.number] = not failed
                if trial.most > trial.fixed and self._knows_all:
                    report.llm_eval_trial = {
                        "case": case_test(item),
                        "target": target_of(item),
                        "extra": trial.extra,
                        "most": trial.most,
                        "passed": not failed,
                    }
        return report

    def pytest_runtest_logreport(self, report: Any) -> None:
        if hasattr(report, "llm_eval_needless"):
            self._needless.add(report.nodeid)
        if report.when == "setup":
            self._told.pop(report.nodeid, None)  # of a test that is run again
        if hasattr(report, "llm_eval_trial"):
            self._told[report.nodeid] = report.llm_eval_trial

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self) -> Generator[None, Any, Any]:
        """Say how many trials were not needed, and what those weigh that were run."""
        if not hasattr(self._config, "workeroutput"):
            if count := len(self._needless):
                told = f"trials: {count} not needed, since their cases were decided before"
                self._session.ledger.notices[told] = None
            self._session.ledger.weights.update(self._weights())
        return (yield)

    def _weights(self) -> dict[str, Weight]:
        """What each trial weighs within its case, where that stopped, or may have."""
        cases: dict[tuple[str, float, int], dict[str, bool]] = {}
        fixed: Counter[tuple[str, float, int]] = Counter()
        for nodeid, told in self._told.items():
            case = (told["case"], told["target"], told["most"])
            cases.setdefault(case, {})[nodeid] = told["passed"]
            fixed[case] += not told["extra"]
        found: dict[str, Weight] = {}
        for case, came in cases.items():
            _, target, most = case
            first = soonest(target, fixed[case], most)
            weighed = weights(came, target, fixed[case])
            found |= {nodeid: Weight(weighs, first) for nodeid, weighs in weighed.items()}
        return found


def _has_group(nodeid: str) -> bool:
    """Whether xdist has put a group to ``nodeid``, by which it deals tests out."""
    return nodeid.rfind("@") > nodeid.rfind("]")
