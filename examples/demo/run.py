"""Index 32 pages about SQLite, ask three questions, and show why each answer stands where it does.

    python examples/demo/run.py

The better of the installed embedders makes the vectors (extras ``embed``, ``embed-static``); without
one, the demo searches by words only. The index is kept in ``demo.db`` beside this file, so that a
second run is quick.
"""

from __future__ import annotations

import textwrap
import time
from pathlib import Path

import rankmeld as rm
from rankmeld.embed import available_embedders, load_embedder
from rankmeld.ingest import digest, discover, read_documents
from rankmeld.stores import SqliteStore

HERE = Path(__file__).resolve().parent

QUESTIONS = {
    "SQLITE_MAX_LENGTH": "By words: the passages that hold the name; by meaning: those on the same matter.",
    "counterfeit thumb drives": "No page says so. By words: a rule of thumb; by meaning: dishonest hardware.",
    "recover a file after a power failure": "What both lists have near the top comes first.",
}


def open_store(embedder: rm.Embedder | None) -> SqliteStore:
    """Open the demo's index; one with the vectors of another model is made anew."""
    path = HERE / "demo.db"
    store = SqliteStore(path)
    if len(store) and store.model != (embedder.model if embedder else None):
        store.close()
        for suffix in ("", "-wal", "-shm"):
            Path(f"{path}{suffix}").unlink(missing_ok=True)
        store = SqliteStore(path)
    return store


def index(store: SqliteStore, embedder: rm.Embedder | None) -> None:
    """Bring the index up to date: a page whose digest is known already is skipped."""
    started = time.monotonic()
    print("Indexing (with MiniLM the first time takes about a minute) ", end="", flush=True)
    for file in discover([HERE / "collection"]):
        mark = digest(file.path)
        if store.source_digest(file.path) != mark:
            store.replace_source(file.path, mark, read_documents(file), embedder=embedder)
        print(".", end="", flush=True)
    seconds = time.monotonic() - started
    print(f"\n{len(store)} passages of {len(store.sources())} pages, indexed in {seconds:.1f} s")
    print(f"vectors: {store.model or 'none; rankmeld[embed] or rankmeld[embed-static] brings them'}")


def passage(document: rm.Document, width: int = 90) -> str:
    """The page of a passage and how it begins, in one line."""
    page = Path(document.metadata["source"]).name
    return f"{page:<16} {textwrap.shorten(document.text, width - 17, placeholder=' ...')}"


def credit(given: rm.SourceCredit) -> str:
    """What one list gave a hit."""
    if given.position is None:
        return f"{given.name:<9} does not have it"
    return f"{given.name:<9} has it as number {given.position + 1:<3} gives {given.credit:.5f}"


def ask(store: SqliteStore, embedder: rm.Embedder | None, question: str, remark: str) -> None:
    """Show the two rankings, the fused one, and what each of the two gave to each hit."""
    print(f"\n{'=' * 90}\nQuestion: {question}\n{remark}")
    legs = {"words (lexical)": store.lexical(question, limit=3)}
    if embedder is not None:
        legs["meaning (vector)"] = store.vector(embedder.embed_query(question), limit=3)
    for leg, ranking in legs.items():
        print(f"\n  Best by {leg}:" + ("" if len(ranking) else " nothing"))
        for rank, document in enumerate(ranking.documents, start=1):
            print(f"    {rank}. {passage(document)}")
    fused = store.hybrid(question, embedder=embedder, limit=4)
    print("\n  Fused:")
    for rank, (hit, why) in enumerate(zip(fused, fused.explanation(), strict=True), start=1):
        print(f"    {rank}. {passage(hit.document)}")
        for given in why.sources:
            print(f"         {credit(given)}")
        print(f"         {'together':<37}{hit.score:.5f}")


def main() -> None:
    installed = available_embedders()
    embedder = load_embedder(installed[0]) if installed else None
    with open_store(embedder) as store:
        index(store, embedder)
        for question, remark in QUESTIONS.items():
            ask(store, embedder, question, remark)
    print(f"\n{'=' * 90}\nA list gives a hit 1 / (60 + its number there); the sum orders the answer.")


if __name__ == "__main__":
    main()
