"""Context relevancy: is the response in line with the query and with the context?"""

from __future__ import annotations

from pydantic import Field

from ..data.cases import Case
from ..errors import UsageError
from ..judges.reply import Reason, Reply, YesNo
from ..results import Verdict
from ..scales import YES_NO, Threshold
from ..text.templates import shown_by
from .ask import Ask
from .built_in import built_in
from .prompts import Level, Rubric, ask_with

TEXT = """\
Is the response in line with the query and with the documents? It is when it responds to the \
query and agrees with what the documents say about it. It is not when it speaks of something \
else, contradicts the documents, or takes its substance from elsewhere.

Earlier turns of the conversation, which tell what "it" or "there" in the query means:
{{ history }}

Query:
{{ query }}

Documents:
{{ context }}

Response:
{{ response }}

First hold the response against the query, then against the documents. Then answer with one of:

{{ levels }}

The examples answer the query "How many does the Alpine tent sleep?" from the document "The \
Alpine tent sleeps two. Its outer fabric is nylon."
"""

LEVELS = (
    Level("yes", "It responds to the query as the documents have it.", '"Two people fit in."'),
    Level("no", "It misses the query, or goes against or past the documents.", '"It sleeps six."'),
)

RUBRIC = Rubric("context_relevancy", TEXT, LEVELS)
NEEDED = ("query", "response", "context")


class ContextRelevancyReply(Reply):
    """What the judge answers."""

    reason: Reason = Field(description="how the response stands to the query and the documents")
    verdict: YesNo = Field(description="whether it is in line with both")


@built_in(needs=NEEDED, scale=YES_NO, rule=Threshold("at_least", 1))
async def context_relevancy(case: Case, ask: Ask, template: str | None = None) -> Verdict:
    """Whether the response is in line with the query and the context, yes or no.

    ``template`` takes the prompt's place: it has to hold the placeholders ``{{ query }}``,
    ``{{ response }}`` and ``{{ context }}``, which are filled fenced, and the form of the reply is
    added to it. Raises ``UsageError`` for one that can't be; nothing is asked then. Source: Spring
    AI's RelevancyEvaluator.
    """
    rubric = RUBRIC if template is None else _replaced(template)
    reply = await ask(ask_with(rubric, ContextRelevancyReply, case, ask))
    return Verdict(YES_NO.labels[reply.verdict], reply.reason)


def _replaced(template: str) -> Rubric:
    """The rubric that asks by ``template``: another question, so that no word judge answers it."""
    names = shown_by(template)
    if missing := [f"{{{{ {name} }}}}" for name in NEEDED if name not in names]:
        raise UsageError(f"context_relevancy: the template does not hold {', '.join(missing)}")
    return Rubric("context_relevancy/template", template, LEVELS, built_in=False)
