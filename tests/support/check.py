"""Comparisons that several tests need."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import rankmeld as rm

Pairs = list[tuple[Any, float]]


def fused(ranking: rm.Ranking) -> Pairs:
    """`(id, score)` of each hit, as plain Python values."""
    return [(hit.id, hit.score) for hit in ranking]


def outcome(call: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """What a call gives, or the built-in kind of its refusal."""
    try:
        return call(*args, **options)
    except TypeError:
        return TypeError
    except ValueError:
        return ValueError


def same_ids(found: Sequence[tuple[Any, Any]], expected: Sequence[tuple[Any, Any]]) -> bool:
    """Equal ids of one type: the one that came first, not another that compares equal."""
    return all(type(a) is type(b) and a == b for (a, _), (b, _) in zip(found, expected, strict=True))
