"""Every query is in one fold, and groups stay whole."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmeld.errors import InvalidArgumentError
from rankmeld.tuning.folds import split


@pytest.mark.hypothesis
@given(st.lists(st.integers(0, 9), min_size=2, max_size=60), st.integers(2, 6), st.integers(0, 5))
def test_folds_hold_every_row_once_and_part_no_group(groups, folds, seed):
    if len(set(groups)) < folds:
        with pytest.raises(InvalidArgumentError, match=f"folds is {folds}"):
            split(groups, folds, seed)
        return
    parts = split(groups, folds, seed)
    assert sorted(np.concatenate(parts).tolist()) == list(range(len(groups)))
    seen = [{groups[row] for row in part} for part in parts]
    assert sum(map(len, seen)) == len(set(groups))
    assert all(len(part) for part in parts)


def test_folds_are_of_one_size_where_queries_are_apart():
    parts = split(range(103), 5, 0)
    assert sorted(map(len, parts)) == [20, 20, 21, 21, 21]
    assert [part.tolist() for part in parts] == [part.tolist() for part in split(range(103), 5, 0)]
    assert [part.tolist() for part in parts] != [part.tolist() for part in split(range(103), 5, 1)]
