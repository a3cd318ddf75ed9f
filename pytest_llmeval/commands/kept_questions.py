"""Questions that were answered, and which of them can go to another judge."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import EvalError, UsageError
from ..judges.answers import Reply
from ..judges.base import BaseJudge, Question, Said
from ..judges.committed import Verdicts
from ..judges.heard import answer_of, question_key
from ..judges.inventory import judge_of
from ..judges.schema import shown_schema, unmarked
from ..judges.store import Store, canonical
from ..judges.verdict_names import recorded_for
from ..metrics import built_in_rubrics

_FENCED = re.compile(r"<([\w-]+-[0-9a-f]{12})>\n(.*?)\n</\1>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Kept:
    """A question that was answered: by whom, what was said, and the node ids of its tests."""

    question: Question[Any]
    judge: str
    said: str
    tokens: int | None
    tests: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """What can go to another judge, and what was left out, with why and how often."""

    kept: tuple[Kept, ...]
    left_out: Mapping[str, int]


KeptEntry = tuple[str, Mapping[str, Any], tuple[str, ...]]
"""An entry with its key before it, and after it the tests that it is for."""


def entries_of(store: Store) -> Iterator[KeptEntry]:
    """The entries of ``store`` by key, which name no test."""
    for key, entry in store:
        yield key, entry, ()


def entries_in(verdicts: Verdicts) -> Iterator[KeptEntry]:
    """The committed entries by key, with the tests that they are for; not those redacted."""
    verdicts.load()
    seen: dict[str, tuple[Mapping[str, Any], tuple[str, ...]]] = {}
    for path in verdicts.files:
        file = recorded_for(path.relative_to(verdicts.folder).as_posix())
        for key, line in verdicts.in_file(path).items():
            if not line.redacted:
                known = seen.get(key, ({}, ()))[1]
                seen[key] = (line.entry, (*known, *(f"{file}::{test}" for test in line.tests)))
    for key, (entry, tests) in sorted(seen.items()):
        yield key, entry, tests


def rejudgeable(entries: Iterable[KeptEntry], judge: BaseJudge) -> Found:
    """Those of ``entries`` that may be put to ``judge``.

    Each question is there once. Left out are its own answers, questions in a checker's form,
    replies in a form that no metric here asks for, and replies that can't be read.

    Raises ``UsageError`` for a judge that is no LLM, or answers in one word alone.
    """
    if not judge.is_llm or judge.checker or judge.identity is None:
        raise UsageError(f"{judge.name} is no LLM that answers any question; set another model")
    forms = _forms()
    found: dict[str | None, Kept] = {}
    left_out: dict[str, int] = {}
    for _, entry, tests in entries:
        kept = _kept(entry, tests, forms, canonical(judge.identity))
        if isinstance(kept, Kept):
            found.setdefault(question_key(judge, kept.question), kept)
        else:
            left_out[kept] = left_out.get(kept, 0) + 1
    return Found(tuple(found.values()), left_out)


def _kept(
    entry: Mapping[str, Any], tests: tuple[str, ...], forms: Mapping[str, Any], identity: str
) -> Kept | str:
    """The question that ``entry`` answers, or why it can't go to another judge."""
    if canonical(entry.get("judge")) == identity:
        return "answers of this judge itself"
    form = forms.get(canonical(unmarked(entry.get("schema"))))
    if form is None:
        return "questions whose form no metric here asks for"
    messages = tuple((role, text) for role, text in entry["messages"])
    texts = [text for _, message in messages for _, text in _FENCED.findall(message)]
    question = Question(entry["task"], messages, form, {"documents": texts})
    try:
        reply = answer_of(None, [Said(entry["said"])], question).reply
    except EvalError:
        return "replies that can't be read"
    if not values_of(reply):
        return "replies that decide nothing by themselves"
    given = (entry.get("input_tokens"), entry.get("output_tokens"))
    tokens = None if None in given else sum(given)  # type: ignore[arg-type]
    return Kept(question, judge_of(entry), entry["said"], tokens, tests)


def _forms() -> dict[str, type[Reply]]:
    """Every form of reply that a metric here asks for, by its schema."""
    built_in_rubrics()  # which imports them all
    forms: dict[str, type[Reply]] = {}
    left = [*Reply.__subclasses__()]
    while left:
        form = left.pop()
        forms[canonical(unmarked(shown_schema(form)))] = form
        left += form.__subclasses__()
    return forms


def values_of(reply: Reply) -> str:
    """The values of ``reply`` that are chosen and no free text."""
    return ", ".join(
        str(getattr(reply, name))
        for name, form in shown_schema(type(reply)).get("properties", {}).items()
        if "enum" in form or form.get("type") in ("integer", "number", "boolean")
    )
