"""The command ``llm-eval``."""

from __future__ import annotations

from typing import Any

import click

from . import __version__
from .commands.baseline import baseline_command
from .commands.rejudge import rejudge_command
from .commands.runs import export, markdown_command, merge
from .commands.settings import read_settings, setting_options
from .commands.store import store
from .errors import EvalError
from .text.shown import printable

ABOUT_JUDGES = (
    *("model", "base_url", "key_env", "temperature", "seed", "reply_tokens", "timeout"),
    *("param", "judge", "store", "mode", "verdicts"),
)


class _Commands(click.Group):
    """Commands whose errors are told in one line."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except EvalError as error:
            raise click.ClickException(printable(str(error))) from None


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="llm-eval")
def main() -> None:
    """Look after LLM evals that pytest runs.

    Settings are those of pytest here (its ini and addopts, the environment) and options.
    """


@main.command()
@setting_options(*ABOUT_JUDGES)
def doctor(**given: Any) -> None:
    """Say who judges, ask it one question, and look at the store.

    Ends with status 1 where there is a problem.
    """
    from .commands.doctor import examine
    from .text.shown import shown

    found = read_settings(given)
    problems = 0
    for finding in examine(found.settings, found.origins):
        problems += finding.level == "problem"
        click.echo(f"{finding.level:<8} {finding.subject:<10} {shown(finding.text, 1000)}")
    if problems:
        raise click.exceptions.Exit(1)


@main.command("show-prompt")
@click.argument("metric")
@click.argument("options", nargs=-1, metavar="[OPTION=VALUE]...")
@click.option("--case", metavar="FILE:ID", help="a case of a JSONL file, by its id or number")
@setting_options("model", "judge", "metrics", "rubric", "guideline", "reason_language")
def show_prompt(metric: str, options: tuple[str, ...], case: str | None, **given: Any) -> None:
    """Print exactly what METRIC would send to the judge, and send nothing.

    METRIC is a name or a row, as groundedness[yes_no]. Without --case a sample is shown. What a
    metric asks after a reply is shown for a reply that is made up.
    """
    from .commands.show_prompt import shown_prompt

    found = read_settings(given, additions=True)
    for paragraph in shown_prompt(found.settings, metric, case, options, found.additions):
        click.echo(f"{paragraph}\n")


@main.command()
def schema() -> None:
    """Print the JSON Schema of run files."""
    from .reports.run import schema_text

    click.echo(schema_text(), nl=False)


main.add_command(store)
main.add_command(export)
main.add_command(merge)
main.add_command(markdown_command)
main.add_command(rejudge_command)
main.add_command(baseline_command)
