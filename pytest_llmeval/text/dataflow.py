"""Which names' values a template may print, told from its syntax tree alone."""

from __future__ import annotations

from collections.abc import Iterator

from jinja2 import nodes

_ASKED_ABOUT = (nodes.Compare, nodes.Test, nodes.Not)
"""Expressions that say yes or no of a value, and do not show it."""


def printed_names(tree: nodes.Template) -> frozenset[str]:
    """The names whose values may be printed, also by way of another name, as a loop's is."""
    shown: set[str] = set()
    sources: dict[str, set[str]] = {}
    for node in _within(tree):
        if isinstance(node, nodes.Output):
            for each in node.nodes:
                shown |= _values(each)
        for target, value in _assigned(node):
            for name in _values(target):
                sources.setdefault(name, set()).update(_values(value))
    waiting = [*shown]
    while waiting:
        for name in sources.get(waiting.pop(), set()) - shown:
            shown.add(name)
            waiting.append(name)
    return frozenset(shown)


def _within(node: nodes.Node) -> Iterator[nodes.Node]:
    """``node`` and all in it, save what a condition that can't hold keeps out."""
    yield node
    never = (
        isinstance(node, nodes.If) and isinstance(node.test, nodes.Const) and not node.test.value
    )
    for name in ("elif_", "else_") if never else node.fields:
        children = getattr(node, name)
        for child in children if isinstance(children, list) else [children]:
            if isinstance(child, nodes.Node):
                yield from _within(child)


def _assigned(node: nodes.Node) -> Iterator[tuple[nodes.Node, nodes.Node]]:
    if isinstance(node, nodes.Assign):
        yield node.target, node.node
    elif isinstance(node, nodes.For):
        yield node.target, node.iter
    elif isinstance(node, nodes.With):
        yield from zip(node.targets, node.values, strict=True)


def _values(node: nodes.Node) -> set[str]:
    """The names whose values the value of the expression ``node`` may be made of."""
    if isinstance(node, _ASKED_ABOUT):
        return set()
    if isinstance(node, nodes.Name | nodes.NSRef):
        return {node.name}
    children = (
        [node.expr1, node.expr2] if isinstance(node, nodes.CondExpr) else node.iter_child_nodes()
    )
    return {name for child in children if child is not None for name in _values(child)}
