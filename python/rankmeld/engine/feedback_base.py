"""What all stores of feedback share: how they are asked, and what they refuse."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any, Literal

from rankmeld._options import choose
from rankmeld.document import as_id
from rankmeld.engine.feedback import Feedback

__all__ = ["KeptFeedback"]


class KeptFeedback(ABC):
    """Sums of feedback per document and user, wherever they are kept."""

    def add(
        self,
        useful_ids: Iterable[Hashable] = (),
        harmful_ids: Iterable[Hashable] = (),
        *,
        user_id: str | None,
    ) -> None:
        """Count 1 for each useful id and -1 for each harmful one; all of them or, on an error, none.

        Parameters
        ----------
        useful_ids, harmful_ids : iterable of Hashable
            Ids of documents. One that is there twice counts twice.
        user_id : str or None
            Whose feedback it is; ``None`` is nobody in particular.

        Raises
        ------
        TypeError, InvalidArgumentError
            Something is no list of ids, or no id, or `user_id` is no str.
        """
        user = as_user(user_id)
        changes: dict[Hashable, int] = {}
        for name, ids, step in (("useful_ids", useful_ids, 1), ("harmful_ids", harmful_ids, -1)):
            for id in as_ids(ids, name):
                changes[id] = changes.get(id, 0) + step
        self._change(user, changes)

    def net(self, ids: Iterable[Hashable], *, user_id: str | None) -> dict[Hashable, int]:
        """How many more times each document was called useful than harmful.

        Parameters
        ----------
        ids : iterable of Hashable
            Ids of documents.
        user_id : str or None
            Whose feedback counts.

        Returns
        -------
        dict
            From each id, in the order asked, to its sum; 0 without feedback. Nothing is clamped here; see
            `feedback_factor`.
        """
        user = as_user(user_id)
        return self._sums(user, list(dict.fromkeys(as_ids(ids, "ids"))))

    @abstractmethod
    def entries(self) -> list[Feedback]:
        """Everything that is kept.

        Returns
        -------
        list of Feedback
            Sums that are not 0.
        """

    @abstractmethod
    def clear(self, user_id: str | None) -> int:
        """Forget all that a user said.

        Parameters
        ----------
        user_id : str or None
            The user; ``None`` is nobody in particular, not everybody.

        Returns
        -------
        int
            How many sums were forgotten.
        """

    def export(self) -> Iterator[str]:
        r"""All sums as lines of JSON, for a file or another store.

        Returns
        -------
        iterator of str
            ``{"user":"ada","id":"m1","net":2}`` and so on, of one moment, without line breaks. Ids that JSON
            has no word for are tagged: ``{"tuple":[1,"a"]}``.

        Raises
        ------
        TypeError, InvalidArgumentError
            An id is of a kind that no store takes.

        Examples
        --------
        >>> import rankmeld as rm
        >>> feedback = rm.MemoryFeedback()
        >>> feedback.add(["m1"], user_id="ada")
        >>> print(*feedback.export(), sep="\n")
        {"user":"ada","id":"m1","net":1}
        """
        from rankmeld.engine.feedback_lines import write_lines  # noqa: PLC0415 - few export

        return write_lines(self.entries())

    def import_(self, lines: Iterable[str], *, existing: Literal["replace", "add"] = "replace") -> int:
        """Bring in what `export` gave; all of it or, on an error, nothing.

        Parameters
        ----------
        lines : iterable of str
            The lines, such as those of an open file.
        existing : {"replace", "add"}, default "replace"
            What becomes of a sum that is here already. Replaced, a second import of the same lines
            changes nothing; added to, the feedback of two stores becomes that of one.

        Returns
        -------
        int
            How many sums came.

        Raises
        ------
        FormatError
            A line is not what `export` writes; the message names file and line.
        """
        from rankmeld.engine.feedback_lines import read_lines  # noqa: PLC0415 - few import

        add = choose(existing, ("replace", "add"), "existing") == "add"
        if isinstance(lines, str | bytes):
            raise TypeError("lines must be an iterable of str, not a path or one str; pass open(path)")
        entries = read_lines(lines)
        self._merge(entries, add=add)
        return len(entries)

    @abstractmethod
    def _change(self, user: str | None, changes: dict[Hashable, int]) -> None:
        """Add to sums; all or nothing."""

    @abstractmethod
    def _merge(self, entries: Sequence[Feedback], *, add: bool) -> None:
        """Set sums, or add to them; all or nothing."""

    @abstractmethod
    def _sums(self, user: str | None, ids: Sequence[Hashable]) -> dict[Hashable, int]:
        """The sum of each id, 0 included."""


def as_ids(ids: Any, name: str) -> list[Hashable]:
    """Several ids; one alone is the common slip."""
    if isinstance(ids, str | bytes) or not isinstance(ids, Iterable):
        raise TypeError(f"{name} must be an iterable of ids, not {type(ids).__name__}; one id goes as [id]")
    return [as_id(id, f"{name}[{place}]") for place, id in enumerate(ids)]


def as_user(user_id: Any) -> str | None:
    """A user's name as a plain str, or nobody in particular."""
    if user_id is None:
        return None
    if not isinstance(user_id, str):
        raise TypeError(f"user_id must be a str or None, not {type(user_id).__name__}; pass str(user_id)")
    return str.__str__(user_id)  # an enum's own says its name
