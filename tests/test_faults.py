"""What goes wrong on the way, over the wire and through LiteLLM, and the error it is told as."""

from __future__ import annotations

import asyncio
import re
import socket
import time
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import loopback
import pytest
from hypothesis import given
from hypothesis import strategies as st
from loopback import Behaviour, LoopbackJudge

from pytest_llmeval.errors import (
    ContextTooLong,
    EvalError,
    JudgeMisconfigured,
    JudgeRefused,
    JudgeUnavailable,
)
from pytest_llmeval.judges.answers import Rating, Reply
from pytest_llmeval.judges.base import Message, Question
from pytest_llmeval.judges.faults import as_judge_error, without_secrets
from pytest_llmeval.judges.litellm_import import load
from pytest_llmeval.judges.model import Judge

Run = Callable[[Coroutine[Any, Any, Any]], Any]
PROMPT: tuple[Message, ...] = (("user", "Judge this. Reply in JSON."),)
MODELS = {
    "openai": "openai/gpt-4o",
    "anthropic": "anthropic/claude-sonnet-4-5",
    "ollama": "ollama_chat/qwen3",
}


class Grade(Reply):
    score: Rating


@pytest.fixture(params=MODELS)
def server(request: pytest.FixtureRequest) -> Iterator[LoopbackJudge]:
    with LoopbackJudge(request.param) as server:
        yield server


@pytest.fixture
def openai() -> Iterator[LoopbackJudge]:
    with LoopbackJudge("openai") as server:
        yield server


@pytest.fixture
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI", "ANTHROPIC", "GEMINI", "GOOGLE", "AZURE", "GROQ", "DEEPSEEK"):
        monkeypatch.delenv(f"{name}_API_KEY", raising=False)


def ask(run: Run, judge: Judge, timeout: float = 10) -> EvalError:
    """The error that asking ``judge`` ends in, of its own before half a minute is over."""
    load()  # which would be told as a notice
    line = judge.connect(timeout, pytest.fail)
    with pytest.raises(EvalError) as caught:
        run(asyncio.wait_for(line.say(Question("grade", PROMPT, Grade), PROMPT), 30))
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(judge.name)
    return caught.value


def met(run: Run, server: LoopbackJudge, *behaviours: Behaviour, **fields: Any) -> EvalError:
    """The error that a server which does as scripted leads to."""
    server.script(*behaviours)
    return ask(run, Judge(MODELS[server.protocol], base_url=server.url, **fields))


WINDOW = (
    "This model's maximum context length is 8192 tokens. However, your messages resulted in "
    "10000 tokens. Please reduce the length of the messages."
)
EMPTY_ACCOUNT = "Your credit balance is too low to access the API."
FILTER = "The response was filtered due to the prompt triggering our content management policy."


FLAGGED = "This model requires moderation and your input was flagged for violence."


@pytest.mark.parametrize(
    ("behaviour", "kind", "told"),
    [
        (loopback.status(401, "no such key"), JudgeMisconfigured, "key.*no such key"),
        (loopback.status(403, "not for you"), JudgeMisconfigured, "key.*not for you"),
        (loopback.status(400, "API key not valid."), JudgeMisconfigured, "wants a key"),
        (loopback.status(402), JudgeMisconfigured, "credit"),
        (loopback.status(429, "x", "insufficient_quota"), JudgeMisconfigured, "credit"),
        (loopback.status(400, EMPTY_ACCOUNT), JudgeMisconfigured, "credit"),
        (loopback.status(404, "unheard of"), JudgeMisconfigured, "no such model.*unheard of"),
        (loopback.status(400, "x", "model_not_found"), JudgeMisconfigured, "no such model"),
        (loopback.status(408), JudgeUnavailable, "408"),
        (loopback.status(429, "slow down"), JudgeUnavailable, "too many requests.*slow down"),
        (loopback.status(500, "oops"), JudgeUnavailable, "500.*oops"),
        (loopback.status(502), JudgeUnavailable, "502"),
        (loopback.status(503), JudgeUnavailable, "503"),
        (loopback.status(504), JudgeUnavailable, "504"),
        (loopback.status(529, "Overloaded"), JudgeUnavailable, "529.*Overloaded"),
        (loopback.status(400, WINDOW), ContextTooLong, "window of 8192 tokens by 1808"),
        (loopback.status(413, "too large"), ContextTooLong, "does not fit"),
        (loopback.status(400, FILTER), JudgeRefused, "filter"),
        (loopback.status(400, "x", "content_filter"), JudgeRefused, "filter"),
        (loopback.status(403, FLAGGED), JudgeRefused, "filter"),
        (loopback.raw(), JudgeUnavailable, "not what its protocol promises"),
        (loopback.raw("{}"), JudgeUnavailable, "not what its protocol promises"),
        (loopback.raw(""), JudgeUnavailable, "not what its protocol promises"),
        (loopback.dropped(), JudgeUnavailable, "no connection"),
    ],
)
def test_a_fault_is_told_as_the_error_of_who_has_to_act(
    run: Run, server: LoopbackJudge, behaviour: Behaviour, kind: type[EvalError], told: str
) -> None:
    if server.protocol == "ollama" and behaviour.code:
        # The protocol has no place for a code but the message.
        behaviour = replace(behaviour, message=behaviour.code)
    error = met(run, server, behaviour)
    assert type(error) is kind
    assert re.search(told, str(error))
    assert len(server.requests) == 1


