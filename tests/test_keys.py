"""Keys: each goes where it is meant to, and nowhere else."""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Callable, Coroutine, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from loopback import LoopbackJudge, Request

from pytest_llmeval.errors import EvalError, JudgeMisconfigured
from pytest_llmeval.judges.access import KEEPS_KEYS, NO_KEY
from pytest_llmeval.judges.answers import Rating, Reply
from pytest_llmeval.judges.base import Message, Question
from pytest_llmeval.judges.litellm_import import load
from pytest_llmeval.judges.model import Judge

Run = Callable[[Coroutine[Any, Any, Any]], Any]
PROMPT: tuple[Message, ...] = (("user", "Judge this. Reply in JSON."),)

KNOWN = {
    *("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "AZURE_AD_TOKEN", "AZURE_API_KEY"),
    *("AZURE_OPENAI_AD_TOKEN", "AZURE_USERNAME", "AZURE_PASSWORD", "AZURE_CLIENT_ID"),
    *("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "COHERE_API_KEY"),
    *("GEMINI_API_KEY", "GOOGLE_API_KEY", "GROQ_API_KEY", "HOSTED_VLLM_API_KEY"),
    *("LITELLM_PROXY_API_KEY", "MISTRAL_API_KEY", "OLLAMA_API_KEY", "OPENAI_API_KEY"),
    *("OPENAI_ORGANIZATION", "OPENAI_ORG_ID", "OPENAI_PROJECT", "OPENAI_PROJECT_ID"),
}
"""Variables that are known to hold credentials, or to name who pays."""

CREDENTIAL = re.compile(
    r"""["']([A-Z][A-Z0-9_]*(?:KEY(?:_ID)?|TOKEN|SECRET|PASSWORD|CREDENTIALS|JWT|ORGANIZATION|ORG_ID"""
    r"""|PROJECT(?:_ID)?|CLIENT_ID|TENANT_ID|USERNAME))["']"""
)
NO_VALUES = {"GOOGLE_APPLICATION_CREDENTIALS"}
"""These name files."""


@cache
def variables() -> frozenset[str]:
    """Every variable in which LiteLLM, or the client under it, may look for credentials."""
    found = set(KNOWN)
    for package in ("litellm", "openai"):
        spec = find_spec(package)
        assert spec is not None
        assert spec.origin is not None
        root = Path(spec.origin).parent
        inner = ("llms", "litellm_core_utils", "secret_managers", "lib")
        sources = [
            *root.glob("*.py"),
            *(each for name in inner for each in root.glob(f"{name}/**/*")),
        ]
        for source in sources:
            if source.suffix in (".py", ".json"):
                found.update(CREDENTIAL.findall(source.read_text(encoding="utf-8")))
    return frozenset(found - NO_VALUES)


MODELS = {
    "anthropic": "claude-sonnet-4-5",
    "azure": "deployment",
    "gemini": "gemini-2.5-flash",
    "openai": "gpt-4o",
}


class Grade(Reply):
    score: Rating


@pytest.fixture
def server() -> Iterator[LoopbackJudge]:
    with LoopbackJudge("openai") as server:
        yield server


@pytest.fixture
def sentinels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Something to be found, wherever a key is looked for."""
    for name in variables():
        monkeypatch.setenv(name, f"sentinel-{name}")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Team: sentinel-team\nX-Other: sentinel-other")
    litellm = load()
    for name in dir(litellm):
        if (name.endswith("_key") or name == "organization") and getattr(litellm, name) is None:
            monkeypatch.setattr(litellm, name, f"sentinel-{name}")


def ask(run: Run, judge: Judge) -> None:
    """Ask, whatever becomes of it: what matters is what was sent."""
    line = judge.connect(10, lambda told: None)
    try:
        run(line.say(Question("grade", PROMPT, Grade), PROMPT))
    except EvalError:
        return


def sent(request: Request) -> str:
    """All of a request in one text, what is encoded for Basic authorization included."""
    text = f"{request.path} {dict(request.headers)} {request.text}"
    basic = re.findall(r"Basic ([\w+/=]+)", text)
    return " ".join([text, *(base64.b64decode(each).decode() for each in basic)])


def test_the_variables_of_many_providers_are_found() -> None:
    assert len(variables()) > 150
    assert {"DEEPSEEK_API_KEY", "XAI_API_KEY", "OPENAI_ORG_ID", "WATSONX_TOKEN"} <= variables()


@pytest.mark.usefixtures("sentinels")
@pytest.mark.parametrize("provider", KEEPS_KEYS)
def test_no_key_travels_to_a_server_that_it_was_not_meant_for(
    run: Run, server: LoopbackJudge, provider: str
) -> None:
    model = f"{provider}/{MODELS.get(provider, 'some-model')}"
    ask(run, Judge(model, base_url=server.url))
    assert server.requests
    for request in server.requests:
        assert "sentinel" not in sent(request)
        assert NO_KEY in sent(request)


@pytest.mark.usefixtures("sentinels")
@pytest.mark.parametrize("provider", KEEPS_KEYS)
def test_the_key_that_was_named_is_the_one_that_travels(
    run: Run, server: LoopbackJudge, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_JUDGE", "the-named-one")
    model = f"{provider}/{MODELS.get(provider, 'some-model')}"
    ask(run, Judge(model, base_url=server.url, key_env="MY_JUDGE"))
    assert server.requests
    for request in server.requests:
        assert "sentinel" not in sent(request)
        assert "the-named-one" in sent(request)


@pytest.mark.usefixtures("sentinels")
@pytest.mark.parametrize(
    "model",
    [
        "bedrock/anthropic.claude-3-5-sonnet-20240620-v1:0",
        "sagemaker/endpoint",
        "vertex_ai/gemini-2.5-flash",
        "watsonx/ibm/granite",
        "databricks/dbrx",
        "gigachat/GigaChat",
        "snowflake/arctic",
        "gpt-4o",
        "meta-llama/Llama-3-8B",
    ],
)
def test_who_cannot_be_kept_from_sending_keys_is_refused_a_base_url(
    run: Run, server: LoopbackJudge, model: str
) -> None:
    line = Judge(model, base_url=server.url).connect(10, pytest.fail)
    with pytest.raises(JudgeMisconfigured, match="signed for a cloud") as caught:
        run(line.say(Question("grade", PROMPT, Grade), PROMPT))
    assert caught.value.lasting
    assert server.requests == []


@pytest.mark.usefixtures("sentinels")
def test_authorization_among_custom_headers_gives_way_to_the_named_key(
    run: Run, server: LoopbackJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "Authorization: Bearer sentinel\nno header")
    monkeypatch.setenv("MY_JUDGE", "the-named-one")
    ask(run, Judge("openai/gpt-4o", base_url=server.url, key_env="MY_JUDGE"))
    assert server.requests[0].headers["authorization"] == "Bearer the-named-one"


@pytest.mark.usefixtures("sentinels")
def test_headers_of_the_users_own_travel(run: Run, server: LoopbackJudge) -> None:
    params = {"extra_headers": {"X-Team": "mine", "OpenAI-Organization": "org-mine"}}
    ask(run, Judge("openai/gpt-4o", base_url=server.url, params=params))
    headers = server.requests[0].headers
    assert (headers["x-team"], headers["openai-organization"]) == ("mine", "org-mine")
    assert "sentinel" not in sent(server.requests[0])


@pytest.mark.usefixtures("sentinels")
def test_without_a_base_url_the_provider_gets_its_own_key(
    run: Run, server: LoopbackJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    litellm = load()
    for name in ("api_key", "openai_key"):
        monkeypatch.setattr(litellm, name, None)
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    ask(run, Judge("openai/gpt-4o"))
    assert server.requests[0].headers["authorization"] == "Bearer sentinel-OPENAI_API_KEY"
    monkeypatch.setenv("MY_JUDGE", "the-named-one")
    ask(run, Judge("openai/gpt-4o", key_env="MY_JUDGE"))
    assert server.requests[1].headers["authorization"] == "Bearer the-named-one"


def test_a_model_that_somebody_serves_is_not_taken_to_openai(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HOSTED_VLLM_API_BASE", raising=False)
    line = Judge("hosted_vllm/m").connect(10, pytest.fail)
    with pytest.raises(JudgeMisconfigured, match="--llm-eval-base-url"):
        run(line.say(Question("grade", PROMPT, Grade), PROMPT))


def test_the_key_is_looked_up_when_it_is_needed(
    run: Run, server: LoopbackJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = Judge("openai/gpt-4o", base_url=server.url, key_env="MY_JUDGE").connect(10, pytest.fail)
    for key in ("first-one", "second-one"):
        monkeypatch.setenv("MY_JUDGE", key)
        run(line.say(Question("grade", PROMPT, Grade), PROMPT))
        assert server.requests[-1].headers["authorization"] == f"Bearer {key}"
    assert "MY_JUDGE" in os.environ
