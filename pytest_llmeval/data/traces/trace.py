"""A trace: what the spans of one run tell of it, and the rules by which they do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...results import total
from ..documents import Document
from ..tool_calls import ToolCall
from .span import Kind, Span
from .tree import Tree

Tokens = tuple[int | None, int | None]
"""Input and output tokens; None is unknown."""


@dataclass(frozen=True, slots=True)
class Trace:
    """What a run of the app took and gave; what its spans don't tell is None or empty.

    ``documents`` are those that were retrieved, each once, in order: None without a span that
    retrieves, empty where such spans found nothing. ``seconds`` run from the beginning of the root
    span to its end. ``tool_calls`` stand in the order in which they began.
    ``llm_calls`` counts calls of a model. ``said_before`` is what the app said on the way to its
    response.
    """

    query: str | None = None
    response: str | None = None
    documents: tuple[Document, ...] | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    seconds: float | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    llm_calls: int = 0
    said_before: tuple[str, ...] = ()


def trace_of(spans: Sequence[Span], told: Tokens = (None, None)) -> Trace:
    """What ``spans``, those of one run in any order, tell.

    ``told`` are the tokens that the trace as a whole tells, used where its spans don't. Raises
    ``CaseError`` for spans that are each other's parents.
    """
    tree = Tree(spans)
    input_tokens, output_tokens = _tokens(tree, told)
    said = _said(tree)
    return Trace(
        query=_query(tree),
        response=said[-1] if said else None,
        documents=_documents(tree),
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        seconds=_seconds([root for root in tree.roots if root.parent is None]),
        tool_calls=_tool_calls(tree),
        llm_calls=sum(1 for span in tree if _is_call(tree, span)),
        said_before=said[:-1],
    )


def _is_call(tree: Tree, span: Span) -> bool:
    """Whether ``span`` is a call of a model, and no wrapper around one."""
    return span.kind is Kind.LLM and not any(below.kind is Kind.LLM for below in tree.under(span))


def _tokens(tree: Tree, told: Tokens) -> Tokens:
    """The tokens of every call of a model, each counted once.

    A span stands for what is below it: the sum of the models' spans there, and its own count only
    where one of those does not tell. So neither a wrapper around a model's span nor an agent that
    repeats the sum of its steps counts again. Spans of no model count where the trace has none of
    a model. Unknown as soon as a model's span tells nothing and no span above it, nor the trace,
    does.
    """
    models = any(span.kind is Kind.LLM for span in tree)
    counted: dict[str, Tokens] = {}
    for span in tree.from_the_leaves():
        own = (span.input_tokens, span.output_tokens)
        below = [counted[each.id] for each in tree.children(span) if each.id in counted]
        if below:
            counted[span.id] = _sum_or(below, own)
        elif span.kind is Kind.LLM or (not models and own != (None, None)):
            counted[span.id] = own
    return _sum_or([counted[root.id] for root in tree.roots if root.id in counted], told)


def _sum_or(parts: Sequence[Tokens], own: Tokens) -> Tokens:
    if not parts:
        return own
    sums = [total(side) for side in zip(*parts, strict=True)]
    return tuple(  # type: ignore[return-value]  # of two
        mine if known is None else known for known, mine in zip(sums, own, strict=True)
    )


def _seconds(roots: Sequence[Span]) -> float | None:
    """From the beginning of the root to its end; of several roots, of the first to the last.

    A span whose parent is named and not there is no root that tells: what it took is a part.
    """
    starts = [root.start for root in roots if root.start is not None]
    ends = [root.end for root in roots if root.end is not None]
    if not roots or len(starts) < len(roots) or len(ends) < len(roots):
        return None
    nanoseconds = max(ends) - min(starts)
    return nanoseconds / 1e9 if nanoseconds >= 0 else None


_ASIDE = (Kind.TOOL, Kind.RETRIEVER, Kind.RERANKER, Kind.EMBEDDING)
"""Spans whose input is not the user's query, and whose output not the answer."""


def _query(tree: Tree) -> str | None:
    """What the first span asks that is near the root, steps aside from the answer left out."""
    asking = (span.query for span in tree if span.kind not in _ASIDE and span.query is not None)
    return next(asking, None)


def _said(tree: Tree) -> tuple[str, ...]:
    """The texts that models gave with the calls of tools, then what is answered.

    What a model says for a tool that was called, or asks no tool for, is said to nobody but the
    app, unless it is the answer.
    """
    answer = _answer(tree)
    if answer is None:
        return ()
    on_the_way = (span for span in tree.in_time() if span.asked_for and not _is_aside(tree, span))
    said = dict.fromkeys(text for span in (*on_the_way, answer) for text in span.said)
    return (*(text for text in said if text != answer.said[-1]), answer.said[-1])


def _answer(tree: Tree) -> Span | None:
    """The root that says something, else the span of the model's last words."""
    for root in reversed(tree.roots):
        if root.kind not in _ASIDE and root.said:
            return root
    saying = [span for span in tree if span.kind not in _ASIDE and span.said]
    return max(saying, key=lambda span: (span.end or 0, span.start or 0), default=None)


def _is_aside(tree: Tree, span: Span) -> bool:
    return any(above.kind in _ASIDE for above in tree.above(span))


def _documents(tree: Tree) -> tuple[Document, ...] | None:
    """What retrievers found, or rerankers left of it: a span within another of its kind is not
    heard where the outer one tells. None where nothing retrieves, or can't be read."""
    for kind in (Kind.RERANKER, Kind.RETRIEVER):
        telling = [span for span in tree.in_time() if span.kind is kind and span.documents]
        outer = _outermost(tree, telling)
        if outer:
            return _each_once(document for span in outer for document in span.documents or ())
    retrieving = [span for span in tree if span.kind in (Kind.RERANKER, Kind.RETRIEVER)]
    return () if retrieving and all(span.documents == () for span in retrieving) else None


def _each_once(documents: Iterable[Document]) -> tuple[Document, ...]:
    return tuple({(each.id, each.content): each for each in documents}.values())


def _outermost(tree: Tree, spans: Sequence[Span]) -> list[Span]:
    ids = {span.id for span in spans}
    return [span for span in spans if not any(above.id in ids for above in tree.above(span))]


def _tool_calls(tree: Tree) -> tuple[ToolCall, ...]:
    """The calls that tools' spans are, else those that models asked for.

    A tool's span within that of a tool of the same name is the same call.
    """
    calls = []
    for span in tree.in_time():
        if span.call is None:
            continue
        outer = next((above.call for above in tree.above(span) if above.call is not None), None)
        if outer is None or outer.name != span.call.name:
            calls.append(span.call)
    if calls:
        return tuple(calls)
    return tuple(call for span in tree.in_time() if _is_call(tree, span) for call in span.asked_for)
