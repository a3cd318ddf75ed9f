"""Suites as settings write them: one line each."""

from __future__ import annotations

import re

from ..errors import UsageError
from .suite import Suite

STOP = "stop_at_first"


def parse_suite(line: str) -> Suite:
    """``shop = databricks, tone, f1 >= 0.5, stop_at_first`` as a suite.

    Its members are written as in ``Suite``; the word ``stop_at_first`` among them is no metric.
    Raises ``UsageError`` that names the suite.
    """
    name, equals, text = (part.strip() for part in line.partition("="))
    members = [each.strip() for each in re.split(r",(?![^\[]*\])", text)]
    if not equals or not re.fullmatch(r"[\w.-]+", name) or not all(members):
        raise UsageError(
            f"suite: expected NAME = METRIC, METRIC, as in shop = databricks, f1 >= 0.5; got "
            f"{line!r}"
        )
    return Suite(name, [each for each in members if each != STOP], STOP in members)
