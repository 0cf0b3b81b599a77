"""``rankmeld search``: one question, two retrievers, one explained ranking."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from rankmeld.cli import adaptive, console, models, options, report, reranking, results
from rankmeld.cli.errors import EXIT_NO_RESULTS, UsageError, reported
from rankmeld.dedup import dedup

__all__ = ["read_filters", "search"]


def search(  # noqa: PLR0917 - typer reads options from positional parameters
    query: Annotated[
        list[str],
        typer.Argument(
            metavar="QUERY",
            help="The question, in quotes or not. One that starts with - goes after --.",
            show_default=False,
        ),
    ],
    db: options.Database,
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", min=1, help="How many results.")] = 10,
    rerank: Annotated[
        reranking.Choice,
        typer.Option(
            "--rerank",
            help=f"Order the best {reranking.CANDIDATES} (or as many as --limit says) anew: by what each word"
            " finds, by BM25 beside the fused score, for variety, by what records say of their age, tier and"
            " importance (composite), or by that and the time that the query names (temporal).",
        ),
    ] = reranking.Choice.NONE,
    mode: Annotated[
        adaptive.Mode | None,
        typer.Option(
            "--mode",
            help="Spend as much work as the question needs, and grade the answer. auto tells by its words:"
            " direct looks up a name by words; semantic adds meaning; multi-hop adds a graph and the"
            " sentences that answer best; global puts summaries first. Left out: words and meaning, without a"
            " grade.",
            show_default=False,
        ),
    ] = None,
    graph: Annotated[
        Path | None,
        typer.Option(
            "--graph",
            metavar="FILE",
            help="What a multi-hop search walks over: nodes and edges as JSON, as rankmeld graph makes it."
            " Means --mode auto where none is given.",
            show_default=False,
        ),
    ] = None,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain",
            metavar=options.NO_VALUE,
            help="Show each list's rank, score and credit for every result, what the reranker did, and with"
            " --mode the stages of the search.",
        ),
    ] = False,
    as_json: Annotated[
        bool,
        typer.Option("--json", metavar=options.NO_VALUE, help="Write one JSON object to standard output."),
    ] = False,
    filters: options.Filters = None,
    debug: options.Debug = False,
) -> None:
    """Search a database by words and by meaning.

    Both rankings are fused by reciprocal rank, exact duplicates dropped; --mode chooses other ways. Exit code
    1 where nothing is found.
    """
    with reported(debug=debug):
        question = " ".join(query)
        if not question.strip():
            raise UsageError("the query is blank; type what you are looking for")
        with options.open_existing(db) as store:
            conditions = read_filters(filters or [], store.sources())
            now = reranking.local_now()
            reranker, anchor = reranking.make(rerank, now), reranking.aim(rerank, question, now)
            graded = mode is not None or graph is not None
            # An adaptive search takes its candidates by its limit, so the first results would depend on it.
            wanted = max(limit, reranking.CANDIDATES) if graded or reranker is not None else limit
            found = None
            if not graded:
                embedder = models.for_searching(store)
                model = embedder.model if embedder else None
                ranking = store.hybrid(question, embedder=embedder, limit=wanted, filters=conditions)
            else:
                found, model = adaptive.run(
                    store,
                    question,
                    mode=mode or adaptive.Mode.AUTO,
                    limit=wanted,
                    filters=conditions,
                    graph=graph,
                )
                ranking = dedup(found.ranking)
            candidates = ranking
            if reranker is not None:
                ranking = reranker.rerank(question, candidates)
            ranking = ranking[:limit]
            answer = report.Answer(
                question,
                ranking,
                model=model,
                limit=limit,
                rerank=rerank,
                search=found,
                anchor=anchor,
                now=now,
            )
            if as_json:
                report.write_json(answer, explain=explain)
            else:
                results.show(answer, explain=explain)
            reranking.notes_on(rerank, candidates, anchor)
            if found is not None:
                adaptive.notes_on(found, graph)
        if not len(ranking):
            _say_nothing_found(question, filters or [])
            raise typer.Exit(EXIT_NO_RESULTS)


def _say_nothing_found(question: str, filters: list[str]) -> None:
    """Say it on standard error, with the filters: they may be what keeps everything out."""
    kept = f" (with {', '.join(filters)})" if filters else ""
    console.note(f"nothing found for: {question}{kept}")
    # No error: a record may bring any type of its own.
    unknown = [item for item in filters if item.startswith("type=") and item[5:] not in options.KINDS]
    for item in unknown:
        console.note(
            f"{item} fits only records that bring this type; files are of type {', '.join(options.KINDS)}"
        )


def read_filters(given: list[str], sources: Iterable[str] = ()) -> dict[str, Any] | None:
    """Turn ``["type=markdown", "type=text"]`` into ``{"type": ["markdown", "text"]}``.

    Parameters
    ----------
    given : list of str
        ``KEY=VALUE`` each; ``created_at=FROM..TO`` becomes a pair, either end of which may be left out.
    sources : iterable of str
        Absolute names of the indexed files; a ``source`` that is a folder stands for those in it.

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
        folders = tuple(f"{name.rstrip('/')}/" for name in named)
        inside = [source for source in sources if source.startswith(folders)]
        conditions["source"] = [*values["source"], *named, *inside]
    return conditions or None
