"""The searcher: a question goes to the tier that fits it, and the answer says how far to trust it."""

from __future__ import annotations

import inspect
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, SupportsIndex

import numpy as np

from rankmeld._options import as_limit, as_number, choose
from rankmeld._vectors import as_vector
from rankmeld.confidence.crag import CragConfig, CragGrade, evaluate_crag
from rankmeld.errors import InvalidArgumentError
from rankmeld.query.tiers import QueryTier, classify_query, classify_query_with_fusion, fusion_features
from rankmeld.ranking import Ranking
from rankmeld.search.asked import as_generator, as_retriever, require_filters
from rankmeld.search.driving import Outcome, Round, Team
from rankmeld.search.joining import KnowledgeGraph, as_graph
from rankmeld.search.tiers import Rated, Search, plan_of
from rankmeld.search.trace import LEGS, Recorder, SearchTrace
from rankmeld.types import Filters

__all__ = ["AdaptiveResult", "AdaptiveSearcher"]

#: How the tier is chosen.
Mode = Literal["auto", "direct", "semantic", "multi_hop", "global"]

_TIERS: dict[Any, QueryTier] = {
    "direct": QueryTier.DIRECT_FACTUAL,
    "semantic": QueryTier.SEMANTIC_HYBRID,
    "multi_hop": QueryTier.MULTI_HOP_GRAPH,
    "global": QueryTier.ARCHITECTURAL_GLOBAL,
}
_MODES = ("auto", *_TIERS)
# What `classify_query` gives is taken as it is.
_TIERS.update((tier, tier) for tier in QueryTier)


@dataclass(frozen=True, slots=True)
class AdaptiveResult:
    """What an adaptive search found.

    Attributes
    ----------
    tier : QueryTier
        The tier that answered.
    grade : CragGrade
        How far the answer can be built on.
    confidence : float
        In 0..1; what the grade is about.
    needs_refinement : bool
        Whether the grade is low: ask differently, or elsewhere, before building on it.
    ranking : Ranking
        Best first, with the tier's own scores. ``explain(id)`` tells what the legs, the graph and the
        note gave a hit.
    trace : SearchTrace
        How each leg fared, and what each stage took in, gave and cost.
    """

    tier: QueryTier
    grade: CragGrade
    confidence: float
    needs_refinement: bool
    ranking: Ranking
    trace: SearchTrace

    def __repr__(self) -> str:
        """In a few words; print `trace` and `ranking` for more."""
        legs = ", ".join(f"{name} {leg.status}" for name, leg in self.trace.legs.items())
        return (
            f"AdaptiveResult({self.tier.value}, {self.grade.value} confidence {self.confidence:.3g}, "
            f"{len(self.ranking)} hits; {legs})"
        )


