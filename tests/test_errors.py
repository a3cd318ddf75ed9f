"""Errors: told from one another, and whole after a journey to another process."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from pytest_llmeval.errors import (
    CheckFailed,
    EvalError,
    JudgeMisconfigured,
    JudgeUnavailable,
    NoJudge,
    PartlyJudged,
    ReplyCutOff,
)
from pytest_llmeval.judges.choice import JudgeChoice
from pytest_llmeval.results import Part
from pytest_llmeval.settings import Settings


def kinds(of: type[Exception] = EvalError) -> Iterator[type[Exception]]:
    yield of
    for kind in of.__subclasses__():
        yield from kinds(kind)


EVERY = [
    *(kind("why") for kind in dict.fromkeys([*kinds(), CheckFailed])),
    JudgeUnavailable("why", retry_after=3.0),
    JudgeMisconfigured("why", lasting=False),
    ReplyCutOff("why", fault="it was cut"),
    PartlyJudged("why", (Part("1", None, error="it timed out"),)),
]


@pytest.mark.parametrize("error", EVERY, ids=lambda error: type(error).__name__)
def test_every_error_survives_pickle_and_copy(error: Exception) -> None:
    error.add_note("a note")
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(other) is type(error)
        assert (str(other), other.__dict__) == (str(error), error.__dict__)


def test_a_check_without_a_judge_ends_in_its_error_in_a_pool_of_processes() -> None:
    with (
        ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool,
        pytest.raises(NoJudge, match="none is set"),
    ):
        pool.submit(JudgeChoice(Settings(), "none is set").of, None).result(timeout=60)
