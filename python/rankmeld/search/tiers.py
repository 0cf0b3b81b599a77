"""What each tier does with what its legs give; a plan is a generator, as `rankmeld.search.driving` drives."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Generator, Hashable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankmeld import _core
from rankmeld.confidence.notes import PassageNote, chain_of_note
from rankmeld.confidence.recognition import recognition_filter
from rankmeld.errors import RankmeldError
from rankmeld.fusion import DEFAULT_RRF_K, rrf
from rankmeld.query.tiers import QueryTier
from rankmeld.ranking import Ranking
from rankmeld.search.asked import Asking, Call, Found, NothingError, Retriever, Task, method_of
from rankmeld.search.driving import Outcome, Round
from rankmeld.search.joining import KnowledgeGraph, as_graph, passage_scores
from rankmeld.search.trace import Leg, Recorder
from rankmeld.text import tokenize
from rankmeld.types import Filters, Hit, Source

__all__ = ["Plan", "Rated", "Search", "plan_of"]

_log = logging.getLogger("rankmeld")

Floats = npt.NDArray[np.float64]

#: Summaries that answer a question about the whole, and what their type is worth beside a score of 0..1.
_SUMMARIES = frozenset({"community_summary", "pattern", "decision"})
_SUMMARY_BOOST = 2.5
#: What the share of the walk that ends in a passage is worth beside a score of 0..1.
_GRAPH_WEIGHT = 2.0
#: What makes a question one about what might be: then a passage merely near in meaning proves nothing.
_SPECULATIVE = frozenset({"would", "might", "likely", "probably"})

_NOTHING = Ranking()


@dataclass(frozen=True, slots=True)
class Search:
    """One search: what was asked, of which legs, and its trace."""

    query: str
    tier: QueryTier
    limit: int | None
    query_vector: Any
    filters: Filters | None
    lexical: Retriever
    vector: Retriever | None
    hyde: Any
    graph: Any
    recorder: Recorder = field(default_factory=Recorder)

    @property
    def wide(self) -> int | None:
        """Twice the limit: what legs are asked for whose hits are fused or ordered anew."""
        return None if self.limit is None else min(2 * self.limit, sys.maxsize)

    @property
    def speculative(self) -> bool:
        """Whether the query asks what might be."""
        return not _SPECULATIVE.isdisjoint(tokenize(self.query))


class Rated(NamedTuple):
    """What a plan found.

    Attributes
    ----------
    ranking : Ranking
        Best first.
    ratios : array of shape (N,)
        How much each hit is worth in 0..1, which is what confidence is about.
    """

    ranking: Ranking
    ratios: Floats


#: A plan yields rounds, is sent their outcomes, and returns what it found.
Plan = Generator[Round, Sequence[Outcome], Rated]


def plan_of(search: Search) -> Plan:
    """The plan of a search's tier."""
    return _PLANS[search.tier](search)


# --------------------------------------------------------------------- asking


def _asked(search: Search, *tasks: Task) -> Generator[Round, Sequence[Outcome], list[Any]]:
    """Run legs together and note how they fared; `None` for one that failed."""
    outcomes = yield Round(tasks)
    for task, outcome in zip(tasks, outcomes, strict=True):
        search.recorder.legs[task.name] = Leg(outcome.status, outcome.error)
        if outcome.status in _FARED:
            _log.warning("search: the %s leg %s: %s", task.name, _FARED[outcome.status], outcome.error)
        found = outcome.value
        given, left = (found.given, len(found.ranking)) if isinstance(found, Found) else (0, 0)
        if outcome.status != "skipped":
            search.recorder.add(task.name, given, left, outcome.seconds)
    return [outcome.value for outcome in outcomes]


_FARED = {"failed": "failed", "timeout": "timed out"}


def _retrieved(
    search: Search, limit: int | None, *, scored: bool, dense: bool
) -> Generator[Round, Sequence[Outcome], list[Ranking]]:
    """The hits of the lexical leg and, if wanted, of the dense ones: by vector, and by HyDE's."""
    tasks = [Task("lexical", partial(_lexical, search, limit, scored=scored))]
    if dense and search.vector is not None:
        if search.query_vector is not None:
            tasks.append(Task("vector", partial(_vector, search, search.vector, limit)))
        else:
            search.recorder.legs["vector"] = Leg("skipped", "no query_vector was given")
        if search.hyde is not None:
            tasks.append(Task("hyde", partial(_hypothetical, search, search.vector, limit)))
    values = yield from _asked(search, *tasks)
    names = [task.name for task in tasks]
    found = {name: value.ranking for name, value in zip(names, values, strict=True) if value is not None}
    if not found:
        _require_one(search, names)
    return [found.get(name, _NOTHING) for name in ("lexical", "vector", "hyde")]


