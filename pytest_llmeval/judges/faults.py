"""What went wrong on the way to a judge, told as the error of the one who has to act."""

from __future__ import annotations

import json
import os
import re
import ssl
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..errors import ContextTooLong, JudgeError, JudgeMisconfigured, JudgeRefused, JudgeUnavailable
from ..text.shown import shown
from .model import Judge
from .retry import asked_for, asked_for_in_words

_WIRE = re.compile(r"(httpx2?|httpcore2?|aiohttp)\.|openai\.API(Connection|Timeout)Error")
"""The exceptions of a connection that failed; LiteLLM's own classes vary."""

_UNREAD = (json.JSONDecodeError, KeyError, IndexError, TypeError, AttributeError)
"""What LiteLLM meets when an answer is not what its provider promises."""

_FILTER = r"content_filter|content_policy|content management policy"
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
_LENGTHS = (
    r"(?P<asked>\d[\d,]*) tokens > (?P<window>\d[\d,]*)",
    r"\((?P<asked>\d[\d,]*)\) exceeds\D+(?P<window>\d[\d,]*)",
    r"(length|window)( is| of)? (?P<window>\d[\d,]*)\D+(?P<asked>\d[\d,]*)",
)


def as_judge_error(exc: BaseException, judge: Judge, unset: Sequence[str] = ()) -> JudgeError:
    """The ``JudgeError`` that ``exc``, raised while ``judge`` was asked, amounts to.

    Told by the status that came over the wire; without one, by what failed on the way there;
    without that, it is the configuration. ``unset`` names the environment variables in which
    LiteLLM looked for a key in vain. The message says what came and what to do, without secrets.
    """
    links = list(_chain(exc))
    words = " ".join(_words(link) for link in links)
    said = f"({shown(without_secrets(_told(links), judge), 240)})"
    status = _status(links)
    if status is not None:
        return _from_server(status, words, said, judge, unset) or JudgeUnavailable(
            f"{judge.name}: {'too many requests' if status == 429 else 'server fault'}, status "
            f"{status} {said}",
            _retry_after(links, words),
        )
    return _from_the_way(links, judge) or _from_here(words, said, judge, unset)


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
    links = list(_chain(exc))
    by_litellm = type(exc).__name__ == "UnsupportedParamsError"
    if not by_litellm and _status(links) not in (400, 422):
        return set()
    words = " ".join(_words(link) for link in links)
    if _has(_WINDOW, words) or _has(_FILTER, words):
        return set()
    return {name for name in asked if _has(_NAMED[name], words)}


def _from_server(
    status: int, words: str, said: str, judge: Judge, unset: Sequence[str]
) -> JudgeError | None:
    """The error that an HTTP ``status`` stands for; None where trying again may help."""
    if _has(_FILTER, words):
        return JudgeRefused(f"{judge.name}: the provider's filter held the question back {said}")
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
        lasting=any(_has(rf"\b{re.escape(name)}\b", words) for name in judge.params),
    )


def _from_the_way(links: Sequence[BaseException], judge: Judge) -> JudgeError | None:
    """The error of a request that met no HTTP status; None where it never left."""
    where = judge.identity["base_url"] or "its provider"

    def first(is_cause: Callable[[BaseException], bool]) -> str | None:
        """What the deepest link that ``is_cause`` says."""
        causes = [link for link in links if is_cause(link)]
        return shown(without_secrets(_line(causes[-1]), judge), 160) if causes else None

    if any("Timeout" in type(link).__name__ for link in links):
        return JudgeUnavailable(
            f"{judge.name}: no answer in time; if it is only slow, raise --llm-eval-timeout"
        )
    if came := first(lambda link: isinstance(link, ssl.SSLCertVerificationError)):
        return JudgeMisconfigured(
            f"{judge.name}: the certificate of {where} is not trusted; name a file of those that "
            f"are in SSL_CERT_FILE ({came})"
        )
    if came := first(lambda link: bool(_WIRE.match(_kind(link))) or isinstance(link, OSError)):
        return JudgeUnavailable(f"{judge.name}: no connection to {where}; is it up? ({came})")
    if came := first(lambda link: isinstance(link, _UNREAD) or _answered(link)):
        return JudgeUnavailable(
            f"{judge.name}: the answer of {where} is not what its protocol promises; check "
            f"base_url and the model's provider ({came})"
        )
    return None


