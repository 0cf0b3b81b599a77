"""Texts to vectors on this machine, with models that packages ship.

Importing this package imports no model and no runtime; `load_embedder` does.
"""

from rankmeld.embed.base import CallableEmbedder, as_embedder
from rankmeld.embed.loading import available_embedders, load_embedder
from rankmeld.embed.minilm import MiniLMEmbedder
from rankmeld.embed.static import StaticEmbedder
from rankmeld.types import Embedder

__all__ = [
    "CallableEmbedder",
    "Embedder",
    "MiniLMEmbedder",
    "StaticEmbedder",
    "as_embedder",
    "available_embedders",
    "load_embedder",
]
