"""``rankmeld dedup``: a collection without its near-duplicates."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from rankmeld._options import threads_for
from rankmeld._sketching import TEXTS_FOR_A_THREAD, Shingle, as_options
from rankmeld.cli import console, options
from rankmeld.cli.console import counted
from rankmeld.cli.errors import EXIT_INTERRUPTED, UsageError, reported
from rankmeld.corpora import Deduplication, Outcome, open_collection, write_report

__all__ = ["dedup"]

#: From here on more threads than one are worth it; collections are large.
_LARGE = 1 << 20


def dedup(  # noqa: PLR0917 - typer reads the signature
    source: Annotated[
        Path, typer.Argument(metavar="IN", help="JSON lines, text, CSV or Parquet.", show_default=False)
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="OUT", help="What is kept, in the same form.")
    ],
    report: Annotated[
        bool,
        typer.Option("--report", metavar=options.NO_VALUE, help="Also write OUT.html: pairs side by side."),
    ] = False,
    threshold: Annotated[
        float, typer.Option("--threshold", metavar="S", help="Similarity from which records are duplicates.")
    ] = 0.85,
    shingle: Annotated[
        str, typer.Option("--shingle", metavar="word|N", help="Compare words, or runs of N tokens.")
    ] = "word",
    num_perm: Annotated[
        int, typer.Option("--num-perm", metavar="N", help="Values of a MinHash signature.")
    ] = 128,
    field: Annotated[
        str | None,
        typer.Option(
            "--field",
            metavar="NAME",
            help="Where a record has its text.",
            show_default="text, content or body",
        ),
    ] = None,
    threads: Annotated[
        int | None, typer.Option("--threads", metavar="N", help="Threads.", show_default="all")
    ] = None,
    debug: options.Debug = False,
) -> None:
    """Copy a collection without its near-duplicates.

    The first record of each cluster stays, as it is. A run that was
    stopped is continued by the same command.
    """
    with reported(debug=debug):
        chosen = as_options(threshold, num_perm, _as_shingle(shingle), verify=True)
        collection = open_collection(_existing(source), field=field)
        if output.suffix.lower() != source.suffix.lower():
            raise UsageError(f"{output}: the output has the form of the input; let it end in {source.suffix}")
        run = Deduplication(collection, output, chosen, threads_for(threads, _LARGE, TEXTS_FOR_A_THREAD))
        try:
            with _progress() as bar:
                task = bar.add_task("Reading", records=0)
                outcome = run.run(lambda done: bar.update(task, records=done))
        except KeyboardInterrupt:
            console.note("stopped; the same command goes on from there")
            raise typer.Exit(EXIT_INTERRUPTED) from None
        _summarize(outcome, output)
        if report:
            page = output.with_name(f"{output.name}.html")
            write_report(page, collection, outcome, chosen)
            console.write(console.stdout(), console.printable(f"Report: {page}"))


def _existing(source: Path) -> Path:
    if not source.is_file():
        raise UsageError(f"{source}: no such file")
    return source


def _as_shingle(shingle: str) -> Shingle:
    try:
        return int(shingle)
    except ValueError:  # no number, or one of thousands of digits
        return shingle  # type: ignore[return-value]  # refused by name where options are checked


def _progress() -> Progress:
    """A line on standard error that counts; in a pipe and on a dumb terminal, nothing."""
    terminal = console.stderr()
    counts = TextColumn("{task.fields[records]:,} records", markup=False)
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), counts, TimeElapsedColumn())
    return Progress(*columns, console=terminal, disable=console.plain(terminal), transient=True)


def _summarize(outcome: Outcome, output: Path) -> None:
    out = console.stdout()
    total, kept = len(outcome.labels), int(outcome.kept.sum())
    if outcome.resumed:
        console.note(f"{counted(outcome.resumed, 'record')} had been read by an earlier run")
    console.write(out, f"Records: {total:,} read, {kept:,} kept, {total - kept:,} left out")
    console.write(out, f"Clusters: {len(outcome.clusters):,}")
    console.write(out, console.printable(f"Output: {output}"))
