"""The description of a judge: what it takes, what it refuses, what names it in the store."""

from __future__ import annotations

import copy
import dataclasses
import json
import math
import pickle
import re
import shlex
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmeval.errors import UsageError
from pytest_llmeval.judges.choice import JudgeChoice
from pytest_llmeval.judges.model import Judge
from pytest_llmeval.judges.written import parse_judge, parse_param
from pytest_llmeval.settings import Settings

WORDS = st.from_regex(r"[a-z_]{1,12}", fullmatch=True).map("x_{}".format)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
)


def test_a_judge_is_called_by_its_model_unless_named() -> None:
    assert Judge("openai/gpt-5-mini").name == "openai/gpt-5-mini"
    assert Judge("openai/gpt-5-mini", name="strict").name == "strict"


def test_a_judge_that_is_unavailable_may_be_asked_again() -> None:
    assert Judge("openai/m").remote


@given(st.dictionaries(WORDS, VALUES, max_size=4), st.randoms())
def test_judges_with_the_same_parameters_in_any_order_are_one(params: Any, random: Any) -> None:
    shuffled = list(params.items())
    random.shuffle(shuffled)
    one, other = Judge("openai/m", params=params), Judge("openai/m", params=dict(shuffled))
    assert one == other
    assert hash(one) == hash(other)
    assert json.dumps(one.identity) == json.dumps(other.identity)


def test_a_judge_does_not_change_with_the_mapping_that_made_it() -> None:
    inner = {"effort": "high"}
    judge = Judge("openai/m", params={"reasoning": inner})
    inner["effort"] = "low"
    assert judge.identity["params"] == {"reasoning": {"effort": "high"}}


def test_the_identity_holds_what_shapes_answers() -> None:
    judge = Judge(
        "openai/m",
        base_url="http://user:pass@host:1/v1?key=1#part",
        params={"top_k": 4},
        temperature=0.5,
        seed=7,
        reply_tokens=100,
    )
    assert judge.identity == {
        "model": "openai/m",
        "base_url": "http://host:1/v1",
        "temperature": 0.5,
        "seed": 7,
        "reply_tokens": 100,
        "params": {"top_k": 4},
    }


def test_key_time_out_and_name_stay_out_of_the_identity() -> None:
    bare = Judge("openai/m")
    assert Judge("openai/m", key_env="MY_KEY", timeout=3, name="n").identity == bare.identity
    assert "MY_KEY" not in json.dumps(Judge("openai/m", key_env="MY_KEY").identity)


@pytest.mark.parametrize(
    "change",
    [
        {"model": "openai/other"},
        {"base_url": "http://host/v1"},
        {"temperature": None},
        {"temperature": 1},
        {"seed": 1},
        {"reply_tokens": 5},
        {"params": {"top_k": 1}},
    ],
)
def test_what_shapes_answers_changes_the_identity(change: dict[str, Any]) -> None:
    assert Judge(**{"model": "openai/m", **change}).identity != Judge("openai/m").identity


