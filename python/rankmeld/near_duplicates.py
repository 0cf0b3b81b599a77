"""Removing hits that say nearly the same as a better one, and finding such texts in collections."""

from __future__ import annotations

import copy
from collections.abc import Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any, Literal, SupportsIndex, overload

import numpy as np
import numpy.typing as npt

from rankmeld import _core
from rankmeld._options import as_threads, choose, threads_for
from rankmeld._sketching import (
    TEXTS_FOR_A_THREAD,
    Progress,
    Shingle,
    Sketching,
    Tokenizer,
    as_options,
    as_texts,
    in_batches,
)
from rankmeld.decay import finite_scores
from rankmeld.errors import InvalidArgumentError
from rankmeld.ranking import Ranking
from rankmeld.types import Document, Hit

__all__ = ["DedupedRanking", "dedup_near", "near_duplicate_clusters"]

#: Groups of up to so many hits are compared pair by pair.
_ALL_PAIRS = 1_000


class DedupedRanking(Ranking):
    """A ranking that knows which hits were removed from it, and for which they went.

    `dedup_near` makes it. It is equal to another one with the same hits and the same removed ones,
    and to a plain `Ranking` with the same hits.

    Examples
    --------
    >>> import rankmeld as rm
    >>> text = "the river was high after the storm"
    >>> hits = [("a", 2.0, rm.Document("a", text)), ("b", 1.0, rm.Document("b", text.upper()))]
    >>> dict(rm.dedup_near(hits).removed)
    {'b': 'a'}
    """

    __slots__ = ("_removed",)

    _removed: dict[Hashable, Hashable]

    def __init__(
        self, hits: Any = (), *, name: str | None = None, removed: Mapping[Hashable, Hashable] | None = None
    ) -> None:
        super().__init__(hits, name=name)
        self._removed = dict(removed or {})

    @property
    def removed(self) -> Mapping[Hashable, Hashable]:
        """From the id of each hit that was removed to the id of the one that stayed for it.

        A slice has the entries of the hits that are in it.
        """
        return MappingProxyType(self._removed)

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> DedupedRanking: ...
    def __getitem__(self, index: int | slice) -> Hit | DedupedRanking:
        """A hit, or for a slice the ranking of those hits."""
        found = super().__getitem__(index)
        if isinstance(found, Hit):
            return found
        kept = set(found.ids)
        removed = {id_: by for id_, by in self._removed.items() if by in kept}
        return DedupedRanking(found, name=self.name, removed=removed)

    def __eq__(self, other: object) -> bool:
        """Whether the hits are equal, and the removed ones if the other knows them."""
        same = super().__eq__(other)
        if same is True and isinstance(other, DedupedRanking):
            return self._removed == other._removed
        return same

    __hash__ = Ranking.__hash__

    def __deepcopy__(self, memo: dict[int, Any]) -> DedupedRanking:
        """The same columns with copies of ids and documents."""
        copied = super().__deepcopy__(memo)
        return DedupedRanking(copied, name=self.name, removed=copy.deepcopy(self._removed, memo))

    def __reduce__(self) -> tuple[Any, ...]:
        """As a ranking, with what was removed."""
        make, columns = super().__reduce__()
        return _unpickled, (make(*columns), self._removed)

    def named(self, name: str | None) -> DedupedRanking:
        """The same ranking under another name; see `Ranking.named`."""
        return DedupedRanking(super().named(name), name=name, removed=self._removed)


def _unpickled(ranking: Ranking, removed: dict[Hashable, Hashable]) -> DedupedRanking:
    return DedupedRanking(ranking, name=ranking.name, removed=removed)


