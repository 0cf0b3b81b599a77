"""The pipeline that we recommend for the memory of conversations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import Any, SupportsIndex

from rankmeld._options import as_limit, not_negative, require_order
from rankmeld.contexts import is_question
from rankmeld.corpus_stats import CorpusStats
from rankmeld.document import Document
from rankmeld.errors import InvalidArgumentError
from rankmeld.pipeline import BoostMatches, FuseScores, Pipeline, Propagate
from rankmeld.pipeline.collection import Documents, NamedTime, PoolGroups, Weigh
from rankmeld.propagation import adjacent
from rankmeld.rerankers import LateInteractionReranker

__all__ = ["conversation_pipeline"]

#: What a turn that does not ask gives to the next one, as `adjacent` has it.
_FORWARD = 1.5


def conversation_pipeline(
    turns: Iterable[Document],
    *,
    speaker: str = "title",
    question_forward: float = 2.0,
    question_kept: float = 0.7,
    limit: SupportsIndex | None = 200,
) -> Pipeline:
    """Make the pipeline for questions about conversations: context around a hit, without a model.

    It fuses the rankings that you have (min-max, equal weights), lets evidence flow to neighbouring turns and
    more of it from a question to what answers it, gives each turn a share of its session's best, lifts the
    turns of whom the query names, reranks by words, rare ones first, and lifts turns of the time that the
    query names (``created_at``, seen from the ``now`` of the run). Each stage is one of the library's
    functions, and says in the trace where it does not apply.

    Parameters
    ----------
    turns : iterable of Document
        All turns in their order. Those of one ``parent_id`` are one session; a document without one stands
        alone, so stages about context leave it as it is. No id twice.
    speaker : str, default "title"
        Where a turn has the name of who speaks; see `boost_matches`.
    question_forward : float, default 2.0
        How many times as much a turn that asks (`is_question`) gives to the turn after it.
    question_kept : float, default 0.7
        What a turn that asks keeps of its own score, if there is a turn after it; within 0..1.
    limit : int or None, default 200
        How many hits go on to the later stages; None for all.

    Returns
    -------
    Pipeline
        With the stages ``fuse_scores``, ``documents``, ``propagate``, ``pool_groups``, ``boost_matches``,
        ``weigh``, ``late_interaction`` and ``named_time``; set their parameters with
        `Pipeline.with_parameters`. It knows the turns that it was made of: make another when there are more.

    Raises
    ------
    TypeError
        A turn is no Document, or an option is of the wrong kind.
    InvalidArgumentError
        An id comes twice, or an option is out of range.

    See Also
    --------
    in_context : texts for an index whose ranking is worth fusing too.

    Notes
    -----
    O(text of the turns) to make, and O(hits and their text) for each query. What each stage brings on a real
    collection is in the documentation, under "Quality".

    Examples
    --------
    >>> import rankmeld as rm
    >>> turns = [
    ...     rm.Document("t1", "Where did you spend your holidays?", title="Ann", parent_id="monday"),
    ...     rm.Document("t2", "Three weeks by the sea.", title="Ben", parent_id="monday"),
    ...     rm.Document("t3", "My holidays begin in May.", title="Ann", parent_id="friday"),
    ... ]
    >>> words, context = rm.BM25Index(), rm.BM25Index()
    >>> _ = words.add(turns)
    >>> texts = rm.in_context([turn.passage for turn in turns], groups=[turn.parent_id for turn in turns])
    >>> _ = context.add(zip([turn.id for turn in turns], texts))
    >>> pipeline = rm.conversation_pipeline(turns)
    >>> asked = "Where was Ben on holidays?"
    >>> pipeline.run([words.search(asked), context.search(asked)], query=asked).ranking.ids[0]
    't2'
    """
    onward = not_negative(question_forward, "question_forward")
    kept = not_negative(question_kept, "question_kept")
    if kept > 1.0:
        raise InvalidArgumentError(f"question_kept is {kept}; it must be within 0..1")
    documents = _by_id(turns)
    sessions = _sessions(documents)
    last = {session: id for id, session in sessions.items()}
    asking = {id for id, document in documents.items() if is_question(document.text)}
    near = adjacent(
        list(sessions),
        groups=list(sessions.values()),
        forward=[_FORWARD * onward if id in asking else _FORWARD for id in sessions],
    )
    return Pipeline(
        [
            FuseScores(),
            Documents(known=documents),
            Propagate(neighbors=near, limit=as_limit(limit), lookup=documents),
            PoolGroups(groups=sessions),
            BoostMatches(field=speaker),
            Weigh(
                factors={id: kept for id, session in sessions.items() if id in asking and id != last[session]}
            ),
            LateInteractionReranker(
                maxsim_scale=1.0,
                depth=100,
                weights="idf",
                stats=CorpusStats(document.passage for document in documents.values()),
            ),
            NamedTime(),
        ]
    )


def _by_id(turns: Any) -> dict[Hashable, Document]:
    require_order(turns, "turns", "documents")
    if isinstance(turns, str | bytes) or not isinstance(turns, Iterable):
        raise TypeError(f"turns must be a list of rankmeld.Document, not {type(turns).__name__}")
    found: dict[Hashable, Document] = {}
    for place, turn in enumerate(turns):
        if not isinstance(turn, Document):
            raise TypeError(f"turns[{place}] must be a rankmeld.Document, not {type(turn).__name__}")
        if turn.id in found:
            raise InvalidArgumentError(
                f"turns[{place}] has the id {turn.id!r}, as one before it; make ids of (conversation, turn) "
                "tuples where turns are numbered anew"
            )
        found[turn.id] = turn
    return found


def _sessions(documents: dict[Hashable, Document]) -> dict[Hashable, Hashable]:
    """The session of each turn that is not alone."""
    sizes = Counter(document.parent_id for document in documents.values())
    return {
        id: document.parent_id
        for id, document in documents.items()
        if document.parent_id is not None and sizes[document.parent_id] > 1
    }
