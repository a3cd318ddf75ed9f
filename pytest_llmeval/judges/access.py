"""How a request gets to an LLM: the name of the model, the address, and the one key it carries."""

from __future__ import annotations

import os
import re
from types import ModuleType
from typing import Any

from ..errors import JudgeMisconfigured
from .model import Judge

KEEPS_KEYS = (
    *("anthropic", "azure", "azure_ai", "cerebras", "custom_openai"),
    *("deepinfra", "deepseek", "fireworks_ai", "gemini", "groq", "hosted_vllm", "litellm_proxy"),
    *("llamafile", "lm_studio", "mistral", "moonshot", "nvidia_nim", "ollama", "ollama_chat"),
    *("openai", "openrouter", "perplexity", "together_ai", "xai"),
)
"""Providers whose requests to another server carry the key that they are given, and no other, and
go through a client of ours, which no redirect leads astray (Cohere's take none)."""

NO_KEY = "no-key"
"""Sent to a server at a ``base_url`` in place of a key: LiteLLM would look for one else."""

OLLAMA_WINDOW = 8192
"""Tokens. Ollama cuts what exceeds its window, by default a small one, and says nothing."""


def access(judge: Judge, litellm: ModuleType) -> dict[str, Any]:
    """What names the model and gets a request to it, and the one key that it may carry."""
    provider, _, name = judge.model.partition("/")
    access: dict[str, Any] = {"model": judge.model}
    if provider in ("ollama", "ollama_chat"):
        # Asked as a chat: /api/generate would get the messages glued into one text. A model that
        # LiteLLM does not know would be looked up by calls that block the loop.
        access["model"] = f"ollama_chat/{name}"
        access["num_ctx"] = judge.params.get("num_ctx", OLLAMA_WINDOW)
        free = {"input_cost_per_token": 0.0, "output_cost_per_token": 0.0}
        known = {"litellm_provider": "ollama_chat", "mode": "chat", **free}
        litellm.model_cost.setdefault(access["model"], known)
    if provider == "hosted_vllm" and not (judge.base_url or os.environ.get("HOSTED_VLLM_API_BASE")):
        raise JudgeMisconfigured(f"{judge.name}: say where it is served, by --llm-eval-base-url")
    key = _own_key(judge)
    if judge.base_url is None:
        return access if key is None else {**access, "api_key": key}
    if provider not in KEEPS_KEYS:
        raise JudgeMisconfigured(
            f"{judge.name}: a base_url goes with providers that can be kept from sending other "
            f"credentials there: {', '.join(KEEPS_KEYS)}. They are not those whose requests are "
            "signed for a cloud (bedrock, sagemaker, vertex_ai, watsonx). What speaks OpenAI's "
            "protocol, whoever serves it, is openai/MODEL"
        )
    if provider == "azure":
        # Blank: else a token got with AZURE_USERNAME and AZURE_PASSWORD would be sent.
        access["azure_username"] = ""
    key = key or NO_KEY
    headers = {**_withheld(provider, key), **judge.params.get("extra_headers", {})}
    return {**access, "api_base": judge.base_url, "api_key": key, "extra_headers": headers}


def _own_key(judge: Judge) -> str | None:
    if judge.key_env is None:
        return None
    if key := os.environ.get(judge.key_env, "").strip():
        return key
    raise JudgeMisconfigured(
        f"{judge.name}: the environment variable {judge.key_env}, which was named for its key, is "
        "not set; set it"
    )


def _withheld(provider: str, key: str) -> dict[str, str]:
    """Headers that OpenAI's client would fill from the environment, whoever the server is."""
    headers = {"OpenAI-Organization": "", "OpenAI-Project": ""}
    if provider == "azure" and "AZURE_OPENAI_AD_TOKEN" in os.environ:
        headers |= {"Authorization": "", "api-key": key}
    authorized = {"authorization": f"Bearer {key}", "api-key": key}
    for line in os.environ.get("OPENAI_CUSTOM_HEADERS", "").splitlines():
        name, colon, _ = line.partition(":")
        if colon:
            headers[name.strip()] = authorized.get(name.strip().lower(), "")
    return headers


def unset(judge: Judge, litellm: ModuleType) -> list[str]:
    """The variables in which LiteLLM looks for a key of ``judge``, where none of them is set."""
    if judge.base_url or judge.key_env:
        return []
    try:
        missing = litellm.validate_environment(judge.model)["missing_keys"]
    except Exception:
        # It does not know the model; then the error itself has to do.
        return []
    return [name for name in missing if re.search("KEY|TOKEN", name)]