@pytest.mark.parametrize("model", ["ollama/bespoke-minicheck", "openai/Bespoke-MiniCheck-7B"])
def test_a_minicheck_model_is_a_checker(model: str) -> None:
    assert Judge(model).checker
    assert not Judge("openai/gpt-5-mini").checker


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"model": "  "}, "model"),
        ({"temperature": math.nan}, "temperature"),
        ({"temperature": math.inf}, "temperature"),
        ({"temperature": -0.1}, "temperature"),
        ({"temperature": "0"}, "temperature"),
        ({"seed": 1.5}, "seed"),
        ({"reply_tokens": 0}, "reply_tokens"),
        ({"reply_tokens": None}, "reply_tokens"),
        ({"timeout": 0}, "timeout"),
        ({"timeout": math.nan}, "timeout"),
        ({"base_url": "localhost:8000/v1"}, "http://"),
        ({"base_url": "ftp://host"}, "http://"),
        ({"base_url": "http://"}, "http://"),
        ({"base_url": "http://[half"}, "http://"),
        ({"params": {"api_base": "http://elsewhere"}}, "base_url"),
        ({"params": {"max_tokens": 5}}, "reply_tokens"),
        ({"params": {"fallbacks": ["other"]}}, "fallbacks"),
        ({"params": {"x": math.nan}}, "JSON"),
        ({"params": {"x": object()}}, "JSON"),
        ({"params": None}, "params maps names to JSON values; got NoneType"),
        ({"params": [("x", 1)]}, "params maps names to JSON values; got list"),
        ({"params": {1: "x"}}, "the names of params are text; got int"),
        ({"params": {"x": 10**5000}}, "JSON"),
        ({"model": None}, "model is text; got NoneType"),
        ({"model": 5}, "model is text; got int"),
        ({"base_url": 5}, "base_url is text; got int"),
        ({"key_env": b"KEY"}, "key_env is text; got bytes"),
        ({"name": None}, "name is text; got NoneType"),
        ({"temperature": True}, "temperature is a number"),
        ({"seed": True}, "seed is a whole number; got True"),
        ({"seed": 10**5000}, "seed is a whole number; got a int"),
        ({"seed": 10**400}, "seed is a whole number"),
        ({"timeout": True}, "timeout is a number"),
    ],
)
def test_what_cannot_be_meant_is_refused(given: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        Judge(**{"model": "openai/m", **given})


@pytest.mark.parametrize(
    "key", ["sk-proj-abc123", "AIzaSyA1b2c3d4e5f6g7h8i9j0", "f00dfeedf00dfeedf00dfeed12", "a b"]
)
def test_a_key_in_place_of_a_variable_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(UsageError, match="name of an environment variable") as caught:
        Judge("openai/m", key_env=key)
    assert key not in str(caught.value)


@pytest.mark.parametrize(
    "params",
    [
        {"azure_ad_token": "abcdefgh"},
        {"aws_secret_access_key": "abcdefgh"},
        {"vertex_credentials": "abcdefgh"},
        {"extra_headers": {"Authorization": "Bearer abcdefgh"}},
        {"extra_body": {"inner": {"x-api-key": "abcdefgh"}}},
    ],
)
def test_secrets_are_no_parameters(params: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="key_env") as caught:
        Judge("openai/m", params=params)
    assert "abcdefgh" not in str(caught.value)


def test_parameters_that_only_sound_like_secrets_are_taken() -> None:
    assert Judge("openai/m", params={"prompt_cache_key": "a", "max_thinking_tokens": 5}).params


def test_a_line_of_the_ini_is_a_named_judge() -> None:
    line = (
        "strict = openai/gpt-5-mini base_url=http://host:1/v1?a=b key_env=NAME temperature=0 "
        "seed=1 reply_tokens=2000 timeout=30 reasoning_effort=high top_k=4 "
        "'extra_body={\"a\": [1]}'"
    )
    name, judge = parse_judge(line)
    assert name == "strict"
    assert judge == Judge(
        "openai/gpt-5-mini",
        base_url="http://host:1/v1?a=b",
        key_env="NAME",
        temperature=0,
        seed=1,
        reply_tokens=2000,
        timeout=30,
        params={"reasoning_effort": "high", "top_k": 4, "extra_body": {"a": [1]}},
    )


def test_a_line_may_leave_the_temperature_out() -> None:
    assert parse_judge("a=openai/m temperature=none")[1].temperature is None


@pytest.mark.parametrize(
    "line",
    [
        "",
        "openai/gpt-5-mini",
        "strict =",
        "two words = openai/m",
        "a = openai/m word",
        "a = openai/m =1",
        "a = openai/m seed=one",
        "a = openai/m temperature=-1",
        "a = openai/m key_env=sk-abc-def",
        "a = openai/m extra_body={'a': 1}",
        "a = openai/m 'unclosed",
    ],
)
def test_a_line_that_is_none_is_refused_by_name(line: str) -> None:
    with pytest.raises(UsageError, match=r"judge '") as caught:
        parse_judge(line)
    assert "sk-abc-def" not in str(caught.value)


@given(WORDS, VALUES | st.text(alphabet="abc xyz", min_size=1).filter(str.strip))
def test_a_parameter_is_json_where_it_is_json_and_else_text(name: str, value: Any) -> None:
    text = value.strip() if isinstance(value, str) else json.dumps(value)
    assert parse_param(f"{name}={text}") == (name, text if isinstance(value, str) else value)
    line = f"a = openai/m {shlex.quote(f'{name}={text}')}"
    assert parse_judge(line)[1].params == dict([parse_param(f"{name}={text}")])


@pytest.mark.parametrize("entry", ["", "key", "=1", "key=", "key={1", "key=[1"])
def test_a_parameter_without_name_or_value_is_refused(entry: str) -> None:
    with pytest.raises(UsageError):
        parse_param(entry)


def test_describing_a_judge_imports_nothing_heavy() -> None:
    code = """
import asyncio, sys
from pytest_llmeval.judges import litellm, litellm_import
from pytest_llmeval.judges.choice import JudgeChoice
from pytest_llmeval.judges.model import Judge
Judge('openai/m')
asyncio.run(litellm_import.close_clients())

heavy = ('litellm', 'openai', 'httpx', 'aiohttp', 'numpy', 'nltk')
print([each for each in heavy if each in sys.modules])
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (ran.stdout.strip(), ran.stderr) == ("[]", "")


def test_a_judge_can_be_copied_and_sent_to_another_process() -> None:
    judge = Judge("openai/m", params={"reasoning": {"effort": "high"}}, seed=1, name="strict")
    copies = [pickle.loads(pickle.dumps(judge)), copy.copy(judge), copy.deepcopy(judge)]
    for each in [*copies, dataclasses.replace(judge)]:
        assert each == judge
        assert hash(each) == hash(judge)
        assert (each.identity, each.checker) == (judge.identity, judge.checker)
    assert dataclasses.asdict(judge)["params"] == {"reasoning": {"effort": "high"}}
    assert "'effort': 'high'" in repr(judge)


def test_the_parameters_of_a_judge_can_not_be_set() -> None:
    with pytest.raises(TypeError):
        Judge("openai/m", params={"top_k": 1}).params["top_k"] = 2  # type: ignore[index]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("n = openai/gpt-4o base_ur=http://foo/v1", "base_ur: did you mean base_url?"),
        ("n = openai/gpt-4o temprature=1", "temprature: did you mean temperature?"),
        ("n = lexical", "lexical is no model"),
    ],
)
def test_what_is_nearly_a_field_is_no_parameter(line: str, told: str) -> None:
    with pytest.raises(UsageError, match=re.escape(told)):
        parse_judge(line)


def test_reports_call_a_named_judge_by_both_of_its_names() -> None:
    strict = "strict = openai/gpt-5 reasoning_effort=high"
    judges = JudgeChoice(Settings(judge=(strict, "lenient = openai/gpt-5 name=kind")))
    assert judges.of("strict").name == "strict (openai/gpt-5)"
    assert judges.of("lenient").name == "kind"
    with pytest.raises(UsageError, match="there is no judge 'strct': did you mean 'strict'"):
        judges.of("strct")
    assert judges.of("gpt-4o").name == "gpt-4o"
