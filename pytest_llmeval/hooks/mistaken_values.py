"""Values of our options that pytest took for places of tests, as it knows no plugin's options yet
where it looks for its root folder and its ini.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from inspect import signature
from itertools import pairwise
from pathlib import Path

import pytest

from ..errors import UsageError
from ..option import Option

_Found = tuple[Path, Path | None]
"""The root folder, and the ini if there is one."""


def refuse_mistaken_values(config: pytest.Config, written: Iterable[Option]) -> None:
    """Refuse a value by which pytest came to another root folder or ini than without it.

    That may be one which is there, and stands apart, by a blank, from its option, one of those
    ``written`` on the command line. Where it changed nothing it does no harm, and is not refused.
    Raises ``UsageError`` naming both.
    """
    takers = {option.flag for option in written if option.kind != "switch"}
    given = [str(arg) for arg in config.invocation_params.args]
    places = [each for each in config.getoption("file_or_dir") if each in given]
    here = config.invocation_params.dir
    for flag, value in pairwise(given):
        if flag in takers and os.path.exists(here / value):
            taken, meant = _found(config, [*places, value]), _found(config, places)
            if taken and meant and taken == (config.rootpath, config.inipath) != meant:
                raise UsageError(
                    f"{flag} {value}: write {flag}={value}, since pytest takes what stands apart "
                    f"for a place of tests: it used {_told(taken)}, in place of {_told(meant)}"
                )


def _found(config: pytest.Config, places: Sequence[str]) -> _Found | None:
    """What pytest finds for ``places`` of tests; None for a pytest that can't be asked."""
    try:
        from _pytest.config.findpaths import determine_setup

        known = {
            "inifile": config.getoption("inifilename"),
            "rootdir_cmd_arg": config.getoption("rootdir") or None,
            "invocation_dir": config.invocation_params.dir,
            "override_ini": None,  # which some versions take
            "args": places,
        }
        asked = {name: known[name] for name in signature(determine_setup).parameters}
        root, ini = determine_setup(**asked)[:2]
    except (ImportError, KeyError, TypeError):
        return None  # a value that is mistaken in silence is better than a wrong refusal
    return root, ini


def _told(found: _Found) -> str:
    root, ini = found
    return f"the root folder {root} and no ini" if ini is None else f"{ini}"
