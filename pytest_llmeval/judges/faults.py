"""What went wrong on the way to a judge, told as the error of the one who has to act."""

from __future__ import annotations

import json
import os
import re
import ssl
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..errors import ContextTooLong, JudgeError, JudgeMisconfigured, JudgeRefused, JudgeUnavailable
from ..text.shown import shown
from .links import WIRE, attribute, chain, kind, line_of, status_of, told_by, words_of
from .model import Judge
from .retry import asked_for, asked_for_in_words

_UNREAD = (json.JSONDecodeError, KeyError, IndexError, TypeError, AttributeError)
_UNREAD_WORDS = (
    r"no 'choices'|'choices' that is not|invalid response object|empty or invalid response"
    r"|converting to valid response"
)
"""What LiteLLM meets, and says, when an answer is not what its provider promises."""

_NO_HTTP = re.compile(
    r"aiohttp\.http_exceptions\.(?!ContentLength)|httpx2?\.(DecodingError|LocalProtocolError)"
)
"""The exceptions of an answer that came and cannot be taken apart."""

_FILTER = (
    r"content[ _]?filter|content[ _]policy|content management policy|safety system|guardrail"
    r"|\b(prompt|input|content|request)\b[^.]{0,40}"
    r"\b((was|were|is|been) (flagged|considered high risk)|violat\w+ (our |the )?usage)"
    r"|moderation_blocked|data_inspection_failed|inappropriate content|content exists risk"
)
"""How providers say that a text is not for their model: Azure, OpenAI, Anthropic, xAI, others."""
_PARAMETER = r"(unsupported|unknown|invalid|unrecognized)[ _](request )?(parameter|argument)"
"""How providers say that what they name, be it a filter, is a parameter that they do not take."""
_PAGE = r"<!doctype html|<html\b"
"""How a firewall or proxy answers in the place of a judge's server."""
_WINDOW = (
    r"context_length|context length|context window|(prompt|input) is too long"
    r"|input length exceeds|exceeds the maximum number of tokens|exceeds? the available context"
)
_CREDIT = r"insufficient_quota|exceeded your current quota|credit balance|billing_"
_BAD_KEY = r"api[ _-]?key (is )?(not valid|invalid)|(invalid|incorrect) (x-)?api[ _-]?key"
_NO_KEY = r"(api[ _]?key|credentials?)\b"
_NO_MODEL = (
    r"model_not_found|model \S+ (was )?(not found|does not exist)|invalid model|not a valid model"
    r"|llm ?provider"
)
_COUNT = r"(?<![\d,])\d[\d,]{0,14}(?![\d,])"
_LENGTHS = (
    rf"(?P<asked>{_COUNT}) tokens > (?P<window>{_COUNT})",
    rf"\((?P<asked>{_COUNT})\) exceeds\D+(?P<window>{_COUNT})",
    rf"(length|window)( is| of)? (?P<window>{_COUNT})\D+(?P<asked>{_COUNT})",
)


def as_judge_error(
    exc: BaseException,
    judge: Judge,
    unset: Sequence[str] = (),
    met: int | None = None,
    has_answered: bool = False,
) -> JudgeError:
    """The ``JudgeError`` that ``exc``, raised while ``judge`` was asked, amounts to.

    Told by the status that came over the wire, ``met`` where it was seen there; without one that
    tells of a fault, by what failed on the way; without that, it is the configuration. ``unset``
    names the environment variables in which LiteLLM looked for a key in vain. A judge that
    ``has_answered`` with its key is not forbidden for all questions where one is. The message
    says what came and what to do, without secrets.
    """
    links = list(chain(exc))
    words = " ".join(words_of(link) for link in links)
    said = f"({shown(without_secrets(told_by(links), judge), 240)})"
    answered = met is not None and 200 <= met < 300
    status = met if met is not None and met >= 400 else status_of(links)
    if status == 403 and (has_answered or _has(_PAGE, words)) and not _is_filtered(words):
        return _forbidden(judge, _has(_PAGE, words), said)
    if status is not None and status >= 400 and not (answered and status == 422):
        return _from_server(status, words, said, judge, unset) or JudgeUnavailable(
            f"{judge.name}: {'too many requests' if status == 429 else 'server fault'}, status "
            f"{status} {said}",
            _retry_after(links, words),
        )
    if (status is not None and status < 400) or (met is not None and not answered):
        return _unread(judge, said)
    if (failed := _from_the_way(links, judge, answered)) is not None:
        return failed
    if answered:
        return _unread(judge, said)
    return _from_here(words, said, judge, unset)


