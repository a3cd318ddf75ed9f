"""Settings: three sources, one order, and refusals that name what was set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_llmeval.errors import UsageError
from pytest_llmeval.option import Option
from pytest_llmeval.settings import OPTIONS, Settings, option_table


def read(
    command_line: dict[str, Any] | None = None,
    environment: dict[str, str] | None = None,
    ini: dict[str, Any] | None = None,
) -> Settings:
    return Settings.read(
        command_line=lambda option: (command_line or {}).get(option.name),
        environment=environment or {},
        ini=lambda option: (ini or {}).get(option.name),
        here=Path("/here"),
        ini_folder=Path("/root"),
    )


def test_the_command_line_wins_over_the_environment_and_that_over_the_ini() -> None:
    ini, environment = {"model": "a"}, {"LLM_EVAL_MODEL": "b"}
    assert read(ini=ini).model == "a"
    assert read(environment=environment, ini=ini).model == "b"
    assert read({"model": "c"}, environment, ini).model == "c"


def test_what_is_set_nowhere_keeps_its_default() -> None:
    settings = read()
    assert settings == Settings(store=Path("/root/.llm_eval"))
    assert (settings.temperature, settings.reply_tokens, settings.mode) == (0, 4096, "auto")


def test_every_option_fills_a_field_and_defaults_agree() -> None:
    for option in OPTIONS:
        default = getattr(Settings(), option.name)
        if option.kind == "folder":
            assert default == Path(str(option.default))
        elif option.kind != "switch" and not option.several:
            assert default == option.default


@pytest.mark.parametrize("blank", ["", "  ", "\n"])
def test_what_is_blank_is_not_set_wherever_it_stands(blank: str) -> None:
    ini = {option.name: blank for option in OPTIONS}
    environment = {option.variable: blank for option in OPTIONS}
    command_line = {name: blank for name in ini if name != "enabled"}
    assert read(command_line, environment, ini) == read()


def test_what_was_set_beside_the_model_or_over_it_is_known() -> None:
    assert read(ini={"seed": 1}).beside_model == frozenset()
    ini, environment = {"model": "a", "seed": 1}, {"LLM_EVAL_BASE_URL": "http://b"}
    assert read(ini=ini, environment=environment).beside_model == {"model", "seed", "base_url"}
    assert read({"model": "c"}, environment, ini).beside_model == {"model"}


def test_a_list_is_the_sum_of_its_sources_with_the_command_line_last() -> None:
    settings = read(
        {"threshold": ["groundedness=5"]},
        {"LLM_EVAL_THRESHOLD": "relevance=3; fact_check=yes"},
        {"threshold": ["groundedness=3"]},
    )
    assert settings.threshold == (
        "groundedness=3",
        "relevance=3",
        "fact_check=yes",
        "groundedness=5",
    )


def test_a_relative_store_is_beside_the_ini_that_names_it_and_else_where_pytest_was_started() -> (
    None
):
    assert read(ini={"store": "kept"}).store == Path("/root/kept")
    assert read({"store": "kept"}).store == Path("/here/kept")
    assert read(environment={"LLM_EVAL_STORE": "/abs"}).store == Path("/abs")


@pytest.mark.parametrize("text", ["1", "true", "YES", "on"])
def test_the_switch_is_turned_on_by_the_environment(text: str) -> None:
    assert read(environment={"LLM_EVAL": text}).enabled


@pytest.mark.parametrize("text", ["0", "false", "No", "off", ""])
def test_the_switch_is_turned_off_by_the_environment(text: str) -> None:
    assert not read(environment={"LLM_EVAL": text}).enabled


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        ({"environment": {"LLM_EVAL": "maybe"}}, "LLM_EVAL: expected 1 or 0"),
        ({"command_line": {"temperature": "hot"}}, "--llm-eval-temperature: expected a number"),
        ({"command_line": {"temperature": "-1"}}, "of at least 0; got '-1'"),
        ({"command_line": {"temperature": "nan"}}, "expected a number"),
        ({"environment": {"LLM_EVAL_SEED": "1.5"}}, "LLM_EVAL_SEED: expected a whole number"),
        ({"ini": {"timeout": 0.0}}, "llm_eval_timeout: expected a number of at least 0.001"),
        ({"ini": {"reply_tokens": 0}}, "llm_eval_reply_tokens: expected a whole number of at"),
        ({"ini": {"temperature": "abc"}}, "llm_eval_temperature: expected a number of at least 0"),
        ({"command_line": {"seed": "1" + 400 * "0"}}, "--llm-eval-seed: expected a whole number"),
        ({"command_line": {"seed": "-1" + 400 * "0"}}, "--llm-eval-seed: expected a whole number"),
        ({"command_line": {"seed": "1" + 9000 * "0"}}, "--llm-eval-seed: expected a whole number"),
        ({"ini": {"store": "~nosuchuser/x"}}, "llm_eval_store: '~nosuchuser/x' is no folder here"),
        ({"environment": {"LLM_EVAL_STORE": "a\0b"}}, "LLM_EVAL_STORE: expected a folder"),
        ({"ini": {"model": 5}}, "llm_eval_model: expected text; got 5"),
        ({"ini": {"judge": 5}}, "llm_eval_judge: expected a list of entries"),
        ({"ini": {"threshold": [4]}}, "llm_eval_threshold: expected a list of entries"),
        (
            {"command_line": {"mode": "record"}},
            "--llm-eval-mode: expected one of auto, replay, refresh, off; got 'record'",
        ),
    ],
)
def test_a_value_that_cannot_be_is_refused_under_the_name_it_was_set_by(
    sources: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=".*") as caught:
        read(**sources)
    assert message in str(caught.value)


def test_names_follow_one_rule() -> None:
    option = Option("reply_tokens", "integer", "help")
    assert option.flag == "--llm-eval-reply-tokens"
    assert option.ini == "llm_eval_reply_tokens"
    assert option.variable == "LLM_EVAL_REPLY_TOKENS"


def test_the_readme_shows_the_table_of_options_as_it_is() -> None:
    readme = Path(__file__).parent.parent.joinpath("README.md").read_text(encoding="utf-8")
    assert option_table() in readme


INI_FILES = {
    "pytest.ini": "[pytest]\nllm_eval = true\nllm_eval_model = m\nllm_eval_temperature = 1\n"
    "llm_eval_seed = 7\nllm_eval_threshold =\n  groundedness=3\n  relevance=2\n",
    "pyproject.toml": "[tool.pytest.ini_options]\nllm_eval = true\nllm_eval_model = 'm'\n"
    "llm_eval_temperature = '1'\nllm_eval_seed = '7'\n"
    "llm_eval_threshold = ['groundedness=3', 'relevance=2']\n",
}
NATIVE = (
    "[tool.pytest]\nllm_eval = true\nllm_eval_model = 'm'\nllm_eval_temperature = 1\n"
    "llm_eval_seed = 7\nllm_eval_threshold = ['groundedness=3', 'relevance=2']\n"
)


def inner_settings(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        def test_settings(llm_eval):
            settings = llm_eval.settings
            assert settings.model == "m"
            assert settings.temperature == 1 and settings.seed == 7
            assert settings.threshold == ("groundedness=3", "relevance=2")
        """
    )
    pytester.runpytest().assert_outcomes(passed=1)


