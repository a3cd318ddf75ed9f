"""Fluency: are the single sentences of the response well written and grammatical?"""

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
Is the response fluent? Take each sentence by itself and look at its language: grammar, spelling, \
the choice of words, the order of words, punctuation. Judge it by the rules of the language that \
it is written in. How the sentences fit together, and whether they are right or answer anything, \
is not asked here; the query, where there is one, only shows what the words are about. Short \
sentences, lists and plain words are no fault, nor are names and technical terms.

Query:
{{ query }}

Response:
{{ response }}

First name the faults of language that you find, or say that there are none. Then choose the \
level that fits:

{{ levels }}

The examples all want to say that the tent is light and quickly put up.
"""

LEVELS = (
    Level(
        1,
        "Broken language throughout: what the sentences mean can hardly be made out.",
        '"Tent light much up the put quick it are by."',
    ),
    Level(
        2,
        "Faults in most sentences; the meaning has to be guessed in places.",
        '"The tent it weigh few and you can quickly to put up him."',
    ),
    Level(
        3,
        "The meaning is clear, and faults or clumsy wording are noticed again and again.",
        '"The tent have a light weight, and is able of being put up by you in quick time."',
    ),
    Level(
        4,
        "Well written, apart from a slip or an awkward phrase.",
        '"The tent is light, and can be put up in a quick manner."',
    ),
    Level(
        5,
        "Every sentence is grammatical and says what it says in natural, fitting words.",
        '"The tent is light and takes only minutes to put up."',
    ),
)

RUBRIC = Rubric("fluency", TEXT, LEVELS)


class FluencyReply(Reply):
    """What the judge answers."""

    reason: Reason = Field(description="the faults of language that decide, or that there are none")
    score: Rating = Field(description="the level")


@built_in(needs=("response",), scale=ONE_TO_FIVE, rule=Threshold("at_least", 4))
async def fluency(case: Case, ask: Ask) -> Verdict:
    """Whether the response's single sentences are well written and grammatical, 1–5, 5 = all are.

    Needs the response, in any language; the query is in view where there is one. Passes at 4.
    Source: Azure AI evaluation's fluency.
    """
    reply = await ask(ask_with(RUBRIC, FluencyReply, case, ask))
    return Verdict(reply.score, reply.reason)
