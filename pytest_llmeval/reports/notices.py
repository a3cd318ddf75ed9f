"""Notices of several processes, or of several runs: what says the same is told once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

_DIGITS = r"\d+(?:\.\d+)?"
_NUMBER = re.compile(rf"(?<!\S)({_DIGITS})(?:–({_DIGITS}))?(?=[ ,;:]|$)")
"""A number that is a word, or a range of them; digits in names and paths are none."""
_RUNS = re.compile(r" \(in (\d+) runs\)$")


def told_once(notices: Iterable[str]) -> list[str]:
    """``notices`` in order, one for those that differ in numbers alone, which are ranges then."""
    alike: dict[str, list[str]] = {}
    for notice in notices:
        alike.setdefault(_NUMBER.sub("#", notice), []).append(notice)
    return [_ranged(each) for each in alike.values()]


def joined(runs: Iterable[Iterable[str]]) -> list[str]:
    """The notices of several ``runs``, sorted: each once, and in how many runs if in several.

    Runs may be merged ones, whose notices say so already.
    """
    counts: Counter[str] = Counter()
    notices: list[str] = []
    for run in runs:
        of_run: Counter[str] = Counter()
        for notice in run:
            plain = _RUNS.sub("", notice)
            found = _RUNS.search(notice)
            key = _NUMBER.sub("#", plain)
            of_run[key] = max(of_run[key], int(found[1]) if found else 1)
            notices.append(plain)
        counts += of_run
    told = {_NUMBER.sub("#", each): each for each in told_once(notices)}
    return sorted(
        f"{notice} (in {counts[key]} runs)" if counts[key] > 1 else notice
        for key, notice in told.items()
    )


def _ranged(notices: list[str]) -> str:
    """``notices``, which are alike but for their numbers, as one."""
    found = [[*_NUMBER.finditer(notice)] for notice in notices]
    ranges = iter(
        _range([end for number in numbers for end in number.groups() if end is not None])
        for numbers in zip(*found, strict=True)
    )
    return _NUMBER.sub(lambda number: next(ranges), notices[0])


def _range(numbers: list[str]) -> str:
    low, high = min(numbers, key=float), max(numbers, key=float)
    return low if float(low) == float(high) else f"{low}–{high}"
