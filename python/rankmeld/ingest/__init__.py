"""From folders to documents: find files, cut them into passages, read records."""

from rankmeld.ingest.files import DEFAULT_MAX_BYTES, SourceFile, SourceKind, digest, discover
from rankmeld.ingest.knowledge import CheckoutGraph, graph_of
from rankmeld.ingest.reading import read_documents

__all__ = [
    "DEFAULT_MAX_BYTES",
    "CheckoutGraph",
    "SourceFile",
    "SourceKind",
    "digest",
    "discover",
    "graph_of",
    "read_documents",
]