def test_a_fault_of_one_question_is_told_from_one_of_all(run: Run, openai: LoopbackJudge) -> None:
    one = met(run, openai, loopback.status(400, "messages: too many of them"))
    every = met(run, openai, loopback.status(401))
    assert isinstance(one, JudgeMisconfigured)
    assert isinstance(every, JudgeMisconfigured)
    assert (one.lasting, every.lasting) == (False, True)


def test_a_hung_socket_ends_in_time(run: Run, server: LoopbackJudge) -> None:
    server.script(loopback.hung())
    judge = Judge(MODELS[server.protocol], base_url=server.url)
    error = ask(run, judge, timeout=0.5)
    assert isinstance(error, JudgeUnavailable)
    assert "--llm-eval-timeout" in str(error)


def test_a_key_that_ceases_to_be_good_midway_is_told(run: Run, openai: LoopbackJudge) -> None:
    line = Judge("openai/gpt-4o", base_url=openai.url).connect(10, pytest.fail)
    openai.script(Behaviour(), loopback.status(401, "revoked"))
    question = Question("grade", PROMPT, Grade)
    assert run(line.say(question, PROMPT)).stop == "end"
    with pytest.raises(JudgeMisconfigured, match="revoked"):
        run(line.say(question, PROMPT))


def test_a_question_that_is_forbidden_ends_nothing_once_the_key_has_worked(
    run: Run, openai: LoopbackJudge
) -> None:
    line = Judge("openai/gpt-4o", base_url=openai.url).connect(10, pytest.fail)
    openai.script(
        forbidden := loopback.status(403, "not for you"),
        Behaviour(),
        forbidden,
        loopback.status(403, FLAGGED),
        Behaviour(),
    )
    ends: list[Any] = []
    for _ in range(5):
        try:
            ends.append(run(line.say(Question("grade", PROMPT, Grade), PROMPT)).stop)
        except EvalError as error:
            ends.append((type(error), getattr(error, "lasting", None)))
    question_only = (JudgeMisconfigured, False)
    assert ends == [(JudgeMisconfigured, True), "end", question_only, (JudgeRefused, False), "end"]


def test_a_loopback_server_stops_at_once_whatever_hangs(run: Run) -> None:
    with LoopbackJudge("openai") as server:
        server.script(loopback.hung())
        ask(run, Judge("openai/gpt-4o", base_url=server.url), timeout=0.2)
        started = time.monotonic()
    assert time.monotonic() - started < 30  # aiohttp waits a minute for what is under way


def test_a_reply_that_never_ends_is_cut_at_the_time_out(run: Run, openai: LoopbackJudge) -> None:
    openai.script(loopback.trickling())
    error = ask(run, Judge("openai/gpt-4o", base_url=openai.url), timeout=0.5)
    assert isinstance(error, JudgeUnavailable)


def test_a_time_out_of_litellms_own_is_told_alike(run: Run, server: LoopbackJudge) -> None:
    server.script(loopback.hung())
    model = MODELS[server.protocol]
    asked = {"messages": [{"role": "user", "content": "q"}], "timeout": 0.3, "max_retries": 0}
    request = load().acompletion(model=model, api_base=server.url, api_key="k", **asked)
    with pytest.raises(Exception, match="imed out") as caught:
        run(request)
    error = as_judge_error(caught.value, Judge(model, base_url=server.url))
    assert isinstance(error, JudgeUnavailable)
    assert "no answer in time" in str(error)


