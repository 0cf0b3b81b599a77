"""``rankmeld index``: files into a database, as far as they are new or changed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
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

from rankmeld.cli import console, models, options
from rankmeld.cli.console import counted
from rankmeld.cli.errors import EXIT_INTERRUPTED, reported
from rankmeld.cli.indexing import Found, Indexer, Outcome
from rankmeld.stores import SqliteStore

__all__ = ["index"]

#: Files left out that are named one by one; more are only counted.
_NAMED_FILES = 20


def index(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH", help="Files and folders.", show_default=False)
    ],
    db: options.Database,
    embedder: Annotated[
        models.Choice | None,
        typer.Option(
            "--embedder",
            help="What makes the vectors: minilm finds more, static is fast, none leaves it at words."
            " Left out: the database's own (none, if it has no vectors), for a new one the best installed.",
            show_default=False,
        ),
    ] = None,
    debug: options.Debug = False,
) -> None:
    """Index text, Markdown, code, JSONL and CSV files.

    Run it again at any time: unchanged files are skipped, files that are
    gone are removed, and a run that was stopped is continued.
    """
    with reported(debug=debug):
        started = time.monotonic()
        with _progress() as bar:
            task = bar.add_task("Looking for files", total=None, passages=0)
            found = Found.under(paths, db=db)
            with _opened(db, embedder) as (store, local):
                indexer = Indexer(
                    store,
                    local,
                    on_progress=lambda done, total, passages: bar.update(
                        task, description="Indexing", completed=done, total=total, passages=passages
                    ),
                )
                stopped = False
                try:
                    indexer.run(found)
                except KeyboardInterrupt:
                    stopped = True
                held = f"{counted(len(store), 'passage')}, vectors: {options.vectors(store)}"
        seconds = time.monotonic() - started
        _summarize(indexer.outcome, seconds, f"{db} holds {held}")
        if stopped:
            console.note("stopped; what is indexed so far is kept, and the same command goes on from there")
            raise typer.Exit(EXIT_INTERRUPTED)


@contextmanager
def _opened(
    db: Path, wanted: models.Choice | None
) -> Iterator[tuple[SqliteStore, models.LocalEmbedder | None]]:
    """The store and the embedder for it. An embedder that cannot be had leaves no empty store behind."""
    if db.exists():
        with SqliteStore(db) as store:
            yield store, models.for_indexing(store, wanted)
    else:
        embedder = models.for_new(wanted)
        with SqliteStore(db) as store:
            yield store, embedder


def _progress() -> Progress:
    """A bar on standard error; in a pipe and on a dumb terminal, nothing."""
    terminal = console.stderr()
    counts = [
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TextColumn("files, passages: {task.fields[passages]:,}", markup=False),
    ]
    wide = terminal.width >= 60
    return Progress(
        SpinnerColumn(),
        *(
            [TextColumn("{task.description}", markup=False), *counts, TimeRemainingColumn()]
            if wide
            else counts
        ),
        console=terminal,
        disable=console.plain(terminal),
        transient=True,
        expand=True,
    )


def _summarize(outcome: Outcome, seconds: float, held: str) -> None:
    out = console.stdout()
    counts = [
        (outcome.new, "new"),
        (outcome.changed, "changed"),
        (outcome.embedded, "embedded"),
        (outcome.unchanged, "unchanged"),
        (outcome.removed, "removed"),
        (len(outcome.left_out), "left out"),
        (outcome.binary, "binary"),
        (outcome.hidden, "hidden"),
    ]
    files = ", ".join(f"{count:,} {word}" for count, word in counts if count) or "none found"
    console.write(out, f"Files: {files}")
    console.write(out, f"Passages: {outcome.passages:,} written in {seconds:.1f} s")
    console.write(out, console.printable(f"Database: {held}"))
    _warn([f"left out: {options.shown(path)}: {reason}" for path, reason in outcome.left_out], "left out")
    repeated = [
        f"{options.shown(path)}: {counted(count, 'record')} replaced by a later one of the same id"
        for path, count in outcome.repeated
    ]
    _warn(repeated, "repeated ids in")


def _warn(messages: list[str], about: str) -> None:
    for message in messages[:_NAMED_FILES]:
        console.warn(message)
    if len(messages) > _NAMED_FILES:
        console.warn(f"{about}: {counted(len(messages) - _NAMED_FILES, 'more file')}")