def dedup_near(
    ranking: Any,
    *,
    threshold: float = 0.85,
    num_perm: SupportsIndex = 128,
    within: Literal["all", "parent"] = "all",
    shingle: Shingle = "word",
    tokenizer: Tokenizer | None = None,
    linkage: Literal["chain", "star"] = "chain",
    verify: bool = True,
) -> DedupedRanking:
    """Drop hits whose text is nearly that of a better one.

    Two hits are linked if the Jaccard similarity of the sets of their texts' shingles, shared ones
    over all, is at or above the threshold. Texts without a token (blank ones, emoji alone) and hits
    without a document are linked to nothing.

    Parameters
    ----------
    ranking : ranking
        With finite scores; see `Ranking`. The better of two hits is that with the higher score, of
        equal ones the first.
    threshold : float, default 0.85
        Above 0, at most 1, where only equal sets are linked.
    num_perm : int, default 128
        Values of a signature, 16 or more. Signatures find the links of more than 1,000 hits.
    within : {"all", "parent"}, default "all"
        Compare all hits, or those of one ``parent_id`` with each other; hits without one then stay.
    shingle : "word" or int, default "word"
        ``"word"``: words of three characters or more (two with Hangul), and bigrams of neighbouring
        characters of scripts written without spaces. An integer n: all runs of n tokens of
        `tokenize`; a shorter text is one shingle.
    tokenizer : callable, optional
        From a text (composed, without lone surrogates) to its tokens, all of which then count.
    linkage : {"chain", "star"}, default "chain"
        ``"chain"``: of hits that are linked, directly or through others, the best stays.
        ``"star"``: a hit goes only if it is linked itself to a better one that stays.
    verify : bool, default True
        Prove each link by the exact similarity; else similarities are estimated from signatures,
        with a standard error of ``sqrt(s * (1 - s) / num_perm)``.

    Returns
    -------
    DedupedRanking
        By descending score, equal ones in first-seen order. `removed` has the id of the hit that
        stayed for each one that went; of an id that went twice, that for the better of its hits.

    Raises
    ------
    InvalidScoreError
        A score is absent or not finite.
    TypeError, InvalidArgumentError
        An option is not allowed, or the tokenizer gives something else than strings.

    See Also
    --------
    dedup : Exact duplicates only, whatever their scores.
    near_duplicate_clusters : Texts without a ranking.

    Notes
    -----
    Groups of up to 1,000 hits are compared pair by pair, and miss nothing. In larger ones only hits
    that share a band of their MinHash signatures are compared (Broder, "On the resemblance and
    containment of documents", 1997): a pair at the threshold is found with a probability of at
    least 0.99, a more similar one with a higher. Where the threshold is too low for that with so
    many values, all pairs are compared. Each hit that stays explains which ones went for it.

    Examples
    --------
    >>> import rankmeld as rm
    >>> hits = [
    ...     ("a", 0.9, rm.Document("a", "The bridge opened in 1931 and carries two lanes of traffic.")),
    ...     ("b", 0.8, rm.Document("b", "the bridge opened in 1931, and carries two lanes of traffic")),
    ...     ("c", 0.7, rm.Document("c", "The river is crossed by a ferry.")),
    ... ]
    >>> found = rm.dedup_near(hits)
    >>> found.ids, dict(found.removed)
    (['a', 'c'], {'b': 'a'})
    """
    options = as_options(threshold, num_perm, shingle, verify)
    choose(within, ("all", "parent"), "within")
    choose(linkage, ("chain", "star"), "linkage")
    sketching = Sketching(options, tokenizer, banded=False)
    given = ranking if isinstance(ranking, Ranking) else Ranking(ranking)
    scores = finite_scores(given)
    order = _core.order(scores, given._ids, None, "first").tolist()
    unordered = given.documents
    documents = [unordered[place] for place in order]
    groups = _groups(documents, within)
    if any(len(group) > _ALL_PAIRS for group in groups):
        with suppress(InvalidArgumentError):  # a threshold too low for bands: all pairs, then
            sketching = Sketching(options, tokenizer, banded=True)
    texts = ["" if document is None else document.text for document in documents]
    sketches = sketching(texts, threads_for(None, len(texts), TEXTS_FOR_A_THREAD))
    kept = _core.near_kept(sketching.core, sketches, groups, linkage)
    return _without_duplicates(given, scores, order, kept)


