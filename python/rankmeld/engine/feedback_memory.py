"""Feedback that lives as long as the process."""

from __future__ import annotations

import os
import threading
from collections.abc import Hashable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from rankmeld.engine.feedback import Feedback
from rankmeld.engine.feedback_base import KeptFeedback, as_user

__all__ = ["MemoryFeedback"]


class MemoryFeedback(KeptFeedback):
    """Feedback in memory, for tests and for processes that live long.

    Any number of threads may use it, and forked children go on with what was there. It can be
    copied and pickled.

    Examples
    --------
    >>> feedback = MemoryFeedback()
    >>> feedback.add(["m1", "m2"], ["m3"], user_id="ada")
    >>> feedback.add(["m1"], user_id="ada")
    >>> feedback.net(["m1", "m3", "m9"], user_id="ada")
    {'m1': 2, 'm3': -1, 'm9': 0}
    """

    def __init__(self) -> None:
        self._kept: dict[str | None, dict[Hashable, int]] = {}
        self._renew_lock()

    def entries(self) -> list[Feedback]:
        """Everything that is kept, users and documents in the order of their first feedback."""
        with self._locked():
            return [
                Feedback(id, user, net)
                for user, sums in self._kept.items()
                for id, net in sums.items()
                if net
            ]

    def clear(self, user_id: str | None) -> int:
        """Forget all that a user said; gives how many sums that were."""
        user = as_user(user_id)
        with self._locked():
            return sum(net != 0 for net in self._kept.pop(user, {}).values())

    def _change(self, user: str | None, changes: dict[Hashable, int]) -> None:
        with self._locked():
            sums = self._kept.setdefault(user, {})
            # In one step, so that neither an error nor a fork comes between two of them.
            sums.update({id: sums.get(id, 0) + change for id, change in changes.items()})

    def _merge(self, entries: Sequence[Feedback], *, add: bool) -> None:
        with self._locked():
            for entry in entries:
                sums = self._kept.setdefault(entry.user_id, {})
                sums[entry.id] = entry.net + (sums.get(entry.id, 0) if add else 0)

    def _sums(self, user: str | None, ids: Sequence[Hashable]) -> dict[Hashable, int]:
        with self._locked():
            sums = self._kept.get(user, {})
            return {id: sums.get(id, 0) for id in ids}

    def _locked(self) -> AbstractContextManager[Any]:
        """The lock; reentrant, since ids may be objects whose ``__hash__`` asks for feedback."""
        if self._pid != os.getpid():  # the thread that held it may not be in this process
            self._renew_lock()
        return self._lock

    def _renew_lock(self) -> None:
        self._lock, self._pid = threading.RLock(), os.getpid()

    def __getstate__(self) -> dict[str, Any]:
        with self._locked():
            return {"_kept": {user: dict(sums) for user, sums in self._kept.items()}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._kept = state["_kept"]
        self._renew_lock()

    def __repr__(self) -> str:
        """How much is kept."""
        return f"MemoryFeedback({len(self.entries())} sums)"
