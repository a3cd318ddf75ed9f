"""Which judge is meant: by the settings, by a name that they give, or by a model's name."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..errors import NoJudge, UsageError
from ..settings import Settings
from .base import BaseJudge
from .model import Judge, parse_judge, parse_param

LEXICAL = "lexical"
"""The name by which the lexical judge is called."""


class JudgeChoice:
    """The judges of a run: ``configured`` is the one that is asked unless a check says otherwise.

    Raises ``UsageError`` for a judge that can't be read.
    """

    def __init__(self, settings: Settings) -> None:
        self._named: Mapping[str, BaseJudge] = dict(map(parse_judge, settings.judge))
        self.configured = self._configured(settings)
        self._told: set[str] = set()
        self._new: list[str] = []

    def of(self, override: BaseJudge | str | None) -> BaseJudge:
        """``override`` (a judge, a name, a model), or the configured judge.

        An override takes nothing from the configured judge. Raises ``NoJudge`` without either.
        """
        judge = self._called(override) if isinstance(override, str) else override
        if judge is None:
            judge = self.configured
        if judge is None:
            raise NoJudge
        if not isinstance(judge, BaseJudge):
            came = type(judge).__name__
            raise UsageError(f"judge: expected a judge, a name or a model, got {came}")
        self._tell(judge)
        return judge

    @property
    def names(self) -> list[str]:
        """The names that the settings give to judges, sorted."""
        return sorted(self._named)

    def news(self) -> list[dict[str, Any]]:
        """The judges that ``of`` gave for the first time since the last call of this.

        Name, ``is_llm`` and identity of each, as JSON values.
        """
        # One by one: checks in other threads may add to them meanwhile.
        return [json.loads(self._new.pop(0)) for _ in range(len(self._new))]

    def _tell(self, judge: BaseJudge) -> None:
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
        return Judge(text)

    def _configured(self, settings: Settings) -> BaseJudge | None:
        if settings.model is None:
            return None
        if settings.model in self._named or settings.model == LEXICAL:
            return self._called(settings.model)
        return Judge(
            settings.model,
            base_url=settings.base_url,
            key_env=settings.key_env,
            temperature=settings.temperature,
            seed=settings.seed,
            reply_tokens=settings.reply_tokens,
            params=dict(parse_param(entry) for entry in settings.param),
        )


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
    return text.encode("utf-8", "replace").decode()
