"""What every embedder shares: the check of its texts, and the wrapper around a plain callable."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rankmeld.errors import InvalidArgumentError
from rankmeld.text import clean_text
from rankmeld.types import Embedder

__all__ = ["CallableEmbedder", "Vectors", "as_embedder", "as_texts", "pieces", "unit"]

#: Vectors of texts: (N, D) for documents, (D,) for one query.
Vectors = npt.NDArray[np.float32]

#: Longest stretch of a text that is tokenized in one go: short enough that Ctrl-C is seen.
_PIECE = 8192


class CallableEmbedder:
    """An embedder made of a function that turns a list of texts into vectors.

    The function gets a list of `str`, composed (NFC) and without lone surrogates, and is never
    called for an empty list. A query is embedded as a list of one.

    Parameters
    ----------
    fn : callable
        ``fn(texts)`` gives an array, or nested lists, of shape (N, D) with finite numbers.
    model : str
        Name of the model. Stores record it, so that vectors of two models never mix.
    dimensions : int, optional
        Width of a vector. Not given: learned from the first call.

    Raises
    ------
    TypeError
        `fn` cannot be called, or an argument is of the wrong kind.
    InvalidArgumentError
        `model` is blank or `dimensions` is not positive; on a call: what `fn` gave is not an
        array of shape (N, D), not finite, or not as wide as before.

    Examples
    --------
    >>> embedder = CallableEmbedder(lambda texts: [[len(t), 1.0] for t in texts], model="length")
    >>> embedder(["one", "three"])
    array([[3., 1.],
           [5., 1.]], dtype=float32)
    >>> embedder.dimensions
    2
    """

    def __init__(self, fn: Callable[[list[str]], Any], *, model: str, dimensions: int | None = None) -> None:
        if not callable(fn):
            raise TypeError(f"fn must be a callable texts -> array, not {type(fn).__name__}")
        if not isinstance(model, str):
            raise TypeError(f"model must be a str, not {type(model).__name__}")
        if not model.strip():
            raise InvalidArgumentError("model is blank; name the model that makes the vectors")
        if dimensions is not None:
            if isinstance(dimensions, bool) or not isinstance(dimensions, int):
                raise TypeError(f"dimensions must be an int, not {type(dimensions).__name__}")
            if dimensions < 1:
                raise InvalidArgumentError(f"dimensions is {dimensions}; it must be 1 or more")
        self._fn = fn
        self._model = model
        self._dimensions = dimensions

    @property
    def model(self) -> str:
        """Name of the model."""
        return self._model

    @property
    def dimensions(self) -> int:
        """Width of a vector; embeds one word to learn it where no call has shown it yet."""
        known = self._dimensions
        return self(["width"]).shape[1] if known is None else known

    def __call__(self, texts: Sequence[str], /) -> Vectors:
        """Embed documents: an array of shape (N, D); (0, D) for none, D being 0 while unknown."""
        given = [clean_text(text) for text in as_texts(texts)]
        if not given:
            return np.empty((0, self._dimensions or 0), np.float32)
        vectors = self._as_vectors(self._fn(given), len(given))
        self._dimensions = vectors.shape[1]
        return vectors

    def embed_query(self, text: str, /) -> Vectors:
        """Embed one query: an array of shape (D,)."""
        row: Vectors = self([as_text(text)])[0]
        return row

    def _as_vectors(self, result: Any, count: int) -> Vectors:
        """Check what the function gave; every message says what came and what is wanted."""
        width = "D" if self._dimensions is None else self._dimensions
        wanted = f"model {self._model!r} must give an array of shape ({count}, {width})"
        if result is None or inspect.isawaitable(result):
            if inspect.iscoroutine(result):
                result.close()  # or Python warns that it was never awaited
                raise InvalidArgumentError(
                    f"{wanted}, not a coroutine; wrap a function that waits for its answer, as asynchronous "
                    "stores and engines call it in a thread"
                )
            raise InvalidArgumentError(f"{wanted}, not {type(result).__name__}")
        try:
            vectors = np.asarray(result)
        except ValueError:
            raise InvalidArgumentError(f"{wanted}; its rows are of different lengths") from None
        if vectors.dtype.kind not in "fiu":
            raise InvalidArgumentError(f"{wanted} of numbers, not of {vectors.dtype}")
        fits = vectors.ndim == 2 and vectors.shape[0] == count and vectors.shape[1] > 0
        if not fits or self._dimensions not in (None, vectors.shape[1]):
            raise InvalidArgumentError(f"{wanted}; it gave shape {vectors.shape}")
        with np.errstate(over="ignore"):  # what does not fit float32 is reported below
            vectors = np.ascontiguousarray(vectors, dtype=np.float32)
        finite = np.isfinite(vectors).all(axis=1)
        if not finite.all():
            row = int(np.argmin(finite))
            raise InvalidArgumentError(
                f"model {self._model!r} gave a vector with NaN, an infinity or a number beyond "
                f"float32 for text {row}; vectors must be finite"
            )
        return vectors

    def __repr__(self) -> str:
        """The model's name, and the width where it is known."""
        known = "" if self._dimensions is None else f", dimensions={self._dimensions}"
        return f"CallableEmbedder(model={self._model!r}{known})"


