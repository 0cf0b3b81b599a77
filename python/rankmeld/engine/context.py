"""From a ranking to the text that a model reads: as much of it as a budget of tokens allows."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Any, Literal, SupportsIndex

from rankmeld._options import as_integer, choose
from rankmeld.engine.blocks import Order, as_order, plain
from rankmeld.engine.filling import Draft, Layout, Reason, characters_by_four
from rankmeld.errors import InvalidArgumentError
from rankmeld.ranking import Ranking
from rankmeld.types import Hit

__all__ = ["Context", "ContextAssembler", "Skipped"]

_FILLS = ("stop", "skip")


@dataclass(frozen=True, slots=True)
class Skipped:
    """A hit that is not in a context.

    Attributes
    ----------
    hit : Hit
        The hit.
    reason : {"too_long", "after_stop", "no_text"}
        With it, the text would not fit; it comes after one that did not fit, and ``fill`` is
        ``"stop"``; it has no document, or one without a text.
    tokens : int or None
        Of one that is too long, how many tokens the text would have had with it.

    Examples
    --------
    >>> print(Skipped(Hit("m7"), "too_long", 2140))
    'm7': too long (2140 tokens with it)
    """

    hit: Hit
    reason: Reason
    tokens: int | None = None

    @property
    def id(self) -> Hashable:
        """The hit's id."""
        return self.hit.id

    def __str__(self) -> str:
        """One line for people."""
        needed = "" if self.tokens is None else f" ({self.tokens} tokens with it)"
        return f"{self.id!r}: {self.reason.replace('_', ' ')}{needed}"


@dataclass(frozen=True, slots=True)
class Context:
    """What a model gets to read, and what it does not.

    Attributes
    ----------
    included : Ranking
        The hits that are in the text, best first, whatever the order in which they stand there.
    skipped : tuple of Skipped
        All others, best first, each with the reason.
    text : str
        Header, blocks and footer; empty if no hit is in it.
    tokens : int
        How many tokens the text has; 0 for the empty one.
    budget : int
        How many it could have had.

    Examples
    --------
    >>> import rankmeld as rm
    >>> hits = [("m1", 0.9, rm.Document("m1", "The key is under the mat.")), ("m2", 0.5)]
    >>> context = rm.ContextAssembler(header="<memories>", footer="</memories>").select(hits)
    >>> print(context)
    <memories>
    <BLANKLINE>
    The key is under the mat.
    <BLANKLINE>
    </memories>
    >>> context.tokens, [str(one) for one in context.skipped]
    (13, ["'m2': no text"])
    """

    included: Ranking
    skipped: tuple[Skipped, ...]
    text: str
    tokens: int
    budget: int

    def __str__(self) -> str:
        """The text."""
        return self.text

    def __bool__(self) -> bool:
        """Whether there is a text."""
        return bool(self.text)

    def to_dict(self) -> dict[str, Any]:
        """The text with a manifest of what is in it and what was left out, without the documents.

        Returns
        -------
        dict
            ``text``, ``tokens``, ``budget``, ``included`` (ids), ``skipped`` (each with ``id``,
            ``reason``, ``tokens``); plain values as far as ids are.
        """
        return {
            "text": self.text,
            "tokens": self.tokens,
            "budget": self.budget,
            "included": self.included.ids,
            "skipped": [{"id": one.id, "reason": one.reason, "tokens": one.tokens} for one in self.skipped],
        }


