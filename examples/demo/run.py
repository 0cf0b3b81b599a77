"""Index 34 pages about SQLite, ask three questions, and show why each answer stands where it does.

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

HERE = Path(__file__).resolve().parent

QUESTIONS = {
    "SQLITE_MAX_LENGTH": "A name that stands in the text as it is: words find it.",
    "can two people write at the same time": "Everyday words for a technical matter: meaning finds it.",
    "recover a file after a power failure": "Some of both: what the two lists agree on comes first.",
}


def open_store(embedder: rm.Embedder | None) -> rm.SqliteStore:
    """Open the demo's index; one with the vectors of another model is made anew."""
    path = HERE / "demo.db"
    store = rm.SqliteStore(path)
    if len(store) and store.model != (embedder.model if embedder else None):
        store.close()
        for suffix in ("", "-wal", "-shm"):
            Path(f"{path}{suffix}").unlink(missing_ok=True)
        store = rm.SqliteStore(path)
    return store


def index(store: rm.SqliteStore, embedder: rm.Embedder | None) -> None:
    """Bring the index up to date: a page whose digest is known already is skipped."""
    started = time.monotonic()
    for file in discover([HERE / "collection"]):
        path, mark = str(file.path), digest(file.path)
        if store.source_digest(path) != mark:
            store.replace_source(path, mark, read_documents(file), embedder=embedder)
    seconds = time.monotonic() - started
    print(f"{len(store)} passages of {len(store.sources())} pages, indexed in {seconds:.1f} s")
    print(f"vectors: {store.model or 'none; rankmeld[embed] or rankmeld[embed-static] brings them'}")


def name(document: rm.Document) -> str:
    """The page and the headings of a passage, in one line."""
    return textwrap.shorten(
        f"{Path(document.metadata['source']).name}: {document.title}", 72, placeholder="..."
    )


def ask(store: rm.SqliteStore, embedder: rm.Embedder | None, question: str, remark: str) -> None:
    """Show the two rankings, the fused one, and what each of the two gave to each hit."""
    print(f"\n{'=' * 80}\n{question}\n({remark})")
    legs = {"by words": store.lexical(question, limit=3)}
    if embedder is not None:
        legs["by meaning"] = store.vector(embedder.embed_query(question), limit=3)
    for leg, ranking in legs.items():
        print(f"\n  Best {leg}:")
        for rank, document in enumerate(ranking.documents, start=1):
            print(f"    {rank}. {name(document)}")
        if not len(ranking):
            print("    nothing")
    fused = store.hybrid(question, embedder=embedder, limit=3)
    print("\n  Fused:")
    for rank, (hit, why) in enumerate(zip(fused, fused.explanation(), strict=True), start=1):
        print(f"    {rank}. {name(hit.document)}")
        print(textwrap.indent(textwrap.shorten(hit.document.text, 150, placeholder=" ..."), "       "))
        for credit in why.sources:
            place = "absent" if credit.position is None else f"number {credit.position + 1}"
            print(f"       {credit.name:<8} {place:<10} gives {credit.credit:.5f}")
        print(f"       {'together':<19} {'':<5}{hit.score:.5f}")


def main() -> None:
    installed = available_embedders()
    embedder = load_embedder(installed[0]) if installed else None
    with open_store(embedder) as store:
        index(store, embedder)
        for question, remark in QUESTIONS.items():
            ask(store, embedder, question, remark)
    print(f"\n{'=' * 80}\nA list gives a hit 1 / (60 + its number there); the sum orders the answer.")


if __name__ == "__main__":
    main()
