"""How good the answers are, on collections with known answers: a page of tables.

    python -m benches.quality                     measure, and write the tables into docs/quality.md
    python -m benches.quality --output tables.md  into another file

It takes some minutes. The collections are looked for in ``data`` of the folder that RANKMELD_SHARED names,
else of ``shared`` beside the repository. Of the page only what stands between its two marks is written anew.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from .data import folders, read
from .documents import Documents
from .ladder import Ladder
from .report import about_conversations, about_documents

BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
PAGE = Path(__file__).resolve().parents[2] / "docs" / "quality.md"


def main() -> None:
    arguments = argparse.ArgumentParser(prog="python -m benches.quality", description=__doc__)
    arguments.add_argument("--output", type=Path, default=PAGE)
    output: Path = arguments.parse_args().output
    began = time.monotonic()
    conversations, *others = map(read, folders("locomo-dev", "scifact-dev", "cranfield"))
    ladder = Ladder(conversations)
    ladder.measure()
    measured = [Documents(collection) for collection in others]
    for documents in measured:
        documents.measure()
    tables = [about_conversations(ladder), *map(about_documents, measured)]
    write(output, "\n".join(tables))
    print(f"{output}: {time.monotonic() - began:.0f} s", file=sys.stderr)


def write(page: Path, tables: str) -> None:
    """Put the tables between the marks of a page, or make a page of them."""
    text = page.read_text(encoding="utf-8") if page.exists() else f"{BEGIN}\n{END}\n"
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{BEGIN}\n\n{tables}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