@pytest.mark.parametrize("name", INI_FILES)
def test_every_kind_of_ini_is_read(pytester: pytest.Pytester, name: str) -> None:
    pytester.path.joinpath(name).write_text(INI_FILES[name], encoding="utf-8")
    inner_settings(pytester)


@pytest.mark.skipif(pytest.version_tuple < (9, 0), reason="native TOML came with pytest 9")
def test_native_toml_is_read_with_its_own_types(pytester: pytest.Pytester) -> None:
    pytester.path.joinpath("pyproject.toml").write_text(NATIVE, encoding="utf-8")
    inner_settings(pytester)


def test_help_shows_the_options_in_a_group_of_their_own(pytester: pytest.Pytester) -> None:
    lines = pytester.runpytest("--help").stdout.lines
    start = lines.index("LLM evaluation:")
    shown = "\n".join(lines[start : lines.index("", start)])
    assert all(option.flag in shown for option in OPTIONS)


def test_a_wrong_setting_ends_the_run_with_one_line_and_exit_status_4(
    pytester: pytest.Pytester,
) -> None:
    result = pytester.runpytest("--llm-eval", "--llm-eval-threshold=groundednes=4")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*there is no metric 'groundednes': did you mean 'groundedness'?"])
    assert "Traceback" not in result.stderr.str()


@pytest.mark.parametrize("value", ["0", "5.5", "6", "nan", "four", ""])
def test_a_threshold_off_the_scale_is_refused_when_it_is_set(
    pytester: pytest.Pytester, value: str
) -> None:
    result = pytester.runpytest("--llm-eval", f"--llm-eval-threshold=groundedness={value}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR


INI_WITH = "[pytest]\n{} = {}\n"
TYPED = ["llm_eval", "llm_eval_temperature", "llm_eval_seed", "llm_eval_judge", "llm_eval_store"]


@pytest.mark.parametrize("name", TYPED)
def test_a_blank_ini_value_is_passed_over(pytester: pytest.Pytester, name: str) -> None:
    pytester.makeini(INI_WITH.format(name, ""))
    pytester.makepyfile("def test_settings(llm_eval): assert llm_eval.settings.temperature == 0")
    pytester.runpytest("--llm-eval").assert_outcomes(passed=1)


@pytest.mark.parametrize("evals", [["--llm-eval"], []], ids=["on", "off"])
@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("llm_eval", "maybe", "llm_eval: expected 1 or 0"),
        ("llm_eval_temperature", "abc", "llm_eval_temperature: expected a number of at least 0"),
        ("llm_eval_seed", "1.5", "llm_eval_seed: expected a whole number; got '1.5'"),
        ("llm_eval_store", "~nosuchuser/x", "llm_eval_store: '~nosuchuser/x' is no folder here"),
    ],
)
def test_an_ini_value_that_cannot_be_is_refused_by_its_name(
    pytester: pytest.Pytester, name: str, value: str, message: str, evals: list[str]
) -> None:
    pytester.makeini(INI_WITH.format(name, value))
    result = pytester.runpytest(*evals)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert message in result.stderr.str()


@pytest.mark.skipif(pytest.version_tuple < (9, 0), reason="native TOML came with pytest 9")
def test_a_wrong_type_in_native_toml_is_refused_by_its_name(pytester: pytest.Pytester) -> None:
    pytester.makepyprojecttoml("[tool.pytest]\nllm_eval_temperature = [1]\n")
    result = pytester.runpytest()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "llm_eval_temperature: expected a number of at least 0; got '[1]'" in result.stderr.str()


@pytest.mark.parametrize("entry", ["fact_check=no", "fact_check=0", "groundedness=1"])
def test_a_threshold_that_everything_passes_is_refused_when_it_is_set(
    pytester: pytest.Pytester, entry: str
) -> None:
    result = pytester.runpytest("--llm-eval", f"--llm-eval-threshold={entry}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*so nothing could fail*"])
