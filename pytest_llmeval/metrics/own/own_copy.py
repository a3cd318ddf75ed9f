"""The copy of a case that a function of the user's own is given, to do with as it likes."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from ...data.cases import Case


def own_copy(case: Case) -> Case:
    """``case`` again, sharing nothing with it that can be copied.

    What a function changes in its case would else reach the metrics after it, and the test. Of
    ``trace`` and ``metadata``, which hold whatever the app gave, what can't be copied (a lock, an
    open connection) is handed on as it is.
    """
    given = {name: _copied(value) for name, value in case if name in case.model_fields_set}
    return case.model_copy(update=given)


def _copied(value: Any) -> Any:
    try:
        return deepcopy(value)
    except Exception:
        pass
    if type(value) is dict:
        return {key: _copied(each) for key, each in value.items()}
    return [*map(_copied, value)] if type(value) is list else value
