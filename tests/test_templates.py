"""Templates: values stay text, faults are told as usage errors, the sandbox holds."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jinja2 import UndefinedError

from pytest_llmeval.errors import UsageError
from pytest_llmeval.text.sandbox import compiled
from pytest_llmeval.text.templates import placeholders, render

ODD = [
    "{{ query }}",
    "{% if x %}",
    "{# c #}",
    "{x}",
    "$x ${x}",
    "%s %(x)s",
    "C:\\new\\1",
    "<b>&amp;",
]


@pytest.mark.parametrize("value", ODD)
def test_what_is_filled_in_stays_text(value: str) -> None:
    values = {"response": value, "query": "q"}
    assert render("<{{ response }}> {{ query }}", values) == f"<{value}> q"


@given(st.text())
def test_any_text_is_filled_in_unchanged(value: str) -> None:
    assert render("<{{ response }}>", {"response": value}) == f"<{value}>"


def test_loops_and_conditions_are_rendered() -> None:
    source = "{% for each in documents %}\n[{{ loop.index }}] {{ each }}\n{% endfor %}\n{{ n }}"
    assert render(source, {"documents": ["é", "b"], "n": 2}) == "[1] é\n[2] b\n2"


def test_the_placeholders_of_a_template_are_known() -> None:
    source = (
        "{{ query }}{% for each in context %}{{ each }}{% endfor %}{% raw %}{{ no }}{% endraw %}"
    )
    assert placeholders(source) == {"query", "context"}


def test_an_unknown_placeholder_is_refused_before_anything_is_rendered() -> None:
    class Watched(list[str]):
        def __iter__(self) -> None:  # type: ignore[override]
            raise AssertionError("rendering began")

    source = "{% for each in context %}{{ each }}{% endfor %}{% if false %}{{ querry }}{% endif %}"
    with pytest.raises(UsageError, match=r"no value for querry; known here: context, query"):
        render(source, {"context": Watched(), "query": "q"})


def test_a_placeholder_without_any_value_is_refused() -> None:
    with pytest.raises(UsageError, match="no value for a, b; known here: none"):
        render("{{ b }}{{ a }}", {})


@pytest.mark.parametrize(
    "source",
    [
        "{{ response.__class__ }}",
        "{{ response.__class__.__mro__[1].__subclasses__() }}",
        "{{ ''.__class__ }}",
        "{{ response | attr('__class__') }}",
        "{{ '{0.__class__}'.format(response) }}",
        "{{ context.append('x') }}",
        "{% if response.__init__ %}x{% endif %}",
        "{% set leak = response.__class__ %}{{ leak }}",
    ],
)
def test_the_sandbox_keeps_what_is_behind_a_value(source: str) -> None:
    with pytest.raises(UsageError, match=r"unsafe|not safely"):
        render(source, {"response": "r", "context": ["c"]})


@pytest.mark.parametrize("value", [{"a": 1}, ["a"], None, object(), b"a"])
def test_no_object_is_filled_in_as_its_repr(value: object) -> None:
    with pytest.raises(UsageError, match=rf"text or a number .* got {type(value).__name__}"):
        render("{{ response }}", {"response": value})


def test_an_attribute_that_is_not_there_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="no attribute 'titel'"):
        render("{{ response.titel }}", {"response": "r"})


@pytest.mark.parametrize("source", ["a\n\n{{ query", "\n\n{% if %}", "a\nb\n{{ query | nope }}"])
def test_a_syntax_error_names_its_line(source: str) -> None:
    with pytest.raises(UsageError, match="template, line 3: "):
        placeholders(source)


@settings(deadline=None, max_examples=300)
@given(
    st.lists(
        st.sampled_from(["{{ query }}", "{{n}}", "{{  query}}", "}}", "{", " ", "\n", "a", "\\"])
        | st.text(max_size=3),
        max_size=8,
    ).map("".join),
    st.text(),
)
def test_a_template_that_is_no_program_is_filled_as_the_sandbox_would(
    source: str, value: str
) -> None:
    values = {"query": value, "n": "5"}
    try:
        template, names = compiled(source)
        expected = template.render(values).strip()
    except UsageError:
        with pytest.raises(UsageError):
            render(source, values)
        return
    except UndefinedError:
        return
    assert placeholders(source) == names
    assert render(source, values) == expected


def test_a_plain_template_needs_no_sandbox() -> None:
    code = (
        "import sys; from pytest_llmeval.text.templates import render;"
        "assert render('<{{ a }}>', {'a': 'b'}) == '<b>'; assert 'jinja2' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


TOKENS = ["{{", "}}", "{%", "%}", "{#", "#}", "query", "if", "for", "in", "endfor", "endif", "set"]
TOKENS += ["macro", "include", "'a'", "1", "0", "/", "~", "|", ".", "(", ")", "[", "]", "not", "\n"]
SOURCES = st.text() | st.lists(st.sampled_from(TOKENS), max_size=12).map(" ".join)


@settings(deadline=None, max_examples=300)
@given(SOURCES)
@example("{{ 1 / 0 }}")
@example("{{ 1 + 'a' }}")
@example("{{ query() }}")
@example("{% include 'x' %}")
@example("{% import 'os' as os %}")
@example("{{ " + "9" * 5000 + " }}")
@example("{{ " + "(" * 3000 + "1" + ")" * 3000 + " }}")
@example("{% for x in query %}" * 30 + "{% endfor %}" * 30)
@example("{{ '\ud800' }}")
def test_no_source_raises_anything_but_a_usage_error(source: str) -> None:
    try:
        text = render(source, {"query": "q"})
    except UsageError:
        return
    assert isinstance(text, str)
