"""The typer application: the commands and the options that all of them share."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from rankmeld import __version__
from rankmeld.cli import (
    ask,
    dedup,
    doctor,
    evaluating,
    feedback,
    fuse,
    graph,
    index,
    info,
    options,
    search,
    tuning,
)

__all__ = ["app", "run"]


class _PlainHelp:
    """Shows ``--help`` as the flag that it is."""

    def get_help_option(self, ctx: Any) -> Any:
        option = super().get_help_option(ctx)  # type: ignore[misc]  # typer's class follows this one
        if option is not None:
            option.metavar = options.NO_VALUE
        return option


class _Command(_PlainHelp, TyperCommand):
    """One command."""


class _Group(_PlainHelp, TyperGroup):
    """The command that holds the others."""


app = typer.Typer(
    name="rankmeld",
    cls=_Group,
    help="Index files and search them with two retrievers, fused into one explained ranking.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"rankmeld {__version__}")
        raise typer.Exit


@app.callback()
def _shared(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            metavar=options.NO_VALUE,
            callback=_show_version,
            is_eager=True,
            help="Show the version and exit.",
        ),
    ] = False,
) -> None:
    """Options before the command's name."""


app.command("index", cls=_Command)(index.index)
app.command("search", cls=_Command)(search.search)
app.command("ask", cls=_Command)(ask.ask)
app.command("feedback", cls=_Command)(feedback.feedback)
app.command("graph", cls=_Command)(graph.graph)
app.command("dedup", cls=_Command)(dedup.dedup)
app.command("fuse", cls=_Command)(fuse.fuse)
app.command("eval", cls=_Command)(evaluating.evaluate)
app.command("tune", cls=_Command)(tuning.tune)
app.command("info", cls=_Command)(info.info)
app.command("doctor", cls=_Command)(doctor.doctor)


def run() -> None:
    """Run the application on ``sys.argv`` and exit."""
    app(prog_name="rankmeld")
