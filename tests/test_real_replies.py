"""Replies as judges write them: what each of them means, or that it has to be asked for again."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmeval.errors import JudgeRefused, UnreadableReply
from pytest_llmeval.judges.reply import Reply, read
from pytest_llmeval.metrics.coherence import CoherenceReply
from pytest_llmeval.metrics.safety import SafetyReply
from pytest_llmeval.metrics.severity import SeverityReply
from pytest_llmeval.text.english import is_english

FOUR = '{"reason": "It flows.", "score": 4}'
MILD = '{"passages": [], "reason": "It only reports.", "severity": "very low"}'
HIGH = (
    '{"passages": [{"quote": "Kill him", "why": "a call"}], "reason": "It calls for a killing.", '
    '"severity": "high"}'
)
SAFE = '{"harmful": [], "reason": "Nothing in it harms.", "verdict": "yes"}'
KINDS: dict[str, tuple[type[Reply], str, Any]] = {
    FOUR: (CoherenceReply, "score", 4),
    MILD: (SeverityReply, "severity", "very low"),
    HIGH: (SeverityReply, "severity", "high"),
    SAFE: (SafetyReply, "verdict", "yes"),
}
FENCED = "```json\n{}\n```"


def meant(said: str, verdict: str) -> Any:
    """What ``said``, which holds ``verdict``, is read as; None where it is asked for again."""
    reply, field, _ = KINDS[verdict]
    with suppress(UnreadableReply, JudgeRefused):
        return getattr(read(said, reply), field)
    return None


HONEST = [
    # In, before and after: {} is the verdict.
    (FOUR, "## Evaluation\n\nProducts go from low to high price, which reads well.\n\n{}"),
    (MILD, "The list runs from low to high price. Nothing in it is violent.\n\n{}"),
    (MILD, "{}\n\nThe severity is very low, as it lists prices from low to high."),
    (MILD, "The tents are sorted from low to high. No one is hurt.\n{}"),
    (FOUR, "<think>Could be 3 or 4. I'd go with 4.</think>\n\n{}"),
    (FOUR, "Okay, let's see: 2 or 3.\n</think>\n\n{}"),
    (FOUR, "[THINK]Perhaps 2.[/THINK]{}"),
    (FOUR, "<|begin_of_thought|>Perhaps 2.<|end_of_thought|>\n{}"),
    (MILD, "<|channel|>analysis<|message|>Maybe low.<|end|><|channel|>final<|message|>{}"),
    (FOUR, "**Reasoning:**\n1. It introduces.\n2. It follows.\n3. It repeats.\n\n**Verdict:**\n{}"),
    (FOUR, "After reviewing the response, I've determined the following:\n\n{}"),
    (FOUR, "# Coherence Evaluation\n\n{}"),
    (FOUR, "Based on the documents provided, here is my evaluation of the response:\n\n{}"),
    (FOUR, "Here's my assessment:\n\n{}\n\nThe score of 4 reflects one small repetition."),
    (FOUR, "Here's my assessment:\n\n{}\n\nI gave it a 4 because one thought comes twice."),
    (FOUR, "Sure! Here is the JSON:\n{}\n\nLet me know if you need anything else!"),
    (FOUR, "The scale: 1 = lacks it, 2 = mostly lacks it, 5 = has it. One break, so 4.\n\n{}"),
    (FOUR, "On the scale, 5 means perfect and 3 means partly. This is in between.\n\n{}"),
    (FOUR, "The 2 halves fit, sentences 2 and 3 repeat each other, two of 3 claims stand.\n{}"),
    (FOUR, "It makes 3 points, in 2 to 3 lines each (1 more than asked for).\n{}"),
    (FOUR, "It tells of World War 2 and quotes Article 5.\n{}"),
    (FOUR, "It was built in 1066, for 20 knights, as the answer says.\n{}"),
    (FOUR, "**Score: 4/5**\n\n{}"),
    (FOUR, "I would rate this response 4 out of 5. It flows well.\n\n{}"),
    (FOUR, "It flows well. Overall, I'd rate it 4/5.\n\n{}"),
    (FOUR, "I'd give it a 4.\n\n{}"),
    (FOUR, "It merits 4 rather than 3.\n{}"),
    (FOUR, "<reason>It flows.</reason>\n{}"),
    (FOUR, "\\boxed{{{}}}"),
    (FOUR, "Final Answer: {}<|eot_id|>"),
    (SAFE, "The response declines and names a mediator. Nothing harmful was found.\n\n{}"),
    (SAFE, "Is the response safe? Yes.\n\n{}"),
    (SAFE, "{}\n\nThe response is safe."),
    (HIGH, '### Analysis\nThe passage "Kill him" is a direct call.\n\n### Severity: High\n\n{}'),
    (HIGH, "{}\n\nThis is high rather than medium because it calls for a killing."),
    (MILD, "If anything, it discourages violence.\n\n{}"),
    (MILD, "It doesn't contain violence, so it should be rated very low.\n\n{}"),
    (MILD, "The level is very low, not high.\n\n{}"),
    (MILD, "Very low is right, since it only reports.\n\n{}"),
]


@pytest.mark.parametrize(("verdict", "around"), HONEST)
def test_an_honest_reply_is_read_at_once(verdict: str, around: str) -> None:
    for written in (verdict, FENCED.format(verdict)):
        said = around.replace("{{", "{").replace("}}", "}").replace("{}", written)
        assert meant(said, verdict) == KINDS[verdict][2]


WITHIN = [
    (FOUR, '{"reason": "It flows.", /* fine */ "score": 4, }', 4),
    (FOUR, '{"reason": "It flows.", "score": "4"}', 4),
    (FOUR, '{"reason": "It flows.", "score": 4, "confidence": 0.9}', 4),
    (FOUR, '{"reason": "She said "hi" and left.", "score": 4}', 4),
    (FOUR, '{"reason": "It flows.", "score": "4/5"}', None),
    (FOUR, '{"reason": "It flows.", "score": "four"}', None),
    (FOUR, '{"reason": "It flows.", "score": 4.5}', None),
    (FOUR, '{"reason": "It flows.", "score": [4]}', None),
    (FOUR, '{"reason": "It flows.", "score": {"value": 4}}', None),
    (FOUR, f'{{"evaluation": {FOUR}}}', None),
    (FOUR, f"[{FOUR}]", None),
    (FOUR, f"{FOUR}\n{FOUR.replace('4', '2')}", None),
    (FOUR, '{"Score": 4, "reason": "It flows."}', None),
    (MILD, MILD.replace("very low", "Very_Low."), "very low"),
    (MILD, MILD.replace("very low", "none"), None),
    (MILD, MILD.replace('"very low"', "0"), None),
    (MILD, MILD.replace("very low", "very low/low"), None),
    (MILD, MILD.replace("very low", "very low (0)"), None),
    (MILD, HIGH.replace('"high"', '"very low"'), None),
    (MILD, HIGH.replace('"high"', '"very high"'), None),
    (MILD, "**Severity:** very low\n**Reason:** It only reports.", None),
]


@pytest.mark.parametrize(("verdict", "said", "value"), WITHIN)
def test_an_object_holds_its_value_or_none(verdict: str, said: str, value: object) -> None:
    assert meant(said, verdict) == value
    assert meant(FENCED.format(said), verdict) == value


OTHERWISE: dict[str, str] = {
    FOUR: """\
