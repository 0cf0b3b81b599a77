"""Passages cut down to their facts by a language model."""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable, Hashable
from typing import Any, SupportsIndex

from rankmeld._asking import Ask, Flow, Together, adrive, as_function, drive
from rankmeld._model_text import AnswerError, complaint, model_text
from rankmeld._options import as_limit, as_positive
from rankmeld.document import Document
from rankmeld.errors import CompressionError
from rankmeld.ranking import Ranking
from rankmeld.text import clean_text, is_blank

__all__ = ["acompress", "compress", "compression_prompt"]

#: Called as ``progress(done, total)`` with numbers of texts.
Progress = Callable[[int, int], object]

_INSTEAD = "write `await acompress(ranking, llm)` instead of `compress`"


def compression_prompt(text: str) -> str:
    """The prompt that asks for the key facts of a text.

    Parameters
    ----------
    text : str
        What is to be cut down.

    Raises
    ------
    TypeError
        `text` is not a `str`.

    Examples
    --------
    >>> print(compression_prompt("Well, as I said, the bridge opened in 1931."))
    Rewrite the text below as its key facts, in as few words as they need. Keep every number, date,
    name and unit as it stands there, keep the language, and add nothing that the text does not say.
    Write only the facts. If there is nothing to leave out, write the text as it is.
    <BLANKLINE>
    Text:
    Well, as I said, the bridge opened in 1931.
    """
    return (
        "Rewrite the text below as its key facts, in as few words as they need. Keep every number, date,\n"
        "name and unit as it stands there, keep the language, and add nothing that the text does not say.\n"
        "Write only the facts. If there is nothing to leave out, write the text as it is.\n\n"
        f"Text:\n{clean_text(text)}"
    )


def compress(
    ranking: Any,
    llm: Callable[[str], str],
    *,
    limit: SupportsIndex | None = None,
    progress: Progress | None = None,
) -> Ranking:
    """Have a language model rewrite the texts of the best hits to their key facts.

    What a reader, human or model, gets to see next is shorter then; ids, scores and order stay, and
    so does everything of a document but its text.

    Parameters
    ----------
    ranking : ranking
        The hits, in any form; see `Ranking`. It stays as it is, and so do its documents.
    llm : callable
        ``llm(prompt)`` gives a text, from `compression_prompt`; `openai_compatible` has some. Reasoning
        between ``<think>`` and ``</think>``, and a code fence around the whole, are taken off.
    limit : int, optional
        Give the best so many, and ask for these only; ``None`` for all.
    progress : callable, optional
        Called as ``progress(done, total)`` after each text that was asked about.

    Returns
    -------
    Ranking
        The best hits, as they came, with rewritten texts. A blank answer leaves a text as it was; a hit
        without a document, or with a blank text, is not asked about. Each explains how many characters
        its text had before and has after.

    Raises
    ------
    CompressionError
        The model raised, which is the cause of the error, or gave no text; `id` says for which hit.
        Nothing was applied.
    TypeError
        An argument is of the wrong kind, or `llm` is asynchronous.
    InvalidArgumentError
        `limit` is negative.

    See Also
    --------
    acompress : asks about several texts at a time.

    Examples
    --------
    >>> import rankmeld as rm
    >>> def llm(prompt):
    ...     return "Bridge opened: 1931."
    >>> hits = [("d1", 0.9, rm.Document("d1", "Well, as I said, the bridge opened in 1931.")), ("d2", 0.4)]
    >>> compressed = rm.compress(hits, llm, limit=1)
    >>> compressed[0].document.text
    'Bridge opened: 1931.'
    >>> print(compressed.explain("d1"))
    'd1'  0.9
      compress: characters_before 43, characters_after 20
    """
    return drive(_compressed(ranking, llm, limit, 1, progress), _INSTEAD)


async def acompress(
    ranking: Any,
    llm: Callable[[str], str | Awaitable[str]],
    *,
    limit: SupportsIndex | None = None,
    concurrency: SupportsIndex = 8,
    progress: Progress | None = None,
) -> Ranking:
    """As `compress`, asking about several texts at a time.

    Parameters
    ----------
    ranking, limit, progress
        As in `compress`.
    llm : callable
        As in `compress`. One that is asynchronous, or whose `achat` is, is awaited; any other is called in
        worker threads, from several at a time.
    concurrency : int, default 8
        How many texts the model may be asked about at the same time.

    Returns
    -------
    Ranking
        As `compress` gives it, in the order of the ranking whatever order answers come in.

    Raises
    ------
    CompressionError, TypeError, InvalidArgumentError
        As in `compress`; also for a `concurrency` below 1. The first error cancels what is still asked.

    Examples
    --------
    >>> import asyncio
    >>> import rankmeld as rm
    >>> async def llm(prompt):
    ...     return "Bridge opened: 1931."
    >>> hits = [("d1", 0.9, rm.Document("d1", "Well, as I said, the bridge opened in 1931."))]
    >>> asyncio.run(rm.acompress(hits, llm))[0].document.text
    'Bridge opened: 1931.'
    """
    many = as_positive(concurrency, "concurrency")
    return await adrive(_compressed(ranking, llm, limit, many, progress))


def _compressed(
    ranking: Any, llm: Any, limit: SupportsIndex | None, concurrency: int, progress: Progress | None
) -> Flow[Ranking]:
    as_function(llm, "llm", "(prompt) -> str")
    count = as_limit(limit)
    if progress is not None:
        as_function(progress, "progress", "(done, total), or None")
    best = (ranking if isinstance(ranking, Ranking) else Ranking(ranking))[:count]
    ids, before = best.ids, best.documents
    asked = {
        place: document
        for place, document in enumerate(before)
        if document is not None and not is_blank(document.text)
    }
    done = itertools.count(1)

    def rewritten(place: int, document: Document) -> Flow[Document]:
        text = yield from _rewritten(ids[place], document.text, llm)
        if progress is not None:
            progress(next(done), len(asked))
        return document.with_text(text)

    made = yield Together([rewritten(*each) for each in asked.items()], concurrency)
    after = list(before)
    for place, document in zip(asked, made, strict=True):
        after[place] = document
    columns = {"characters_before": _lengths(before), "characters_after": _lengths(after)}
    step = best._step(range(len(best)), best._scores, "compress", columns)
    return step._identified(ids, after) if asked else step


def _rewritten(id: Hashable, text: str, llm: Any) -> Flow[str]:
    """A text in the model's words; as it is, if the model has none."""
    ask = Ask("llm", llm, (compression_prompt(text),), getattr(llm, "achat", None))
    try:
        rewritten = model_text((yield ask))
    except AnswerError as error:
        raise _failure(id, f"gave {error}") from None
    except Exception as error:
        raise _failure(id, f"raised {complaint(error)}") from error
    return text if is_blank(rewritten) else rewritten


def _failure(id: Hashable, what: str) -> CompressionError:
    return CompressionError(f"the text of {id!r}: llm {what}; nothing was compressed", id)


def _lengths(documents: list[Document | None]) -> list[int | None]:
    return [None if document is None else len(document.text) for document in documents]
