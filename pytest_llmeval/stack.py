"""The active run: a stack, so that pytest may run inside pytest."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .session import Session


class Off:
    """A run that makes no checks. ``advice`` says how to have them made."""

    def __init__(self, advice: str) -> None:
        self.advice = advice


_active: list[Session | Off] = []


def activate(run: Session | Off) -> None:
    """Make ``run`` the one that checks belong to."""
    _active.append(run)


def deactivate(run: Session | Off) -> None:
    """End ``run``, giving place to the one around it."""
    _active.remove(run)


def active() -> Session | Off | None:
    """The run that was activated last, None where there is none."""
    return _active[-1] if _active else None