def _groups(documents: Sequence[Document | None], within: str) -> list[list[int]]:
    """Places of hits that are compared with each other."""
    if within == "all":
        return [list(range(len(documents)))]
    groups: dict[Hashable, list[int]] = {}
    for place, document in enumerate(documents):
        if document is not None and document.parent_id is not None:
            groups.setdefault(document.parent_id, []).append(place)
    return list(groups.values())


def _without_duplicates(
    given: Ranking, scores: npt.NDArray[np.float64], order: list[int], kept: list[int]
) -> DedupedRanking:
    """The hits that stay; `kept` has the place in `order` of the one that stays for each."""
    ids = given.ids
    dropped: dict[int, list[Hashable]] = {place: [] for place, by in enumerate(kept) if place == by}
    removed: dict[Hashable, Hashable] = {}
    for place, by in enumerate(kept):
        if place != by:
            dropped[by].append(ids[order[place]])
            removed.setdefault(ids[order[place]], ids[order[by]])
    places = [order[place] for place in dropped]
    columns = {"dropped": [tuple(gone) for gone in dropped.values()]}
    stage = given._step(places, scores[places], "dedup_near", columns)
    return DedupedRanking(stage, name=given.name, removed=removed)


def near_duplicate_clusters(
    texts: Iterable[str],
    *,
    threshold: float = 0.85,
    num_perm: SupportsIndex = 128,
    shingle: Shingle = "word",
    tokenizer: Tokenizer | None = None,
    verify: bool = True,
    progress: Progress | None = None,
    threads: SupportsIndex | None = None,
) -> npt.NDArray[np.int64]:
    """Find the clusters of near-duplicates in a collection of texts.

    Texts are in one cluster if they are linked, directly or through others; what a link is, and the
    parameters not listed here, are as in `dedup_near`.

    Parameters
    ----------
    texts : iterable of str
        N texts.
    threshold : float, default 0.85
        Above 0, at most 1. How low it can be depends on `num_perm`: 0.0354 with 128.
    num_perm, shingle, tokenizer, verify
        As in `dedup_near`.
    progress : callable, optional
        Called as ``progress(done, total)`` while texts are read; ``done`` reaches ``total`` before
        they are compared.
    threads : int, optional
        By default what the machine has, for some hundred texts or more. The result does not depend
        on it.

    Returns
    -------
    array of shape (N,), int64
        For each text the position of the first text of its cluster: its own, if that stays. So
        ``labels == arange(N)`` marks one text of each cluster.

    Raises
    ------
    TypeError, InvalidArgumentError
        An option is not allowed, the threshold is too low for `num_perm` (the message names the
        smallest possible), or something is no str.

    See Also
    --------
    MinHashIndex : Texts that come and go.

    Notes
    -----
    Linear in the length of the texts and in the number of pairs that share a band of their
    signatures; of equal texts and of clusters only one text is compared, so a cluster of everything
    takes no longer. 1.1 KiB or less a text of 80 words while it runs.

    Examples
    --------
    >>> import rankmeld as rm
    >>> texts = ["green tea with honey and lemon", "a kiwi", "Green tea, with honey and lemon!"]
    >>> rm.near_duplicate_clusters(texts)
    array([0, 1, 0])
    """
    options = as_options(threshold, num_perm, shingle, verify)
    sketching = Sketching(options, tokenizer, banded=True)
    as_threads(threads)
    given = as_texts(texts, "texts")
    count = threads_for(threads, len(given), TEXTS_FOR_A_THREAD)
    batches = []
    for done, sketches in in_batches(sketching, given, count):
        batches.append(sketches)
        if progress is not None:
            progress(done, len(given))
    return _core.near_clusters(sketching.core, batches, count)
