"""What is wrong with options, word for word: which, what came, what is wanted."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable
from typing import Any

import pytest

import rankmeld as rm

NAN = math.nan
NOW = dt.datetime(2024, 3, 1, tzinfo=dt.UTC)
ONE = [("a", 2.0), ("b", 1.0)]
TWO = [ONE, [("b", 9.0), ("c", 8.0)]]
NAMED = [rm.Source("dense", ONE), rm.Source("lexical", ONE)]

#: The call, its exception, and the whole text.
ROWS: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "too few weights": (
        lambda: rm.rrf(TWO, weights=[1.0]),
        rm.InvalidArgumentError,
        "weights has 1 entries for 2 rankings; give exactly one for each (None is 1)",
    ),
    "negative weight": (
        lambda: rm.rrf(TWO, weights=[1.0, -1.0]),
        rm.InvalidArgumentError,
        "weights[1] is -1.0; it must be finite and not negative",
    ),
    "NaN weight": (
        lambda: rm.rrf(TWO, weights=[NAN, 1.0]),
        rm.InvalidArgumentError,
        "weights[0] is nan; it must be finite and not negative",
    ),
    "negative weight by name": (
        lambda: rm.rrf(NAMED, weights={"lexical": -1.0}),
        rm.InvalidArgumentError,
        "weights['lexical'] is -1.0; it must be finite and not negative",
    ),
    "weight for an unknown name": (
        lambda: rm.rrf(NAMED, weights={"Lexical": 2.0}),
        rm.InvalidArgumentError,
        (
            "weights has the name 'Lexical', which no ranking bears (names: 'dense', 'lexical'); name"
            " rankings with rankmeld.Source"
        ),
    ),
    "weight of the wrong kind": (
        lambda: rm.rrf(TWO, weights=[1.0, "2"]),
        TypeError,
        "weights[1] must be a number, not str",
    ),
    "bool as a weight": (
        lambda: rm.rrf(TWO, weights=[1.0, True]),
        TypeError,
        "weights[1] must be a number, not bool",
    ),
    "string as weights": (
        lambda: rm.rrf(TWO, weights="11"),
        TypeError,
        "weights must be a sequence with one number per ranking, or a mapping by name, not str",
    ),
    "weight of a source": (
        lambda: rm.Source("dense", ONE, weight=-0.5),
        rm.InvalidArgumentError,
        "weight of source 'dense' is -0.5; it must be finite and not negative",
    ),
    "kind of a source": (
        lambda: rm.Source("dense", ONE, kind="nodes"),
        rm.InvalidArgumentError,
        "kind of source 'dense' is 'nodes'; it must be one of 'chunk', 'node', 'edge'",
    ),
    "negative limit": (
        lambda: rm.rrf(TWO, limit=-1),
        rm.InvalidArgumentError,
        "limit is -1; it must be 0 or more, or None for all",
    ),
    "float limit": (
        lambda: rm.rrf(TWO, limit=2.0),
        TypeError,
        "limit must be an integer or None, not float",
    ),
    "bool limit": (
        lambda: rm.rrf(TWO, limit=True),
        TypeError,
        "limit must be an integer or None, not bool",
    ),
    "string limit": (
        lambda: rm.rrf(TWO, limit="2"),
        TypeError,
        "limit must be an integer or None, not str",
    ),
    "unknown duplicates": (
        lambda: rm.rrf(TWO, duplicates="best"),
        rm.InvalidArgumentError,
        "duplicates is 'best'; it must be one of 'first', 'sum', 'last', 'overwrite', 'error'",
    ),
    "unknown ties": (
        lambda: rm.rrf(TWO, ties="random"),
        rm.InvalidArgumentError,
        "ties is 'random'; it must be one of 'first', 'id_asc', 'id_desc'",
    ),
    "unknown normalize": (
        lambda: rm.fuse_scores(TWO, normalize="softmax"),
        rm.InvalidArgumentError,
        (
            "normalize is 'softmax'; it must be one of 'minmax', 'max', 'sum', 'zscore', 'dbsf', "
            "'rank', 'borda', 'none'"
        ),
    ),
    "unknown combine": (
        lambda: rm.fuse_scores(TWO, combine="avg"),
        rm.InvalidArgumentError,
        "combine is 'avg'; it must be one of 'sum', 'mnz', 'anz', 'max', 'min', 'median'",
    ),
    "unknown duplicates of scores": (
        lambda: rm.fuse_scores(TWO, duplicates="last"),
        rm.InvalidArgumentError,
        "duplicates is 'last'; it must be one of 'sum', 'first', 'error'",
    ),
    "unknown method": (
        lambda: rm.fuse_ranks(TWO, method="best"),
        rm.InvalidArgumentError,
        (
            "method is 'best'; it must be one of 'isr', 'log_isr', 'logn_isr', 'borda', 'rbc', "
            "'condorcet', 'rrf'"
        ),
    ),
    "unknown preset": (
        lambda: rm.rrf_preset("solr"),
        rm.InvalidArgumentError,
        (
            "name is 'solr'; it must be one of 'textbook', 'elasticsearch', 'opensearch', 'milvus', "
            "'lancedb', 'ranx', 'langchain', 'llama_index', 'weaviate', 'haystack', 'qdrant', 'steep'"
        ),
    ),
    "unknown curve": (
        lambda: rm.time_decay(ONE, now=NOW, curve="linear"),
        rm.InvalidArgumentError,
        "curve is 'linear'; it must be one of 'exponential', 'hyperbolic'",
    ),
    "word of the wrong kind": (
        lambda: rm.rrf(TWO, ties=1),
        TypeError,
        "ties must be one of 'first', 'id_asc', 'id_desc', not int",
    ),
    "unknown keyword": (
        lambda: rm.rrf(TWO, kk=60),
        TypeError,
        "rrf() got an unexpected keyword argument 'kk'",
    ),
    "option without its method": (
        lambda: rm.fuse_ranks(TWO, method="isr", phi=0.5),
        rm.InvalidArgumentError,
        "phi is 0.5, but method 'isr' has no use for it",
    ),
    "k is NaN": (
        lambda: rm.rrf(TWO, k=NAN),
        rm.InvalidArgumentError,
        "k is nan; it must be finite",
    ),
    "k of the wrong kind": (
        lambda: rm.rrf(TWO, k="60"),
        TypeError,
        "k must be a number, not str",
    ),
    "k plus rank_base": (
        lambda: rm.rrf(TWO, k=0, rank_base=0),
        rm.InvalidArgumentError,
        "k + rank_base is 0.0 + 0; it must be above zero, or the first rank has no credit",
    ),
    "rank_base of the wrong kind": (
        lambda: rm.rrf(TWO, rank_base=0.5),
        TypeError,
        "rank_base must be an integer, not float",
    ),
    "alpha too large": (
        lambda: rm.convex(*TWO, alpha=1.5),
        rm.InvalidArgumentError,
        "alpha is 1.5; it must lie within 0 and 1",
    ),
    "alpha of the wrong kind": (
        lambda: rm.convex(*TWO, alpha="0.5"),
        TypeError,
        "alpha must be a number, not str",
    ),
    "phi out of range": (
        lambda: rm.fuse_ranks(TWO, method="rbc", phi=1.5),
        rm.InvalidArgumentError,
        "phi is 1.5; it must lie within 0 and 1",
    ),
    "on_constant is NaN": (
        lambda: rm.fuse_scores(TWO, on_constant=NAN),
        rm.InvalidArgumentError,
        "on_constant is nan; it must be finite",
    ),
    "on_constant without an effect": (
        lambda: rm.fuse_scores(TWO, normalize="max", on_constant=0.5),
        rm.InvalidArgumentError,
        ("on_constant has no effect with normalize='max'; it goes with 'minmax', 'sum', 'zscore', 'dbsf'"),
    ),
    "bounds without an effect": (
        lambda: rm.fuse_scores(TWO, normalize="zscore", bounds=[(0, 1), None]),
        rm.InvalidArgumentError,
        "bounds has no effect with normalize='zscore'; it goes with 'minmax' only",
    ),
    "too few bounds": (
        lambda: rm.fuse_scores(TWO, bounds=[(0, 1)]),
        rm.InvalidArgumentError,
        ("bounds has 1 entries for 2 rankings; give exactly one for each (None: the observed range)"),
    ),
    "bounds upside down": (
        lambda: rm.fuse_scores(TWO, bounds=[(1, 0), None]),
        rm.InvalidArgumentError,
        "bounds[0] is (1.0, 0.0); low must be below high",
    ),
    "half-life of zero": (
        lambda: rm.time_decay(ONE, now=NOW, half_life_days=0),
        rm.InvalidArgumentError,
        "half_life_days is 0.0; it must be above zero (math.inf: no decay)",
    ),
    "undated below zero": (
        lambda: rm.time_decay(ONE, now=NOW, undated=-1.0),
        rm.InvalidArgumentError,
        "undated is -1.0; it must not be negative",
    ),
    "importance weight below zero": (
        lambda: rm.time_decay(ONE, now=NOW, importance_weight=-1.0),
        rm.InvalidArgumentError,
        "importance_weight is -1.0; it must not be negative",
    ),
    "now that is no moment": (
        lambda: rm.time_decay(ONE, now="soon"),
        rm.InvalidArgumentError,
        (
            "now is 'soon', which is not an ISO 8601 date or time (Invalid isoformat string: 'soon');"
            " pass a datetime, a date, an ISO 8601 string or epoch seconds"
        ),
    ),
    "now of the wrong kind": (
        lambda: rm.time_decay(ONE, now=[2024]),
        TypeError,
        "now must be a datetime, a date, an ISO 8601 string or epoch seconds, not list",
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_text(name):
    call, kind, text = ROWS[name]
    with pytest.raises(kind) as caught:
        call()
    assert type(caught.value) is kind
    assert str(caught.value) == text
