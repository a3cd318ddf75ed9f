"""The name of a case, told from the ids that stand in for one."""

from __future__ import annotations

import re

_DIGEST = re.compile("[0-9a-f]{12}")


def is_made_up(case_id: str, test: str, metric: str) -> bool:
    """Whether ``case_id``, of a check of ``metric`` in ``test``, is no name that somebody gave:
    where it was judged, or a digest."""
    return case_id.startswith(f"{test}:{metric}:") or _DIGEST.fullmatch(case_id) is not None
