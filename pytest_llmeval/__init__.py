"""Assert on the quality of LLM output in ordinary pytest tests.

The names below are imported when they are first used: every pytest run of every project in an
environment imports this package, and pays nothing for it.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .assertions.answers import assert_context_relevancy as assert_context_relevancy
    from .assertions.answers import assert_correct as assert_correct
    from .assertions.answers import assert_guidelines as assert_guidelines
    from .assertions.answers import assert_relevant_to_query as assert_relevant_to_query
    from .assertions.answers import assert_safe as assert_safe
    from .assertions.any_metric import ask_judge as ask_judge
    from .assertions.any_metric import assert_metric as assert_metric
    from .assertions.any_metric import assert_metrics as assert_metrics
    from .assertions.any_metric import evaluate as evaluate
    from .assertions.documents import assert_chunks_relevant as assert_chunks_relevant
    from .assertions.documents import assert_context_sufficient as assert_context_sufficient
    from .assertions.documents import assert_sources_reliable as assert_sources_reliable
    from .assertions.facts import assert_fact_checked as assert_fact_checked
    from .assertions.facts import assert_not_fact_checked as assert_not_fact_checked
    from .assertions.harms import assert_no_hate as assert_no_hate
    from .assertions.harms import assert_no_self_harm as assert_no_self_harm
    from .assertions.harms import assert_no_sexual_content as assert_no_sexual_content
    from .assertions.harms import assert_no_violence as assert_no_violence
    from .assertions.quality import assert_coherent as assert_coherent
    from .assertions.quality import assert_fluent as assert_fluent
    from .assertions.quality import assert_grounded as assert_grounded
    from .assertions.quality import assert_relevant as assert_relevant
    from .assertions.quality import assert_retrieved as assert_retrieved
    from .assertions.quality import assert_similar as assert_similar
    from .assertions.suites import assert_quality as assert_quality
    from .assertions.text import assert_bleu as assert_bleu
    from .assertions.text import assert_chrf as assert_chrf
    from .assertions.text import assert_document_precision as assert_document_precision
    from .assertions.text import assert_document_recall as assert_document_recall
    from .assertions.text import assert_exact_match as assert_exact_match
    from .assertions.text import assert_f1 as assert_f1
    from .assertions.text import assert_gleu as assert_gleu
    from .assertions.text import assert_json as assert_json
    from .assertions.text import assert_matches as assert_matches
    from .assertions.text import assert_meteor as assert_meteor
    from .assertions.text import assert_rouge as assert_rouge
    from .assertions.usage import assert_latency as assert_latency
    from .assertions.usage import assert_tokens as assert_tokens
    from .assertions.usage import assert_tools_called as assert_tools_called
    from .data.cases import Case as Case
    from .data.datasets import load_cases as load_cases
    from .data.documents import Document as Document
    from .data.measuring import measure as measure
    from .data.messages import Message as Message
    from .data.tool_calls import ToolCall as ToolCall
    from .data.traces.read import read_trace as read_trace
    from .data.traces.trace import Trace as Trace
    from .deferral import together as together
    from .errors import CaseError as CaseError
    from .errors import CheckFailed as CheckFailed
    from .errors import EvalError as EvalError
    from .errors import JudgeError as JudgeError
    from .errors import UsageError as UsageError
    from .judges.answers import FreeText as FreeText
    from .judges.entry_texts import redact_texts as redact_texts
    from .judges.lexical import LexicalJudge as LexicalJudge
    from .judges.model import Judge as Judge
    from .metrics.base import Metric as Metric
    from .metrics.own.function import OwnAsk as OwnAsk
    from .metrics.own.function import metric as metric
    from .metrics.own.judged import JudgedMetric as JudgedMetric
    from .metrics.prompts import Level as Level
    from .metrics.prompts import Rubric as Rubric
    from .metrics.rubrics import RubricExtension as RubricExtension
    from .reports.loaded import load_run as load_run
    from .reports.run import Run as Run
    from .results import Evidence as Evidence
    from .results import Outcome as Outcome
    from .results import Part as Part
    from .results import Result as Result
    from .results import Verdict as Verdict
    from .scales import Scale as Scale
    from .suites.result import SuiteResult as SuiteResult
    from .suites.suite import Suite as Suite

_ROOMS = {
    "assertions.answers": (
        "assert_context_relevancy",
        "assert_correct",
        "assert_guidelines",
        "assert_relevant_to_query",
        "assert_safe",
    ),
    "assertions.any_metric": ("ask_judge", "assert_metric", "assert_metrics", "evaluate"),
    "assertions.documents": (
        "assert_chunks_relevant",
        "assert_context_sufficient",
        "assert_sources_reliable",
    ),
    "assertions.facts": ("assert_fact_checked", "assert_not_fact_checked"),
    "assertions.harms": (
        "assert_no_hate",
        "assert_no_self_harm",
        "assert_no_sexual_content",
        "assert_no_violence",
    ),
    "assertions.quality": (
        "assert_coherent",
        "assert_fluent",
        "assert_grounded",
        "assert_relevant",
        "assert_retrieved",
        "assert_similar",
    ),
    "assertions.suites": ("assert_quality",),
    "assertions.text": (
        "assert_bleu",
        "assert_chrf",
        "assert_document_precision",
        "assert_document_recall",
        "assert_exact_match",
        "assert_f1",
        "assert_gleu",
        "assert_json",
        "assert_matches",
        "assert_meteor",
        "assert_rouge",
    ),
    "assertions.usage": (
        "assert_latency",
        "assert_tokens",
        "assert_tools_called",
    ),
    "data.cases": ("Case",),
    "data.datasets": ("load_cases",),
    "data.documents": ("Document",),
    "data.measuring": ("measure",),
    "data.messages": ("Message",),
    "data.tool_calls": ("ToolCall",),
    "data.traces.read": ("read_trace",),
    "data.traces.trace": ("Trace",),
    "deferral": ("together",),
    "errors": ("CaseError", "CheckFailed", "EvalError", "JudgeError", "UsageError"),
    "judges.answers": ("FreeText",),
    "judges.entry_texts": ("redact_texts",),
    "judges.lexical": ("LexicalJudge",),
    "judges.model": ("Judge",),
    "metrics.base": ("Metric",),
    "metrics.own.judged": ("JudgedMetric",),
    "metrics.own.function": ("OwnAsk", "metric"),
    "metrics.prompts": ("Level", "Rubric"),
    "metrics.rubrics": ("RubricExtension",),
    "reports.loaded": ("load_run",),
    "reports.run": ("Run",),
    "results": ("Evidence", "Outcome", "Part", "Result", "Verdict"),
    "scales": ("Scale",),
    "suites.result": ("SuiteResult",),
    "suites.suite": ("Suite",),
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}

__version__ = "0.1.0"
__all__ = sorted(_ROOM_OF)


def __getattr__(name: str) -> object:
    if name not in _ROOM_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_ROOM_OF[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_ROOM_OF})
