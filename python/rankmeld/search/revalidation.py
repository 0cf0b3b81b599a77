"""Looking candidates up where the documents are: what an index gave may be gone since."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from rankmeld._asking import Ask, WrongDriverError
from rankmeld.document import Document
from rankmeld.ranking import Ranking
from rankmeld.types import DocumentLookup

__all__ = ["check_lookup", "documents_of", "revalidate", "with_documents"]

#: What to do with a lookup that has to be awaited.
_INSTEAD = "await it beforehand and pass a dict of documents"


def revalidate(candidates: Any, lookup: DocumentLookup) -> Ranking:
    """Keep the candidates whose documents still exist, each with its document as it is now.

    Parameters
    ----------
    candidates : ranking
        Anything that is a ranking, such as the ids and scores of a vector index.
    lookup : DocumentLookup
        Where the documents are: a `SqliteStore`, a dict, or any object with ``get(id)`` that gives a
        document, or ``None`` for one that is missing or deleted. If it has ``get_many(ids)``, that is
        asked once for the distinct ids; where it fails, or gives no mapping, each id is asked for alone.

    Returns
    -------
    Ranking
        Those that were found, in the order of `candidates`, with their scores; an id that comes twice
        stays twice. What is missing, and what the lookup fails for, is not among them.

    Raises
    ------
    TypeError
        `candidates` is no ranking, `lookup` has no ``get`` or is asynchronous, or it gave something
        that is no document.

    Notes
    -----
    Without candidates the lookup is not asked.

    Examples
    --------
    >>> documents = {"a": Document("a", "alpha"), "c": Document("c", "gamma")}
    >>> found = revalidate([("a", 0.9), ("b", 0.8), ("c", 0.7)], documents)
    >>> [(hit.id, hit.score, hit.document.text) for hit in found]
    [('a', 0.9, 'alpha'), ('c', 0.7, 'gamma')]
    """
    check_lookup(lookup)
    ranking = Ranking(candidates)
    return with_documents(ranking, documents_of(ranking.ids, lookup), "revalidate")


def with_documents(ranking: Ranking, documents: Mapping[Hashable, Document], stage: str) -> Ranking:
    """The hits whose documents these are, each with its own, as a stage of that name leaves them."""
    places = [place for place, id in enumerate(ranking.ids) if id in documents]
    scores = None if ranking._scores is None else ranking._scores[places]
    kept = ranking._step(places, scores, stage, {"position_before": places})
    ids = kept.ids
    return kept._identified(ids, [documents[id] for id in ids])


def check_lookup(lookup: Any) -> None:
    """Refuse what cannot be asked for a document."""
    if isinstance(lookup, type) or not callable(getattr(lookup, "get", None)):
        given = f"the class {lookup.__name__}" if isinstance(lookup, type) else type(lookup).__name__
        raise TypeError(
            "lookup must be an object with `get(id)`, such as a SqliteStore or a dict of documents, not "
            f"{given}"
        )


def documents_of(ids: Sequence[Hashable], lookup: Any) -> dict[Hashable, Document]:
    """The documents that a lookup has of these ids; it is asked for each id once at the most."""
    distinct = list(dict.fromkeys(ids))
    if not distinct:
        return {}
    found = _at_once(distinct, lookup)
    if found is None:
        found = [_one(id, lookup) for id in distinct]
    return {
        id: _as_document(id, document)
        for id, document in zip(distinct, found, strict=True)
        if document is not None
    }


def _at_once(ids: list[Hashable], lookup: Any) -> list[Any] | None:
    """What ``get_many`` gives for each id; ``None`` where there is no such method or it fails."""
    call = getattr(lookup, "get_many", None)
    if not callable(call):
        return None
    try:
        found = Ask("lookup.get_many", call, (list(ids),)).answer(_INSTEAD)
        return [found.get(id) for id in ids] if isinstance(found, Mapping) else None
    except WrongDriverError:
        raise
    except Exception:  # noqa: BLE001 - one document that cannot be read must not hide the others
        return None


def _one(id: Hashable, lookup: Any) -> Any:
    try:
        return Ask("lookup.get", lookup.get, (id,)).answer(_INSTEAD)
    except WrongDriverError:
        raise
    except Exception:  # noqa: BLE001 - what cannot be looked up counts as missing
        return None


def _as_document(id: Hashable, document: Any) -> Document:
    if not isinstance(document, Document):
        raise TypeError(
            f"lookup gave {type(document).__name__} for the id {id!r}; it must be a Document or None, so "
            "make one with Document(id, text)"
        )
    return document
