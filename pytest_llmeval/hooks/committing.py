"""The part that is there when verdicts are committed: what a run used of them, and the writing."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Generator, Mapping
from functools import partial
from itertools import chain
from typing import Any

import pytest

from ..errors import UsageError
from ..gates.standing import file_of
from ..judges.committed import Verdicts
from ..judges.redacted import HOOK
from ..judges.verdict_files import Used, forsaken, record, refuse_links
from ..session import Session
from .ending import leave
from .gating import may_be_partial
from .recorded import not_recorded, told
from .redaction import RedactedReplay, redaction, redacts

_TOLD = "llm_eval_verdicts"


def have_verdicts(config: pytest.Config, session: Session) -> None:
    """Read the committed verdicts where they are needed; have them recorded where that is asked.

    Raises ``UsageError`` for a folder that is not named, a damaged line, and a link to be written.
    """
    verdicts = session.verdicts
    if verdicts is None:
        raise UsageError(
            "--llm-eval-record writes into the folder of committed verdicts, and none is set: "
            "give --llm-eval-verdicts=DIR"
        )
    verdicts.redacts = partial(redacts, config.pluginmanager)
    settings = session.settings
    reads = settings.mode in ("auto", "replay")
    if not hasattr(config, "workerinput"):
        if settings.record:
            verdicts.check()
            refuse_links(verdicts, verdicts.files)
        elif reads:
            verdicts.load()
        if reads:
            config.pluginmanager.register(RedactedReplay(session, verdicts), "llm_eval_redacted")
    if settings.record:
        recording = VerdictRecording(config, session, verdicts)
        config.pluginmanager.register(recording, "llm_eval_committing")


class VerdictRecording:
    """Hooks that follow which tests ran to their end, and write the files when the run is over.

    Entries that are not yet in the folder ride on the test reports (``report.llm_eval_verdicts``),
    so that the process that writes need not have asked.
    """

    def __init__(self, config: pytest.Config, session: Session, verdicts: Verdicts) -> None:
        self.config = config
        self.session = session
        self.verdicts = verdicts
        self._heard: dict[str, Mapping[str, Any]] = {}
        session.heard = self._heard
        self._redact = redaction(config.pluginmanager)
        self._known = config.pluginmanager.get_plugins()
        self._collected: defaultdict[str, set[str]] = defaultdict(set)
        self._counts: dict[str, int] = {}
        self._ended: defaultdict[str, set[str]] = defaultdict(set)
        self._cut_short: set[str] = set()
        self._collection_failed = False
        self._entries: dict[str, Mapping[str, Any]] = {}

    def pytest_plugin_registered(self, plugin: object, manager: pytest.PytestPluginManager) -> None:
        """Refuse a hook that comes when the process that writes may not know of it."""
        if plugin not in self._known and hasattr(plugin, HOOK):
            source = getattr(plugin, "__file__", None) or manager.get_name(plugin)
            raise pytest.Collector.CollectError(
                f"{source}: {HOOK} holds for the whole run; give it in the conftest of the root "
                "folder"
            )

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        self._collected[file_of(item.nodeid)].add(item.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._collection_failed |= report.failed
        if report.passed and report.nodeid.endswith(".py"):
            self._collected[report.nodeid]  # known also where it has no test any more

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, Any, Any]:
        report = yield
        if entries := self._taken():
            report.llm_eval_verdicts = entries
        return report

    def pytest_runtest_logreport(self, report: Any) -> None:
        if hasattr(self.config, "workerinput"):
            return
        self._receive(report.__dict__.pop("llm_eval_verdicts", {}))
        if _may_have_asked_less(report):
            self._cut_short.add(file_of(report.nodeid))
        if report.when == "teardown":
            self._ended[file_of(report.nodeid)].add(report.nodeid)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        if news := getattr(node, "workeroutput", {}).get(_TOLD):
            self._receive(news["entries"])
            self._counts |= news["collected"]  # every worker collects the same tests

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        collected = {file: len(tests) for file, tests in self._collected.items()}
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput[_TOLD] = {"collected": collected, "entries": self._taken()}
            return
        self._receive(self._taken())
        self._counts |= collected
        stopped = bool(session.shouldstop or session.shouldfail or exitstatus not in (0, 1))
        otherwise = f"no verdicts were recorded in {self.verdicts.folder}"
        leave(session, self.session.ledger, lambda: self._write(stopped), otherwise)

    def _write(self, stopped: bool) -> None:
        tests = self._used()
        used = Used(tests, self._entries, self._whole(stopped, {*chain(*tests.values())}))
        recorded = record(self.verdicts, used, self._redact)
        ledger = self.session.ledger
        notices = chain(told(recorded, self.verdicts.folder), not_recorded(ledger))
        ledger.notices.update(dict.fromkeys(notices))

    def _taken(self) -> dict[str, str]:
        """The entries that came since the last call of this, as JSON in ASCII."""
        # One by one: the engine's thread may add to them meanwhile.
        taken = [self._heard.popitem() for _ in range(len(self._heard))]
        return {key: json.dumps(entry) for key, entry in taken}

    def _receive(self, entries: Mapping[str, str]) -> None:
        self._entries |= {key: json.loads(text) for key, text in entries.items()}

    def _used(self) -> dict[str, dict[str, set[str]]]:
        """By test file and key, the tests whose checks used it, by their names in the file."""
        used: dict[str, dict[str, set[str]]] = {}
        for made in self.session.ledger:
            file, _, test = made.test.partition("::")
            for key in made.keys:
                used.setdefault(file, {}).setdefault(key, set()).update([test] if test else [])
        return used

    def _whole(self, stopped: bool, used: set[str]) -> set[str]:
        """The test files of which every test ran to its end, and those that are there no more."""
        if may_be_partial(self.config) or stopped or self._collection_failed:
            return set()
        whole = {
            file
            for file, count in self._counts.items()
            if len(self._ended[file]) == count and file not in self._cut_short
        }
        root, ini = self.config.rootpath, self.config.inipath
        if ini is None or ini.parent != root:
            return whole  # the root follows from the arguments, and the next run may have another
        return whole | forsaken(self.verdicts, root, used)


def _may_have_asked_less(report: Any) -> bool:
    """Whether a phase ended, other than by a failed check, before all that the test asks.

    A check without a verdict is such an end, too.
    """
    records = (getattr(report, "llm_eval", None) or {}).get("records", ())
    if any(each["outcome"] == "error" for each in records):
        return True
    return report.outcome != "passed" and all(each["outcome"] != "failed" for each in records)
