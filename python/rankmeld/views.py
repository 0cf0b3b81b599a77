"""A ranking as other things: dicts, frames, text, a table in a notebook."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

from rankmeld.errors import InvalidArgumentError, MissingExtraError
from rankmeld.text import clean_text

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from rankmeld.ranking import Ranking

#: Rows that a repr and a notebook show.
SHOWN = 10

_TEXT_WIDTH = 80


def to_dicts(ranking: Ranking) -> list[dict[str, Any]]:
    """Plain values, documents as dicts of their fields."""
    return [
        {
            "id": hit.id,
            "score": hit.score,
            "document": None if hit.document is None else hit.document.to_dict(),
        }
        for hit in ranking
    ]


def columns(ranking: Ranking) -> dict[str, list[Any]]:
    """Ids, scores, and text fields where there are documents."""
    made: dict[str, list[Any]] = {"id": ranking.ids, "score": ranking._score_list()}
    if ranking._documents is not None:
        for field in ("title", "topic", "text"):
            made[field] = [
                None if document is None else clean_text(getattr(document, field))
                for document in ranking._documents
            ]
    return made


def to_arrow(ranking: Ranking) -> pa.Table:
    """A table; ids must be of one kind that Arrow has."""
    try:
        import pyarrow as pa
    except ImportError:
        raise MissingExtraError.for_extra("frames", "Ranking.to_arrow") from None
    made = columns(ranking)
    try:
        ids = pa.array(made.pop("id"))
    except (pa.ArrowException, OverflowError, UnicodeError) as error:
        raise _no_one_kind("Arrow", error) from None
    scores = pa.array(made.pop("score"), pa.float64())
    texts = {name: pa.array(column, pa.string()) for name, column in made.items()}
    return pa.table({"id": ids, "score": scores, **texts})


def to_pandas(ranking: Ranking) -> pd.DataFrame:
    """A frame; ids of several kinds become an object column."""
    try:
        import pandas as pd
    except ImportError:
        raise MissingExtraError.for_extra("frames", "Ranking.to_pandas") from None
    made = columns(ranking)
    scores = pd.Series(made.pop("score"), dtype="float64")
    ids = made.pop("id")
    # Left to itself, pandas would turn integers beside floats into floats.
    kinds = {type(id_) for id_ in ids}
    column = pd.Series(ids, dtype=None if len(kinds) == 1 and kinds <= {int, str} else object)
    return pd.DataFrame({"id": column, "score": scores, **made})


def to_polars(ranking: Ranking) -> pl.DataFrame:
    """A frame; ids must be of one kind that polars has."""
    try:
        import polars as pl
    except ImportError:
        raise MissingExtraError.for_extra("frames", "Ranking.to_polars") from None
    made = columns(ranking)
    try:
        ids = pl.Series("id", made.pop("id"), strict=True)
    except (TypeError, OverflowError, UnicodeError, pl.exceptions.PolarsError) as error:
        raise _no_one_kind("polars", error) from None
    scores = pl.Series("score", made.pop("score"), dtype=pl.Float64)
    texts = [pl.Series(name, column, dtype=pl.String) for name, column in made.items()]
    return pl.DataFrame([ids, scores, *texts])


def _no_one_kind(frame: str, error: Exception) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"{frame} has no column for these ids ({error}); "
        "fuse with ids of one kind, such as str, or use to_pandas"
    )


def as_text(ranking: Ranking) -> str:
    """The first rows, one a line."""
    name = "" if ranking.name is None else f" {ranking.name!r}"
    lines = [f"<Ranking{name}: {_count(ranking)}>"]
    for place, hit in enumerate(ranking[:SHOWN]):
        score = "" if hit.score is None else f"  {hit.score:.6g}"
        text = _snippet(hit.document)
        lines.append(f"{place:>4}  {hit.id!r}{score}{'  ' if text else ''}{text}")
    if len(ranking) > SHOWN:
        lines.append(f"      ... {len(ranking) - SHOWN} more")
    return "\n".join(lines)


def as_html(ranking: Ranking) -> str:
    """A table with everything escaped."""
    has_text = ranking._documents is not None
    head = "<th></th><th>id</th><th>score</th>" + ("<th>passage</th>" if has_text else "")
    rows = []
    for place, hit in enumerate(ranking[:SHOWN]):
        score = "" if hit.score is None else f"{hit.score:.6g}"
        cells = [str(place), html.escape(repr(hit.id)), score]
        if has_text:
            cells.append(html.escape(_snippet(hit.document)))
        rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    name = "" if ranking.name is None else html.escape(ranking.name) + ": "
    more = f", first {SHOWN} shown" if len(ranking) > SHOWN else ""
    return (
        f"<table><caption>{name}{_count(ranking)}{more}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    )


def _count(ranking: Ranking) -> str:
    return "1 hit" if len(ranking) == 1 else f"{len(ranking)} hits"


def _snippet(document: Any) -> str:
    passage = " ".join(clean_text(str(getattr(document, "passage", ""))).split())
    return passage if len(passage) <= _TEXT_WIDTH else passage[: _TEXT_WIDTH - 3] + "..."
