"""``rankmeld graph``: what the files of a checkout have to do with each other."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rankmeld.cli import console, graphs, options
from rankmeld.cli.console import counted
from rankmeld.cli.errors import EXIT_NO_RESULTS, reported
from rankmeld.ingest.knowledge import graph_of

__all__ = ["graph"]


def graph(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="PATH", help="Files and folders, as they were indexed.", show_default=False),
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="Where the graph goes, as JSON.")
    ],
    debug: options.Debug = False,
) -> None:
    """Make a graph of files: imports, links, and the names that files define.

    Give it to a search with --graph, which then also finds what is only linked to the words of a question.
    Exit code 1 where no file is found.
    """
    with reported(debug=debug):
        skipped: list[tuple[str, str]] = []
        made = graph_of(paths, on_skip=lambda path, reason: skipped.append((path, reason)))
        graphs.write_graph(made, output)
        for path, reason in skipped:
            if reason.startswith("cannot be read"):
                console.warn(f"left out: {options.shown(path)}: {reason}")
        out = console.stdout()
        found = ", ".join(
            [counted(made.files, "file"), counted(made.imports, "import"), counted(made.symbols, "symbol")]
        )
        console.write(out, f"Found: {found}")
        size = f"{counted(len(made.nodes), 'node')}, {counted(len(made.edges), 'edge')}"
        console.write(out, console.printable(f"Graph: {output} holds {size}"))
        if not made.files:
            raise typer.Exit(EXIT_NO_RESULTS)
