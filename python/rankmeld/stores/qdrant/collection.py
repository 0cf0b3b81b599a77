"""A collection from the first question to its label: what it is, what its vectors are, who made it."""

from __future__ import annotations

import functools
import zlib
from collections.abc import Collection as Several
from typing import Any, NamedTuple

from qdrant_client import models

from rankmeld._asking import Ask, Flow
from rankmeld.errors import InvalidArgumentError, StoreError
from rankmeld.stores.labels import Label, check_agreement
from rankmeld.stores.qdrant.conditions import filter_of, having
from rankmeld.stores.qdrant.failures import already_there, failure, is_missing
from rankmeld.stores.qdrant.points import ATTRIBUTES, CREATED, POSITION, WORDS
from rankmeld.stores.qdrant.words import Words

__all__ = ["Collection", "Known"]

#: Key of the collection's metadata, and the form of what is stored.
_MARK = "rankmeld"
_FORMAT = 1

#: What filters and the order of adding ask for.
_INDEXED = {ATTRIBUTES: "keyword", f"{CREATED}.s": "integer", POSITION: "integer"}


class Known(NamedTuple):
    """What a collection says of itself.

    Attributes
    ----------
    there : bool
        Whether it has been made; it is when the first document is added.
    label : Label
        Of the vectors that were written last, whether or not one is left.
    vector : str or None
        The name of these vectors.
    names : frozenset of str
        All names of dense vectors.
    """

    there: bool
    label: Label
    vector: str | None
    names: frozenset[str]


_NOTHING = Known(False, Label(None, None), None, frozenset())


class Collection:
    """A collection, asked through a client that waits or is awaited.

    Parameters
    ----------
    client : QdrantClient or AsyncQdrantClient
        Whose methods give answers, or awaitables of them.
    name : str
        The collection.
    words : Words
        What makes sparse vectors.
    exact : bool
        Whether vectors are searched without an index.
    """

    def __init__(self, client: Any, name: str, *, words: Words, exact: bool) -> None:
        self.client = client
        self.name = name
        self.shown = repr(name)
        self.words = words
        self.exact = exact
        options = getattr(client, "init_options", {})
        self._local = options.get("location") == ":memory:" or options.get("path") is not None

    @property
    def _options(self) -> dict[str, Any]:
        """What words were made with, and have to be made with as long as the collection is there."""
        return {"language": self.words.language, "average_length": self.words.average_length}

    @property
    def search_params(self) -> Any:
        """How vectors are searched; Qdrant's local mode is always exact, and warns where it is told to be."""
        if self._local or not self.exact:
            return None
        return models.SearchParams(exact=True, quantization=models.QuantizationSearchParams(ignore=True))

    def ask(self, method: str, **arguments: Any) -> Flow[Any]:
        """Call a method of the client for this collection."""
        try:
            return (yield self._asked(method, arguments))
        except Exception as error:
            raise failure(self.shown, error) from error

    def _asked(self, method: str, arguments: dict[str, Any]) -> Ask:
        call = functools.partial(getattr(self.client, method), self.name, **arguments)
        return Ask(f"client.{method}", call, ())

    def known(self) -> Flow[Known]:
        """What the collection is now.

        Raises
        ------
        StoreError
            It is not one of this package, a newer one made it, or the client fails.
        """
        try:
            info = yield self._asked("get_collection", {})
        except Exception as error:
            if is_missing(error):
                return _NOTHING
            raise failure(self.shown, error) from error
        marked = (info.config.metadata or {}).get(_MARK)
        if not isinstance(marked, dict) or not isinstance(marked.get("format"), int):
            raise StoreError(
                f"collection {self.shown} was not made by rankmeld, which would not find its way in it; name "
                "another one, or search this one as it is through search_vectors"
            )
        if marked["format"] > _FORMAT:
            raise StoreError(
                f"collection {self.shown} has format {marked['format']}, and this version of rankmeld reads "
                f"up to {_FORMAT}; use a newer rankmeld"
            )
        for option, value in self._options.items():
            if marked.get(option) != value:
                raise InvalidArgumentError(
                    f"{option} is {value!r}, and collection {self.shown} was made with "
                    f"{marked.get(option)!r}; use that, or another collection"
                )
        vectors = info.config.params.vectors
        names = frozenset(vectors) if isinstance(vectors, dict) else frozenset[str]()
        return Known(True, Label(marked.get("model"), marked.get("dimensions")), marked.get("vector"), names)

    def label(self) -> Flow[Label]:
        """The label of the vectors that there are."""
        known = yield from self.known()
        return (yield from self.label_without(known, ()))

    def label_without(self, known: Known, ids: Several[str]) -> Flow[Label]:
        """The label of the vectors of all points but some; of no vectors if there are none."""
        if known.vector is not None:
            wanted = filter_of([having(known.vector)], without=ids)
            counted = yield from self.ask("count", count_filter=wanted, exact=True)
            if counted.count:
                return known.label
        return Label(None, None)

    def claimed(self, known: Known, new: Label | None, ids: Several[str]) -> Flow[Known]:
        """Make the collection ready for points.

        Parameters
        ----------
        known : Known
            What it is now.
        new : Label or None
            Of the vectors to come; ``None``: they have none.
        ids : collection of str
            Points that will be replaced, whose vectors no longer count.
        """
        if new is not None and new != known.label:
            check_agreement((yield from self.label_without(known, ids)), new)
        name = known.vector if new is None else _vector_name(new)
        made = Known(
            True, known.label if new is None else new, name, known.names | ({name} if name else set())
        )
        if not known.there:
            yield from self._make(made)
            return made
        if name is not None and name not in known.names:
            yield from self.ask("create_vector_name", vector_name=name, vector_name_config=_named(made.label))
        if made.label != known.label:
            yield from self.ask("update_collection", metadata=self._marked(made))
        return made

    def _make(self, made: Known) -> Flow[None]:
        dense = {}
        if made.vector is not None:
            dense[made.vector] = models.VectorParams(
                size=made.label.dimensions, distance=models.Distance.COSINE
            )
        arguments = {
            "vectors_config": dense,
            "sparse_vectors_config": {WORDS: models.SparseVectorParams(modifier=models.Modifier.IDF)},
            "metadata": self._marked(made),
        }
        try:
            yield self._asked("create_collection", arguments)
        except Exception as error:
            if already_there(error):
                raise StoreError(
                    f"collection {self.shown} was made by somebody else just now; add the documents again"
                ) from error
            raise failure(self.shown, error) from error
        if not self._local:  # which has no use for them, and says so
            for field, kind in _INDEXED.items():
                yield from self.ask("create_payload_index", field_name=field, field_schema=kind, wait=True)

    def _marked(self, made: Known) -> dict[str, Any]:
        return {
            _MARK: {
                "format": _FORMAT,
                **self._options,
                "model": made.label.model,
                "dimensions": made.label.dimensions,
                "vector": made.vector,
            }
        }


def _vector_name(label: Label) -> str:
    """Vectors of another model or width have another name, so Qdrant itself keeps them apart."""
    model = "" if label.model is None else f"-{zlib.crc32(label.model.encode('utf-8', 'replace')):08x}"
    return f"dense-{label.dimensions}{model}"


def _named(label: Label) -> Any:
    config = models.DenseVectorConfig(size=label.dimensions, distance=models.Distance.COSINE)
    return models.DenseVectorNameConfig(dense=config)
