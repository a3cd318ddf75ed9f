"""One question per document: what metrics on retrieval have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..data.blank import is_blank
from ..data.cases import Case
from ..judges.base import Question, ReplyT
from ..results import Evidence, Part, Verdict
from ..text.shown import shown
from .ask import Ask
from .part_names import document_names
from .parts import PartOf, each_part

_LISTED = 5
"""How many documents a reason lists."""


async def each_document(
    case: Case,
    ask: Ask,
    question_of: Callable[[Case], Question[ReplyT]],
    part_of: PartOf[ReplyT],
) -> tuple[Part, ...]:
    """A rating of each document of ``case``, in order, all asked for at the same time.

    ``question_of`` makes the question of the case with that one document as its context;
    ``part_of`` makes the rating of the reply (``yes_no_part`` where that says yes or no). A part
    is named by the document's id, else by its number, from "1" (see ``document_names``). A blank
    document has nothing to rate: it is left out, and the others keep their numbers.

    Raises ``PartlyJudged``, or ``NotRecorded`` in replay mode, where a document got no rating;
    the error keeps the other ratings.
    """
    named = zip(document_names(case.context), case.context, strict=True)
    questions = [
        (name, question_of(case.model_copy(update={"context": [document]})))
        for name, document in named
        if not is_blank(document)
    ]
    return tuple(part for part, _ in await each_part(questions, ask, part_of, "documents"))


def share_of(parts: Sequence[Part], good: str, bad: str) -> Verdict:
    """The share of documents that are rated yes, from 0 to 1; ``parts`` are their ratings.

    ``good`` and ``bad`` say what a document is that is rated yes or no ("relevant",
    "irrelevant"). The evidence is each document that is ``bad``, by its name, with why; the
    reason names the first of them.
    """
    failing = tuple(Evidence(bad, part.name, part.reason) for part in parts if not part.score)
    count = len(parts) - len(failing)
    reason = f"{count} of {len(parts)} documents {'is' if count == 1 else 'are'} {good}"
    if failing:
        listed = ", ".join(shown(each.text, 60) for each in failing[:_LISTED])
        more = f" and {len(failing) - _LISTED} more" if failing[_LISTED:] else ""
        reason = f"{reason}; {bad}: {listed}{more}"
    return Verdict(count / len(parts), reason, failing, parts=tuple(parts))
