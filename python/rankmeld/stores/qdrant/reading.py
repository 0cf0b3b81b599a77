"""Finding documents, by words, by vector and by id, as flows."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from rankmeld._asking import Ask, Flow
from rankmeld._options import as_limit
from rankmeld.document import Document
from rankmeld.ranking import Ranking
from rankmeld.stores.arguments import as_ids, as_query, check_embedder
from rankmeld.stores.encoding import id_key
from rankmeld.stores.fusing import Lookups, Scored, as_depth, fused, leg, ranked
from rankmeld.stores.labels import check_model
from rankmeld.stores.matrix import Floats, as_query_vector
from rankmeld.stores.qdrant.candidates import Candidates
from rankmeld.stores.qdrant.collection import Collection, Known
from rankmeld.stores.qdrant.conditions import conditions
from rankmeld.stores.qdrant.points import DOCUMENT, document_of, parts, point_id
from rankmeld.text import clean_text
from rankmeld.types import Embedder, Filters

__all__ = ["count", "get_many", "hybrid", "lexical", "vector"]


def count(collection: Collection) -> Flow[int]:
    """How many documents there are."""
    known = yield from collection.known()
    if not known.there:
        return 0
    return int((yield from collection.ask("count", exact=True)).count)


def get_many(collection: Collection, ids: Iterable[Hashable]) -> Flow[dict[Hashable, Document]]:
    """The documents of these ids, in the order asked."""
    wanted = [(id, point_id(id_key(id))) for id in as_ids(ids)]
    known = yield from collection.known()
    if not known.there:
        return {}
    found = yield from _documents(collection, [place for _, place in wanted])
    return {id: found[place] for id, place in wanted if place in found}


def lexical(collection: Collection, query: str, limit: int | None, filters: Filters | None) -> Flow[Ranking]:
    """Rank the documents that have any word of a query."""
    as_query(query)
    wanted, found = as_limit(limit), conditions(filters)
    known = yield from collection.known()
    candidates = Candidates(collection, known, found)
    legs = {"lexical": (yield from candidates.by_words(query, wanted))}
    return (yield from _looked_up(collection, candidates.ids, legs, wanted, fuse=False))


def vector(collection: Collection, query: Any, limit: int | None, filters: Filters | None) -> Flow[Ranking]:
    """Rank documents by the cosine of their vectors with a query's."""
    given = as_query_vector(query)
    wanted, found = as_limit(limit), conditions(filters)
    known = yield from collection.known()
    candidates = Candidates(collection, known, found)
    legs = {"vector": (yield from candidates.by_vector(given, wanted))}
    return (yield from _looked_up(collection, candidates.ids, legs, wanted, fuse=False))


def hybrid(
    collection: Collection,
    query: str,
    limit: int | None,
    filters: Filters | None,
    *,
    embedder: Embedder | None,
    depth: int,
) -> Flow[Ranking]:
    """Search by words and by meaning, and fuse what both find."""
    as_query(query)
    wanted, found, reach = as_limit(limit), conditions(filters), as_depth(depth)
    if embedder is not None:
        check_embedder(embedder)
    known = yield from collection.known()
    given = yield from _embedded(collection, known, query, embedder)
    candidates = Candidates(collection, known, found)
    legs = {"lexical": (yield from candidates.by_words(query, reach))}
    if given is not None:
        legs["vector"] = yield from candidates.by_vector(given, reach)
    return (yield from _looked_up(collection, candidates.ids, legs, wanted, fuse=True))


def _embedded(
    collection: Collection, known: Known, query: str, embedder: Embedder | None
) -> Flow[Floats | None]:
    """The query's vector; ``None`` where there is nothing that it could find."""
    if embedder is None or not collection.words.of_query(query).indices:
        return None
    label = yield from collection.label_without(known, ())
    if label.dimensions is None:
        return None
    check_model(label, embedder, collection.shown)
    return as_query_vector((yield Ask("embedder.embed_query", embedder.embed_query, (clean_text(query),))))


def _looked_up(
    collection: Collection,
    ids: Sequence[str],
    legs: Mapping[str, Sequence[Scored]],
    limit: int | None,
    *,
    fuse: bool,
) -> Flow[Ranking]:
    """Make a ranking of what was found; a document that was deleted meanwhile was not found."""
    known: dict[int, Document] = {}
    gone: set[int] = set()
    while True:
        left = {
            name: [scored for scored in found if scored.position not in gone] for name, found in legs.items()
        }
        ((name, only), *_) = left.items()
        lookups: Lookups = fused([leg(*one) for one in left.items()], limit) if fuse else ranked(only, name)
        asked = next(lookups)
        lost = False
        while not lost:
            missing = [number for number in asked if number not in known]
            found = yield from _documents(collection, [ids[number] for number in missing])
            known.update((number, found[ids[number]]) for number in missing if ids[number] in found)
            gone.update(number for number in missing if number not in known)
            lost = not gone.isdisjoint(asked)
            try:
                asked = asked if lost else lookups.send(known)
            except StopIteration as end:
                ranking: Ranking = end.value
                return ranking


def _documents(collection: Collection, ids: Sequence[str]) -> Flow[dict[str, Document]]:
    found: dict[str, Document] = {}
    for some in parts(ids):
        points = yield from collection.ask("retrieve", ids=some, with_payload=DOCUMENT, with_vectors=False)
        found.update((str(point.id), document_of(point.payload)) for point in points)
    return found
