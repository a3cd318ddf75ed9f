"""The part of the plugin that is there when pytest writes JUnit XML: properties of each test."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from ..records.assessment import Assessment
from ..records.record import Record
from ..reports.junit import PREFIX, properties


class JunitProperties:
    """Hooks that add what a phase of a test recorded to its properties, as ``record_property``
    does, so that they go the way of those: through xdist, into the XML."""

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, Any, Any]:
        report = yield
        if call.when == "setup":  # of a test that is run again only the last run counts
            kept = [each for each in item.user_properties if not each[0].startswith(PREFIX)]
            item.user_properties[:] = kept
            report.user_properties = [*kept]
        if news := getattr(report, "llm_eval", None):
            records = [Record.from_plain(each) for each in news["records"]]
            assessments = [Assessment.from_plain(each) for each in news["assessments"]]
            taken = {name for name, _ in item.user_properties}
            made = properties(records, assessments, taken)
            item.user_properties.extend(made)
            report.user_properties.extend(made)
        return report