@pytest.mark.parametrize(
    ("headers", "message", "least", "most"),
    [
        ({"retry_after": "7"}, "x", 7, 7),
        ({"retry_after": "0.5"}, "x", 0.5, 0.5),
        ({"retry_after_ms": "250", "retry_after": "1"}, "x", 0.25, 0.25),
        ({"retry_after": "soon"}, "x", None, None),
        ({"retry_after": "-3"}, "x", None, None),
        ({}, "Rate limit reached. Please try again in 1.5s.", 1.5, 1.5),
        ({}, "Please try again in 20ms.", 0.02, 0.02),
        ({}, "x", None, None),
    ],
)
def test_how_long_the_server_wants_quiet_is_read_where_it_says_so(
    run: Run,
    server: LoopbackJudge,
    headers: dict[str, str],
    message: str,
    least: float | None,
    most: float | None,
) -> None:
    error = met(run, server, loopback.status(429, message, **headers))
    assert isinstance(error, JudgeUnavailable)
    assert error.retry_after == pytest.approx(least) == pytest.approx(most)


def test_a_date_to_come_back_at_is_read(run: Run, server: LoopbackJudge) -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    error = met(run, server, loopback.status(503, retry_after=date))
    assert isinstance(error, JudgeUnavailable)
    assert 3500 < (error.retry_after or 0) <= 3600


def test_geminis_limit_per_minute_is_no_empty_account(run: Run, openai: LoopbackJudge) -> None:
    words = 'You exceeded your current quota. RESOURCE_EXHAUSTED {"retryDelay": "30s"}'
    error = met(run, openai, loopback.status(429, words))
    assert isinstance(error, JudgeUnavailable)
    assert error.retry_after == 30


@pytest.mark.parametrize(
    "words",
    [
        "prompt is too long: 210000 tokens > 200000 maximum",
        "The input token count (210000) exceeds the maximum number of tokens allowed (200000).",
        "maximum context length is 200,000 tokens, however you requested 210,000 tokens",
    ],
)
def test_by_how_much_a_question_is_too_long_is_told(
    run: Run, openai: LoopbackJudge, words: str
) -> None:
    error = met(run, openai, loopback.status(400, words))
    assert isinstance(error, ContextTooLong)
    assert "exceeds the window of 200000 tokens by 10000" in str(error)


@pytest.mark.parametrize("model", [*MODELS.values(), "azure/dep", "gemini/gemini-2.5-flash"])
@pytest.mark.parametrize("host", ["127.0.0.1:{port}", "no-such-host.invalid:{port}"])
def test_a_server_that_is_not_there_is_worth_another_try(run: Run, model: str, host: str) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://{host.format(port=closed.getsockname()[1])}"
        error = ask(run, Judge(model, base_url=url))
    assert isinstance(error, JudgeUnavailable)
    assert url in str(error)


def test_a_plain_server_at_a_secure_address_is_told(run: Run, openai: LoopbackJudge) -> None:
    error = ask(run, Judge("openai/m", base_url=openai.url.replace("http:", "https:")))
    assert isinstance(error, JudgeUnavailable)
    assert "no connection" in str(error)


@pytest.mark.usefixtures("no_keys")
@pytest.mark.parametrize(
    ("model", "variable"),
    [
        ("openai/gpt-4o", "OPENAI_API_KEY"),
        ("gpt-4o", "OPENAI_API_KEY"),
        ("anthropic/claude-sonnet-4-5", "ANTHROPIC_API_KEY"),
        ("gemini/gemini-2.5-flash", "GEMINI_API_KEY"),
    ],
)
def test_a_missing_key_is_told_by_its_variable(run: Run, model: str, variable: str) -> None:
    error = ask(run, Judge(model))
    assert isinstance(error, JudgeMisconfigured)
    assert error.lasting
    assert variable in str(error)


@pytest.mark.usefixtures("no_keys")
@pytest.mark.parametrize("provider", ["groq", "deepseek"])
def test_a_key_that_only_the_server_misses_is_told_by_its_variable(
    run: Run, openai: LoopbackJudge, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"{provider.upper()}_API_BASE", openai.url)
    openai.key = "the one"
    error = ask(run, Judge(f"{provider}/some-model"))
    assert isinstance(error, JudgeMisconfigured)
    assert f"{provider.upper()}_API_KEY" in str(error)


@pytest.mark.parametrize(("key", "told"), [(None, "is not set"), ("  ", "is not set")])
def test_a_variable_named_for_the_key_and_not_set_is_told(
    run: Run, openai: LoopbackJudge, monkeypatch: pytest.MonkeyPatch, key: str | None, told: str
) -> None:
    monkeypatch.delenv("MY_JUDGE", raising=False)
    if key is not None:
        monkeypatch.setenv("MY_JUDGE", key)
    error = ask(run, Judge("openai/gpt-4o", base_url=openai.url, key_env="MY_JUDGE"))
    assert isinstance(error, JudgeMisconfigured)
    assert re.search(f"MY_JUDGE.*{told}", str(error))
    assert openai.requests == []


