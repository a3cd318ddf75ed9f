"""What this shop asks of its assistant beyond the built-in metrics."""

from __future__ import annotations

import asyncio
import re

from pydantic import BaseModel, Field

from pytest_llmeval import Case, JudgedMetric, OwnAsk, Verdict, metric

MOST_WORDS = 40

# A declaration: a prompt over the case's fields, and a scale that has a pass mark of its own.
no_pressure = JudgedMetric(
    "no_pressure",
    scale="1-5",
    prompt="""\
Does the reply leave the customer free to decide? Urging, false scarcity and praise without a fact
are pressure; prices and facts are none.

{{ response }}
""",
    levels={
        1: "It pushes the customer to buy now.",
        3: "It praises more than it informs.",
        5: "It informs, and leaves it at that.",
    },
)

# The same of each document: which of the pages that were found are for customers at all?
for_customers = JudgedMetric(
    "for_customers",
    scale="yes_no",
    per_document=True,
    prompt="Is this page written for customers, and not for the staff?\n\n{{ context }}",
)


@metric(needs="response", scale="yes_no")
def brief(case: Case, most: int = MOST_WORDS) -> tuple[bool, str]:
    """A plain function: no judge, no cost."""
    words = len((case.response or "").split())
    return words <= most, f"it has {words} words, and {most} are allowed"


class Price(BaseModel):
    """What the judge answers about one price."""

    reason: str = Field(description="what the documents say of this price")
    right: bool = Field(description="whether it is the price that they give")


@metric(needs=("response", "context"), scale="0-1", at_least=1)
async def prices(case: Case, ask: OwnAsk) -> Verdict:
    """An async function: a question for each price in the reply, all at once."""
    found = re.findall(r"[^.]*\d+ euros[^.]*\.", case.response or "")
    if not found:
        return Verdict(None, "no price is named", applicable=False)
    pages = "\n\n".join(document.content for document in case.context)
    question = "Is the price right?\n\n{{ sentence }}\n\nThe documents:\n{{ pages }}"
    replies = await asyncio.gather(
        *(ask(question, Price, sentence=sentence, pages=pages) for sentence in found)
    )
    wrong = [reply.reason for reply in replies if not reply.right]
    return Verdict(1 - len(wrong) / len(replies), "; ".join(wrong) or "every price is right")
