"""What both stores take, checked before anything is asked."""

from __future__ import annotations

import inspect
import math
from typing import TYPE_CHECKING, Any

from rankmeld._options import as_number
from rankmeld.errors import InvalidArgumentError, MissingExtraError
from rankmeld.stores.qdrant.words import Words
from rankmeld.stores.stems import as_language

if TYPE_CHECKING:
    from rankmeld.stores.qdrant.operations import Operations

__all__ = ["opened"]

_METHODS = ("get_collection", "query_points", "upsert", "retrieve")


def opened(
    client: Any,
    collection: str,
    *,
    exact: bool,
    language: str | None,
    average_length: float,
    awaited: bool,
) -> Operations:
    """Read the arguments of a store; nothing is asked of the client.

    Parameters
    ----------
    client, collection, exact, language, average_length
        As the stores take them.
    awaited : bool
        Whether the client is one that is awaited.

    Raises
    ------
    MissingExtraError
        qdrant-client is not installed.
    TypeError, InvalidArgumentError
        An argument is of the wrong kind, or empty.
    """
    try:
        from rankmeld.stores.qdrant.collection import Collection  # noqa: PLC0415 - qdrant-client is an extra
        from rankmeld.stores.qdrant.operations import Operations  # noqa: PLC0415 - as above
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "qdrant_client":
            raise
        raise MissingExtraError.for_extra("qdrant", "a store in Qdrant") from error
    kind, which, other = (
        ("AsyncQdrantClient", "an", "QdrantStore") if awaited else ("QdrantClient", "a", "AsyncQdrantStore")
    )
    if isinstance(client, type) or not all(callable(getattr(client, name, None)) for name in _METHODS):
        given = f"the class {client.__name__}" if isinstance(client, type) else type(client).__name__
        raise TypeError(f"client must be {which} {kind}, not {given}; make one with {kind}(url=...)")
    if inspect.iscoroutinefunction(client.query_points) is not awaited:
        raise TypeError(f"client must be {which} {kind}, not {type(client).__name__}, which {other} takes")
    if not isinstance(collection, str):
        raise TypeError(f"collection must be a str, not {type(collection).__name__}")
    if not collection:
        raise InvalidArgumentError("collection is empty; name the collection of the store")
    of_language, length = as_language(language), as_number(average_length, "average_length")
    if not length > 0 or math.isinf(length):
        raise InvalidArgumentError(f"average_length is {length}; it must be above 0")
    if not isinstance(exact, bool):
        raise TypeError(f"exact must be True or False, not {type(exact).__name__}")
    words = Words(of_language, length)
    return Operations(Collection(client, str.__str__(collection), words=words, exact=exact))
