"""The checks without a verdict, those that say the same told once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from ..records.assessment import Assessment, suite_row
from ..records.record import Record
from ..results import Outcome
from ..text.plural import many
from ..text.shown import shown

_TRIED = re.compile(r" \(tried [^()]*\)$")
"""What makes the same error read differently each time."""
_LINE = re.compile(r"(?<=\.verdicts\.jsonl):\d+(?=: )")
"""Which line of a file of verdicts it is."""

ERRORS_SHOWN = 10
"""How many kinds of errors the summary lists; the rest are counted."""


_UNANSWERED = re.compile(r"needs response, which is missing|it has no response \(")
_ANSWERING = (
    "cases without a response get one by llm_cases(…, answer=app), or hold it in their file"
)


def error_lines(
    records: Sequence[Record], assessments: Sequence[Assessment], answered: bool = False
) -> Iterable[str]:
    """What the summary says of them; nothing where there are none.

    Unless an app ``answered`` cases, it says how one does where they have no response.
    """
    errors = error_counts(records, assessments)
    if errors:
        yield f"errors: {sum(errors.values())}, each a check without a verdict"
    for (metric, message), count in [*errors.items()][:ERRORS_SHOWN]:
        yield f"  {count} × {metric}: {shown(message, 200)}"
    if len(errors) > ERRORS_SHOWN:
        yield f"  and {many(len(errors) - ERRORS_SHOWN, 'more kind')}"
    if not answered and any(_UNANSWERED.search(message) for _, message in errors):
        yield f"  {_ANSWERING}"


def error_counts(
    records: Sequence[Record], assessments: Sequence[Assessment]
) -> dict[tuple[str, str], int]:
    """How many errors of each kind there are, by metric and message, the most frequent first.

    Messages are of one kind where they begin with the same line: what follows, such as the reply
    that could not be read, is told where it is the same, too. Which case it is, and which line of
    committed verdicts, makes no kind.
    Of a suite only those where it could not be asked at all: its checks tell the others.
    """
    every: list[tuple[str, Record | Assessment]] = [(each.metric, each) for each in records]
    every += [(suite_row(each.suite), each) for each in assessments if not each.errors]
    alike: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for name, each in every:
        if each.outcome is Outcome.ERROR:
            message = _TRIED.sub("", each.message)
            begins = _TRIED.sub("", message.partition("\n")[0])
            unnamed = _LINE.sub("", begins.replace(f"case {each.case_id!r}", "the case"))
            told = begins, message.removeprefix(begins)
            alike.setdefault((name, unnamed), []).append(told)
    errors: Counter[tuple[str, str]] = Counter()
    for (name, unnamed), messages in alike.items():
        first, rest = ({*each} for each in zip(*messages, strict=True))
        begins = unnamed if len(first) > 1 else first.pop()
        errors[name, f"{begins} …" if len(rest) > 1 else begins + rest.pop()] += len(messages)
    return dict(sorted(errors.items(), key=lambda each: (-each[1], each[0])))
