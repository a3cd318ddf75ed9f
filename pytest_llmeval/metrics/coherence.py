"""Coherence: do the sentences of the response fit together and read as one piece?"""

from __future__ import annotations

from pydantic import Field

from ..data.cases import Case
from ..judges.reply import Rating, Reason, Reply
from ..results import Verdict
from ..scales import ONE_TO_FIVE, Threshold
from .ask import Ask
from .built_in import built_in
from .prompts import Level, Rubric, ask_with

TEXT = """\
Is the response coherent? In a coherent response one sentence leads on to the next, everything \
said serves one line of thought that answers the query, and the whole reads naturally. Look at \
how the sentences hang together: their order, what links them, what "it" and "this" point to, \
whether one takes back what another said. Whether the facts are right, and whether each sentence \
by itself is well written, is not asked here. A single sentence is coherent when its parts are.

Earlier turns of the conversation:
{{ history }}

Query:
{{ query }}

Response:
{{ response }}

First say how the sentences follow on from each other, and where the thread breaks. Then choose \
the level that fits:

{{ levels }}

The examples answer the query "How do I wash my Alpine tent?"
"""

LEVELS = (
    Level(
        1,
        "Pieces without a thread: no sentence follows from another, or words stand in no order.",
        '"Cold water the pole. Nylon is a plastic. So drying wash never who."',
    ),
    Level(
        2,
        "Single sentences can be followed; most have no link to their neighbours or undo them.",
        '"Use cold water. Never let it get wet. Our shop has two floors. Then rinse the soap."',
    ),
    Level(
        3,
        "A line of thought shows, with jumps or steps out of order that the reader has to mend.",
        '"Let it dry in the shade. Before, rinse it. It has two doors. Wash it by hand first."',
    ),
    Level(
        4,
        "The sentences follow on from each other; one link is missing or one turn is abrupt.",
        '"Wash it by hand in cold water, then rinse it. Never fold it wet. Dry it in the shade."',
    ),
    Level(
        5,
        "Each sentence leads on to the next, and together they read as one natural answer.",
        '"Wash it by hand in cold water and rinse out the soap. Then hang it in the shade, and '
        'pack it only once it is dry."',
    ),
)

RUBRIC = Rubric("coherence", TEXT, LEVELS)


class CoherenceReply(Reply):
    """What the judge answers."""

    reason: Reason = Field(description="how the sentences hang together, and where they do not")
    score: Rating = Field(description="the level")


@built_in(needs=("query", "response"), scale=ONE_TO_FIVE, rule=Threshold("at_least", 4))
async def coherence(case: Case, ask: Ask) -> Verdict:
    """Whether the response's sentences fit together and read naturally, 1–5, 5 = as one piece.

    Needs query and response; earlier turns are in view. Passes at 4. Source: Azure AI
    evaluation's coherence.
    """
    reply = await ask(ask_with(RUBRIC, CoherenceReply, case, ask))
    return Verdict(reply.score, reply.reason)
