"""The links of an exception's chain: what each of them says, and the status that a server gave."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

WIRE = re.compile(r"(httpx2?|httpcore2?|aiohttp)\.|openai\.API(Connection|Timeout)Error")
"""The exceptions of a connection that failed; LiteLLM's own classes vary."""

_MOST = 20_000
"""Characters of one link that are worth searching: a server may say as much as it likes."""


def chain(exc: BaseException) -> Iterator[BaseException]:
    """``exc`` and what it came from, in turn."""
    seen: set[int] = set()
    link: BaseException | None = exc
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        yield link
        link = link.__cause__ or link.__context__


def kind(link: BaseException) -> str:
    """The full name of the link's class."""
    return f"{type(link).__module__}.{type(link).__qualname__}"


def attribute(holder: object, name: str) -> Any:
    """An attribute, None where there is none or reading it fails.

    Properties of exceptions fail: a response that was never set, or a deprecated name where
    warnings are errors.
    """
    try:
        return getattr(holder, name, None)
    except Exception:
        return None


def status_of(links: Sequence[BaseException]) -> int | None:
    """The HTTP status that a server gave; what LiteLLM makes up for a lost connection is none."""
    for link in links:
        if re.match(r"httpx2?\.HTTPStatusError|openai\.", kind(link)):
            number = attribute(attribute(link, "response"), "status_code")
            if isinstance(number, int):
                return number
    if any(WIRE.match(kind(link)) for link in links):
        return None
    for link in links:
        number = attribute(link, "status_code")
        # An error told within a 200, or by a provider that is no HTTP server.
        if isinstance(number, int) and number >= 400 and number != 500 and not _is_litellm(link):
            return number
    return None


def _is_litellm(link: BaseException) -> bool:
    return type(link).__module__ == "litellm.exceptions"


def body_of(link: BaseException) -> Any:
    """What the server said, as JSON where it is, else as text; None where it said nothing."""
    if (body := attribute(link, "body")) is not None:
        return body
    text = attribute(attribute(link, "response"), "text")
    try:
        return json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return text


def words_of(link: BaseException) -> str:
    """All that can be matched in ``link``."""
    try:
        body = json.dumps(body_of(link), default=str)
    except (ValueError, RecursionError):
        body = ""
    code = attribute(link, "code") or ""
    return f"{str(link)[:_MOST]} {str(code)[:_MOST]} {body[:_MOST]}"


def told_by(links: Sequence[BaseException]) -> str:
    """The server's own message, else the first line of the exception without its prefixes."""
    for link in links:
        body = body_of(link)
        while isinstance(body, Mapping) and body:
            body = body.get("error") or body.get("message") or body.get("detail")
        if isinstance(body, str) and body.strip():
            return body
    return line_of(links[0])


def line_of(link: BaseException) -> str:
    """The first line of ``link``, and what a colon at its end announces, without class names."""
    line, _, rest = str(link).strip().partition("\n")
    if line.endswith(":"):
        line = f"{line} {rest.strip().partition(chr(10))[0]}"
    return re.sub(r"^((litellm\.)?\w+(Error|Exception)( -|:) )+", "", line) or kind(link)