def _from_here(words: str, said: str, judge: Judge, unset: Sequence[str]) -> JudgeError:
    """The error of a request that LiteLLM itself refused to make."""
    if unset and _has(_NO_KEY, words):
        return JudgeMisconfigured(f"{judge.name}: {_key_advice(judge, unset)}")
    if _has(_NO_MODEL, words):
        return JudgeMisconfigured(
            f"{judge.name}: LiteLLM knows no such model; put its provider in front, as in "
            f"openai/{judge.model}"
        )
    return JudgeMisconfigured(f"{judge.name}: the request cannot be made {said}")


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


def _chain(exc: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    link: BaseException | None = exc
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        yield link
        link = link.__cause__ or link.__context__


def _kind(link: BaseException) -> str:
    return f"{type(link).__module__}.{type(link).__qualname__}"


def _status(links: Sequence[BaseException]) -> int | None:
    """The HTTP status that a server gave; what LiteLLM makes up for a lost connection is none."""
    for link in links:
        if re.match(r"httpx2?\.HTTPStatusError|openai\.", _kind(link)):
            number = getattr(getattr(link, "response", None), "status_code", None)
            if isinstance(number, int):
                return number
    if any(_WIRE.match(_kind(link)) for link in links):
        return None
    for link in links:
        number = getattr(link, "status_code", None)
        # An error told within a 200, or by a provider that is no HTTP server.
        if isinstance(number, int) and number >= 400 and number != 500 and not _is_litellm(link):
            return number
    return None


def _is_litellm(link: BaseException) -> bool:
    return type(link).__module__ == "litellm.exceptions"


def _answered(link: BaseException) -> bool:
    """Whether LiteLLM gave up on an answer that did come."""
    given_up = _has("no 'choices'|invalid response object", str(link))
    return given_up or getattr(link, "status_code", None) == 200


def _body(link: BaseException) -> Any:
    """What the server said, as JSON where it is, else as text; None where it said nothing."""
    if (body := getattr(link, "body", None)) is not None:
        return body
    try:
        text: str = link.response.text  # type: ignore[attr-defined]
        return json.loads(text)
    except ValueError:
        return text
    except Exception:
        # There is no response, or its body was never read.
        return None


def _words(link: BaseException) -> str:
    """All that can be matched in ``link``."""
    return f"{link} {getattr(link, 'code', '')} {json.dumps(_body(link), default=str)}"


def _told(links: Sequence[BaseException]) -> str:
    """The server's own message, else the first line of the exception without its prefixes."""
    for link in links:
        body = _body(link)
        while isinstance(body, Mapping) and body:
            body = body.get("error") or body.get("message") or body.get("detail")
        if isinstance(body, str) and body.strip():
            return body
    return _line(links[0])


def _line(link: BaseException) -> str:
    """The first line of ``link``, without the names of classes in front."""
    line = str(link).strip().partition("\n")[0]
    return re.sub(r"^((litellm\.)?\w+(Error|Exception)( -|:) )+", "", line) or _kind(link)


def _retry_after(links: Sequence[BaseException], words: str) -> float | None:
    """Seconds that the server asked to be left alone, wherever LiteLLM keeps what it said."""
    for link in links:
        response = getattr(link, "response", None)
        for holder, name in ((link, "litellm_response_headers"), (response, "headers")):
            headers = getattr(holder, name, None)
            if isinstance(headers, Mapping) and (seconds := asked_for(headers)) is not None:
                return seconds
    return asked_for_in_words(words)
