"""Which groups a test is in, by its marker and its tags."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

import pytest

from ..errors import EvalError
from ..gates.group import NamedGroup, rate_of
from ..plan import plans_of
from ..records.tests import Group

CASE_TAGS = "tags"
"""The entry of a case's metadata that holds its tags: a list of texts, or one."""


def groups_in(
    item: pytest.Item, named: Sequence[NamedGroup], tags: Collection[str]
) -> tuple[Group, ...]:
    """The groups of ``item``, which has ``tags``: that of the closest marker with a rate, and those
    of ``named``."""
    own = _marked(item)
    return (*([own] if own else []), *(each.group for each in named if each.takes(tags)))


def tags_of(item: pytest.Item, named: Iterable[NamedGroup]) -> tuple[str, ...]:
    """The tags of ``item``, read only where one of the ``named`` groups goes by tags."""
    goes_by_tags = any(each.tags for each in named)
    return tuple(dict.fromkeys(_tags(item))) if goes_by_tags else ()


def names_of(item: pytest.Item) -> tuple[str, ...]:
    """By what ``must_pass`` may call ``item``, beside its node id: ids, function, name."""
    spec: Any = getattr(item, "callspec", None)
    names = [item.name, getattr(item, "originalname", None) or item.name]
    if spec is not None:
        whole = item.nodeid.partition("[")[0]
        names = [*(case.id for case in _cases(item)), spec.id, *names, whole]
    return tuple(dict.fromkeys(names))


def _marked(item: pytest.Item) -> Group | None:
    """The group that the closest marker with a rate makes.

    It is all that this marker marks: the tests of one function, class or module.
    """
    for holder, marker in item.iter_markers_with_node("llm_eval"):
        if "min_pass_rate" in marker.kwargs:
            name = holder.nodeid
            if holder is item and item.parent is not None:
                name = f"{item.parent.nodeid}::{getattr(item, 'originalname', None) or item.name}"
            must_pass = tuple(marker.kwargs.get("must_pass", ()))
            return Group(name, rate_of(marker.kwargs["min_pass_rate"]), must_pass)
    return None


def _tags(item: pytest.Item) -> Iterator[str]:
    for marker in item.iter_markers("llm_eval"):
        yield from marker.kwargs.get("tags", ())
    for place in _cases(item):
        try:
            metadata = place.case().metadata or {}
        except EvalError:  # the test will meet it
            continue
        tags = metadata.get(CASE_TAGS, ())
        yield from [tags] if isinstance(tags, str) else map(str, tags)


def _cases(item: pytest.Item) -> Iterator[Any]:
    """Where the cases of ``item`` stand."""
    spec: Any = getattr(item, "callspec", None)
    for plan in plans_of(item) if spec is not None else ():
        if plan.argname in spec.params:
            yield spec.params[plan.argname]
