"""The import of LiteLLM, the only one: offline, silent, once."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from types import ModuleType
from typing import Any
from weakref import WeakKeyDictionary

from ..imports import uncollected

_QUIET = {
    "LITELLM_MODE": "PRODUCTION",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
    "LITELLM_LOG": "ERROR",
}
"""Environment of the import: no ``.env`` read, nothing fetched, nothing logged."""

_lock = threading.Lock()
_open: WeakKeyDictionary[asyncio.AbstractEventLoop, list[Any]] = WeakKeyDictionary()
_litellm: ModuleType | None = None
_holders = 0


def load(notice: Callable[[str], None] = lambda text: None) -> ModuleType:
    """LiteLLM, imported at the first call: offline, silent, the environment left as it was.

    ``notice`` is told what the import took, where this call made it.
    """
    global _litellm
    _hush()
    with _lock:
        if _litellm is None:
            started = time.monotonic()
            _litellm = _imported()
            notice(f"importing LiteLLM took {time.monotonic() - started:.1f} s")
    return _litellm


def _hush() -> None:
    # LiteLLM builds some models only when they are needed, and these warn; said before every
    # call, since pytest puts the filters of warnings back after each test.
    for message in (
        r".*`ReadOnly` qualifier",
        r".*(protected namespace|attribute on the instance is deprecated)",
        r"Pydantic serializer warnings",
    ):
        warnings.filterwarnings("ignore", message=message)


@contextmanager
def _same_environment() -> Iterator[None]:
    kept = {name: os.environ.get(name) for name in (*_QUIET, "TIKTOKEN_CACHE_DIR")}
    try:
        yield
    finally:
        for name, value in kept.items():
            if value is not None:
                os.environ[name] = value
            else:
                os.environ.pop(name, None)


def _imported() -> ModuleType:
    with uncollected(), _same_environment(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        os.environ.update(_QUIET)
        import litellm

        # Loaded now: at its first use the one would fetch a file, the other set a variable.
        with suppress(ImportError):
            betas = import_module("litellm.anthropic_beta_headers_manager")
            betas.get_provider_name("anthropic")
        with suppress(ImportError):
            import_module("litellm.litellm_core_utils.default_encoding")
    litellm.suppress_debug_info = True
    for logger in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(logger).setLevel(logging.CRITICAL)
    return litellm


def hold() -> None:
    """Count one more that uses LiteLLM's connections; ``release`` counts it off."""
    global _holders
    _holders += 1


async def release() -> None:
    """Close LiteLLM's connections when nobody else holds them: a run may be inside another."""
    global _holders
    _holders -= 1
    if _holders == 0:
        await close_pool()


def open_handler(hooks: Mapping[str, Any]) -> Any:
    """LiteLLM's handler of HTTP requests with event ``hooks``, for the running loop."""
    handlers = import_module("litellm.llms.custom_httpx.http_handler")
    handler = handlers.AsyncHTTPHandler(event_hooks=hooks)
    _open.setdefault(asyncio.get_running_loop(), []).append(handler)
    return handler


async def close_handler(handler: Any) -> None:
    """Close the connections of ``handler``."""
    of_loop = _open.get(asyncio.get_running_loop(), [])
    if handler in of_loop:
        of_loop.remove(handler)
        await handler.close()


async def close_pool() -> None:
    """Close the connections that LiteLLM pools; nothing where it was never imported."""
    if _litellm is not None:
        await _litellm.close_litellm_async_clients()


async def close_clients() -> None:
    """Close every connection that was opened on the running loop."""
    for handler in [*_open.get(asyncio.get_running_loop(), ())]:
        await close_handler(handler)
    await close_pool()
