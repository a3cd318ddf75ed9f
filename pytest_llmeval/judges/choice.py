"""Which judge is meant: by the settings, by a name that they give, or by a model's name."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from ..errors import NoJudge, UsageError
from ..settings import OPTIONS, Settings
from ..text.encodable import carried
from .base import BaseJudge
from .model import Judge
from .written import parse_judge, parse_param

LEXICAL = "lexical"
"""The name by which the lexical judge is called."""

_OF_A_MODEL = ("base_url", "key_env", "temperature", "seed", "reply_tokens", "param")
"""The settings that describe the configured model, and no other judge."""


class JudgeChoice:
    """The judges of a run: ``configured`` is the one that is asked unless a check says otherwise.

    ``lacking`` is said where a judge is needed and none is configured. Raises ``UsageError`` for
    a judge that can't be read, and for settings that the configured judge would not heed.
    """

    def __init__(self, settings: Settings, lacking: str = "no judge is set") -> None:
        self._lacking = lacking
        self._named: Mapping[str, BaseJudge] = dict(map(_called_by_both, settings.judge))
        if LEXICAL in self._named:
            raise UsageError(
                f"judge '{LEXICAL} = …': {LEXICAL} is the judge that asks no model; "
                "give this one another name"
            )
        self.configured = self._configured(settings)
        self._told: set[str] = set()
        self._last: BaseJudge | None = None
        self._new: list[str] = []

    def of(self, override: BaseJudge | str | None) -> BaseJudge:
        """``override`` (a judge, a name, a model), or the configured judge.

        An override takes nothing from the configured judge. Raises ``NoJudge`` without either,
        and ``UsageError`` for what is no judge.
        """
        judge = self._called(override) if isinstance(override, str) else override
        if judge is None:
            judge = self.configured
        if judge is None:
            raise NoJudge(self._lacking)
        if not isinstance(judge, BaseJudge):
            came = type(judge).__name__
            raise UsageError(f"judge: expected a judge, a name or a model; got {came}")
        self._tell(judge)
        return judge

    @property
    def names(self) -> list[str]:
        """The names that the settings give to judges, sorted."""
        return sorted(self._named)

    @property
    def has_news(self) -> bool:
        """Whether ``news`` would tell of a judge."""
        return bool(self._new)

    def news(self) -> list[dict[str, Any]]:
        """The judges that ``of`` gave for the first time since the last call of this.

        Name, ``is_llm`` and identity of each, as JSON values.
        """
        # One by one: checks in other threads may add to them meanwhile.
        return [json.loads(self._new.pop(0)) for _ in range(len(self._new))]

    def _tell(self, judge: BaseJudge) -> None:
        if judge is self._last:  # one at a time is asked in most runs
            return
        self._last = judge
        text = _description(judge)
        if text not in self._told:
            self._told.add(text)
            self._new.append(text)

    def _called(self, text: str) -> BaseJudge:
        if text in self._named:
            return self._named[text]
        if text == LEXICAL:
            from .lexical import LexicalJudge

            return LexicalJudge()
        if "/" not in text and (nearest := get_close_matches(text, self._named, n=1)):
            raise UsageError(f"there is no judge {text!r}: did you mean {nearest[0]!r}?")
        return Judge(text)

    def _configured(self, settings: Settings) -> BaseJudge | None:
        # Made in any case, so that a setting that can't be is never passed over.
        described = Judge(
            settings.model or LEXICAL,
            base_url=settings.base_url,
            key_env=settings.key_env,
            temperature=settings.temperature,
            seed=settings.seed,
            reply_tokens=settings.reply_tokens,
            params=dict(parse_param(entry) for entry in settings.param),
        )
        if settings.model is None:
            return None
        if settings.model != LEXICAL and settings.model not in self._named:
            return described
        _refuse_unheeded(settings.model, settings)
        return self._called(settings.model)


def _called_by_both(line: str) -> tuple[str, BaseJudge]:
    """The judge that ``line`` names; reports call it by that name and its model."""
    name, judge = parse_judge(line)
    if judge.name == judge.model:
        judge = replace(judge, name=f"{name} ({judge.model})")
    return name, judge


def described(judge: BaseJudge) -> dict[str, Any]:
    """Name, ``is_llm`` and identity of ``judge``, as JSON values; an identity that is none is null.

    UTF-8 carries all of it.
    """
    about: dict[str, Any] = json.loads(_description(judge))
    return about


def _description(judge: BaseJudge) -> str:
    about: dict[str, Any] = {"name": judge.name, "is_llm": judge.is_llm}
    try:
        identity = None if judge.identity is None else dict(judge.identity)
        text = json.dumps({**about, "identity": identity}, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        text = json.dumps({**about, "identity": None}, ensure_ascii=False)
    return carried(text)


def _refuse_unheeded(judge: str, settings: Settings) -> None:
    """Refuse what was set for a model where ``judge`` (a name, or lexical) is asked instead.

    What an ini says beside its own model stays unheeded when the command line names a judge.
    """
    meant = [option for option in OPTIONS if option.name in settings.beside_model]
    unheeded = ", ".join(option.flag for option in meant if option.name in _OF_A_MODEL)
    if not unheeded:
        return
    if judge == LEXICAL:
        raise UsageError(f"{LEXICAL} asks no model and takes no {unheeded}: leave it out")
    raise UsageError(
        f"the judge {judge!r} is described by its own line alone: {unheeded} would have no effect "
        f"on it; put that into the line, as in '{judge} = MODEL base_url=URL key_env=NAME'"
    )
