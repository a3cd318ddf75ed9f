"""Answers that no protocol allows: each is worth another try, and takes nothing from the others."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from loopback import LoopbackJudge, raw, says
from raw_server import Act, RawServer, answer, reset_amid

from pytest_llmeval.errors import (
    ContextTooLong,
    EvalError,
    JudgeError,
    JudgeMisconfigured,
    JudgeUnavailable,
)
from pytest_llmeval.judges.answers import Rating, Reply
from pytest_llmeval.judges.base import Message, Question, Said
from pytest_llmeval.judges.model import Judge

Run = Callable[[Coroutine[Any, Any, Any]], Any]
PROMPT: tuple[Message, ...] = (("user", "Judge this. Reply in JSON."),)
MODELS = (
    "openai/m",
    "anthropic/claude-sonnet-4-5",
    "ollama_chat/qwen3",
    "gemini/gemini-2.5-flash",
)


class Grade(Reply):
    score: Rating


def asked(run: Run, judge: Judge, prompt: tuple[Message, ...] = PROMPT) -> Said:
    line = judge.connect(10, pytest.fail)
    said: Said = run(line.say(Question("grade", prompt, Grade), prompt))
    return said


def met(run: Run, model: str, does: bytes | Act) -> EvalError:
    """The error that an answer leads to, where every warning is an error."""
    with RawServer(does) as server, warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(EvalError) as caught:
            asked(run, Judge(model, base_url=server.url))
    assert len(server.requests) == 1
    assert len(str(caught.value)) < 500
    return caught.value


NO_PROTOCOL = {
    "a page": answer(200, b"<html>hi</html>", content_type="text/html"),
    "a page called JSON": answer(200, b"<html>hi</html>"),
    "nothing": answer(200),
    "nothing, as a page": answer(200, content_type="text/html"),
    "no content": b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n",
    "not modified": answer(304),
    "null": answer(200, b"null"),
    "a list": answer(200, b"[]"),
    "a text": answer(200, b'"x"'),
    "a number": answer(200, b"5"),
    "an empty object": answer(200, b"{}"),
    "null for choices": answer(200, b'{"id": "1", "choices": null}'),
    "a number for choices": answer(200, b'{"choices": 5}'),
    "text for a choice": answer(200, b'{"choices": ["x"]}'),
    "null for a message": answer(200, b'{"choices": [{"message": null}]}'),
    "another encoding": answer(200, '{"a": 1}'.encode("utf-16")),
    "damaged compression": answer(200, b"no gzip", content_encoding="gzip"),
    "another protocol": b"SSH-2.0-OpenSSH\r\n",
    "broken chunks": answer(200, b"ZZZZ\r\nx", content_length="", transfer_encoding="chunked"),
}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("does", NO_PROTOCOL.values(), ids=NO_PROTOCOL)
def test_an_answer_against_the_protocol_is_worth_another_try(
    run: Run, model: str, does: bytes
) -> None:
    error = met(run, model, does)
    assert type(error) is JudgeUnavailable
    assert "not what its protocol promises" in str(error)


@pytest.mark.parametrize("model", MODELS)
def test_a_page_that_forbids_a_question_is_no_refused_key(run: Run, model: str) -> None:
    page = b"<!DOCTYPE html>\n<html><head><title>403 Forbidden</title></head>blocked</html>"
    error = met(run, model, answer(403, page, content_type="text/html"))
    assert isinstance(error, JudgeMisconfigured)
    assert "a firewall or proxy forbids this question" in str(error)
    assert not error.lasting


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("end", ["reset", "closed"])
def test_a_connection_that_breaks_off_amid_an_answer_is_told_so(
    run: Run, model: str, end: str
) -> None:
    beginning = answer(200, b'{"id"', content_length="1000")
    error = met(run, model, reset_amid(beginning) if end == "reset" else beginning)
    assert type(error) is JudgeUnavailable
    assert "broke off amid its answer" in str(error)
    assert "is it up" not in str(error)


BIG = "9" * 5000


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    ("does", "kind"),
    [
        (answer(429, retry_after="Fri, 31 Dec 9999 23:59:59 -0001"), JudgeUnavailable),
        (answer(429, retry_after="Mon, 01 Jan 0001 00:00:00 +0100"), JudgeUnavailable),
        (answer(429, retry_after=f"Mon, {BIG[:20]} Jan 2020 00:00:00 GMT"), JudgeUnavailable),
        (answer(429, retry_after=BIG), JudgeUnavailable),
        (
            answer(429, f'{{"error": {{"message": "try again in {BIG}s"}}}}'.encode()),
            JudgeUnavailable,
        ),
        (answer(400, f"prompt is too long: {BIG} tokens > 5".encode()), ContextTooLong),
        (answer(400, f"context length is {BIG} tokens, not 5".encode()), ContextTooLong),
        (answer(500, b'{"error": {"message": "\\ud800 boom"}}'), JudgeUnavailable),
        (answer(500, b"[" * 100_000), JudgeUnavailable),
    ],
    ids=[*"abcdefghi"],
)
def test_no_figure_or_date_that_a_server_names_is_more_than_can_be_read(
    run: Run, model: str, does: bytes, kind: type[EvalError]
) -> None:
    error = met(run, model, does)
    assert type(error) is kind
    str(error).encode()


def chat(**fields: Any) -> str:
    message = {"role": "assistant", "content": '{"score": 5}'}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    head = {"id": "1", "object": "chat.completion", "created": 1, "model": "m"}
    return json.dumps({**head, "choices": [choice], **fields})


@pytest.mark.parametrize("model", [["m"], {}, 5, None, "", "\x1b[31mred\nall passed", "m\ud83d"])
def test_a_models_name_is_printable_text_or_unknown(run: Run, model: object) -> None:
    with LoopbackJudge("openai") as server:
        server.default = raw(chat(model=model))
        try:
            name = asked(run, Judge("openai/m", base_url=server.url)).resolved_model
        except JudgeUnavailable:
            return  # LiteLLM does not take it
    assert name is None or (isinstance(name, str) and name.isprintable() and name.encode())


@pytest.mark.parametrize("usage", [{"prompt_tokens": "x"}, {"prompt_tokens": 1e999}, [], 5, None])
def test_usage_that_is_none_costs_no_verdict(run: Run, usage: object) -> None:
    with LoopbackJudge("openai") as server:
        server.default = raw(chat(usage=usage))
        try:
            said = asked(run, Judge("openai/m", base_url=server.url))
        except JudgeUnavailable:
            return
    assert (said.text, said.input_tokens) == ('{"score": 5}', None)


@pytest.mark.parametrize("protocol", ["openai", "anthropic", "ollama"])
def test_lone_surrogates_in_a_question_are_replaced_when_it_is_sent(
    run: Run, protocol: Any
) -> None:
    models = dict(zip(("openai", "anthropic", "ollama"), MODELS, strict=False))
    with LoopbackJudge(protocol) as server:
        server.default = says('{"score": 5}')
        prompt: tuple[Message, ...] = (("user", "Is \ud83d it? JSON"), ("assistant", "\udcff"))
        prompt = (*prompt, ("user", "Well?"))
        asked(run, Judge(models[protocol], base_url=server.url), prompt)
        assert "Is \ufffd it? JSON" in server.requests[0].prompt


def test_a_request_that_cannot_be_made_takes_nothing_from_the_others(run: Run) -> None:
    with LoopbackJudge("openai") as server:
        headers = {"X-Odd": "\u4e2d"}
        with pytest.raises(JudgeError) as caught:
            asked(run, Judge("openai/m", base_url=server.url, params={"extra_headers": headers}))
    assert getattr(caught.value, "lasting", False) is False
