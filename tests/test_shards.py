"""Shards: each test in exactly one, told apart from what the user leaves out."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmeval import load_run
from pytest_llmeval.errors import UsageError
from pytest_llmeval.reports.digests import digest_of, joined
from pytest_llmeval.settings import Settings

SUITE = """
import pytest

@pytest.mark.llm_eval
@pytest.mark.parametrize("n", range(5))
def test_eval(n): pass

class TestPlain:
    def test_a(self): pass
    def test_b(self): pass
"""
SHUFFLED = """
import random
def pytest_collection_modifyitems(items):
    random.shuffle(items)
"""


def ran(pytester: pytest.Pytester, *options: str) -> tuple[int, list[str]]:
    """The exit status, and the tests that ran."""
    made = pytester.runpytest("-rA", "--llm-eval", "--llm-eval-report=run.json", *options)
    names = [
        line.split("::", 1)[1].split(" - ")[0]
        for line in made.outlines
        if line.startswith("PASSED")
    ]
    return int(made.ret), sorted(names)


EVERY = ["TestPlain::test_a", "TestPlain::test_b", *(f"test_eval[{n}]" for n in range(5))]


def test_each_test_is_in_one_shard_whatever_the_order(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_suite=SUITE)
    pytester.makeconftest(SHUFFLED)
    shards = []
    for number in (1, 2, 3):
        status, names = ran(pytester, f"--llm-eval-shard={number}/3")
        assert status == 0
        assert names == EVERY[number - 1 :: 3]
        shards.append(load_run(pytester.path / "run.json").extent)
    whole = digest_of(f"test_suite.py::{name}" for name in EVERY)
    for number, extent in enumerate(shards, 1):
        assert (extent.shard, extent.collected_digest) == (f"{number}/3", whole)
        assert (extent.collected, extent.deselected) == (7, 0)
        assert (extent.elsewhere, extent.ran) == ((4, 3) if number == 1 else (5, 2))
        assert not extent.complete
    assert joined(extent.ran_digest for extent in shards) == whole


@pytest.mark.parametrize("more", [[], ["-n", "2"]])
def test_what_the_user_leaves_out_is_told_apart(pytester: pytest.Pytester, more: list[str]) -> None:
    pytester.makepyfile(test_suite=SUITE)
    status, names = ran(pytester, "--llm-eval-shard=2/2", "-k", "eval", *more)
    assert (status, names) == (0, ["test_eval[1]", "test_eval[3]"])
    extent = load_run(pytester.path / "run.json").extent
    assert (extent.collected, extent.deselected, extent.elsewhere, extent.due) == (7, 2, 3, 2)
    assert extent.collected_digest == digest_of(f"test_suite.py::{name}" for name in EVERY)


@pytest.mark.parametrize("more", [[], ["-n", "1"]])
def test_a_shard_without_a_test_ends_well(pytester: pytest.Pytester, more: list[str]) -> None:
    pytester.makepyfile(test_suite="def test_one(): pass")
    made = pytester.runpytest("--llm-eval-shard=2/2", *more)
    assert made.ret == 0
    made.stdout.fnmatch_lines(["llm eval: shard 2/2, 1 test in other shards"])
    if not more:
        assert pytester.runpytest("--llm-eval-shard=2/2", "-k", "nothing").ret == 5
        assert pytester.runpytest("--llm-eval-shard=1/2").ret == 0


def test_shards_are_taken_with_evals_off_and_from_any_source(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makepyfile(test_suite=SUITE)
    pytester.makeini("[pytest]\nllm_eval_shard = 1/7\n")
    pytester.runpytest().assert_outcomes(passed=1, deselected=6)
    monkeypatch.setenv("LLM_EVAL_SHARD", "3/7")
    pytester.runpytest().assert_outcomes(skipped=1, deselected=6)
    listed = pytester.runpytest("--collect-only", "-q", "--llm-eval-shard=2/7")
    assert [line for line in listed.outlines if "::" in line] == [
        "test_suite.py::TestPlain::test_b"
    ]


@given(
    st.sets(st.text(st.characters(exclude_categories=()), max_size=3)),
    st.randoms(use_true_random=False),
)
def test_digests_of_parts_add_up_to_that_of_the_whole(names: set[str], random: Random) -> None:
    shuffled = [*names, *names]
    random.shuffle(shuffled)
    cut = random.randint(0, len(names))
    parts = [*names][:cut], [*names][cut:]
    assert joined(map(digest_of, parts)) == digest_of(shuffled) == digest_of(names)
    assert not names or digest_of([*names][1:]) != digest_of(names)


@pytest.mark.parametrize(
    "share", ["0/3", "4/3", "1", "/", "1/0", "a/b", "-1/3", "1.5/3", "1/10000"]
)
def test_a_share_that_cannot_be_is_refused_by_name(share: str) -> None:
    with pytest.raises(UsageError) as caught:
        Settings.read(lambda option: share if option.name == "shard" else None, {})
    told = f"--llm-eval-shard: expected K/N with 1 ≤ K ≤ N, as 2/3; got {share!r}"
    assert str(caught.value) == told
    good = Settings.read(lambda option: " 02 / 3" if option.name == "shard" else None, {})
    assert good.shard == "2/3"
