"""Collections of texts in files, one record after the other: read as a stream, copied in part."""

from rankmeld.corpora.deduplication import Deduplication, Outcome
from rankmeld.corpora.formats import Collection, open_collection
from rankmeld.corpora.report import write_report

__all__ = ["Collection", "Deduplication", "Outcome", "open_collection", "write_report"]
