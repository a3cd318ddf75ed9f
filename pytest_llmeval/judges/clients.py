"""The HTTP client of one judge: it goes to the judge's server alone and follows no redirect."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

from ..errors import JudgeMisconfigured
from .links import chain
from .litellm_import import close_handler, open_handler
from .model import Judge

_KEY_IN_OWN_HEADER = ("anthropic", "gemini")
"""Providers whose key is in a header that HTTP clients do not drop when they are redirected."""

_AZURE_V1 = ("v1", "latest", "preview")
"""Versions of Azure's API that speak OpenAI's own protocol."""


class Stopped(Exception):
    """A request was kept from going on; its ``Trip`` says why."""


@dataclass(slots=True)
class Trip:
    """How far one request got: the ``status`` of its answer, the ``fault`` that stopped it."""

    status: int | None = None
    fault: JudgeMisconfigured | None = None

    @property
    def answered(self) -> bool:
        """Whether the server said that all was well, whatever it then sent."""
        return self.status is not None and 200 <= self.status < 300


_trip: ContextVar[Trip] = ContextVar("trip")


@contextmanager
def trip() -> Iterator[Trip]:
    """The trip of the request that is made inside; clients note what they meet on it."""
    made = Trip()
    token = _trip.set(made)
    try:
        yield made
    finally:
        _trip.reset(token)


class JudgeClient:
    """What LiteLLM is given as the client of one judge's requests.

    LiteLLM talks to some providers through a handler of its own and to others through OpenAI's
    client, and which it is differs between its releases. Each refuses the other before anything
    is sent, and none that gets a handler takes it for nothing: so the handler is tried first.

    Without a ``base_url`` a request goes where LiteLLM's own settings say, and only the handler
    can be made without knowing where that is.
    """

    def __init__(self, judge: Judge, shown_url: Callable[[str], str]) -> None:
        self._judge = judge
        self._shown_url = shown_url
        self._provider = judge.model.partition("/")[0]
        self._by_sdk = False
        self._handlers: list[Any] = []
        self._sdks: dict[str, Any] = {}

    def argument(self, access: Mapping[str, Any], litellm: ModuleType) -> dict[str, Any]:
        """``client=`` for the request that goes with ``access``, where one can be given."""
        if self._judge.base_url is None and self._provider not in _KEY_IN_OWN_HEADER:
            return {}
        if not self._handlers:
            hooks = {"request": [self._before], "response": [self._after]}
            self._handlers.append(open_handler(hooks))
        if not self._by_sdk:
            return {"client": self._handlers[0]}
        key = access["api_key"]
        if key not in self._sdks:
            self._sdks[key] = self._sdk(key, litellm)
        return {"client": self._sdks[key]}

    def misfits(self, client: object, exc: BaseException) -> bool:
        """Whether ``exc`` says that LiteLLM wanted OpenAI's client; it gets that from here on."""
        told = " ".join(str(link)[:2000] for link in chain(exc))
        wanted = re.search(r"AsyncHTTPHandler|is not an instance of", told) is not None
        if not wanted or client not in self._handlers:
            return False
        self._by_sdk = True
        return True

    async def close(self) -> None:
        """Close the connections."""
        self._sdks.clear()
        while self._handlers:
            await close_handler(self._handlers.pop())

    def _sdk(self, key: str, litellm: ModuleType) -> Any:
        openai = import_module("openai")
        url = str(self._judge.base_url)
        common = {"api_key": key, "http_client": self._handlers[0].client, "max_retries": 0}
        if self._provider != "azure":
            return openai.AsyncOpenAI(base_url=url, **common)
        version = (
            self._judge.params.get("api_version")
            or litellm.api_version
            or os.environ.get("AZURE_API_VERSION")
            or litellm.AZURE_DEFAULT_API_VERSION
        )
        if version in _AZURE_V1:
            url = url.rstrip("/").removesuffix("/openai/v1")
            return openai.AsyncOpenAI(base_url=f"{url}/openai/v1/", **common)
        where = "base_url" if "/openai/deployments" in url else "azure_endpoint"
        return openai.AsyncAzureOpenAI(**{where: url}, api_version=version, **common)

    async def _before(self, request: Any) -> None:
        """Called with every request before it is sent."""
        url = str(request.url)
        if self._judge.base_url is not None and _origin(url) != _origin(self._judge.base_url):
            self._stop(
                f"LiteLLM would have sent the question to {self._shown_url(url)} and not to "
                f"{self._shown_url(self._judge.base_url)}, most likely since the app under test "
                "sets litellm.api_base; nothing was sent. Have the app give its calls an api_base"
            )

    async def _after(self, response: Any) -> None:
        """Called with every answer before its body is read, and before a redirect is followed."""
        _trip.get(Trip()).status = response.status_code
        target = response.headers.get("location")
        if target is not None and 300 <= response.status_code < 400:
            self._stop(
                f"{self._shown_url(str(response.request.url))} redirects to "
                f"{self._shown_url(target)} (status {response.status_code}), and a judge's "
                "question and key are sent on to nobody; if that address is meant, set it as "
                "base_url"
            )

    def _stop(self, why: str) -> None:
        _trip.get(Trip()).fault = JudgeMisconfigured(f"{self._judge.name}: {why}")
        raise Stopped(why)


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)
