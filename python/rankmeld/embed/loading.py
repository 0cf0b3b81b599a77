"""Embedders by name."""

from __future__ import annotations

from rankmeld.embed.minilm import MiniLMEmbedder
from rankmeld.embed.static import StaticEmbedder
from rankmeld.errors import InvalidArgumentError

__all__ = ["available_embedders", "load_embedder"]

#: The embedders that a package ships, the one with the better results first.
_EMBEDDERS: dict[str, type[MiniLMEmbedder | StaticEmbedder]] = {
    "minilm": MiniLMEmbedder,
    "static": StaticEmbedder,
}


def load_embedder(name: str) -> MiniLMEmbedder | StaticEmbedder:
    """Load an embedder by its name, from the files that its extra installed.

    Parameters
    ----------
    name : {"minilm", "static"}
        ``"minilm"`` finds more, ``"static"`` is about a hundred times as fast.

    Returns
    -------
    Embedder
        Ready to use, from many threads as well.

    Raises
    ------
    InvalidArgumentError
        The name is unknown.
    MissingExtraError
        The extra that ships the model is not installed; the message has the install line.

    Examples
    --------
    >>> load_embedder("static").embed_query("boundary layer").shape  # doctest: +SKIP
    (256,)
    """
    if not isinstance(name, str):
        raise TypeError(f"name must be a str, not {type(name).__name__}")
    if name not in _EMBEDDERS:
        allowed = ", ".join(repr(word) for word in _EMBEDDERS)
        raise InvalidArgumentError(f"embedder is {name!r}; it must be one of {allowed}")
    return _EMBEDDERS[name]()


def available_embedders() -> list[str]:
    """Names that `load_embedder` can load here, best first.

    Looks at what is installed and imports nothing of it.

    Returns
    -------
    list of str
        Empty where neither extra is installed.
    """
    return [name for name, embedder in _EMBEDDERS.items() if embedder.is_available()]
