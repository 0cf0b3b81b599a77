"""``rankmeld index``: files into a database, as far as they are new or changed."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from rankmeld.cli import console, models, options
from rankmeld.cli.errors import EXIT_INTERRUPTED, UsageError, reported
from rankmeld.cli.indexing import Indexer, Outcome
from rankmeld.stores import SqliteStore

__all__ = ["index"]

#: Failed files that are named one by one; more are only counted.
_NAMED_FAILURES = 20


def index(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH...", help="Files and folders.", show_default=False)
    ],
    db: options.Database,
    embedder: Annotated[
        models.Choice | None,
        typer.Option(
            "--embedder",
            help="What makes the vectors: minilm finds more, static is fast, none leaves it at words."
            " Left out: the database's own, else the best one installed.",
            show_default=False,
        ),
    ] = None,
    debug: options.Debug = False,
) -> None:
    """Index text, Markdown, code, JSONL and CSV files.

    Run it again at any time: unchanged files are skipped, files that are gone are removed, and a run
    that was stopped is continued.
    """
    with reported(debug=debug):
        absent = next((path for path in paths if not path.exists()), None)
        if absent is not None:
            raise UsageError(f"{absent}: no such file or folder")
        started = time.monotonic()
        with SqliteStore(db) as store:
            chosen = models.for_indexing(store, embedder)
            stopped = False
            with _progress() as progress:
                task = progress.add_task("Looking for files", total=None, passages=0)

                def show(done: int, total: int, passages: int) -> None:
                    progress.update(
                        task, description="Indexing", completed=done, total=total, passages=passages
                    )

                indexer = Indexer(store, chosen, on_progress=show)
                try:
                    indexer.run(paths)
                except KeyboardInterrupt:
                    stopped = True
            _summarize(indexer.outcome, store, db, seconds=time.monotonic() - started)
        if stopped:
            console.note("stopped; what is indexed so far is kept, and the same command goes on from here")
            raise typer.Exit(EXIT_INTERRUPTED)


def _progress() -> Progress:
    """A bar on standard error; in a pipe and on a dumb terminal, nothing."""
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TextColumn("files, {task.fields[passages]:,} passages", markup=False),
        TimeRemainingColumn(),
        console=console.stderr(),
        disable=console.plain(console.stderr()),
        transient=True,
        expand=True,
    )


def _summarize(outcome: Outcome, store: SqliteStore, db: Path, *, seconds: float) -> None:
    out = console.stdout()
    counts = [
        (outcome.new, "new"),
        (outcome.changed, "changed"),
        (outcome.unchanged, "unchanged"),
        (outcome.removed, "removed"),
        (len(outcome.failed), "failed"),
    ]
    files = ", ".join(f"{count:,} {word}" for count, word in counts if count) or "none found"
    vectors = f"vectors of {store.model}" if store.model else "no vectors"
    console.write(out, Text.assemble(("Files: ", "bold"), files))
    console.write(
        out, Text.assemble(("Passages: ", "bold"), f"{outcome.passages:,} written in {seconds:.1f} s")
    )
    console.write(
        out,
        Text.assemble(("Database: ", "bold"), console.printable(f"{db}, {len(store):,} passages, {vectors}")),
    )
    for path, reason in outcome.failed[:_NAMED_FAILURES]:
        console.warn(f"not indexed: {path}: {reason}")
    if len(outcome.failed) > _NAMED_FAILURES:
        console.warn(f"and {len(outcome.failed) - _NAMED_FAILURES:,} more files")
