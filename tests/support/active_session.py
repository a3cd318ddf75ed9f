"""A session that checks made outside of an inner run belong to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pytest_llmeval.additions import Addition
from pytest_llmeval.session import Session
from pytest_llmeval.settings import Settings
from pytest_llmeval.stack import activate, deactivate


@contextmanager
def active_session(*additions: Addition, **settings: Any) -> Iterator[Session]:
    """A session under ``settings``, the active one in here; it is closed at the end.

    ``additions`` are what plugins would add to it.
    """
    session = Session(Settings(**settings), additions=additions)
    activate(session)
    yield session
    deactivate(session)
    session.close()
