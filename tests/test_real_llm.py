"""Once against a real small language model, which judges by chance but replies as models do."""

from __future__ import annotations

import pytest
from small_llm import absent, small_llm

pytestmark = pytest.mark.real_llm

TESTS = """
import pytest
from pytest_llmeval import Case, evaluate

DOCS = ["The Alpine tent sleeps two.", "Its outer fabric is nylon."]
CLAIMS = ["Two people sleep in it.", "It is made of canvas.", "It weighs 2 kg."]

@pytest.mark.llm_eval
@pytest.mark.parametrize("metric", ["groundedness", "relevance", "fact_check"])
@pytest.mark.parametrize("claim", CLAIMS)
def test_it(claim, metric):
    case = Case(query="What is the Alpine tent like?", response=claim, context=DOCS)
    result = evaluate(case, metric)
    if result.error is None:
        assert result.scale.holds(result.score) and result.reason
        assert result.usage.input_tokens > 100 and result.usage.output_tokens > 5
    else:
        assert result.graded is None and str(result.error)
"""


def test_a_real_models_replies_are_verdicts_in_scale_or_errors(
    pytester: pytest.Pytester, request: pytest.FixtureRequest
) -> None:
    if "real_llm" not in request.config.option.markexpr:
        pytest.skip("asks a real model only when selected: -m real_llm")
    if reason := absent():
        pytest.skip(reason)
    pytester.makepyfile(test_real=TESTS)
    with small_llm() as url:
        result = pytester.runpytest_subprocess(
            "--llm-eval",
            "--llm-eval-model=openai/smollm2",
            f"--llm-eval-base-url={url}",
            "--llm-eval-reply-tokens=256",
            "--llm-eval-show=all",
        )
    result.assert_outcomes(passed=9)
    result.stdout.re_match_lines([r"judge openai/smollm2 .*: 0 stored, \d+ asked · .* tokens"])