class AdaptiveSearcher:
    """Searches with as much effort as a question needs, and grades what was found.

    ==========  ========================================================================================
    tier        what it does
    ==========  ========================================================================================
    direct      Words only: a name, a number, one identifier.
    semantic    Words and meaning, fused by reciprocal rank. Where words find nothing, meaning alone
                counts only if a passage bears an answer and the question is not speculative; where the
                words' leg fails, meaning alone is the answer.
    multi-hop   Words and meaning; a walk over the graph lifts passages about linked things; the
                sentences that answer best make one more list; all lists fused by reciprocal rank.
    global      Words, with summaries, patterns and decisions (``metadata["type"]``) first.
    ==========  ========================================================================================

    Parameters
    ----------
    lexical : callable or object
        ``lexical(query, limit=..., filters=...)`` gives a ranking with documents, best first; or an object
        with such a ``search``. It may also have ``asearch``, a coroutine function, which `asearch` awaits.
    vector : callable or object, optional
        ``vector(query_vector, limit=..., filters=...)``, likewise.
    graph : optional
        A pair ``(nodes, edges)``, a `rankmeld.search.KnowledgeGraph`, or a callable, plain or
        asynchronous, ``(query, candidates) -> (nodes, edges)``. Only the multi-hop tier looks at it.
    hyde : HydeGenerator or object, optional
        Its ``vector_for(query, tier)`` (or ``avector_for``) gives the vector of a hypothetical answer, with
        which the vector leg is asked once more. Wants a vector leg. Of a `HydeGenerator` the trace also
        says why there is no vector.
    crag : CragConfig, optional
        The borders between grades.
    leg_timeout : float, optional
        Seconds that a leg may take; above 0. ``None``: as long as it takes.

    Raises
    ------
    TypeError
        A leg cannot be called, or an option is of the wrong kind.
    InvalidArgumentError
        `leg_timeout` is not above 0, `hyde` is given without `vector`, or the graph is none.

    Notes
    -----
    A leg that raises, times out or gives no ranking degrades a search and never fails it: ``trace.legs``
    says so, and a warning is logged (logger ``rankmeld``). Where all that were asked fail, the search
    fails, so that "nobody could look" never passes for "nothing is known". Of what a leg gives, more
    hits than were asked for are cut, an id that repeats counts at its best position, NaN or infinite
    scores make it a failed leg.

    `search` runs legs in the caller's thread, one after the other; with a `leg_timeout` each leg runs in
    a thread of its own, all at the same time, and the legs must bear that. `asearch` runs all legs at the
    same time, those that are not asynchronous in threads. A thread cannot be stopped: a leg that hangs
    keeps its own, but it keeps no interpreter alive, and one searcher has at most 32 threads a leg; when
    all of them hang, further calls of that leg time out without being made. Asynchronous legs are
    cancelled, on a timeout and with the search itself.

    One searcher may be used from many threads, tasks and event loops at once.

    After the routing of Adaptive-RAG (Soyeong Jeong et al., 2024), Corrective RAG (Shi-Qi Yan et al.,
    2024), HippoRAG 2 (Bernal Jiménez Gutiérrez et al., 2025), Chain-of-Note (Wenhao Yu et al., 2023)
    and HyDE (Luyu Gao et al., 2022), each without a model in the loop, HyDE aside.

    Examples
    --------
    >>> import rankmeld as rm
    >>> texts = {"a": "The retry policy is exponential.", "b": "Caching notes of the team."}
    >>> def lexical(query, limit, filters):
    ...     words = set(query.lower().split())
    ...     found = {id: len(words & set(text.lower().split())) / len(words) for id, text in texts.items()}
    ...     best = sorted(found, key=found.get, reverse=True)[:limit]
    ...     return [(id, found[id], rm.Document(id, texts[id])) for id in best if found[id]]
    >>> found = rm.AdaptiveSearcher(lexical).search("the retry policy of the client")
    >>> found.tier.value, found.grade.value, found.ranking.ids
    ('semantic_hybrid', 'high', ['a', 'b'])
    >>> found.trace.legs["vector"].status
    'skipped'
    """

    __slots__ = ("_crag", "_graph", "_hyde", "_lexical", "_team", "_vector")

    def __init__(
        self,
        lexical: Any,
        vector: Any = None,
        *,
        graph: Any = None,
        hyde: Any = None,
        crag: CragConfig = CragConfig(),  # noqa: B008 - frozen
        leg_timeout: float | None = None,
    ) -> None:
        self._lexical = as_retriever(lexical, "lexical", "(query, *, limit, filters)")
        self._vector = (
            None if vector is None else as_retriever(vector, "vector", "(query_vector, *, limit, filters)")
        )
        self._graph = graph if graph is None or _is_function(graph) else as_graph(graph)
        self._hyde = as_generator(hyde)
        if hyde is not None and vector is None:
            raise InvalidArgumentError(
                "hyde is given without vector; its vectors need a leg that searches with them"
            )
        if not isinstance(crag, CragConfig):
            raise TypeError(f"crag must be a CragConfig, not {type(crag).__name__}")
        self._crag = crag
        self._team = Team(LEGS, _as_timeout(leg_timeout))

    def search(
        self,
        query: str,
        *,
        mode: Mode | QueryTier = "auto",
        limit: SupportsIndex | None = 10,
        query_vector: Any = None,
        filters: Filters | None = None,
        fusion_scores: Any = None,
    ) -> AdaptiveResult:
        """Search and wait.

        Parameters
        ----------
        query : str
            What was asked.
        mode : {"auto", "direct", "semantic", "multi_hop", "global"} or QueryTier, default "auto"
            The tier, or ``"auto"``: what `rankmeld.classify_query` finds.
        limit : int, optional
            How many hits to give, 10 by default; ``None`` for all. The direct tier asks its leg for as
            many, the others for twice as many.
        query_vector : array of shape (D,), optional
            What the vector leg is asked with; without it that leg is skipped.
        filters : Mapping[str, Any], optional
            Handed to the legs as they are.
        fusion_scores : iterable of float, optional
            Scores of a first fused answer to the query, whose shape moves the tier
            (`rankmeld.classify_query_with_fusion`); only with ``mode="auto"``.

        Returns
        -------
        AdaptiveResult
            Tier, grade, ranking and trace.

        Raises
        ------
        TypeError, InvalidArgumentError
            An argument is not allowed, or a leg would have to be awaited (then write
            ``await searcher.asearch(...)``).
        RankmeldError
            Every leg that was asked failed; the message names each with its error.
        """
        flow, _ = self._begun(query, mode, limit, query_vector, filters, fusion_scores)
        result: AdaptiveResult = self._team.drive(flow)
        return result

    async def asearch(
        self,
        query: str,
        *,
        mode: Mode | QueryTier = "auto",
        limit: SupportsIndex | None = 10,
        query_vector: Any = None,
        filters: Filters | None = None,
        fusion_scores: Any = None,
    ) -> AdaptiveResult:
        """Search, and await the legs, all at the same time.

        Legs that are not asynchronous run in threads, and so does long work between the legs, so that the
        event loop goes on. A cancellation goes through to all legs at once and waits for none.

        Parameters
        ----------
        query, mode, limit, query_vector, filters, fusion_scores
            As in `search`.

        Returns
        -------
        AdaptiveResult
            As `search` gives it.
        """
        flow, weight = self._begun(query, mode, limit, query_vector, filters, fusion_scores)
        result: AdaptiveResult = await self._team.adrive(flow, weight)
        return result

    def _begun(  # noqa: PLR0917 - what `search` has
        self,
        query: str,
        mode: Mode | QueryTier,
        limit: SupportsIndex | None,
        query_vector: Any,
        filters: Filters | None,
        fusion_scores: Any,
    ) -> tuple[Generator[Round, Sequence[Outcome], AdaptiveResult], int]:
        """Check what was asked, and give the flow that answers it, with the size of its beginning."""
        if not isinstance(query, str):
            raise TypeError(f"query must be a str, not {type(query).__name__}")
        if not isinstance(mode, QueryTier):
            choose(mode, _MODES, "mode")
        count = as_limit(limit)
        vector = None if query_vector is None else _as_query_vector(query_vector)
        require_filters([self._lexical, *([] if self._vector is None else [self._vector])], filters)
        features = None
        if fusion_scores is not None:
            if mode != "auto":
                raise InvalidArgumentError(
                    f"fusion_scores are given with mode {mode!r}, which has its tier; they belong to 'auto'"
                )
            features = fusion_features(fusion_scores)

        def flow() -> Generator[Round, Sequence[Outcome], AdaptiveResult]:
            recorder = Recorder()
            with recorder.stage("classify", 0):
                if mode != "auto":
                    tier = _TIERS[mode]
                elif features is None:
                    tier = classify_query(query)
                else:
                    tier = classify_query_with_fusion(query, features)
            search = Search(
                query,
                tier,
                count,
                vector,
                filters,
                self._lexical,
                self._vector,
                self._hyde,
                self._graph,
                recorder,
            )
            rated = yield from plan_of(search)
            return self._graded(search, rated)

        return flow(), len(query)

    def _graded(self, search: Search, rated: Rated) -> AdaptiveResult:
        """Grade what a plan found, and take out what is too weak; the scores stay."""
        ranking, ratios = rated
        with search.recorder.stage("crag", len(ranking)) as left:
            # Positions as ids: what is left says where it stood.
            evaluation = evaluate_crag(Ranking((np.arange(len(ranking)), ratios)), self._crag)
            places: list[Any] = evaluation.ranking.ids[: search.limit]
            kept = ranking._step(
                places,
                None if ranking._scores is None else ranking._scores[places],
                "crag",
                {"ratio": ratios[places].tolist()},
            )
            left.append(len(kept))
        return AdaptiveResult(
            search.tier,
            evaluation.grade,
            evaluation.confidence,
            evaluation.needs_refinement,
            kept,
            search.recorder.finished(search.tier.value),
        )


def _is_function(graph: Any) -> bool:
    return callable(graph) and not isinstance(graph, KnowledgeGraph)


def _as_timeout(timeout: float | None) -> float | None:
    if timeout is None:
        return None
    seconds = as_number(timeout, "leg_timeout")
    if seconds <= 0.0:
        raise InvalidArgumentError(f"leg_timeout is {seconds} s; it must be above 0, or None for no limit")
    return seconds


def _as_query_vector(vector: Any) -> Any:
    """The vector as it came, which legs are handed; one that is none is refused."""
    if inspect.isawaitable(vector):
        if inspect.iscoroutine(vector):
            vector.close()  # or Python warns that it was never awaited
        raise TypeError(
            "query_vector is to be awaited; write query_vector=await embedder.aembed_query(query)"
        )
    row = as_vector(vector, lambda: "query_vector")
    if not np.isfinite(row).all():
        raise InvalidArgumentError("query_vector holds NaN or an infinity; embed the query anew")
    return vector
