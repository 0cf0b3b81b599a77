"""Inputs for the properties: ids that collide, scores of every size, rankings of both."""

from __future__ import annotations

import uuid

from hypothesis import strategies as st

#: Few ids, so that lists overlap. `1`, `1.0` and `True` are one id, `"1"` is another.
ODD_IDS = (
    "a",
    "b",
    "c",
    "",
    "é",
    "e\u0301",
    "1",
    0,
    1,
    1.0,
    True,
    -1,
    2.5,
    10**30,
    b"a",
    (1, 2),
    (1, 2.0),
    uuid.UUID(int=1),
    None,
    frozenset({1}),
)

odd_ids = st.sampled_from(ODD_IDS)
plain_ids = st.sampled_from("abcdefghij")
ordinary_scores = st.floats(-100, 100).map(lambda x: round(x, 3))
#: Subnormal to the largest, either sign.
any_scores = st.floats(allow_nan=False, allow_infinity=False)
weights = st.one_of(st.none(), st.just(0.0), st.floats(1e-3, 1e3))


def pairs(
    ids: st.SearchStrategy[object],
    scores: st.SearchStrategy[float],
    *,
    max_size: int = 8,
    unique: bool = False,
) -> st.SearchStrategy[list[tuple[object, float]]]:
    """One ranking as a list of `(id, score)`; an id may repeat unless `unique`."""
    by = (lambda hit: hit[0]) if unique else None
    return st.lists(st.tuples(ids, scores), max_size=max_size, unique_by=by)


def rankings(
    ids: st.SearchStrategy[object] = odd_ids,
    scores: st.SearchStrategy[float] = ordinary_scores,
    *,
    max_lists: int = 4,
    max_size: int = 8,
    unique: bool = False,
) -> st.SearchStrategy[list[list[tuple[object, float]]]]:
    return st.lists(pairs(ids, scores, max_size=max_size, unique=unique), max_size=max_lists)


@st.composite
def weighed(draw: st.DrawFn, lists: st.SearchStrategy[list[list[tuple[object, float]]]]):
    """Rankings and one weight for each, or no weights at all."""
    given = draw(lists)
    return given, draw(st.one_of(st.none(), st.tuples(*[weights] * len(given)).map(list)))
