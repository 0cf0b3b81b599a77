"""``rankmeld ask``: what a model needs to read to answer a message."""

from __future__ import annotations

import json
from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated, Any

import typer

from rankmeld.cli import console, models, options, report
from rankmeld.cli.errors import EXIT_NO_RESULTS, UsageError, reported
from rankmeld.cli.search import read_filters
from rankmeld.engine.context import ContextAssembler
from rankmeld.engine.engine import RetrievalEngine
from rankmeld.engine.results import EngineResult
from rankmeld.engine.settings import EngineSettings
from rankmeld.ranking import Ranking
from rankmeld.stores import StoreMemory
from rankmeld.stores.sqlite_feedback import SqliteFeedback
from rankmeld.types import Hit

__all__ = ["ask"]


class Fill(StrEnum):
    """The words of ``--fill``."""

    STOP = "stop"
    SKIP = "skip"


class Order(StrEnum):
    """The words of ``--order``."""

    RANKING = "ranking"
    TIME = "time"
    SOURCE = "source"


def ask(  # noqa: PLR0917 - typer reads options from positional parameters
    message: Annotated[
        list[str],
        typer.Argument(
            metavar="MESSAGE",
            help="What was said or asked, in quotes or not. One that starts with - goes after --.",
            show_default=False,
        ),
    ],
    db: options.Database,
    max_tokens: Annotated[
        int,
        typer.Option(
            "--max-tokens",
            metavar="N",
            min=0,
            help="The most that the text may have, four characters a token.",
        ),
    ] = 2000,
    fill: Annotated[
        Fill,
        typer.Option(
            "--fill", help="At the first passage that does not fit: stop, or skip it and try the next ones."
        ),
    ] = Fill.STOP,
    order: Annotated[
        Order,
        typer.Option(
            "--order",
            help="How passages stand in the text: best first, oldest first, or those of one file together.",
        ),
    ] = Order.RANKING,
    user: options.User = options.LOCAL_USER,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain",
            metavar=options.NO_VALUE,
            help="Show on standard error how each passage came to its place, and what each stage did.",
        ),
    ] = False,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json",
            metavar=options.NO_VALUE,
            help="Write one JSON object: the text, what is in it, what was left out and why, and the trace.",
        ),
    ] = False,
    filters: options.Filters = None,
    debug: options.Debug = False,
) -> None:
    """Write what a model needs to read to answer a message: the best passages that fit, and nothing else.

    Passages are weighed by words and meaning, age, importance and the feedback of --user. The text goes to
    standard output, to be piped; what is in it, to standard error. Exit code 1 where nothing is found.
    """
    with reported(debug=debug):
        asked = " ".join(message)
        if not asked.strip():
            raise UsageError("the message is blank; type what you want to know")
        with options.open_existing(db) as store, SqliteFeedback(db, read_only=True) as feedback:
            conditions = read_filters(filters or [], store.sources())
            embedder = models.for_searching(store)
            engine = RetrievalEngine(
                Passages(StoreMemory(store, embedder, filters=conditions)),
                feedback=feedback,
                settings=EngineSettings(
                    dedup=True,
                    context=ContextAssembler(max_tokens=max_tokens, fill=fill.value, order=order.value),
                ),
            )
            found = engine.retrieve(asked, user_id=user)
        if as_json:
            _write_json(asked, user, embedder.model if embedder else None, found, explain=explain)
        elif found.context:
            console.stdout()  # from here on, what the terminal cannot show is replaced
            print(console.printable(found.context.text), flush=True)
        _say_what_is_in_it(found)
        if explain:
            _explain(found)
        if not found.context:
            raise typer.Exit(EXIT_NO_RESULTS)


class Passages:
    """A memory whose documents belong to nobody: a user is whose feedback counts."""

    def __init__(self, memory: StoreMemory) -> None:
        self._memory = memory

    def search_candidates(self, query: str, *, user_id: str | None, top_k: int) -> Ranking:
        """Candidates, whoever asks."""
        del user_id
        found: Ranking = self._memory.search_candidates(query, user_id=None, top_k=top_k)
        return found


def _say_what_is_in_it(found: EngineResult) -> None:
    context = found.context
    for name, leg in found.trace.legs.items():
        if leg.status == "failed":
            console.warn(f"{name} was left out: {leg.error}")
    if not context.included and not context.skipped:
        console.note("nothing found")
        return
    left = {
        reason: [one.hit for one in context.skipped if one.reason == reason]
        for reason in ("too_long", "after_stop", "no_text")
    }
    used = console.counted(len(context.included), "passage")
    ids = f": {_ids(context.included)}" if len(context.included) else ""
    if left["too_long"] and not ids:
        ids = "; raise --max-tokens" + (", or try --fill skip" if left["after_stop"] else "")
    console.note(f"{used} in {context.tokens:,} of {context.budget:,} tokens{ids}")
    if left["too_long"]:
        after = f", and {len(left['after_stop'])} come after" if left["after_stop"] else ""
        console.note(f"did not fit: {_ids(left['too_long'])}{after}")
    if left["no_text"]:
        console.note(f"without a text: {_ids(left['no_text'])}")


def _ids(hits: Iterable[Hit]) -> str:
    return ", ".join(console.one_line(options.shown_id(hit.id)) for hit in hits)


def _explain(found: EngineResult) -> None:
    for explanation in found.ranking.explanation():
        console.write(console.stderr(), console.printable(str(explanation)))
    console.write(console.stderr(), console.printable(str(found.trace)))


def _write_json(asked: str, user: str, model: str | None, found: EngineResult, *, explain: bool) -> None:
    context = found.context
    explained = {} if not explain else {"explanations": [str(one) for one in found.ranking.explanation()]}
    document: dict[str, Any] = {
        "message": asked,
        "user": user,
        "model": model,
        "text": context.text,
        "tokens": context.tokens,
        "budget": context.budget,
        "included": [_described(hit) for hit in context.included],
        "skipped": [
            {**_described(one.hit), "reason": one.reason, "tokens": one.tokens} for one in context.skipped
        ],
        "trace": found.trace.to_dict(),
        **explained,
    }
    print(json.dumps(report.clean(document), allow_nan=False, indent=2), flush=True)


def _described(hit: Hit) -> dict[str, Any]:
    document = hit.document
    return {
        "id": hit.id,
        "score": hit.score,
        "source": None if document is None else document.metadata.get("source"),
        "line": None if document is None else document.metadata.get("line"),
        "title": None if document is None else document.title,
    }
