"""``rankmeld feedback``: say which passages were useful, and see what was said."""

from __future__ import annotations

import ast
import contextlib
import os
from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import Annotated
from uuid import UUID

import typer

from rankmeld.cli import console, options
from rankmeld.cli.errors import EXIT_NO_RESULTS, UsageError, reported
from rankmeld.stores import SqliteStore
from rankmeld.stores.sqlite_feedback import SqliteFeedback

__all__ = ["feedback"]


def feedback(
    db: options.Database,
    useful: Annotated[
        list[str] | None,
        typer.Option(
            "--useful",
            metavar="ID",
            help="A passage that helped, by the id that rankmeld ask shows. May be given again.",
        ),
    ] = None,
    harmful: Annotated[
        list[str] | None,
        typer.Option("--harmful", metavar="ID", help="A passage that misled. May be given again."),
    ] = None,
    user: options.User = options.LOCAL_USER,
    debug: options.Debug = False,
) -> None:
    """Say which passages were useful or harmful: rankmeld ask ranks them higher or lower from then on.

    Without ids it lists what was said so far; exit code 1 where that is nothing.
    """
    with reported(debug=debug):
        options.check_exists(db)
        if not useful and not harmful:
            _list(db, user)
            return
        with SqliteStore(db, read_only=True) as store:
            helped, misled = ([_find(store, name) for name in names or []] for names in (useful, harmful))
        with SqliteFeedback(db) as kept:
            kept.add(helped, misled, user_id=user)
            sums = kept.net([*helped, *misled], user_id=user)
        for id, net in sums.items():
            console.write(console.stdout(), _line(id, net))


def _list(db: Path, user: str) -> None:
    with SqliteFeedback(db, read_only=True) as kept:
        said = [entry for entry in kept.entries() if entry.user_id == user]
    for entry in sorted(said, key=lambda entry: -entry.net):
        console.write(console.stdout(), _line(entry.id, entry.net))
    if not said:
        console.note(f"no feedback of {user} yet; give some with: rankmeld feedback --db {db} --useful ID")
        raise typer.Exit(EXIT_NO_RESULTS)


def _line(id: Hashable, net: int) -> str:
    return f"{net:+d}  {console.one_line(options.shown_id(id))}"


def _find(store: SqliteStore, name: str) -> Hashable:
    """The id that was meant: as it is, the path of a file from here, or an id that is no text.

    Raises
    ------
    UsageError
        The store has no such document.
    """
    path, mark, number = name.rpartition("#")
    candidates: list[Hashable] = [name]
    if mark:
        absolute = os.path.abspath(path)  # noqa: PTH100 - links stay as they are, as in an index
        candidates.append(f"{Path(absolute).as_posix()}#{number}")
    for id in [*candidates, *_other_kinds(name)]:
        if id in store:
            return id
    raise UsageError(
        f"no passage has the id {name!r}; rankmeld ask shows the ids of what it used, and so does"
        " rankmeld search --json"
    )


def _other_kinds(name: str) -> Iterator[Hashable]:
    """Numbers, bytes, tuples and UUIDs, written as ids are shown."""
    with contextlib.suppress(ValueError):
        yield UUID(name.removeprefix("UUID('").removesuffix("')"))
    with contextlib.suppress(ValueError, SyntaxError, MemoryError, RecursionError):
        value = ast.literal_eval(name)
        if type(value) in (int, float, bytes, tuple) and repr(value) == name:
            yield value