def test_a_key_that_is_refused_is_told_by_the_variable_that_was_named(
    run: Run, openai: LoopbackJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_JUDGE", "k-wrong")
    openai.key = "k-right"
    error = ask(run, Judge("openai/gpt-4o", base_url=openai.url, key_env="MY_JUDGE"))
    assert isinstance(error, JudgeMisconfigured)
    assert "MY_JUDGE" in str(error)
    assert "k-wrong" not in str(error)


@pytest.mark.parametrize("model", ["nosuch", "nosuch/model"])
def test_a_model_without_a_known_provider_is_told(run: Run, model: str) -> None:
    error = ask(run, Judge(model))
    assert isinstance(error, JudgeMisconfigured)
    assert f"openai/{model}" in str(error)


def test_a_long_answer_to_an_error_is_cut_and_made_printable(
    run: Run, openai: LoopbackJudge
) -> None:
    error = met(run, openai, loopback.status(500, "\x1b[31mred\n" + "long " * 1000))
    assert "\x1b" not in str(error)
    assert len(str(error)) < 400


def test_no_error_shows_a_secret(
    run: Run, server: LoopbackJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets = {
        "OPENAI_API_KEY": "sk-openai-sentinel",
        "MY_LITTLE_TOKEN": "token-sentinel",
        "Db_Password": "sentinel/with+signs",
        "A_SECRET": "sentinel",
    }
    for name, value in secrets.items():
        monkeypatch.setenv(name, value)
    echoed = f"Incorrect API key: {' and '.join(secrets.values())}; http://me:hunter22@host/x"
    for number in (400, 401, 404, 429, 500):
        error = met(run, server, loopback.status(number, echoed))
        assert "sentinel" not in repr(error)
        assert "hunter22" not in repr(error)
        assert "***" in str(error)
        assert error.__context__ is None
        assert error.__cause__ is None


def test_a_user_in_a_base_url_is_not_shown(run: Run, openai: LoopbackJudge) -> None:
    url = openai.url.replace("//", "//me:sentinel@")
    openai.script(loopback.raw())
    assert "sentinel" not in str(ask(run, Judge("openai/gpt-4o", base_url=url)))


def test_no_frame_of_an_error_holds_a_key(
    run: Run, openai: LoopbackJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_JUDGE", "k-sentinel")
    openai.key = "another"
    error = ask(run, Judge("openai/gpt-4o", base_url=openai.url, key_env="MY_JUDGE"))
    link = error.__traceback__
    while link is not None:
        assert "k-sentinel" not in repr(link.tb_frame.f_locals)
        link = link.tb_next


@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        (400, "Output blocked by content filtering policy", JudgeRefused),
        (400, "Invalid prompt: your prompt was flagged as potentially violating x.", JudgeRefused),
        (400, "Your request was rejected as a result of our safety system.", JudgeRefused),
        (403, "Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE", JudgeRefused),
        (400, "Content Exists Risk", JudgeRefused),
        (400, "data_inspection_failed: it may contain inappropriate content.", JudgeRefused),
        (400, '{"contentFilter": [{"level": 1, "role": "user"}]}', JudgeRefused),
        (400, "The request was rejected because it was considered high risk", JudgeRefused),
        (403, "Your account was flagged and is under review.", JudgeMisconfigured),
        (403, "Your account was disabled for violating our usage policy.", JudgeMisconfigured),
        (400, "The content of messages.0 is no text.", JudgeMisconfigured),
        (400, "Unsupported parameter: 'content_filter'.", JudgeMisconfigured),
        (400, '{"code": "unsupported_parameter", "param": "content_filter"}', JudgeMisconfigured),
    ],
)
def test_a_filter_is_known_in_the_words_of_its_provider_and_ends_no_run(
    status: int, message: str, kind: type[EvalError]
) -> None:
    told = as_judge_error(ValueError(message), Judge("openai/gpt-5-mini"), met=status)
    assert type(told) is kind
    assert ("held the question back; loosen the filter" in str(told)) is (kind is JudgeRefused)
    assert not (kind is JudgeRefused and told.lasting)


@given(st.text(), st.text(min_size=8).filter(str.strip))
def test_a_secret_goes_wherever_it_stands(around: str, secret: str) -> None:
    secret = secret.replace("\0", "0").encode("utf-8", "replace").decode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOME_TOKEN", secret)
        shown = without_secrets(f"{around}{secret}{around}", Judge("openai/m"))
    assert secret.strip() not in shown.replace("***", "")
