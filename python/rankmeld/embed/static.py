"""WordLlama's static word vectors: no network to run, a tenth of a millisecond a text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from rankmeld.embed.base import Vectors, as_text, as_texts, pieces, unit
from rankmeld.embed.packages import data_file, import_extra, is_installed
from rankmeld.errors import MissingExtraError
from rankmeld.text import clean_text

__all__ = ["StaticEmbedder"]

_EXTRA = "embed-static"
_PURPOSE = "The embedder 'static'"
_PACKAGE = "wordllama"
_WEIGHTS = "wordllama/weights/l2_supercat_256.safetensors"
_TOKENIZER = "wordllama/tokenizers/l2_supercat_tokenizer_config.json"


class StaticEmbedder:
    """The mean of WordLlama's token vectors (Lee Miller 2024), of length 1.

    256 dimensions. Needs the extra ``rankmeld[embed-static]``, which brings the table of vectors
    and its tokenizer. Only these two files are read: WordLlama's own loader looks for the
    tokenizer in a cache directory and would download it, and importing it sets up logging for
    the whole process. A blank text has the zero vector, which is like nothing.

    Raises
    ------
    MissingExtraError
        The extra is not installed.

    Notes
    -----
    The vectors are those of ``WordLlama.load(dim=256).embed(texts, norm=True)`` up to rounding.
    A text is read whole, in stretches of some thousand characters.

    Examples
    --------
    >>> embedder = StaticEmbedder()  # doctest: +SKIP
    >>> embedder(["the wing stalls", "lift is lost"]).shape  # doctest: +SKIP
    (2, 256)
    """

    model = "wordllama-l2-supercat-256"
    dimensions = 256

    def __init__(self) -> None:
        weights = data_file(_PACKAGE, _WEIGHTS, extra=_EXTRA, purpose=_PURPOSE)
        tokenizer = data_file(_PACKAGE, _TOKENIZER, extra=_EXTRA, purpose=_PURPOSE)
        safetensors = import_extra("safetensors.numpy", extra=_EXTRA, purpose=_PURPOSE)
        tokenizers = import_extra("tokenizers", extra=_EXTRA, purpose=_PURPOSE)
        self._table = safetensors.load_file(weights)["embedding.weight"].astype(np.float32)
        self._tokenizer = tokenizers.Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()

    @staticmethod
    def is_available() -> bool:
        """Whether the extra is installed; imports none of it."""
        try:
            data_file(_PACKAGE, _WEIGHTS, extra=_EXTRA, purpose=_PURPOSE)
            data_file(_PACKAGE, _TOKENIZER, extra=_EXTRA, purpose=_PURPOSE)
        except MissingExtraError:
            return False
        return is_installed("safetensors", "tokenizers")

    def __call__(
        self, texts: Sequence[str], /, *, progress: Callable[[int, int], Any] | None = None
    ) -> Vectors:
        """Embed documents.

        Parameters
        ----------
        texts : sequence of str
            N texts.
        progress : callable, optional
            ``progress(done, total)``, called after each text.

        Returns
        -------
        array of shape (N, 256), float32
            In the order of the texts. Time grows with their length.
        """
        given = as_texts(texts)
        vectors = np.zeros((len(given), self.dimensions), np.float32)
        for row, text in enumerate(given):
            vectors[row] = self._vector(text)
            if progress is not None:
                progress(row + 1, len(given))
        return vectors

    def embed_query(self, text: str, /) -> Vectors:
        """Embed one query: an array of shape (256,), the same as for a document."""
        return self._vector(as_text(text))

    def embed_tokens(self, texts: Sequence[str], /) -> list[Vectors]:
        """Embed each token by itself, for `MaxSimReranker`.

        Parameters
        ----------
        texts : sequence of str
            N texts.

        Returns
        -------
        list of N arrays of shape (T, 256), float32
            A row for each word piece, of any length. A kilobyte for each of them: cut what is long.
        """
        return [
            self._table[[token for tokens in self._tokens(text) for token in tokens]]
            for text in as_texts(texts)
        ]

    def _vector(self, text: str) -> Vectors:
        # A sum is enough, for the mean differs from it by a length that is scaled away.
        total = np.zeros(self.dimensions)
        for tokens in self._tokens(text):
            total += self._table[tokens].sum(axis=0, dtype=np.float64)
        return unit(total)

    def _tokens(self, text: str) -> Iterator[list[int]]:
        """The word pieces of a text, a stretch at a time."""
        if text.strip():
            for piece in pieces(clean_text(text)):
                yield self._tokenizer.encode(piece, add_special_tokens=False).ids

    def __repr__(self) -> str:
        """The class has no options."""
        return "StaticEmbedder()"