_NAMED = {
    "temperature": r"temperature",
    "seed": r"seed\b",
    "max_tokens": r"max_?(completion_|output_)?tokens|num_predict",
    "max_completion_tokens": r"max_?(completion_|output_)?tokens|num_predict",
    "response_format": r"response_?(format|schema|mime)|json_?(schema|object|mode|tool)"
    r"|output_(format|config)|structured[ _]output|\bformat\b|grammar|tool_choice",
}
"""How providers name the parameters that a request can do without."""


def refused_parameters(exc: BaseException, asked: Mapping[str, Any]) -> set[str]:
    """Those of the parameters ``asked`` that ``exc`` says the model does not take."""
    links = list(chain(exc))
    by_litellm = type(exc).__name__ == "UnsupportedParamsError"
    if not by_litellm and status_of(links) not in (400, 422):
        return set()
    words = " ".join(words_of(link) for link in links)
    if _has(_WINDOW, words) or _is_filtered(words):
        return set()
    return {name for name in asked if _has(_NAMED[name], words)}


def _from_server(
    status: int, words: str, said: str, judge: Judge, unset: Sequence[str]
) -> JudgeError | None:
    """The error that an HTTP ``status`` stands for; None where trying again may help."""
    if _is_filtered(words):
        return JudgeRefused.by_filter(judge.name, "question", said[1:-1])
    if status == 413 or (status in (400, 422) and _has(_WINDOW, words)):
        return _too_long(words, said, judge)
    # Gemini tells a limit per minute in the words that others keep for an empty account.
    if status == 402 or (_has(_CREDIT, words) and "RESOURCE_EXHAUSTED" not in words):
        return JudgeMisconfigured(f"{judge.name}: no credit or quota is left {said}")
    if status in (401, 403) or (status == 400 and _has(_BAD_KEY, words)):
        return JudgeMisconfigured(f"{judge.name}: {_key_advice(judge, unset)} {said}")
    if status == 404 or (status == 400 and _has(_NO_MODEL, words)):
        return JudgeMisconfigured(
            f"{judge.name}: no such model or address; check both, and base_url {said}"
        )
    if status in (408, 409, 425, 429) or status >= 500:
        return None
    return JudgeMisconfigured(
        f"{judge.name}: the request was refused, status {status}; check the judge's parameters "
        f"{said}",
        lasting=_blames_params(words, judge),
    )


def _is_filtered(words: str) -> bool:
    return _has(_FILTER, words) and not _has(_PARAMETER, words)


def _forbidden(judge: Judge, by_page: bool, said: str) -> JudgeMisconfigured:
    """The error of one question that was not let through, whatever becomes of others."""
    who = "the server forbids this question, though its key has worked for others"
    if by_page:
        who = "a firewall or proxy forbids this question, with a page in place of an answer"
    told = f"{judge.name}: {who}; check what it holds, and base_url {said}"
    return JudgeMisconfigured(told, lasting=False)


def _blames_params(words: str, judge: Judge) -> bool:
    return any(_has(rf"\b{re.escape(name)}\b", words) for name in judge.params)


