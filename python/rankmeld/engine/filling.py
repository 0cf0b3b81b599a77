"""How many hits fit into a text: whole texts are counted, few of them."""

from __future__ import annotations

import inspect
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Literal

import numpy as np

from rankmeld.engine.blocks import Order, block, sequence
from rankmeld.errors import InvalidArgumentError
from rankmeld.types import Hit

__all__ = ["Draft", "Layout", "Reason", "characters_by_four"]

#: Why a hit is not in a context.
Reason = Literal["too_long", "after_stop", "no_text"]

#: What parts header, blocks and footer: one blank line.
_GAP = "\n\n"

#: Of the default count, and where nothing has been counted yet.
_CHARACTERS_PER_TOKEN = 4

#: How often the characters are believed before every other guess is a halving.
_GUESSES = 4


def characters_by_four(text: str) -> int:
    """Four characters a token, rounded up: about what English text has."""
    return -(-len(text) // _CHARACTERS_PER_TOKEN)


@dataclass(frozen=True, slots=True)
class Layout:
    """What a text must keep to.

    Attributes
    ----------
    budget : int
        The most that the whole text may count.
    count : callable
        ``count(text) -> int``.
    stop : bool
        Whether the first hit that does not fit ends the text.
    header, footer : str
        Its first and last line; may be empty.
    order : str or callable
        How hits stand in it.
    """

    budget: int
    count: Callable[[str], int]
    stop: bool
    header: str
    footer: str
    order: Order


class Draft:
    """One ranking on its way into a text."""

    def __init__(self, hits: list[Hit], layout: Layout) -> None:
        self.hits = hits
        self._layout = layout
        self._blocks = [block(hit.document) for hit in hits]
        self._ranks = sequence(hits, layout.order)
        self._candidates = [place for place, one in enumerate(self._blocks) if one is not None]
        #: The characters of the candidates up to each.
        self._lengths = list(
            accumulate((len(self._blocks[place] or "") + len(_GAP) for place in self._candidates), initial=0)
        )
        self._ratio = float(_CHARACTERS_PER_TOKEN)
        #: The longest text that was found to fit, and its tokens.
        self.text, self.tokens = "", 0

    def fill(self) -> tuple[list[int], dict[int, int]]:
        """Choose hits; those that did not fit are given with the count of the text with them."""
        chosen: list[int] = []
        missed: dict[int, int] = {}
        start = 0
        while start < len(self._candidates):
            fitting, tokens = self._run(chosen, start)
            chosen += self._candidates[start : start + fitting]
            start += fitting
            if tokens is None:
                break
            missed[self._candidates[start]] = tokens
            if self._layout.stop:
                break
            start += 1
        return chosen, missed

    def reason(self, place: int, missed: dict[int, int]) -> Reason:
        """Why a hit is not in the text."""
        if self._blocks[place] is None:
            return "no_text"
        return "too_long" if place in missed else "after_stop"

    def places(self, places: Sequence[int]) -> list[int]:
        """Where in the text each of these hits stands."""
        standing = {place: rank for rank, place in enumerate(self._in_order(places))}
        return [standing[place] for place in places]

    def _run(self, chosen: list[int], start: int) -> tuple[int, int | None]:
        """How many candidates from `start` on can follow, one after the other, and what the next would count.

        Between a number that fits and one that does not, the next guess is where the characters
        say that the budget ends; should they mislead, every other guess halves what is left.
        """
        taken = len(self._render(chosen)) - self._lengths[start]
        fits, fails, tokens, guesses = 0, len(self._candidates) - start + 1, None, 0
        while fails - fits > 1:
            if guesses < _GUESSES or guesses % 2:
                room = self._ratio * self._layout.budget - taken
                guess = bisect_right(self._lengths, room) - 1 - start
            else:
                guess = (fits + fails) // 2
            guess = min(max(guess, fits + 1), fails - 1)
            text = self._render([*chosen, *self._candidates[start : start + guess]])
            count = self._count(text)
            if count <= self._layout.budget:
                fits, self.text, self.tokens = guess, text, count
            else:
                fails, tokens = guess, count
            self._ratio = len(text) / max(count, 1)
            guesses += 1
        return fits, tokens

    def _count(self, text: str) -> int:
        return _as_count(self._layout.count(text))

    def _in_order(self, places: Sequence[int]) -> list[int]:
        return sorted(places, key=self._ranks.__getitem__)

    def _render(self, places: Sequence[int]) -> str:
        blocks = [self._blocks[place] or "" for place in self._in_order(places)]
        parts = [self._layout.header, *blocks, self._layout.footer]
        return _GAP.join([part for part in parts if part])


def _as_count(tokens: Any) -> int:
    """What a counter gave, if it is a count."""
    wanted = "count_tokens must give the number of tokens of a text, an integer of 0 or more"
    if isinstance(tokens, bool | np.bool_) or not hasattr(tokens, "__index__"):
        hint = "; wrap it to give len(...)" if hasattr(tokens, "__len__") else ""
        if inspect.iscoroutine(tokens):
            tokens.close()  # or Python warns that it was never awaited
            hint = ", and is not awaited; pass a plain function"
        raise TypeError(f"{wanted}; it gave a {type(tokens).__name__}{hint}")
    count = int(tokens.__index__())
    if count < 0:
        raise InvalidArgumentError(f"{wanted}; it gave {count}")
    return count
