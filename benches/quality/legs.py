"""Rankings of our own index, as legs beside the runs that a collection comes with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import rankmeld as rm

from .data import Query

DEPTH = 100

#: English words that say little by themselves.
STOP_WORDS = frozenset(
    """
    a about above after again against all am an and any are as at be because been before being below
    between both but by can could did do does doing down during each few for from further had has have
    having he her here hers herself him himself his how i if in into is it its itself just me more most
    my myself no nor not now of off on once only or other our ours ourselves out over own same she
    should so some such than that the their theirs them themselves then there these they this those
    through to too under until up very was we were what when where which while who whom why will with
    would you your yours yourself yourselves
    """.split()  # noqa: SIM905 - words, to be read as such
)


def english(text: str) -> list[str]:
    """Stems by Snowball's stemmer for English, without stop words."""
    return [term for term in rm.bm25_tokenize(text, stemmer="english") if term not in STOP_WORDS]


def words(
    documents: Mapping[str, rm.Document], tokenizer: Callable[[str], list[str]] = english
) -> rm.BM25Index:
    """An index of the passages."""
    index = rm.BM25Index(tokenizer=tokenizer)
    index.add(documents.values())
    return index


def words_in_context(
    documents: Mapping[str, rm.Document], tokenizer: Callable[[str], list[str]] = english
) -> rm.BM25Index:
    """An index of the passages, each with those around it in its session."""
    index = rm.BM25Index(tokenizer=tokenizer)
    texts = rm.in_context(
        [document.passage for document in documents.values()],
        groups=[document.parent_id for document in documents.values()],
    )
    index.add(zip(documents, texts, strict=True))
    return index


def searched(index: rm.BM25Index, queries: Iterable[Query]) -> dict[str, rm.Ranking]:
    """The run of an index."""
    return {query.id: index.search(query.text, limit=DEPTH) for query in queries}