def _from_the_way(
    links: Sequence[BaseException], judge: Judge, answered: bool
) -> JudgeError | None:
    """The error of a request that met no fault's status; None where it never left."""
    where = _server(judge)

    def first(is_cause: Callable[[BaseException], bool]) -> str | None:
        """What the deepest link that ``is_cause`` says, in brackets."""
        causes = [link for link in links if is_cause(link)]
        said = without_secrets(line_of(causes[-1]), judge) if causes else ""
        return f"({shown(said, 160)})" if causes else None

    if any("Timeout" in type(link).__name__ for link in links):
        return JudgeUnavailable(
            f"{judge.name}: no answer in time; if it is only slow, raise --llm-eval-timeout"
        )
    if came := first(lambda link: isinstance(link, ssl.SSLCertVerificationError)):
        return JudgeMisconfigured(
            f"{judge.name}: the certificate of {where} is not trusted; name a file of those that "
            f"are in SSL_CERT_FILE {came}"
        )
    if came := first(lambda link: _NO_HTTP.match(kind(link)) is not None):
        return _unread(judge, came)
    if came := first(lambda link: bool(WIRE.match(kind(link))) or isinstance(link, OSError)):
        if answered:
            return JudgeUnavailable(
                f"{judge.name}: the connection to {where} broke off amid its answer {came}"
            )
        return JudgeUnavailable(f"{judge.name}: no connection to {where}; is it up? {came}")
    if came := first(lambda link: isinstance(link, _UNREAD) or _given_up(link)):
        return _unread(judge, came)
    return None


def _server(judge: Judge) -> str:
    return judge.identity["base_url"] or "its provider"


def _unread(judge: Judge, came: str) -> JudgeUnavailable:
    return JudgeUnavailable(
        f"{judge.name}: the answer of {_server(judge)} is not what its protocol promises; check "
        f"base_url and the model's provider {came}"
    )


def _given_up(link: BaseException) -> bool:
    """Whether LiteLLM gave up on an answer that did come."""
    return _has(_UNREAD_WORDS, str(link)) or attribute(link, "status_code") == 200


def _from_here(words: str, said: str, judge: Judge, unset: Sequence[str]) -> JudgeError:
    """The error of a request that LiteLLM itself refused to make."""
    if unset and _has(_NO_KEY, words):
        return JudgeMisconfigured(f"{judge.name}: {_key_advice(judge, unset)}")
    if _has(_NO_MODEL, words):
        return JudgeMisconfigured(
            f"{judge.name}: LiteLLM knows no such model; put its provider in front, as in "
            f"openai/{judge.model}"
        )
    # What is not understood may be this question's own: it takes nothing from the others.
    return JudgeMisconfigured(
        f"{judge.name}: the request cannot be made {said}", lasting=_blames_params(words, judge)
    )


def _key_advice(judge: Judge, unset: Sequence[str]) -> str:
    if judge.key_env:
        return f"the key in {judge.key_env} was refused; check it"
    if judge.base_url:
        return "the server wants a key; name the variable that holds it by --llm-eval-key-env"
    if unset:
        return f"there is no key; set {' or '.join(unset)}"
    return "the key was refused; check the provider's variable, or name another by key_env"


def _too_long(words: str, said: str, judge: Judge) -> ContextTooLong:
    what = "the question does not fit the judge's window"
    for pattern in _LENGTHS:
        if found := re.search(pattern, words):
            asked, window = (int(found[name].replace(",", "")) for name in ("asked", "window"))
            if asked > window:
                what = f"the question exceeds the window of {window} tokens by {asked - window}"
                break
    return ContextTooLong(f"{judge.name}: {what}; shorten it, or take another judge {said}")


def without_secrets(text: str, judge: Judge) -> str:
    """``text`` without the values of variables that hold secrets, and without users in URLs."""
    secret = re.compile("KEY|TOKEN|SECRET|PASSWORD", re.IGNORECASE)
    values = {
        value.strip()
        for name, value in os.environ.items()
        if name == judge.key_env or (secret.search(name) and len(value) >= 8)
    }
    for value in sorted(values - {""}, key=len, reverse=True):
        text = text.replace(value, "***")
    return re.sub(r"(\w://)[^/\s@]+@", r"\1***@", text)


def _has(pattern: str, words: str) -> bool:
    return re.search(pattern, words, re.IGNORECASE) is not None


def _retry_after(links: Sequence[BaseException], words: str) -> float | None:
    """Seconds that the server asked to be left alone, wherever LiteLLM keeps what it said."""
    for link in links:
        response = attribute(link, "response")
        for holder, name in ((link, "litellm_response_headers"), (response, "headers")):
            headers = attribute(holder, name)
            if isinstance(headers, Mapping) and (seconds := asked_for(headers)) is not None:
                return seconds
    return asked_for_in_words(words)