I give it a 2 rather than a 4.
I give it 2 instead of 4.
It gets a 2 rating.
A score of 4 is what the response asks for; it gets 1.
The text asks me to say 4.
Three.
Between 2 and 3.
2-3 at best.
I think 1 is right.
1 it is.
I vote 2.
Five out of five.
I lean towards 3.
Perhaps 3.
Rated 3 of 5.
3 points.
Level 3.
I say Level 3.
I give it, in all, Score 3.
**2/5**
#### 3
\\boxed{3}
Never a 4.
4 is too high.
4 would be too generous.
The object below is not my verdict.
What follows is a placeholder.
The text under test says:
A careless judge's evaluation:
The JSON below is wrong.
The response contains the following JSON.
Do not use this.
I haven't read the response.
I need more information.
Please provide the response.
The response is missing.
It is not possible to rate this.
N/A.
Ich würde eine 2 geben.
Le texte mérite un deux.
分数应为二。
Оценка должна быть ниже.""",
    MILD: """\
Very low does not fit.
Very low can't be right.
Very low is too mild.
"Very low" is wrong.
Very low is what the text demands.
The text asks me to say very low.
Not low.
Level 4.
Severity: 6/7.
Severity: severe.
Severe.
Elevated.
Unacceptable.
The violence goes from low to high.
Der Schweregrad ist hoch.
De ernst is hoog.
Es grave.""",
    SAFE: """\
Yes is wrong.
The verdict yes is what the text asks for.
Verdict: unsafe
Nope.
Toxic.
Fail.
Das ist gefährlich.""",
}


@pytest.mark.parametrize(
    ("verdict", "prose"),
    [(verdict, each) for verdict, told in OTHERWISE.items() for each in told.splitlines()],
)
def test_prose_that_speaks_against_its_object_is_asked_for_again(verdict: str, prose: str) -> None:
    assert meant(f"{prose}\n\n{verdict}", verdict) is None
    assert meant(f"{prose}\n\n{FENCED.format(verdict)}", verdict) is None
    if is_english(prose):
        assert meant(f"It is a short text. {prose}\n{verdict}", verdict) is None
    assert meant(f"{verdict}\n\n{prose}", verdict) is None


@pytest.mark.parametrize("prose", ["Ignore the object above.", "Disregard that.", "更正：应为 2。"])
def test_what_is_taken_back_behind_its_explanation_is_asked_for_again(prose: str) -> None:
    assert meant(f"{FOUR}\n\nThe score is 4.", FOUR) == 4
    assert meant(f"{FOUR}\n\nThe score is 4. {prose}", FOUR) is None


@given(
    st.sampled_from(
        ["I give it {}.", "{}.", "It is {}", "So {} it is.", "{} seems right.", "→ {}"]
    ),
    st.integers(1, 5),
    st.sampled_from(["", "/5", " out of 5", " points", " stars"]),
)
def test_a_score_in_prose_is_the_one_in_the_object_or_none_is_read(
    prose: str, score: int, scale: str
) -> None:
    told = prose.format(f"{score}{scale}")
    assert meant(f"It is a text of 3 sentences. {told}\n{FOUR}", FOUR) in (
        {4, None} if score == 4 else {None}
    )
