"""Words of a scale, which are ordered by what they mean."""

from __future__ import annotations

import enum

from rankmeld._options import choose


class Scale(enum.StrEnum):
    """Words from the least to the most, ordered as they stand in the class, not by the alphabet."""

    def _step(self, word: str) -> int:
        words = tuple(member.value for member in type(self))
        return words.index(choose(word, words, f"a {type(self).__name__}"))

    def __lt__(self, other: str) -> bool:
        """Whether it means less."""
        return self._step(self) < self._step(other)

    def __le__(self, other: str) -> bool:
        """Whether it means less, or the same."""
        return self._step(self) <= self._step(other)

    def __gt__(self, other: str) -> bool:
        """Whether it means more."""
        return self._step(self) > self._step(other)

    def __ge__(self, other: str) -> bool:
        """Whether it means more, or the same."""
        return self._step(self) >= self._step(other)
