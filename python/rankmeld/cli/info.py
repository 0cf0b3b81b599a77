"""``rankmeld info``: what a store holds."""

from __future__ import annotations

from rankmeld.cli import console, options
from rankmeld.cli.errors import reported


def info(db: options.Database, debug: options.Debug = False) -> None:
    """Show what a database holds: files, passages, and which model made its vectors."""
    with reported(debug=debug), options.open_existing(db) as store:
        rows = {
            "files": f"{len(store.sources()):,}",
            "passages": f"{len(store):,}",
            "vectors": options.vectors(store),
        }
        for name, value in rows.items():
            console.write(console.stdout(), console.printable(f"{name:<8}  {value}"))
