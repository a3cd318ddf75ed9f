"""The line to an LLM, through the real LiteLLM and over HTTP, in three protocols."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeVar

import loopback
import pytest
from loopback import LoopbackJudge
from pydantic import BaseModel, Field

from pytest_llmeval.errors import ContextTooLong, JudgeMisconfigured, JudgeUnavailable, UsageError
from pytest_llmeval.judges.answers import Rating, Reason, Reply, YesNo
from pytest_llmeval.judges.base import Message, Question, Said
from pytest_llmeval.judges.litellm import LiteLLMLine
from pytest_llmeval.judges.litellm_import import load
from pytest_llmeval.judges.model import Judge

ROOT = Path(__file__).parents[1]
T = TypeVar("T")
Run = Callable[[Coroutine[Any, Any, T]], T]


class Quote(BaseModel):
    """A note for readers of the code."""

    quote: str = Field(description="word for word")
    note: str | None = None


class Grade(Reply):
    quotes: list[Quote] = Field(description="the quotes")
    first: Quote | None = Field(None, description="the first of them")
    reason: Reason
    score: Rating


class Word(Reply):
    verdict: YesNo


PROMPT: tuple[Message, ...] = (("system", "Judge. Reply in JSON."), ("user", "Is {it} “so”? 🙂"))
QUESTION = Question("grade", PROMPT, Grade)
CLAIM: tuple[Message, ...] = (("user", "Document: Tents. {x}\nClaim: Tents\n"),)
CHECK = Question("fact_check", CLAIM, Word, form="word")
PROTOCOLS: tuple[loopback.Protocol, ...] = ("openai", "anthropic", "ollama")
MODELS = {
    "openai": "openai/gpt-4o",
    "anthropic": "anthropic/claude-sonnet-4-5",
    "ollama": "ollama_chat/qwen3",
}


@pytest.fixture(params=PROTOCOLS)
def server(request: pytest.FixtureRequest) -> Iterator[LoopbackJudge]:
    with LoopbackJudge(request.param) as server:
        yield server


@pytest.fixture
def openai() -> Iterator[LoopbackJudge]:
    with LoopbackJudge("openai") as server:
        yield server


@pytest.fixture
def ollama() -> Iterator[LoopbackJudge]:
    with LoopbackJudge("ollama") as server:
        yield server


def line_to(server: LoopbackJudge, model: str = "", **fields: Any) -> tuple[LiteLLMLine, list[str]]:
    told: list[str] = []
    judge = Judge(model or MODELS[server.protocol], base_url=server.url, **fields)
    return LiteLLMLine(judge, 10, told.append), told


def said_by(run: Run[Said], server: LoopbackJudge, model: str = "", **fields: Any) -> Said:
    line, told = line_to(server, model, **fields)
    said = run(line.say(QUESTION, PROMPT))
    assert told == []
    return said


def test_a_reply_comes_with_model_tokens_cost_and_time(
    run: Run[Said], server: LoopbackJudge
) -> None:
    server.resolved_model = MODELS[server.protocol].partition("/")[2]
    said = said_by(run, server)
    assert Grade.model_validate_json(said.text).score == 5
    assert (said.stop, said.input_tokens, said.output_tokens) == ("end", 120, 30)
    assert said.resolved_model is not None
    assert said.resolved_model.endswith(server.resolved_model)
    price = {"openai": 0.0006, "anthropic": 0.00081, "ollama": 0.0}[server.protocol]
    assert said.cost == pytest.approx(price)
    assert 0 < said.seconds < 60


def test_the_prompt_arrives_as_it_is(run: Run[Said], server: LoopbackJudge) -> None:
    said_by(run, server)
    (request,) = server.requests
    assert request.prompt == "\n".join(content for _, content in PROMPT)


def test_the_models_name_that_the_server_gives_is_kept(
    run: Run[Said], openai: LoopbackJudge
) -> None:
    openai.resolved_model = "gpt-4o-2026-01-01"
    assert said_by(run, openai).resolved_model == "gpt-4o-2026-01-01"


def test_settings_travel_in_the_words_of_the_protocol(run: Run[Said]) -> None:
    fields: dict[str, Any] = {"temperature": 0.5, "reply_tokens": 77, "params": {"top_k": 3}}
    expected = {
        "openai": {"temperature": 0.5, "max_tokens": 77, "top_k": 3, "seed": 1},
        "anthropic": {"temperature": 0.5, "max_tokens": 77, "top_k": 3},
        "ollama": {"temperature": 0.5, "num_predict": 77, "top_k": 3, "seed": 1, "num_ctx": 8192},
    }
    for protocol in PROTOCOLS:
        wanted = expected[protocol]
        with LoopbackJudge(protocol) as server:
            said_by(run, server, seed=wanted.get("seed"), **fields)
            body = server.bodies[0]
            sent = body["options"] if protocol == "ollama" else body
            assert {name: sent[name] for name in wanted} == wanted
            assert protocol != "ollama" or sent == wanted


def test_a_temperature_of_none_is_not_sent(run: Run[Said], openai: LoopbackJudge) -> None:
    said_by(run, openai, temperature=None)
    assert "temperature" not in openai.bodies[0]
    assert "seed" not in openai.bodies[0]


def test_the_schema_is_strict_and_whole(run: Run[Said], server: LoopbackJudge) -> None:
    said_by(run, server)
    schema = server.requests[0].schema
    quote = {
        "type": "object",
        "properties": {
            "quote": {"type": "string", "description": "word for word"},
            "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        },
        "required": ["quote", "note"],
        "additionalProperties": False,
    }
    assert schema is not None
    assert list(schema["properties"]) == schema["required"] == list(Grade.model_fields)
    assert schema["properties"]["quotes"]["items"] == quote
    assert schema["properties"]["first"]["anyOf"] == [quote, {"type": "null"}]
    assert schema["properties"]["score"]["enum"] == [1, 2, 3, 4, 5]
    assert "description" not in schema


def test_a_reply_that_holds_itself_is_a_usage_error(run: Run[Said], openai: LoopbackJudge) -> None:
    class Tree(Reply):
        inner: list[Tree]

    Tree.model_rebuild(_types_namespace={"Tree": Tree})
    with pytest.raises(UsageError, match="Tree"):
        run(line_to(openai)[0].say(Question("tree", PROMPT, Tree), PROMPT))


@pytest.mark.parametrize(
    ("behaviour", "stop", "text"),
    [
        (loopback.cut('{"reason": "It'), "length", '{"reason": "It'),
        (loopback.empty_at_limit(), "length", ""),
        (loopback.says('{"score": 2}', reasoning='{"score": 5}'), "end", '{"score": 2}'),
        (loopback.fenced("{}"), "end", "```json\n{}\n```"),
        (loopback.says(""), "end", ""),
    ],
)
def test_why_and_what_the_model_said(
    run: Run[Said], server: LoopbackJudge, behaviour: loopback.Behaviour, stop: str, text: str
) -> None:
    server.script(behaviour)
    said = said_by(run, server)
    assert (said.stop, said.text) == (stop, text)


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
def test_a_refusal_is_told_from_an_answer(run: Run[Said], protocol: loopback.Protocol) -> None:
    with LoopbackJudge(protocol) as server:
        server.script(loopback.declines("I will not."), loopback.filtered())
        refused, filtered = said_by(run, server), said_by(run, server)
        # Anthropic's word for what its filter holds back is a refusal.
        stop = "filtered" if protocol == "anthropic" else "refused"
        assert (refused.stop, refused.text) == (stop, "I will not.")
        assert (filtered.stop, filtered.text) == ("filtered", "")


def test_an_answer_in_the_shape_of_a_tool_call_is_unwrapped(run: Run[Said]) -> None:
    with LoopbackJudge("anthropic") as server:
        said = said_by(run, server, "anthropic/claude-3-haiku-20240307")
        assert server.requests[0].tool is not None
        assert Grade.model_validate_json(said.text).score == 5


def test_no_choices_are_no_verdict(run: Run[Said], openai: LoopbackJudge) -> None:
    openai.script(loopback.raw('{"id": "1", "object": "chat.completion", "choices": []}'))
    # What LiteLLM takes for a broken one: its releases differ.
    with pytest.raises(JudgeUnavailable, match="had no choices|not what its protocol promises"):
        said_by(run, openai)


def test_what_is_not_reported_is_unknown_and_not_zero(
    run: Run[Said], openai: LoopbackJudge
) -> None:
    openai.usage = None
    said = said_by(run, openai)
    assert (said.input_tokens, said.output_tokens, said.cost) == (None, None, None)
    openai.usage = (10, 5)
    said = said_by(run, openai, "openai/a-model-without-a-price")
    assert (said.input_tokens, said.output_tokens, said.cost) == (10, 5, None)


@pytest.mark.parametrize("parameter", ["temperature", "seed"])
def test_a_parameter_that_the_model_refuses_is_left_out_and_said_once(
    run: Run[Said], server: LoopbackJudge, parameter: str
) -> None:
    server.refuses = {parameter}
    line, told = line_to(server, seed=1)
    for _ in range(2):
        assert Grade.model_validate_json(run(line.say(QUESTION, PROMPT)).text)
    by_litellm = server.protocol == "anthropic"
    refused = sorted({parameter, "seed"} if by_litellm else {parameter})
    model = MODELS[server.protocol]
    assert sorted(told) == [f"{model} does not take {each}: it is left out" for each in refused]
    assert len(server.requests) == 2 + (not by_litellm or parameter == "temperature")


def test_a_parameter_that_litellm_refuses_is_left_out_too(
    run: Run[Said], openai: LoopbackJudge
) -> None:
    line, told = line_to(openai, "openai/o3-mini", temperature=0)
    assert run(line.say(QUESTION, PROMPT)).stop == "end"
    assert told == ["openai/o3-mini does not take temperature: it is left out"]
    assert "temperature" not in openai.bodies[0]
    assert openai.bodies[0]["max_completion_tokens"] == 4096


def test_calls_under_way_together_say_it_once(run: Run[list[Said]], openai: LoopbackJudge) -> None:
    openai.refuses = {"temperature"}
    openai.parties = 8
    line, told = line_to(openai)

    async def together() -> list[Said]:
        return await asyncio.gather(*(line.say(QUESTION, PROMPT) for _ in range(8)))

    assert len(run(together())) == 8
    assert len(told) == 1
    assert openai.most_in_flight == 8


def test_a_limit_of_tokens_goes_by_its_newer_name_before_it_is_left_out(
    run: Run[Said], openai: LoopbackJudge
) -> None:
    openai.refuses = {"max_tokens"}
    line, told = line_to(openai, reply_tokens=50)
    run(line.say(QUESTION, PROMPT))
    assert [openai.bodies[-1].get("max_completion_tokens"), told] == [50, []]
    openai.refuses = {"max_tokens", "max_completion_tokens"}
    run(line.say(QUESTION, PROMPT))
    assert told == ["openai/gpt-4o does not take max_completion_tokens: it is left out"]


def test_a_schema_gives_way_to_plain_json_and_then_to_nothing(
    run: Run[Said], openai: LoopbackJudge
) -> None:
    no_schema = "response_format type json_schema is unavailable"
    openai.script(loopback.status(400, no_schema), loopback.says("{}"))
    line, told = line_to(openai)
    for _ in range(2):
        run(line.say(QUESTION, PROMPT))
    forms = [body.get("response_format", {}).get("type") for body in openai.bodies]
    assert forms == ["json_schema", "json_object", "json_object"]
    openai.refuses = {"response_format"}
    for _ in range(2):
        run(line.say(QUESTION, PROMPT))
    forms = [body.get("response_format", {}).get("type") for body in openai.bodies[3:]]
    assert forms == ["json_object", None, None]
    assert told == [
        "openai/gpt-4o does not take json_schema: it is left out",
        "openai/gpt-4o does not take json_object: it is left out",
    ]


def test_ollama_is_asked_without_a_format_that_it_refuses(
    run: Run[Said], ollama: LoopbackJudge
) -> None:
    ollama.refuses = {"format"}
    run(line_to(ollama)[0].say(QUESTION, PROMPT))
    assert [body.get("format") for body in ollama.bodies][1:] == ["json", None]


def test_another_line_starts_afresh(run: Run[Said], openai: LoopbackJudge) -> None:
    openai.script(loopback.refuses_parameter("temperature"))
    run(line_to(openai)[0].say(QUESTION, PROMPT))
    said_by(run, openai)
    assert "temperature" in openai.bodies[-1]


@pytest.mark.parametrize("name", ["top_p", "logit_bias"])
def test_a_parameter_that_the_user_asked_for_is_never_left_out(
    run: Run[Said], openai: LoopbackJudge, name: str
) -> None:
    openai.refuses = {"top_p"}
    line, _ = line_to(openai, params={name: 1})
    with pytest.raises(JudgeMisconfigured, match=name) as caught:
        run(line.say(QUESTION, PROMPT))
    assert caught.value.lasting
    assert len(openai.requests) == 1


def test_a_parameter_of_the_users_that_litellm_refuses_is_an_error_too(run: Run[Said]) -> None:
    with LoopbackJudge("anthropic") as server:
        line, _ = line_to(server, params={"logprobs": True})
        with pytest.raises(JudgeMisconfigured, match="logprobs") as caught:
            run(line.say(QUESTION, PROMPT))
        assert caught.value.lasting
        assert server.requests == []


def test_a_cache_that_the_app_gave_litellm_does_not_answer_for_the_judge(
    run: Run[Said], openai: LoopbackJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    litellm = load()
    monkeypatch.setattr(litellm, "cache", litellm.Cache())
    for _ in range(2):
        said_by(run, openai)
    assert len(openai.requests) == 2


@pytest.mark.parametrize("prefix", ["ollama", "ollama_chat"])
def test_a_checker_on_ollama_gets_its_own_form_and_no_schema(
    run: Run[Said], ollama: LoopbackJudge, prefix: str
) -> None:
    ollama.default = loopback.cut("Yes")
    line, _ = line_to(ollama, f"{prefix}/bespoke-minicheck")
    said = run(line.say(CHECK, CLAIM))
    assert (said.text, said.stop, said.cost) == ("Yes", "length", 0.0)
    (request,) = ollama.requests
    assert request.path == "/api/chat"
    (message,) = request.body["messages"]
    assert (message["role"], message["content"]) == CLAIM[0]
    assert "format" not in request.body
    assert request.body["options"]["num_ctx"] == 8192


def test_a_window_that_the_user_set_for_ollama_is_kept(
    run: Run[Said], ollama: LoopbackJudge
) -> None:
    said_by(run, ollama, params={"num_ctx": 100_000})
    assert ollama.bodies[0]["options"]["num_ctx"] == 100_000


def test_a_question_that_ollama_cut_is_an_error(run: Run[Said], ollama: LoopbackJudge) -> None:
    ollama.usage = (8192, 10)
    with pytest.raises(ContextTooLong, match="num_ctx"):
        run(line_to(ollama)[0].say(QUESTION, PROMPT))


def test_ollama_is_not_probed_for_what_the_model_can_do(
    run: Run[Said], ollama: LoopbackJudge
) -> None:
    for _ in range(2):
        said_by(run, ollama, "ollama/never-heard-of")
    assert [request.path for request in ollama.requests] == ["/api/chat"] * 2


def test_the_judges_own_time_out_counts(run: Run[Said], openai: LoopbackJudge) -> None:
    assert said_by(run, openai, timeout=60).stop == "end"
    openai.default = loopback.hung()
    started = time.monotonic()
    with pytest.raises(Exception, match="no answer in time"):
        said_by(run, openai, timeout=0.2)
    assert time.monotonic() - started < 9  # the line's time-out is 10 s


def test_lines_work_again_after_the_clients_were_closed(openai: LoopbackJudge) -> None:
    for _ in range(2):
        line, _ = line_to(openai)

        async def ask_and_close(line: LiteLLMLine = line) -> Said:
            said = await line.say(QUESTION, PROMPT)
            await line.close()
            await line.close()
            return said

        assert asyncio.run(ask_and_close()).stop == "end"


def test_asking_writes_nothing_and_leaves_the_environment_alone(
    run: Run[Said], server: LoopbackJudge, capfd: pytest.CaptureFixture[str]
) -> None:
    before = dict(os.environ)
    server.script(loopback.status(500), loopback.status(401), loopback.raw(), loopback.dropped())
    for _ in range(4):
        with pytest.raises(Exception, match=MODELS[server.protocol]):
            run(line_to(server)[0].say(QUESTION, PROMPT))
    said_by(run, server)
    assert capfd.readouterr() == ("", "")
    assert dict(os.environ) == before


def test_no_log_holds_the_prompt(
    run: Run[Said], openai: LoopbackJudge, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    said_by(run, openai)
    records = [each for each in caplog.records if each.name.startswith("LiteLLM")]
    assert records == []


QUIETLY = """
import asyncio, dotenv, gc, json, os, socket, sys, threading
from pytest_llmeval.judges import litellm
from pytest_llmeval.judges.base import Question
from pytest_llmeval.judges.model import Judge
from pytest_llmeval.judges.answers import Reply
looked_up, known = [], socket.getaddrinfo
def look_up(host, *rest, **more):
    looked_up.append(host)
    return known(host, *rest, **more)
socket.getaddrinfo = look_up
dotenv.load_dotenv = lambda *given, **more: looked_up.append("a .env file")
before = dict(os.environ)
async def main():
    for model, url in json.loads(sys.argv[1]):
        line = Judge(model, base_url=url).connect(30, lambda text: None)
        await line.say(Question("t", (("user", "json"),), Reply), (("user", "json"),))
    await line.close()
asyncio.run(main())
assert dict(os.environ) == before, set(os.environ) ^ set(before)
assert gc.isenabled() and gc.get_freeze_count() > 100_000
assert set(looked_up) <= {"127.0.0.1"}, looked_up
assert [thread.name for thread in threading.enumerate() if not thread.daemon] == ["MainThread"]
"""


def test_the_import_is_silent_offline_and_without_traces(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("TIKTOKEN_CACHE_DIR", None)
    with ExitStack() as stack:
        servers = [stack.enter_context(LoopbackJudge(each)) for each in PROTOCOLS]
        servers[-1].usage = None  # its tokens are then counted here
        asked = [(MODELS[server.protocol], server.url) for server in servers]
        ran = subprocess.run(
            [sys.executable, "-W", "error", "-c", QUIETLY, json.dumps(asked)],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=environment,
        )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
