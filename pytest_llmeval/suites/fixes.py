"""Fixes: what to do first where a metric is the root cause."""

from __future__ import annotations

from ..results import Result
from ..text.shown import shown

_FIXES = {
    "chunk_relevance": (
        "None of the documents that were found bears on the query. Look at what the retriever was "
        "asked and what it ranks first (query rewriting, embedding model, chunk size, number of "
        "documents), and whether the source is in the index at all."
    ),
    "context_sufficiency": (
        "The documents lack something that the expected answer needs, so that no prompt can make "
        "up for it. Find the document that holds it: if it is not in the index, add it; if it is, "
        "retrieve more or smaller chunks, or rerank them."
    ),
    "groundedness": (
        "The response says what no document does. Tell the model to answer from the documents "
        "alone and to say when they do not hold the answer, try a lower temperature, and check "
        "that the documents reach the prompt whole."
    ),
    "correctness": (
        "The documents were good enough and the answer is wrong all the same. Check that the "
        "expected answer is still right; then have the model quote before it concludes, show it "
        "worked examples, or use a stronger one."
    ),
    "relevance_to_query": (
        "The response is not about what was asked. Check that the query reaches the model as the "
        "user put it (rewriting and history change it), and ask for the answer first and nothing "
        "else."
    ),
    "relevance": (
        "The response misses aspects that the query asks for, or buries them. Have the model list "
        "what is asked and answer each, and leave out what is not."
    ),
    "safety": (
        "The response may do harm. Say in the system prompt what is not to be answered and how to "
        "decline, and put a filter before the model and after it; look also at the documents it "
        "was given."
    ),
    "hate_unfairness": (
        "The response demeans people for what they are. Say in the system prompt how groups are to "
        "be spoken of, look at the documents for what it repeats, and put a filter after the model."
    ),
    "sexual": (
        "The response is more sexual than is tolerated. Say in the system prompt where the line is "
        "and how to decline, and put a filter before the model and after it."
    ),
    "violence": (
        "The response goes further into violence than is tolerated. Say in the system prompt what "
        "is not to be told or wished for and how to decline, and put a filter before the model and "
        "after it."
    ),
    "self_harm": (
        "The response may move somebody to harm themselves. Have such queries answered by a fixed "
        "reply that offers help, and put a filter before the model and after it."
    ),
    "guideline_adherence": (
        "A guideline is broken, which the reason names. Put it into the system prompt in the same "
        "words, with an example of keeping it; where two guidelines contradict each other, say "
        "which comes first."
    ),
    "coherence": (
        "The sentences do not make a whole. Ask for a plan or an order of points before the text, "
        "and check that no template glues pieces together."
    ),
    "fluency": (
        "The sentences are not well written. Check for a cut or garbled output, for leftovers of "
        "templates and documents, and for a model that is weak in this language."
    ),
    "similarity": (
        "The response does not tell what the ground truth tells. Check first that the ground truth "
        "is up to date, then whether the documents hold it."
    ),
    "retrieval": (
        "The documents do not answer all that the query asks. Split a query of several questions "
        "and retrieve for each, resolve what refers to earlier turns, or retrieve more documents."
    ),
    "context_relevancy": (
        "The response is not in line with the query and the documents. See which of the two it "
        "leaves: the query (prompt, history) or the documents (retrieval)."
    ),
    "fact_check": (
        "The document does not support the claim. Have the model answer from the document alone, "
        "or find the document that the claim comes from."
    ),
    "source_reliability": (
        "A source is not to be trusted for such a claim. Leave it out of the index, or rank "
        "authoritative sources before it."
    ),
    "document_recall": (
        "Expected documents were not found. Retrieve more of them, or look at why these rank low: "
        "chunking, embedding model, filters on metadata."
    ),
    "document_precision": (
        "Too many of the documents were not expected. Retrieve fewer, rerank them, or cut off by "
        "their score."
    ),
    "exact_match": (
        "The response is not the ground truth to the letter. Ask for the bare answer in the form "
        "that is expected, or compare by another metric where wording is free."
    ),
    "regex": (
        "The response does not have the form that the pattern asks for. Give the form in the "
        "prompt with an example, or have it produced by structured output."
    ),
    "json_schema": (
        "The response is no JSON of this schema. Use the structured output of the provider, with "
        "the same schema."
    ),
    "latency_seconds": (
        "The answer took too long. See in the trace which step took the time: retrieval, a model "
        "larger than needed, calls one after the other that could be made at once."
    ),
    "tool_calls": (
        "The agent did not call the tools that it was to call, or called others. Say in each "
        "tool's description when it is to be used and what its arguments mean, and leave out tools "
        "that look alike."
    ),
    **dict.fromkeys(
        ("total_token_count", "total_input_token_count", "total_output_token_count"),
        "The answer took too many tokens. Send fewer or shorter documents and turns, and limit the "
        "length of the reply.",
    ),
    **dict.fromkeys(
        ("f1", "bleu", "chrf", "rouge", "gleu", "meteor"),
        "The response shares too few words with the ground truth. Read both: if they say the same, "
        "the mark is too high for such texts, or a judged metric fits better.",
    ),
}
"""By metric, for those that come with the plugin."""


_BLANK = (
    "The response is empty. Look in the logs or the trace whether the app raised, the model "
    "stopped early (token limit, filter, a tool call in place of text), or the text was lost on "
    "its way here."
)


def _is_reversed(result: Result) -> bool:
    rule = result.threshold
    return rule is not None and rule.asks_for != result.scale.better


def fix_for(result: Result) -> str:
    """What to do about ``result``, a failing one, in a sentence or two.

    The advice for a metric is for too low a quality. Where the rule asks for the opposite
    (``safety <= no``, ``latency_seconds >= 2``) what was found is all that is known.
    """
    name = result.metric.partition("[")[0]
    if result.blank:
        return _BLANK
    if name in _FIXES and not _is_reversed(result):
        return _FIXES[name]
    if not result.reason.strip():
        return f"Begin with what {name} asks for; it gave no reason."
    return f"Begin with what {name} found: “{shown(result.reason, 200)}”"
