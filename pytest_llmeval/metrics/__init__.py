"""The metrics by name; each is a small async function of a case and ``ask`` in its own file."""

from __future__ import annotations

from .base import Metric
from .fact_check import fact_check
from .groundedness import groundedness
from .relevance import relevance

BUILT_IN: dict[str, Metric] = {each.name: each for each in (groundedness, relevance, fact_check)}
