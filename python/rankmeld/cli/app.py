"""The typer application: the commands and the options that all of them share."""

from __future__ import annotations

from typing import Annotated

import typer

from rankmeld import __version__
from rankmeld.cli import index, info, search

__all__ = ["app", "run"]

app = typer.Typer(
    name="rankmeld",
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
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    """Options before the command's name."""


app.command("index")(index.index)
app.command("search")(search.search)
app.command("info")(info.info)


def run() -> None:
    """Run the application on ``sys.argv`` and exit."""
    app(prog_name="rankmeld")