class ContextAssembler:
    """Puts the best hits of a ranking into one text that keeps a budget of tokens.

    Hits come in by rank, whole or not at all. A block is a line with the moment of ``created_at`` and the
    confidence, where they are known, and the text, after ``[verify live]`` if it is volatile.

    Parameters
    ----------
    max_tokens : int, default 2000
        The most that the whole text counts, header, footer and blank lines included; not negative.
    count_tokens : callable, optional
        ``count_tokens(text) -> int``. By default a token is four characters, rounded up. A model's own
        tokenizer counts what that model will read; let it read marks like ``<|endoftext|>`` as
        ordinary text, since documents may contain them.
    fill : {"stop", "skip"}, default "stop"
        At the first hit that does not fit: end there, or go on to hits that do fit. With ``"stop"``
        nothing worse is shown in place of something better.
    header, footer : str
        The first and the last line; ``""`` for none.
    order : {"ranking", "time", "source"} or callable, default "ranking"
        How the chosen hits stand in the text: best first; oldest first, as in a conversation, those
        without ``created_at`` last; passages of one source (``parent_id``) together, in the order of
        their ``metadata["line"]``, sources in the order of their best passages. Or
        ``order(hit) -> key`` to sort by. Which hits are chosen goes by rank in every case.

    Raises
    ------
    TypeError, InvalidArgumentError
        An option is of the wrong kind or not allowed.

    Notes
    -----
    What is counted is always the whole text as it will be given, so the budget holds for any
    counter, one that merges over the borders of blocks or counts a longer text less included. Under
    ``"stop"``, the included hits are such that they fit and that with the next one they would not;
    for a counter by which a longer text never counts less, there is one such choice. It is found
    with O(log n) counts (mostly four) of texts of about the budget's length. ``"skip"`` costs one more
    count for each hit that is left out.

    Examples
    --------
    >>> import rankmeld as rm
    >>> hits = [
    ...     ("m2", 0.9, rm.Document("m2", "The mat was moved.", created_at="2024-05-02", confidence=0.8)),
    ...     ("m1", 0.7, rm.Document("m1", "The key is under the mat.", created_at="2024-05-01")),
    ... ]
    >>> print(rm.ContextAssembler(order="time").assemble(hits))
    === RELEVANT MEMORIES ===
    <BLANKLINE>
    [2024-05-01T00:00:00Z]
    The key is under the mat.
    <BLANKLINE>
    [2024-05-02T00:00:00Z] (confidence: 0.80)
    The mat was moved.
    <BLANKLINE>
    === END MEMORIES ===
    """

    def __init__(
        self,
        *,
        max_tokens: SupportsIndex = 2000,
        count_tokens: Callable[[str], int] | None = None,
        fill: Literal["stop", "skip"] = "stop",
        header: str = "=== RELEVANT MEMORIES ===",
        footer: str = "=== END MEMORIES ===",
        order: Order = "ranking",
    ) -> None:
        if count_tokens is not None and not callable(count_tokens):
            raise TypeError(f"count_tokens must be a callable text -> int, not {type(count_tokens).__name__}")
        self._layout = Layout(
            budget=_as_budget(max_tokens),
            count=characters_by_four if count_tokens is None else count_tokens,
            stop=choose(fill, _FILLS, "fill") == "stop",
            header=_as_line(header, "header"),
            footer=_as_line(footer, "footer"),
            order=as_order(order),
        )

    @property
    def max_tokens(self) -> int:
        """The budget."""
        return self._layout.budget

    @property
    def _asks_others(self) -> bool:
        """Whether code of the caller's counts or orders, which may take its time."""
        return self._layout.count is not characters_by_four or callable(self._layout.order)

    def with_budget(self, max_tokens: SupportsIndex) -> ContextAssembler:
        """The same assembler with another budget.

        Parameters
        ----------
        max_tokens : int
            The budget; not negative.

        Returns
        -------
        ContextAssembler
            A new one; this one stays as it is.
        """
        made = copy.copy(self)
        made._layout = replace(self._layout, budget=_as_budget(max_tokens))
        return made

    def assemble(self, ranking: Any) -> str:
        """The text alone; see `select`.

        Parameters
        ----------
        ranking : ranking
            With documents; see `Ranking`.

        Returns
        -------
        str
            Empty if nothing fits.
        """
        return self.select(ranking).text

    def select(self, ranking: Any) -> Context:
        """Choose the hits that fit, and put them into a text.

        Parameters
        ----------
        ranking : ranking
            With documents; see `Ranking`. Scores play no part.

        Returns
        -------
        Context
            The text, what is in it, and what was left out and why.

        Raises
        ------
        TypeError, InvalidArgumentError
            `ranking` is none, or `count_tokens` gave something that is no count. What it raises
            itself goes to the caller.
        """
        given = ranking if isinstance(ranking, Ranking) else Ranking(ranking)
        draft = Draft(list(given), self._layout)
        included, missed = draft.fill()
        inside = set(included)
        return Context(
            included=given._step(
                included,
                None if given.scores is None else given.scores[included],
                "context",
                {"place_in_text": draft.places(included)},
            ),
            skipped=tuple(
                Skipped(hit, draft.reason(place, missed), missed.get(place))
                for place, hit in enumerate(draft.hits)
                if place not in inside
            ),
            text=draft.text,
            tokens=draft.tokens,
            budget=self._layout.budget,
        )

    def __repr__(self) -> str:
        """The options that differ from the defaults."""
        layout = self._layout
        shown = [f"max_tokens={layout.budget}"]
        if layout.count is not characters_by_four:
            shown.append(f"count_tokens={layout.count!r}")
        if not layout.stop:
            shown.append("fill='skip'")
        if layout.order != "ranking":
            shown.append(f"order={layout.order!r}")
        return f"ContextAssembler({', '.join(shown)})"


def _as_budget(max_tokens: SupportsIndex) -> int:
    budget = as_integer(max_tokens, "max_tokens")
    if budget < 0:
        raise InvalidArgumentError(f"max_tokens is {budget}; it must be 0 or more")
    return min(budget, sys.maxsize)  # no text is longer


def _as_line(text: str, name: str) -> str:
    if not isinstance(text, str):
        raise TypeError(f"{name} must be a str, not {type(text).__name__}; '' for none")
    return plain(text)
