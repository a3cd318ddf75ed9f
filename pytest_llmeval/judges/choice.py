"""Which judge is meant: by the settings, by a name that they give, or by a model's name."""

from __future__ import annotations

from collections.abc import Mapping

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

    def of(self, override: BaseJudge | str | None) -> BaseJudge:
        """``override`` (a judge, a name, a model), or the configured judge.

        An override takes nothing from the configured judge. Raises ``NoJudge`` without either.
        """
        if override is None:
            if self.configured is None:
                raise NoJudge
            return self.configured
        if isinstance(override, str):
            return self._called(override)
        if not isinstance(override, BaseJudge):
            came = type(override).__name__
            raise UsageError(f"judge: expected a judge, a name or a model, got {came}")
        return override

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
