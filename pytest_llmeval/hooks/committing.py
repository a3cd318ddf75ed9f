"""The part that is there when verdicts are committed: what a run used of them, and the writing."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping
from functools import partial
from itertools import chain
from typing import Any

import pytest

from ..errors import UsageError
from ..judges.base import Question
from ..judges.committed import Verdicts
from ..judges.redacted import HOOK, Redaction
from ..judges.verdict_files import Used, record, refuse_links
from ..judges.verdict_line import VerdictLine
from ..session import Session
from .ending import leave
from .recorded import not_recorded, told
from .redaction import RedactedReplay, redaction, redacts
from .whole_files import WholeFiles

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
    verdicts.redacts = partial(redacts, config.pluginmanager)  # a hook may be on its way still
    if settings.record:
        recording = VerdictRecording(config, session, verdicts)
        config.pluginmanager.register(recording, "llm_eval_committing")


class VerdictRecording:
    """Hooks that follow what a run uses, and write the files when it is over.

    Entries that are not yet in the folder ride on the test reports (``report.llm_eval_verdicts``),
    so that the process that writes need not have asked.
    """

    def __init__(self, config: pytest.Config, session: Session, verdicts: Verdicts) -> None:
        self.config = config
        self.session = session
        self.verdicts = verdicts
        self._heard: dict[str, Mapping[str, Any]] = {}
        session.heard = self._heard
        self._asked: dict[str, Question[Any]] = {}
        session.questions = self._asked
        self._used_by_test: dict[str, set[str]] = {}
        session.ledger.used = self._used_by_test
        self._refused: dict[str, str] = {}
        self._late: str | None = None
        self._begun = self._collecting = False
        self._files = WholeFiles(config)
        self._entries: dict[str, Mapping[str, Any]] = {}

    def pytest_plugin_registered(self, plugin: object, manager: pytest.PytestPluginManager) -> None:
        """Refuse a hook that comes when the process that writes may not know of it."""
        if self._begun and hasattr(plugin, HOOK):
            source = getattr(plugin, "__file__", None) or manager.get_name(plugin)
            self._late = (
                f"{source}: {HOOK} holds for the whole run; give it in the conftest of the root "
                "folder, or register it before tests are collected"
            )
            if self._collecting:
                raise pytest.Collector.CollectError(self._late)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> None:
        self._begun = True
        try:
            self.verdicts.refuse_redacted()
        except UsageError as error:
            raise pytest.UsageError(str(error)) from None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_make_collect_report(self) -> Generator[None, Any, Any]:
        self._collecting = True  # an error that is raised meanwhile is one of the collection
        try:
            return (yield)
        finally:
            self._collecting = False

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        self._files.collect(item.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._files.collected(report)

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
        self._files.report(report)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        if news := getattr(node, "workeroutput", {}).get(_TOLD):
            self._receive(news["entries"])
            self._files.count(news["collected"])
            self._late = self._late or news["late"]
            self._refused |= news["refused"]

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if hasattr(self.config, "workeroutput"):
            entries = self._taken()
            self._refuse()
            self.config.workeroutput[_TOLD] = {
                "entries": entries,
                "collected": self._files.counts,
                "late": self._late,
                "refused": self._refused,
            }
            return
        if exitstatus == pytest.ExitCode.USAGE_ERROR:
            return  # nothing ran
        self._receive(self._taken())
        self._files.count(self._files.counts)
        stopped = bool(session.shouldstop or session.shouldfail or exitstatus not in (0, 1))
        otherwise = f"no verdicts were recorded in {self.verdicts.folder}"
        leave(session, self.session.ledger, lambda: self._write(stopped), otherwise)

    def _write(self, stopped: bool) -> None:
        if self._late is not None:
            raise UsageError(self._late)
        tests = self._used()
        keys = {*chain(*tests.values())}
        unused = self._files.of_no_more_use(self.verdicts, keys, stopped)
        used = Used(tests, self._entries, unused)
        recorded = record(self.verdicts, used, self._redaction())
        ledger = self.session.ledger
        notices = chain(told(recorded, self.verdicts.folder), not_recorded(ledger))
        ledger.notices.update(dict.fromkeys(notices))

    def _taken(self) -> dict[str, str]:
        """The entries that came since the last call of this, as JSON in ASCII."""
        # One by one: the engine's thread may add to them meanwhile.
        taken = [self._heard.popitem() for _ in range(len(self._heard))]
        if hasattr(self.config, "workerinput"):
            self._entries.update(taken)
        return {key: json.dumps(entry) for key, entry in taken}

    def _receive(self, entries: Mapping[str, str]) -> None:
        self._entries |= {key: json.loads(text) for key, text in entries.items()}

    def _redaction(self) -> Redaction | None:
        redact = redaction(self.config.pluginmanager)
        return None if redact is None else Redaction(redact, self._asked, self._refused)

    def _refuse(self) -> None:
        """Know what is wrong, redacted: the process that writes may not have the reply's model."""
        redacting = self._redaction()
        if redacting is None:
            return
        for key in [*self._asked]:
            try:
                entry = self._entries.get(key)
                line = self.verdicts.line(key) if entry is None else VerdictLine(key, entry)
                if line is not None:
                    redacting.of(line)
            except UsageError as error:
                self._refused[key] = str(error)

    def _used(self) -> dict[str, dict[str, set[str]]]:
        """By test file and key, the tests whose checks used it, by their names in the file."""
        used: dict[str, dict[str, set[str]]] = {}
        for name, keys in self._used_by_test.items():
            file, _, test = name.partition("::")
            for key in keys:
                used.setdefault(file, {}).setdefault(key, set()).update([test] if test else [])
        return used
