"""Makes the shop's own metrics known by name: in tests, markers and thresholds."""

from own_metrics import brief, for_customers, no_pressure, prices
from pytest_llmeval import Metric


def pytest_llm_eval_metrics() -> list[Metric]:
    return [no_pressure, for_customers, brief, prices]
