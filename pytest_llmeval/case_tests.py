"""Tests of cases: what ``llm_cases`` makes them of, each file read once for all that name it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from .data.datasets import Cases, selected
from .errors import UsageError
from .plan import Plan, plans_of


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
