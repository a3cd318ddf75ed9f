"""A replay shows what the live run showed, but for where its verdicts came from."""

from __future__ import annotations

import re

import pytest

SUITE = """
import pytest
from pytest_llmeval import Case, assert_grounded, assert_quality, evaluate, together
from suite_judge import saying

pytestmark = pytest.mark.llm_eval
JUDGE = saying(groundedness="no", name="j", kept=True)

def check(text):
    judge = JUDGE if "bad" in text else saying(name="j", kept=True)
    assert_grounded(text, context=["c"], judge=judge)

@pytest.mark.parametrize("text", ["good", "bad"])
def test_one(text): check(text)

def test_several():
    with together():
        check("bad a")
        check("bad b")

@pytest.mark.llm_eval(min_pass_rate=0.5)
@pytest.mark.parametrize("text", ["good", "bad of a group"])
def test_group(text): check(text)

@pytest.mark.xfail
def test_hoped(): check("bad, as expected")

def test_blank(): check("")

def test_suite():
    case = Case(id="s", query="q", response="bad of a suite", context=["c"])
    assert_quality(case, judge=JUDGE)

def test_nothing_asserted():
    evaluate(Case(id="e", response="bad e", context=["c"]), "groundedness", judge=JUDGE)
"""
HOUR = re.compile(
    r'(?<= )(?:time|timestamp)="[^"]*"|(?<= in )\d+\.\d+s|"(?:started|finished)": .*|=+$|^=+'
)
"""What differs in any two runs."""

APART = {
    "terminal": r"llm eval: no judge set, mode: |judge j · |verdicts stored in |put \"\*",
    "junit.xml": "",
    "page.md": r"- `judge j` · |- `verdicts stored in |- `put \"\*|### Notices|$",
    "run.json": r' *"(mode|record|asked|stored)": | *"notices": \[| *"(put|verdicts) |  \],$',
}
"""The lines that tell where verdicts came from, and what was recorded, by where they stand."""


def shown(pytester: pytest.Pytester, *options: str) -> dict[str, list[str]]:
    """The lines of all that a run shows, by where they stand."""
    files = ("--junit-xml=junit.xml", "--llm-eval-markdown=page.md", "--llm-eval-report=run.json")
    settings = ("--llm-eval-verdicts=kept", "--llm-eval-show=all", "-rA")
    result = pytester.runpytest("--llm-eval", *files, *settings, *options)
    assert result.ret == 1
    texts = {name: (pytester.path / name).read_text("utf-8") for name in APART if "." in name}
    texts["terminal"] = result.stdout.str()
    texts["junit.xml"] = texts["junit.xml"].replace("><", ">\n<")
    return {name: [HOUR.sub("", each) for each in text.split("\n")] for name, text in texts.items()}


@pytest.mark.parametrize("how", [[], ["--llm-eval-deferred"]], ids=" ".join)
def test_a_replay_shows_what_the_live_run_did_but_for_where_verdicts_came_from(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, how: list[str]
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")  # so that lines are annotated, too
    pytester.makepyfile(test_app=SUITE)
    live = shown(pytester, "--llm-eval-record", *how)
    replay = shown(pytester, "--llm-eval-mode=replay", *how)
    for name, apart in APART.items():
        lines, again = (
            [line for line in run[name] if not (apart and re.match(apart, line))]
            for run in (live, replay)
        )
        assert again == lines
    assert sum(line.startswith("::") for line in live["terminal"]) == 4
    (before,), (now,) = (
        [line for line in run["terminal"] if line.startswith("judge j · ")]
        for run in (live, replay)
    )
    assert ", 0 asked" in now
    assert ", 0 asked" not in before
