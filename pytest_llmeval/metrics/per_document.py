"""One question per document: what metrics on retrieval have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..data.cases import Case
from ..judges.base import Question, ReplyT
from ..results import Evidence, Part, Verdict
from .ask import Ask
from .parts import PartOf, each_part


async def each_document(
    case: Case,
    ask: Ask,
    question_of: Callable[[Case], Question[ReplyT]],
    part_of: PartOf[ReplyT],
) -> tuple[Part, ...]:
    """A rating of each document of ``case``, in order, all asked for at the same time.

    ``question_of`` makes the question of the case with that one document as its context;
    ``part_of`` makes the rating of the reply (``yes_no_part`` where that says yes or no). A part
    is named by the document's id, else by its number, from "1".

    Raises ``PartlyJudged``, which keeps the other ratings, where a document got none.
    """
    questions = [
        (document.id or str(number), question_of(case.model_copy(update={"context": [document]})))
        for number, document in enumerate(case.context, 1)
    ]
    return tuple(part for part, _ in await each_part(questions, ask, part_of, "documents"))


def share_of(parts: Sequence[Part], good: str, bad: str) -> Verdict:
    """The share of documents that are rated yes, from 0 to 1; ``parts`` are their ratings.

    ``good`` and ``bad`` say what a document is that is rated yes or no ("relevant",
    "irrelevant"). The evidence is each document that is ``bad``, by its name, with why.
    """
    failing = tuple(Evidence(bad, part.name, part.reason) for part in parts if not part.score)
    count = len(parts) - len(failing)
    reason = f"{count} of {len(parts)} documents {'is' if count == 1 else 'are'} {good}"
    return Verdict(count / len(parts), reason, failing, parts=tuple(parts))
