"""What a store keeps of itself in one row: counts for BM25, the model of its vectors, its language."""

from __future__ import annotations

from typing import NamedTuple

from rankmeld._asking import Flow
from rankmeld.stores.encoding import decode, encode
from rankmeld.stores.failures import DamagedError
from rankmeld.stores.labels import Label
from rankmeld.stores.postgres.sessions import AnySession

__all__ = ["State", "keep", "locked", "seen"]


class State(NamedTuple):
    """One moment of a store.

    Attributes
    ----------
    documents : int
        How many there are.
    words : int
        How many words they have together.
    vectors : int
        How many of them have a vector.
    last : int
        The position that was given last.
    label : Label
        Of the vectors.
    """

    documents: int
    words: int
    vectors: int
    last: int
    label: Label

    def without(self, documents: int, words: int, vectors: int) -> State:
        """The state once so much is gone; a store without vectors takes those of any model."""
        left = self._replace(
            documents=self.documents - documents, words=self.words - words, vectors=self.vectors - vectors
        )
        return left if left.vectors else left._replace(label=Label(None, None))


_SEEN = "SELECT documents, words, vectors, last, model, dimensions FROM {store}"


def seen(session: AnySession) -> Flow[State]:
    """The state that a transaction sees."""
    return (yield from _read(session, _SEEN))


def locked(session: AnySession) -> Flow[State]:
    """The state once no other writer is at work; none begins before this transaction ends."""
    return (yield from _read(session, _SEEN + " FOR UPDATE"))


def _read(session: AnySession, statement: str) -> Flow[State]:
    rows = yield session.ask(statement)
    if len(rows) != 1:
        raise DamagedError(f"the table of its settings has {len(rows)} rows")
    documents, words, vectors, last, model, dimensions = rows[0]
    try:
        label = Label(None if model is None else str(decode(model)), dimensions)
    except (TypeError, ValueError) as error:
        raise DamagedError(f"the name of its model cannot be read: {error}") from error
    return State(documents, words, vectors, last, label)


def keep(session: AnySession, state: State) -> Flow[None]:
    """Write the state at the end of a transaction that changed it."""
    model = None if state.label.model is None else encode(state.label.model)
    yield session.ask(
        "UPDATE {store} SET documents = %s, words = %s, vectors = %s, last = %s, model = %s, dimensions = %s",
        *state[:4],
        model,
        state.label.dimensions,
    )
