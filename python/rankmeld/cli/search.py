"""``rankmeld search``: one question, two retrievers, one explained ranking."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from rankmeld.cli import models, options, report, results
from rankmeld.cli.errors import EXIT_NO_RESULTS, UsageError, reported

__all__ = ["read_filters", "search"]


def search(  # noqa: PLR0917 - typer reads options from positional parameters
    query: Annotated[
        str, typer.Argument(metavar="QUERY", help="The question. One that starts with - goes after --.")
    ],
    db: options.Database,
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", min=1, help="How many results.")] = 10,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show each list's rank, score and credit for every result.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write one JSON object to standard output.")
    ] = False,
    filters: Annotated[
        list[str] | None,
        typer.Option(
            "--filter",
            metavar="KEY=VALUE",
            help="Only documents with this value: project, scope, type, source, metadata.KEY, or"
            " created_at=FROM..TO. May be given again; one key with several values takes any of them.",
        ),
    ] = None,
    debug: options.Debug = False,
) -> None:
    """Search a database by words and by meaning.

    Both rankings are fused by reciprocal rank, exact duplicates dropped. Exit code 1 where nothing is found.
    """
    with reported(debug=debug):
        if not query.strip():
            raise UsageError("the query is blank; type what you are looking for")
        conditions = read_filters(filters or [])
        with options.open_existing(db) as store:
            embedder = models.for_searching(store)
            ranking = store.hybrid(query, embedder=embedder, limit=limit, filters=conditions)
            answer = report.Answer(query, ranking, model=embedder.model if embedder else None, limit=limit)
            if as_json:
                report.write_json(answer, explain=explain)
            else:
                results.show(answer, explain=explain)
        if not len(ranking):
            raise typer.Exit(EXIT_NO_RESULTS)


def read_filters(given: list[str]) -> dict[str, Any] | None:
    """Turn ``["type=markdown", "type=text"]`` into ``{"type": ["markdown", "text"]}``.

    Parameters
    ----------
    given : list of str
        ``KEY=VALUE`` each; ``created_at=FROM..TO`` becomes a pair, either end of which may be left out.

    Raises
    ------
    UsageError
        There is no ``=``, or the key or the value is empty.
    """
    values: dict[str, list[str]] = {}
    for item in given:
        key, equals, value = item.partition("=")
        if not (equals and key.strip() and value):
            raise UsageError(f"--filter {item!r} is not KEY=VALUE, as in --filter type=markdown")
        values.setdefault(key.strip(), []).append(value)
    conditions: dict[str, Any] = {
        key: found[0] if len(found) == 1 else found for key, found in values.items()
    }
    if "created_at" in values:
        start, dots, end = values["created_at"][-1].partition("..")
        if len(values["created_at"]) > 1 or not dots:
            raise UsageError(
                "--filter created_at wants one range FROM..TO, as in created_at=2024-01-01..2025-01-01"
            )
        conditions["created_at"] = (start or None, end or None)
    if "source" in values:
        # Files are stored under their absolute names; records may bring a source of their own.
        named = [Path(os.path.abspath(path)).as_posix() for path in values["source"]]  # noqa: PTH100
        conditions["source"] = [*values["source"], *named]
    return conditions or None