def as_embedder(thing: Embedder | Callable[[list[str]], Any]) -> Embedder:
    """Take an embedder as it is, or wrap a plain callable.

    Parameters
    ----------
    thing : Embedder or callable
        An object with `model`, `dimensions`, ``embed_query`` that can be called, or a function
        ``texts -> array``. A function's own dotted name becomes the name of the model; to choose
        another, wrap it in a `CallableEmbedder`.

    Returns
    -------
    Embedder
        `thing` itself, or a `CallableEmbedder`.

    Raises
    ------
    TypeError
        It is neither.

    Examples
    --------
    >>> def length(texts):
    ...     return [[float(len(text))] for text in texts]
    >>> as_embedder(length).embed_query("four")
    array([4.], dtype=float32)
    """
    if isinstance(thing, str):
        raise TypeError(f"an embedder is wanted, not the str {thing!r}; pass load_embedder({thing!r})")
    if hasattr(thing, "embed_query"):
        # Looked up without reading them: `dimensions` may cost a call to a service.
        absent = [
            name
            for name in ("__call__", "model", "dimensions")
            if inspect.getattr_static(thing, name, None) is None
        ]
        if not absent:
            return thing  # type: ignore[return-value]  # looked at above
        raise TypeError(
            f"{type(thing).__name__} has embed_query but no {', '.join(absent)}; wrap the method "
            "that embeds a list: CallableEmbedder(thing.embed_documents, model='its name')"
        )
    if not callable(thing):
        raise TypeError(f"an embedder or a callable texts -> array is wanted, not {type(thing).__name__}")
    named = thing if hasattr(thing, "__qualname__") else type(thing)
    return CallableEmbedder(thing, model=f"{named.__module__}.{named.__qualname__}")


def as_texts(texts: object) -> list[str]:
    """Read the texts of a call, and refuse the common slip of passing one text alone."""
    if isinstance(texts, str):
        raise TypeError("texts is one str; pass a list of texts: [text]")
    if isinstance(texts, bytes) or not isinstance(texts, Iterable):
        raise TypeError(f"texts must be a list of str, not {type(texts).__name__}")
    given = list(texts)
    for position, text in enumerate(given):
        if not isinstance(text, str):
            raise TypeError(f"texts[{position}] must be a str, not {type(text).__name__}")
    return given


def as_text(text: str) -> str:
    """Read the one text of a query."""
    if not isinstance(text, str):
        raise TypeError(f"text must be a str, not {type(text).__name__}")
    return text


def pieces(text: str, size: int = _PIECE) -> Iterator[str]:
    """Cut a long text at spaces into stretches of at most `size` characters, lazily.

    A tokenizer holds the interpreter for as long as one text takes. The space of a cut is left
    out: word-piece vocabularies ignore it, sentence-piece ones put it back in front of each text.
    """
    start = 0
    while len(text) - start > size:
        cut = text.rfind(" ", start + 1, start + size)
        if cut < 0:
            yield text[start : start + size]
            start += size
        else:
            yield text[start:cut]
            start = cut + 1
    yield text[start:]


def unit(vector: npt.NDArray[Any]) -> Vectors:
    """Scale a vector to length 1; a zero vector stays one."""
    length = float(np.linalg.norm(vector))
    scaled = vector / length if length > 0.0 else vector
    return np.asarray(scaled, dtype=np.float32)