def _require_one(search: Search, names: list[str]) -> None:
    """Refuse to give an empty answer where nobody could look."""
    legs = {name: search.recorder.legs[name] for name in names}
    if any(leg.status == "empty" and name != "hyde" for name, leg in legs.items()):
        return
    each = "; ".join(f"{name}: {leg.error or 'made no vector'}" for name, leg in legs.items())
    raise RankmeldError(
        f"every leg of the search failed, so there is no answer, not even an empty one: {each}"
    )


def _lexical(search: Search, limit: int | None, *, scored: bool) -> Asking:
    return (yield search.lexical.asked(search.query, limit, search.filters, scored=scored))


def _vector(search: Search, leg: Retriever, limit: int | None) -> Asking:
    return (yield leg.asked(search.query_vector, limit, search.filters))


def _hypothetical(search: Search, leg: Retriever, limit: int | None) -> Asking:
    """First the vector, then what is near it."""
    telling = method_of(search.hyde, "attempt") is not None
    names = ("attempt", "aattempt") if telling else ("vector_for", "avector_for")
    made, awaited = (method_of(search.hyde, name) for name in names)
    vector = yield Call("hyde", made, (search.query, search.tier), awaited=awaited)
    if telling:
        attempt, vector = vector, vector.vector
        if vector is None:
            raise NothingError(attempt.status, attempt.reason)
    if vector is None:
        return None
    return (yield leg.asked(vector, limit, search.filters, name="hyde"))


# ---------------------------------------------------------------------- plans


def _direct(search: Search) -> Plan:
    lexical, _, _ = yield from _retrieved(search, search.limit, scored=True, dense=False)
    scores = _scores(lexical)
    columns = {"position_before": list(range(len(lexical))), "score": scores.tolist()}
    return Rated(lexical._step(range(len(lexical)), lexical._scores, "lexical", columns), _ratios(scores))


def _global(search: Search) -> Plan:
    lexical, _, _ = yield from _retrieved(search, search.wide, scored=True, dense=False)
    scores = _scores(lexical)
    with search.recorder.stage("boost", len(lexical)):
        shares = _shares(scores)
        boosts = np.array([_SUMMARY_BOOST * _is_summary(hit) for hit in lexical.documents], dtype=np.float64)
        boosted = shares + boosts
        order = _core.order(boosted, lexical._ids, None, "first")
        places = order.tolist()
        columns = {
            "position_before": places,
            "score_before": scores[order].tolist(),
            "share": shares[order].tolist(),
            "boost": boosts[order].tolist(),
            "score": boosted[order].tolist(),
        }
        ranking = lexical._step(places, boosted[order], "summaries", columns)
    return Rated(ranking, _ratios(scores)[order])


def _is_summary(document: Any) -> bool:
    return document is not None and document.metadata.get("type") in _SUMMARIES


def _semantic(search: Search) -> Plan:
    lexical, vector, hyde = yield from _retrieved(search, search.wide, scored=False, dense=True)
    sources = _sources(lexical=lexical, vector=vector, hyde=hyde)
    candidates = sum(len(source.hits) for source in sources)
    # A leg that failed has not said that there are no words: then meaning counts without a proof.
    if search.recorder.legs["lexical"].status == "empty" and sources:
        with search.recorder.stage("notes", candidates) as left:
            bears = not search.speculative and _bears_an_answer(search.query, sources)
            sources = sources if bears else []
            left.append(candidates if bears else 0)
    with search.recorder.stage("fusion", candidates if sources else 0) as left:
        ranking = rrf(sources, limit=search.limit)
        left.append(len(ranking))
    return Rated(ranking, _fused_ratios(ranking, len(sources)))


def _bears_an_answer(query: str, sources: Sequence[Source]) -> bool:
    """Whether a passage that was found by meaning alone says something about what was asked."""
    return any(note.answer_bearing for source in sources for note in chain_of_note(query, source.hits).notes)


def _multi_hop(search: Search) -> Plan:
    lexical, vector, hyde = yield from _retrieved(search, search.wide, scored=True, dense=True)
    union = _union(lexical, vector)
    shares = _shares(_scores(lexical))
    walked: dict[Hashable, float] = {}
    if search.graph is not None and len(union):
        walked = yield from _walked(search, union, shares, vector)
    with search.recorder.stage("recognition", len(lexical)) as left:
        recognized = _recognized(lexical, shares, walked, search.limit)
        left.append(len(recognized))
    read = lexical if search.speculative else union
    with search.recorder.stage("notes", len(read)) as left:
        noted = chain_of_note(search.query, read)
        left.append(len(noted.notes))
    notes = noted.ranking if noted.notes else _NOTHING
    sources = _sources(recognized=recognized, vector=vector, hyde=hyde, notes=notes)
    with search.recorder.stage("fusion", sum(len(source.hits) for source in sources)) as left:
        fused = rrf(sources, limit=search.limit)
        left.append(len(fused))
    ranking = _explained(fused, lexical, walked, noted.notes)
    return Rated(ranking, _fused_ratios(fused, len(sources)))


