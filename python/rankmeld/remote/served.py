"""The models of a server: what is asked, in which batches, and what the answers mean."""

from __future__ import annotations

from collections.abc import Awaitable, Generator, Mapping, Sequence
from typing import Any, Protocol, SupportsIndex, TypeVar

import numpy as np

from rankmeld._options import as_positive
from rankmeld.embed.base import Vectors, as_text, as_texts
from rankmeld.errors import InvalidArgumentError
from rankmeld.remote.openai_answers import text_of, vectors_of
from rankmeld.text import clean_text, is_blank

__all__ = ["Asked", "ServedChat", "ServedEmbedder", "Server"]

_T = TypeVar("_T")

#: What is asked of a server, path and body; what it answers; what that means.
Asked = Generator[tuple[str, dict[str, Any]], Any, _T]


class Server(Protocol):
    """What drives a flow; see `rankmeld.remote.openai_compatible.ModelServer`."""

    @property
    def name(self) -> str:
        """What messages call it."""

    def answered(self, asked: Asked[_T]) -> _T:
        """Drive a flow, and wait for each answer."""

    def awaited(self, asked: Asked[_T]) -> Awaitable[_T]:
        """Drive a flow, and await each answer."""


class ServedChat:
    """A chat model of a `ModelServer`: a `Chat`, a callable ``prompt -> text``.

    Parameters
    ----------
    server, model, system, options
        As in `ModelServer.chat`.

    Raises
    ------
    RemoteError
        On a call: the server could not be reached, would not answer, or answered without a text.
    OutboundRefusedError
        On a call: the policy does not allow where the server's name leads.
    """

    def __init__(
        self, server: Server, model: str, *, system: str | None, options: Mapping[str, Any] | None
    ) -> None:
        self._server = server
        self._model = _as_model(model)
        self._system = None if system is None else clean_text(as_text(system))
        self._options = _as_options(options, ("model", "messages", "stream", "n"))

    @property
    def model(self) -> str:
        """Name of the model."""
        return self._model

    def __call__(self, prompt: str, /) -> str:
        """Ask, and wait for the text."""
        return self._server.answered(self._asked(prompt))

    async def achat(self, prompt: str, /) -> str:
        """Ask, and await the text."""
        return await self._server.awaited(self._asked(prompt))

    def _asked(self, prompt: str) -> Asked[str]:
        messages = [{"role": "user", "content": clean_text(as_text(prompt))}]
        if self._system is not None:
            messages.insert(0, {"role": "system", "content": self._system})
        answer = yield "/chat/completions", {**self._options, "model": self._model, "messages": messages}
        return text_of(answer, self._server.name)

    def __repr__(self) -> str:
        """Model and server."""
        return f"ServedChat(model={self._model!r}, server={self._server.name!r})"


class ServedEmbedder:
    """An embedding model of a `ModelServer`: an `Embedder`.

    Texts go in batches, composed (NFC) and without lone surrogates; a blank one goes as one space, since
    servers refuse empty texts.

    Parameters
    ----------
    server, model, dimensions, batch_size, options
        As in `ModelServer.embedder`.

    Raises
    ------
    RemoteError
        On a call: the server could not be reached, would not answer, or did not give one finite vector of
        one width for each text. Nothing is returned then, not even the batches before.
    OutboundRefusedError
        On a call: the policy does not allow where the server's name leads.
    """

    def __init__(
        self,
        server: Server,
        model: str,
        *,
        dimensions: int | None,
        batch_size: SupportsIndex,
        options: Mapping[str, Any] | None,
    ) -> None:
        self._server = server
        self._model = _as_model(model)
        self._width = None if dimensions is None else as_positive(dimensions, "dimensions")
        self._batch_size = as_positive(batch_size, "batch_size")
        self._options = _as_options(options, ("model", "input", "dimensions", "encoding_format"))
        if self._width is not None:
            self._options["dimensions"] = self._width

    @property
    def model(self) -> str:
        """Name of the model."""
        return self._model

    @property
    def dimensions(self) -> int:
        """Width of a vector; embeds one word to learn it where no call has shown it yet."""
        known = self._width
        return self(["width"]).shape[1] if known is None else known

    def __call__(self, texts: Sequence[str], /) -> Vectors:
        """Embed documents: an array of shape (N, D); (0, D) for none, D being 0 while unknown."""
        return self._kept(self._server.answered(self._asked(as_texts(texts))))

    async def aembed(self, texts: Sequence[str], /) -> Vectors:
        """As the call, for tasks."""
        return self._kept(await self._server.awaited(self._asked(as_texts(texts))))

    def embed_query(self, text: str, /) -> Vectors:
        """Embed one query: an array of shape (D,)."""
        row: Vectors = self([as_text(text)])[0]
        return row

    async def aembed_query(self, text: str, /) -> Vectors:
        """As `embed_query`, for tasks."""
        row: Vectors = (await self.aembed([as_text(text)]))[0]
        return row

    def _asked(self, texts: list[str]) -> Asked[Vectors]:
        width, parts = self._width, []
        for start in range(0, len(texts), self._batch_size):
            some = [
                " " if is_blank(text) else clean_text(text)
                for text in texts[start : start + self._batch_size]
            ]
            answer = yield (
                "/embeddings",
                {**self._options, "model": self._model, "input": some, "encoding_format": "base64"},
            )
            parts.append(vectors_of(answer, len(some), width, self._server.name))
            width = parts[0].shape[1]
        return np.concatenate(parts) if parts else np.empty((0, width or 0), np.float32)

    def _kept(self, vectors: Vectors) -> Vectors:
        if len(vectors):
            self._width = vectors.shape[1]
        return vectors

    def __repr__(self) -> str:
        """Model and server."""
        return f"ServedEmbedder(model={self._model!r}, server={self._server.name!r})"


def _as_model(model: str) -> str:
    if not isinstance(model, str):
        raise TypeError(f"model must be a str, not {type(model).__name__}")
    if is_blank(model):
        raise InvalidArgumentError("model is blank; write its name on the server")
    return model


def _as_options(options: Mapping[str, Any] | None, taken: tuple[str, ...]) -> dict[str, Any]:
    """Further fields of a request, none of which is set otherwise."""
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise TypeError(f"options must be a mapping of fields, not {type(options).__name__}")
    for name in taken:
        if name in options:
            raise InvalidArgumentError(f"options has {name!r}, which is not set there")
    return dict(options)
