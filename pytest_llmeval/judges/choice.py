"""Which judge is meant: by the settings, by a name that they give, or by a model's name."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import NoJudge, UsageError
from ..settings import OPTIONS, Settings
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

    def __init__(self, settings: Settings, lacking: str) -> None:
        self._lacking = lacking
        self._named: Mapping[str, BaseJudge] = dict(map(parse_judge, settings.judge))
        if LEXICAL in self._named:
            raise UsageError(
                f"judge '{LEXICAL} = …': {LEXICAL} is the judge that asks no model; "
                "give this one another name"
            )
        self.configured = self._configured(settings)

    def of(self, override: BaseJudge | str | None) -> BaseJudge:
        """``override`` (a judge, a name, a model), or the configured judge.

        An override takes nothing from the configured judge. Raises ``NoJudge`` without either,
        and ``UsageError`` for what is no judge.
        """
        if override is None:
            if self.configured is None:
                raise NoJudge(self._lacking)
            return self.configured
        if isinstance(override, str):
            return self._called(override)
        if not isinstance(override, BaseJudge):
            raise UsageError(
                f"judge: expected a judge, a name or a model; got {type(override).__name__}"
            )
        return override

    def _called(self, text: str) -> BaseJudge:
        if text in self._named:
            return self._named[text]
        if text == LEXICAL:
            from .lexical import LexicalJudge

            return LexicalJudge()
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
