"""Rankings of objects that call their fields by other names."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

from rankmeld.errors import InvalidArgumentError
from rankmeld.ranking import Ranking
from rankmeld.types import Document

__all__ = ["from_records"]


def from_records(
    items: Iterable[Any],
    *,
    id: str | Callable[[Any], Hashable],
    score: str | Callable[[Any], float | None] | None = None,
    document: str | Callable[[Any], Document | None] | None = None,
    name: str | None = None,
) -> Ranking:
    """A ranking from objects or dicts that call their fields by other names.

    Parameters
    ----------
    items : iterable
        Records, best first: mappings, or objects with attributes.
    id : str or callable
        The key or attribute that is the id, or a function of the record.
    score, document : str or callable, optional
        The same for score and document; not given: the hits have none.
    name : str, optional
        The ranking's name.

    Returns
    -------
    Ranking
        In the order of `items`.

    Raises
    ------
    InvalidArgumentError
        A record does not have a field that is named.

    Examples
    --------
    >>> rows = [{"_id": "d2", "distance": 0.1}, {"_id": "d7", "distance": 0.3}]
    >>> from_records(rows, id="_id", score=lambda row: 1 - row["distance"]).ids
    ['d2', 'd7']
    """
    hits = [
        (
            _field(item, id, "id", position),
            None if score is None else _field(item, score, "score", position),
            None if document is None else _field(item, document, "document", position),
        )
        for position, item in enumerate(items)
    ]
    return Ranking(hits, name=name)


def _field(item: Any, field: str | Callable[[Any], Any], name: str, position: int) -> Any:
    if callable(field):
        return field(item)
    if not isinstance(field, str):
        raise TypeError(f"{name} must be a str or a callable, not {type(field).__name__}")
    try:
        return item[field] if isinstance(item, Mapping) else getattr(item, field)
    except (KeyError, AttributeError):
        raise InvalidArgumentError(
            f"items[{position}] is a {type(item).__name__} without {field!r}, which was named as the {name}"
        ) from None
