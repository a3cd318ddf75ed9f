"""Notices of several processes and runs: what says the same is told once, and in how many."""

from __future__ import annotations

from collections.abc import Iterator

from active_session import active_session
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmeval.reports.notices import joined, told_once

IMPORT = "importing LiteLLM took {} s"


def test_notices_that_differ_in_numbers_alone_are_one_with_their_range() -> None:
    told = [IMPORT.format(each) for each in ("2.5", "10.1", "2.25")]
    seed = "gpt-5 does not take seed: it is left out"
    assert told_once([*told, seed]) == ["importing LiteLLM took 2.25–10.1 s", seed]
    assert told_once([told[0], seed, told[0]]) == [told[0], seed]


def test_digits_in_names_and_paths_are_no_numbers() -> None:
    told = ["gpt-4 is away", "gpt-5 is away", "/tmp/run1 is full", "/tmp/run2 is full"]
    told += ["file run-1.json: 3 lines", "file run-2.json: 4 lines"]
    assert told_once(told) == told


def test_runs_say_in_how_many_of_them() -> None:
    runs = [["seed is left out", IMPORT.format(each)] for each in ("2.5", "2.1", "3.0")]
    whole = ["importing LiteLLM took 2.1–3.0 s (in 3 runs)", "seed is left out (in 3 runs)"]
    assert joined(runs) == whole
    assert joined(runs[:1]) == sorted(runs[0])
    assert joined([joined(runs[:2]), runs[2]]) == whole  # a merged run with the rest
    assert joined([*runs[:2], ["other"]])[-2:] == ["other", "seed is left out (in 2 runs)"]


@given(st.lists(st.lists(st.sampled_from("abc").flatmap(
    lambda name: st.integers(0, 99).map(lambda number: f"{name}: {number} of them")
), max_size=4), min_size=1, max_size=5), st.integers(1, 4))  # fmt: skip
def test_it_does_not_matter_in_which_order_runs_are_merged(runs: list[list[str]], at: int) -> None:
    parts = [joined(runs[:at]), joined(runs[at:])]
    assert joined(parts) == joined(runs) == joined(reversed(runs))
    assert len(joined(runs)) == len({notice[0] for run in runs for notice in run})


def test_a_notice_that_comes_while_others_are_taken_is_told_next() -> None:
    with active_session() as session:

        class Interrupted(dict[str, None]):
            """Another thread's turn comes as soon as this has been read."""

            def __iter__(self) -> Iterator[str]:
                yield from [*super().__iter__()]
                session.notebook.notice("late")

        session.notebook.notices = Interrupted(early=None)
        taken = [session.news("", ""), session.news("", "")]
        assert [each and each["notices"] for each in taken] == [["early"], ["late"]]
