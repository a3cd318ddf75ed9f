"""The hooks that a conftest or another package's plugin may implement."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from .metrics.base import Metric
    from .metrics.prompts import Rubric
    from .metrics.rubrics import RubricExtension
    from .suites.suite import Suite


@pytest.hookspec
def pytest_llm_eval_metrics() -> Iterable[Metric]:  # type: ignore[empty-body]
    """Metrics of one's own, to be called by name: in tests, markers, thresholds.

    They are made by ``JudgedMetric(…)`` or ``@metric``. Asked for in runs with ``--llm-eval``
    alone; in a conftest below pytest's start, when pytest loads that. What this raises ends the
    run with one line that names the conftest.
    """


@pytest.hookspec
def pytest_llm_eval_rubrics() -> Iterable[Rubric | RubricExtension]:  # type: ignore[empty-body]
    """Rubrics in place of built-in ones (``Rubric``), or more to go by after them
    (``RubricExtension``).

    They hold for the whole run, so that a conftest that does this has to be one that pytest loads
    at its start: that of the root folder.
    """


@pytest.hookspec
def pytest_llm_eval_redact(entry: dict[str, Any]) -> Mapping[str, Any] | None:
    """What ``--llm-eval-record`` writes in place of ``entry``; None leaves the verdict out.

    ``entry`` is a copy that may be changed and returned: ``said`` is the judge's reply,
    ``messages`` what it was asked, as pairs of role and text. A line that was changed keeps the
    key of the question as it was asked. Of ``said`` free text alone may change, which in models of
    your own is what they declare as ``FreeText``: a reply that then
    decides otherwise, can't be read, or is no JSON object where it was one, is refused:
    ``redact_texts`` changes the texts in it as they are read.

    Called whenever a line is written, also for one that was redacted before, which has to stay as
    it is; of several hooks each gets what the one before gave. Committed verdicts alone are
    redacted, not the store.

    It holds for the whole run: it is given in the conftest of the root folder, or by a plugin that
    is registered before tests are collected, in every process. A later one is refused.
    """


@pytest.hookspec
def pytest_llm_eval_suites() -> Iterable[Suite]:  # type: ignore[empty-body]
    """Suites of one's own, to be called by name: in tests, markers and other suites.

    Asked for when metrics are, and after those: a suite names metrics that are there by then.
    """
