"""How a run ends: the one rule of exit statuses, for gates and for what could not be done."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ..errors import EvalError
from ..ledger import Ledger

_BY_TESTS = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
"""Exit statuses that tell of tests alone. The others are never overwritten."""


def is_by_tests(session: pytest.Session) -> bool:
    """Whether the run ends as its tests do, so far: then gates have a say."""
    return session.exitstatus in _BY_TESTS


def end_unable(session: pytest.Session) -> None:
    """End with exit status 4 a run that could not do what it was asked to, tests failed or not.

    pytest-xdist ends with 2, as if interrupted, where pytest itself stops after failures and ends
    with 1; both are alike here.
    """
    stopped = str(session.shouldstop or session.shouldfail).startswith("stopping after")
    interrupted = session.exitstatus == pytest.ExitCode.INTERRUPTED
    if is_by_tests(session) or (interrupted and stopped):
        session.exitstatus = pytest.ExitCode.USAGE_ERROR


def leave(
    session: pytest.Session, ledger: Ledger, write: Callable[[], None], otherwise: str
) -> bool:
    """Whether ``write`` could write what the run was asked to leave; the run ends unable if not.

    ``otherwise`` says so in the summary, before the reason. A user who interrupts the writing has
    interrupted the run.
    """
    try:
        write()
    except (EvalError, OSError, ValueError) as error:
        ledger.notices[f"{otherwise}: {reason_of(error)}"] = None
        end_unable(session)
        return False
    except KeyboardInterrupt:
        ledger.notices[f"{otherwise}: interrupted"] = None
        if is_by_tests(session):
            session.exitstatus = pytest.ExitCode.INTERRUPTED
        return False
    return True


def reason_of(error: Exception) -> str:
    """Why something could not be written, in words, with the file that the system names."""
    if not isinstance(error, OSError) or error.strerror is None:
        return str(error)
    file = error.filename if error.filename2 is None else error.filename2
    return error.strerror if file is None else f"{error.strerror}: {file}"
