"""Requests go to the judge's own server, whoever else would have them."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest
from loopback import LoopbackJudge
from raw_server import RawServer, answer

from pytest_llmeval.errors import EvalError, JudgeMisconfigured
from pytest_llmeval.judges.access import KEEPS_KEYS
from pytest_llmeval.judges.answers import Rating, Reply
from pytest_llmeval.judges.base import Message, Question
from pytest_llmeval.judges.litellm_import import load
from pytest_llmeval.judges.model import Judge

Run = Callable[[Coroutine[Any, Any, Any]], Any]
PROMPT: tuple[Message, ...] = (("user", "A question of ours. Reply in JSON."),)
NAMES = {
    "anthropic": "claude-sonnet-4-5",
    "gemini": "gemini-2.5-flash",
    "openai": "gpt-4o",
}
MODELS = {
    "openai": "openai/gpt-4o",
    "anthropic": "anthropic/claude-sonnet-4-5",
    "ollama": "ollama_chat/qwen3",
}
CHAT = {
    "id": "1",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"content": '{"score": 5}'}}],
}


class Grade(Reply):
    score: Rating


@pytest.fixture
def elsewhere() -> Iterator[RawServer]:
    with RawServer(answer(200, json.dumps(CHAT).encode())) as server:
        yield server


def ask(run: Run, judge: Judge) -> Any:
    line = judge.connect(10, lambda told: None)
    return run(line.say(Question("grade", PROMPT, Grade), PROMPT))


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("model", [*MODELS.values(), "gemini/gemini-2.5-flash"])
def test_a_redirect_is_refused_and_told(
    run: Run, elsewhere: RawServer, model: str, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_JUDGE", "a-secret-of-ours")
    target = f"{elsewhere.url}/v1?token=hidden"
    with RawServer(answer(status, location=target)) as server:
        judge = Judge(model, base_url=server.url, key_env="MY_JUDGE")
        with pytest.raises(JudgeMisconfigured, match=f"redirects to {elsewhere.url}") as caught:
            ask(run, judge)
    assert elsewhere.requests == []
    assert len(server.requests) == 1
    assert f"status {status}" in str(caught.value)
    assert "base_url" in str(caught.value)
    assert "hidden" not in str(caught.value)
    assert caught.value.lasting
    assert caught.value.__context__ is None


@pytest.mark.parametrize("location", ["/v1/elsewhere", "http://[::bad", ""])
def test_a_redirect_within_the_server_or_to_nowhere_is_refused(run: Run, location: str) -> None:
    with RawServer(answer(307, Location=location or " ")) as server:
        with pytest.raises(JudgeMisconfigured, match="redirects"):
            ask(run, Judge("openai/m", base_url=server.url))
        assert len(server.requests) == 1


@pytest.mark.parametrize("provider", KEEPS_KEYS)
def test_no_provider_is_redirected(
    run: Run, elsewhere: RawServer, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_JUDGE", "a-secret-of-ours")
    model = f"{provider}/{NAMES.get(provider, 'some-model')}"
    with RawServer(answer(307, location=elsewhere.url)) as server:
        judge = Judge(model, base_url=server.url, key_env="MY_JUDGE")
        with pytest.raises(JudgeMisconfigured, match="redirects"):
            ask(run, judge)
        assert len(server.requests) == 1
        assert b"a-secret-of-ours" in server.requests[0]
    assert elsewhere.requests == []


@pytest.mark.parametrize(
    "version",
    [{}, {"api_version": "2024-10-21"}, {"api_version": "preview"}, {"api_version": "v1"}],
)
def test_azure_is_asked_in_the_version_that_was_set(run: Run, version: dict[str, str]) -> None:
    with RawServer(answer(200, json.dumps(CHAT).encode())) as server:
        judge = Judge("azure/deployment", base_url=server.url, params=version)
        assert ask(run, judge).text == '{"score": 5}'
    path = server.requests[0].split(b" ")[1].decode()
    if version.get("api_version") in ("preview", "v1"):
        assert path.startswith("/openai/v1/chat/completions")
    else:
        assert path.startswith("/openai/deployments/deployment/chat/completions?api-version=")
        assert version.get("api_version", "") in path


@pytest.mark.parametrize("provider", KEEPS_KEYS)
def test_an_api_base_that_the_app_set_does_not_take_the_judges_questions(
    run: Run, elsewhere: RawServer, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load(), "api_base", elsewhere.url)
    model = f"{provider}/{NAMES.get(provider, 'some-model')}"
    with LoopbackJudge("openai") as server:
        judge = Judge(model, base_url=server.url)
        try:
            ask(run, judge)
        except EvalError as error:
            told = str(error)
        if not server.requests:
            assert "litellm.api_base" in told
            assert provider.startswith("ollama")
    assert elsewhere.requests == []


@pytest.mark.parametrize("model", ["anthropic/claude-sonnet-4-5", "gemini/gemini-2.5-flash"])
def test_a_key_in_a_header_of_its_own_is_not_redirected_from_a_server_in_the_environment_either(
    run: Run, elsewhere: RawServer, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider = model.partition("/")[0].upper()
    with RawServer(answer(307, location=elsewhere.url)) as server:
        monkeypatch.setenv(f"{provider}_API_BASE", server.url)
        monkeypatch.setenv(f"{provider}_API_KEY", "a-secret-of-ours")
        with pytest.raises(JudgeMisconfigured, match="redirects"):
            ask(run, Judge(model))
        assert b"a-secret-of-ours" in server.requests[0]
    assert elsewhere.requests == []


def test_two_lines_close_without_each_other(run: Run) -> None:
    with LoopbackJudge("openai") as server:
        judge = Judge("openai/gpt-4o", base_url=server.url)
        question = Question("grade", PROMPT, Grade)
        one, other = (judge.connect(10, pytest.fail) for _ in range(2))
        for line in (one, other):
            assert run(line.say(question, PROMPT)).stop == "end"
        run(one.close())
        assert run(other.say(question, PROMPT)).stop == "end"
        assert run(one.say(question, PROMPT)).stop == "end"
