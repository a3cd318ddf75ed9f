"""The ledger: every record and notice of the run, as the test reports bring them in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from .results import Record


class Ledger:
    """The records of the run by test. Of a test that is run again only the last run counts."""

    def __init__(self) -> None:
        self._by_test: dict[tuple[str, str], list[Record]] = {}
        self.notices: dict[str, None] = {}

    def __iter__(self) -> Iterator[Record]:
        for records in self._by_test.values():
            yield from records

    def receive(self, report: Any) -> None:
        """Take in the records that ``report`` (a pytest test report) carries.

        Those of a test that pytest reports as xfailed are marked so.
        """
        test = (report.nodeid, getattr(report, "worker_id", ""))
        if report.when == "setup" and test in self._by_test:
            del self._by_test[test]
        if news := getattr(report, "llm_eval", None):
            xfailed = report.skipped and hasattr(report, "wasxfail")
            records = [Record.from_plain(plain) for plain in news["records"]]
            self._by_test.setdefault(test, []).extend(
                replace(record, xfailed=xfailed) for record in records
            )
            self.notices.update(dict.fromkeys(news["notices"]))

    @property
    def lacked_a_judge(self) -> bool:
        """Whether a check needed a judge and none was set."""
        return any(record.error == "NoJudge" for record in self)
