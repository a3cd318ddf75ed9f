"""What a run leaves for others than its terminal: which of the parts for it are there."""

from __future__ import annotations

import os

import pytest

from ..session import Session


def have_reports(config: pytest.Config, session: Session) -> None:
    """Register what writes the run file, the Markdown summary, annotations and properties, each
    where it is asked for: by a setting, by GitHub Actions, by pytest's ``--junit-xml``.

    In workers of xdist too, where they tell the controller what only a worker knows.
    """
    settings = session.settings
    plugins = config.pluginmanager
    step = os.environ.get("GITHUB_STEP_SUMMARY") if settings.github in ("auto", "summary") else None
    if settings.report is not None or settings.markdown is not None or step:
        from .recording import RunRecording

        recording = RunRecording(config, session, settings.report)
        plugins.register(recording, "llm_eval_recording")
        if (settings.markdown is not None or step) and not hasattr(config, "workerinput"):
            from .summarizing import MarkdownSummary

            summary = MarkdownSummary(session.ledger, recording, settings.markdown, step)
            plugins.register(summary, "llm_eval_summary")
    if settings.github in ("auto", "annotations") and os.environ.get("GITHUB_ACTIONS") == "true":
        from .annotating import Annotating

        plugins.register(Annotating(config, session), "llm_eval_annotating")
    if config.getoption("xmlpath", None):
        from .junit_properties import JunitProperties

        plugins.register(JunitProperties(), "llm_eval_junit_properties")