def _union(lexical: Ranking, vector: Ranking) -> Ranking:
    """Lexical hits, then dense ones that are not among them."""
    if not len(vector) or not len(lexical):
        return lexical if len(lexical) else vector
    hits = {hit.id: hit for hit in lexical}
    for hit in vector:
        known = hits.setdefault(hit.id, hit)
        if known.document is None and hit.document is not None:
            hits[hit.id] = Hit(known.id, known.score, hit.document)
    return Ranking(list(hits.values()))


def _walked(
    search: Search, union: Ranking, shares: Floats, vector: Ranking
) -> Generator[Round, Sequence[Outcome], dict[Hashable, float]]:
    """What the graph says of the candidates; nothing where it fails."""
    by_meaning = dict(zip(vector.ids, _scores(vector).tolist(), strict=True))
    dense = [by_meaning.get(id, 0.0) for id in union.ids]
    lexical = [*shares.tolist(), *[0.0] * (len(union) - len(shares))]

    def asking() -> Asking:
        graph = search.graph
        if not isinstance(graph, KnowledgeGraph):
            graph = yield _graph_call(graph, search.query, union)
        return (yield Call("graph", passage_scores, (search.query, union, lexical, dense, graph)))

    (found,) = yield from _asked(search, Task("graph", asking))
    walked: dict[Hashable, float] = found or {}
    stage = search.recorder.stages.pop()  # of scores, where other legs have hits
    search.recorder.add("graph", len(union), len(walked), stage.seconds)
    return walked


def _graph_call(graph: Callable[..., Any], query: str, candidates: Ranking) -> Call:
    # Reading a graph may take long, so it is done where the call is made, or in a thread.
    return Call("graph", graph, (query, candidates), read=as_graph, size=lambda _answer: sys.maxsize)


def _recognized(
    lexical: Ranking, shares: Floats, walked: dict[Hashable, float], limit: int | None
) -> Ranking:
    """The lexical hits that are strong by words and by the graph."""
    if not len(lexical):
        return _NOTHING
    scores = shares
    if walked:
        scores = shares + _GRAPH_WEIGHT * np.array([walked.get(id, 0.0) for id in lexical.ids])
    given = Ranking._of(lexical._ids, scores, lexical._documents)
    return recognition_filter(given, top_k=limit)


def _explained(
    fused: Ranking, lexical: Ranking, walked: dict[Hashable, float], notes: Sequence[PassageNote]
) -> Ranking:
    """Add what the fused lists do not show: what the words, the graph and the notes gave each hit."""
    ids = fused.ids
    by_words = dict(zip(lexical.ids, enumerate(lexical._score_list()), strict=True))
    by_note = {note.id: note for note in notes}
    found = [by_words.get(id, (None, None)) for id in ids]
    noted = [by_note.get(id) for id in ids]
    columns: dict[str, list[Any]] = {
        "lexical_position": [position for position, _ in found],
        "lexical_score": [score for _, score in found],
        "graph": [walked.get(id, 0.0) for id in ids],
        "note": ["" if note is None else note.sentence for note in noted],
        "relevance": [0.0 if note is None else note.relevance for note in noted],
    }
    return fused._step(range(len(ids)), fused._scores, "multi_hop", columns)


_PLANS: dict[QueryTier, Callable[[Search], Plan]] = {
    QueryTier.DIRECT_FACTUAL: _direct,
    QueryTier.SEMANTIC_HYBRID: _semantic,
    QueryTier.MULTI_HOP_GRAPH: _multi_hop,
    QueryTier.ARCHITECTURAL_GLOBAL: _global,
}


# --------------------------------------------------------------------- scores


def _sources(**rankings: Ranking) -> list[Source]:
    """The lists that hold something, by name."""
    return [Source(name, ranking) for name, ranking in rankings.items() if len(ranking)]


def _scores(ranking: Ranking) -> Floats:
    """The scores, 0 where there are none."""
    return np.zeros(len(ranking)) if ranking._scores is None else ranking._scores


def _shares(scores: Floats) -> Floats:
    """Scores over their maximum; where none is above 0 they tell nothing, and all are 0."""
    top = scores.max(initial=0.0)
    if top <= 0.0:
        return np.zeros(len(scores))
    with np.errstate(over="ignore"):
        shares: Floats = np.maximum(scores / top, -sys.float_info.max)
        return shares


def _ratios(scores: Floats) -> Floats:
    """Lexical scores in 0..1: as they are, or ``x / (1 + x)`` where the best is above 1."""
    positive = np.maximum(scores, 0.0)
    return positive / (1.0 + positive) if positive.max(initial=0.0) > 1.0 else positive


def _fused_ratios(ranking: Ranking, sources: int) -> Floats:
    """Fused scores over the highest that so many lists can give."""
    if not len(ranking):
        return np.zeros(0)
    return np.minimum(_scores(ranking) / (sources / (DEFAULT_RRF_K + 1.0)), 1.0)
