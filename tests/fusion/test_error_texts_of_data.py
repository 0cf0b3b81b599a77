"""What is wrong with data, word for word: where, what came, what is wanted."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rankmeld as rm
from rankmeld.vectors import cosine_scores

NAN, INF = math.nan, math.inf
NOW = dt.datetime(2024, 3, 1, tzinfo=dt.UTC)
ONE = [("a", 2.0), ("b", 1.0)]
TWO = [ONE, [("b", 9.0), ("c", 8.0)]]

#: The call, its exception, and the whole text.
ROWS: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "NaN score": (
        lambda: rm.fuse_scores([ONE, [("x", 1.0), ("bad", NAN)]]),
        rm.InvalidScoreError,
        "rankings[1], position 1, id 'bad': the score is nan; scores must be finite numbers",
    ),
    "infinite score": (
        lambda: rm.fuse_scores([ONE, [("x", 1.0), ("bad", -INF)]]),
        rm.InvalidScoreError,
        "rankings[1], position 1, id 'bad': the score is -inf; scores must be finite numbers",
    ),
    "absent score": (
        lambda: rm.fuse_scores([ONE, [("x", 1.0), ("bad", None)]]),
        rm.InvalidScoreError,
        (
            "rankings[1], position 1, id 'bad': there is no score (None), and this operation needs "
            "one; give every hit a finite score, or fuse by rank"
        ),
    ),
    "NaN score in a named list": (
        lambda: rm.fuse_scores([rm.Source("dense", [("bad", NAN)])]),
        rm.InvalidScoreError,
        ("rankings[0] ('dense'), position 0, id 'bad': the score is nan; scores must be finite numbers"),
    ),
    "NaN score in an array": (
        lambda: rm.fuse_scores([(np.arange(3), np.array([1.0, NAN, 2.0]))]),
        rm.InvalidScoreError,
        "rankings[0], position 1, id 1: the score is nan; scores must be finite numbers",
    ),
    "NaN score in a mapping": (
        lambda: rm.rrf([ONE, {"ok": 1.0, "bad": NAN}]),
        rm.InvalidScoreError,
        (
            "rankings[1], position 1, id 'bad': the score is nan; the scores of a mapping order it, "
            "so they must be finite numbers"
        ),
    ),
    "no scores": (
        lambda: rm.fuse_scores([ONE, ["x", "y"]]),
        rm.InvalidScoreError,
        (
            "rankings[1], position 0, id 'x': there is no score (None), and this operation needs one;"
            " give every hit a finite score, or fuse by rank"
        ),
    ),
    "no scores to decay": (
        lambda: rm.time_decay(["x", "y"], now=NOW),
        rm.InvalidScoreError,
        ("ranking, position 0, id 'x': there is no score (None or NaN); every hit needs a finite score here"),
    ),
    "NaN score to decay": (
        lambda: rm.time_decay([("x", 1.0), ("bad", NAN)], now=NOW),
        rm.InvalidScoreError,
        (
            "ranking, position 1, id 'bad': there is no score (None or NaN); every hit needs a finite"
            " score here"
        ),
    ),
    "a fused score that overflows": (
        lambda: rm.fuse_scores([[("a", 1.7e308)], [("a", 1.7e308)]], normalize="none"),
        rm.InvalidScoreError,
        (
            "the fused score of id 'a' is not a finite number; scale the scores or the weights down, "
            "or normalize the lists"
        ),
    ),
    "a decayed score that overflows": (
        lambda: rm.time_decay([("a", -1.0)], now=NOW, undated=0.0),
        rm.InvalidScoreError,
        (
            "ranking, position 0, id 'a': the score -1.0 with the factor 0.0 gives no finite score; "
            "shift scores above zero, or raise the half-life"
        ),
    ),
    "forgotten brackets": (
        lambda: rm.rrf([("wal", 7.1), ("vacuum", 3.2)]),
        TypeError,
        (
            "rankings[0] is a tuple (('wal', 7.1)) that looks like one hit of a ranking; rankings is a "
            "list of rankings: to pass one ranking alone, write [ranking]"
        ),
    ),
    "forgotten brackets around a hit": (
        lambda: rm.rrf([("wal", 7)]),
        TypeError,
        (
            "rankings[0] is a tuple (('wal', 7)) that looks like one hit of a ranking; rankings is a "
            "list of rankings: to pass one ranking alone, write [ranking]"
        ),
    ),
    "document of the wrong kind": (
        lambda: rm.rrf([[("a", 1.0, "the text")]]),
        TypeError,
        (
            "rankings[0], position 0: the document is a str ('the text'); it must be a "
            "rankmeld.Document, or None"
        ),
    ),
    "score of the wrong kind": (
        lambda: rm.fuse_scores([ONE, [("x", 1.0), ("bad", "0.5")]]),
        TypeError,
        (
            "rankings[1], position 1, id 'bad': the score is a str ('0.5'); it must be a number, or "
            "None if there is none"
        ),
    ),
    "text in place of a score": (
        lambda: rm.Ranking([("a", "a text")]),
        TypeError,
        (
            "hits, position 0, id 'a': the score is a str ('a text'); it must be a number, or None if there "
            "is none; a document comes third, as (id, score, document), or alone, as Document(id, text)"
        ),
    ),
    "document in place of a score": (
        lambda: rm.Ranking([("a", rm.Document("a"))]),
        TypeError,
        (
            "hits, position 0, id 'a': the score is a Document (Document('a')); it must be a number, or None "
            "if there is none; a document comes third, as (id, score, document), or alone, as "
            "Document(id, text)"
        ),
    ),
    "id that cannot be hashed": (
        lambda: rm.rrf([ONE, [("x", 1.0), ([1], 0.5)]]),
        TypeError,
        (
            "rankings[1], position 1: the id is a list, which cannot be hashed; ids are str, int, "
            "bytes, tuple or another hashable value (for dicts and other records see "
            "rankmeld.from_records)"
        ),
    ),
    "id that is NaN": (
        lambda: rm.rrf([ONE, [("x", 1.0), (NAN, 0.5)]]),
        rm.InvalidArgumentError,
        "rankings[1], position 1: the id is NaN, which is not equal to itself; pass a real id",
    ),
    "id that is NaN in one ranking": (
        lambda: rm.Ranking(["x", NAN]),
        rm.InvalidArgumentError,
        "hits, position 1: the id is NaN, which is not equal to itself; pass a real id",
    ),
    "string as a ranking": (
        lambda: rm.rrf([ONE, "abc"]),
        TypeError,
        (
            "rankings[1] is a str ('abc'), where a ranking belongs: a list of ids or of (id, score) "
            "pairs, a mapping of id to score, a tuple (ids, scores) or an array of ids; rankings is a"
            " list of rankings: to pass one ranking alone, write [ranking]"
        ),
    ),
    "bytes as a ranking": (
        lambda: rm.rrf([ONE, b"abc"]),
        TypeError,
        (
            "rankings[1] is a bytes (b'abc'), where a ranking belongs: a list of ids or of (id, "
            "score) pairs, a mapping of id to score, a tuple (ids, scores) or an array of ids; "
            "rankings is a list of rankings: to pass one ranking alone, write [ranking]"
        ),
    ),
    "number as a ranking": (
        lambda: rm.rrf([ONE, 5]),
        TypeError,
        (
            "rankings[1] is a int (5), where a ranking belongs: a list of ids or of (id, score) "
            "pairs, a mapping of id to score, a tuple (ids, scores) or an array of ids; rankings is a"
            " list of rankings: to pass one ranking alone, write [ranking]"
        ),
    ),
    "None as a ranking": (
        lambda: rm.rrf([ONE, None]),
        TypeError,
        (
            "rankings[1] is a NoneType (None), where a ranking belongs: a list of ids or of (id, "
            "score) pairs, a mapping of id to score, a tuple (ids, scores) or an array of ids; "
            "rankings is a list of rankings: to pass one ranking alone, write [ranking]"
        ),
    ),
    "string as rankings": (
        lambda: rm.rrf("abc"),
        TypeError,
        ("rankings must be a list of rankings, not a str; to pass one ranking alone, write [ranking]"),
    ),
    "number as rankings": (
        lambda: rm.rrf(5),
        TypeError,
        "rankings must be a list of rankings, not int",
    ),
    "list of ids as rankings": (
        lambda: rm.rrf(["a", "b"]),
        TypeError,
        (
            "rankings[0] is a str ('a'), where a ranking belongs: a list of ids or of (id, score) "
            "pairs, a mapping of id to score, a tuple (ids, scores) or an array of ids; rankings is a"
            " list of rankings: to pass one ranking alone, write [ranking]"
        ),
    ),
    "list of numbers as rankings": (
        lambda: rm.rrf([1, 2]),
        TypeError,
        (
            "rankings[0] is a int (1), where a ranking belongs: a list of ids or of (id, score) "
            "pairs, a mapping of id to score, a tuple (ids, scores) or an array of ids; rankings is a"
            " list of rankings: to pass one ranking alone, write [ranking]"
        ),
    ),
    "one ranking as rankings": (
        lambda: rm.rrf(rm.Ranking(ONE)),
        TypeError,
        ("rankings must be a list of rankings, not a Ranking; to pass one ranking alone, write [ranking]"),
    ),
    "string as a single ranking": (
        lambda: rm.dedup("abc"),
        TypeError,
        (
            "hits is a str ('abc'), where a ranking belongs: a list of ids or of (id, score) pairs, a"
            " mapping of id to score, a tuple (ids, scores) or an array of ids"
        ),
    ),
    "two columns of two lengths": (
        lambda: rm.rrf([(["a", "b"], [1.0])]),
        rm.InvalidArgumentError,
        "rankings[0] is a tuple of two columns, 2 ids and 1 scores; they must be of equal length",
    ),
    "float array as ids": (
        lambda: rm.rrf([np.zeros(2)]),
        TypeError,
        (
            "rankings[0] is an array of dtype float64, which looks like scores; an array of integers "
            "is read as ids, and ids with scores go in as a tuple (ids, scores)"
        ),
    ),
    "two-dimensional ids": (
        lambda: rm.rrf([np.zeros((2, 2), dtype=np.int64)]),
        rm.InvalidArgumentError,
        "rankings[0] is an array with 2 dimension(s); an array of ids has one",
    ),
    "repeat": (
        lambda: rm.rrf([ONE, ["x", "bad", "y", "bad"]], duplicates="error"),
        rm.InvalidArgumentError,
        (
            "rankings[1]: id 'bad' stands at positions 1 and 3, and duplicates=\"error\" refuses that; "
            "remove one, or choose another rule for duplicates"
        ),
    ),
    "repeat in scores": (
        lambda: rm.fuse_scores([ONE, [("bad", 2.0), ("bad", 1.0)]], duplicates="error"),
        rm.InvalidArgumentError,
        (
            "rankings[1]: id 'bad' stands at positions 0 and 1, and duplicates=\"error\" refuses that; "
            "remove one, or choose another rule for duplicates"
        ),
    ),
    "ids that cannot be ordered": (
        lambda: rm.rrf([["a"], [1]], ties="id_asc"),
        TypeError,
        (
            "ties are to be broken by id, but ids 'a' (str) and 1 (int) have equal scores and cannot "
            'be compared; use ids of one kind, or ties="first"'
        ),
    ),
    "id that is not in the ranking": (
        lambda: rm.rrf(TWO).explain("nope"),
        rm.InvalidArgumentError,
        "the ranking has no hit with id 'nope'",
    ),
    "record without the field": (
        lambda: rm.from_records([{"doc": 1}, {}], id="doc"),
        rm.InvalidArgumentError,
        "items[1] is a dict without 'doc', which was named as the id",
    ),
    "vectors of another width": (
        lambda: cosine_scores([1.0, 2.0], [[1.0, 2.0, 3.0]]),
        rm.InvalidArgumentError,
        "query has 2 dimension(s) and vectors have 3; embed both with one model",
    ),
    "vectors that are not finite": (
        lambda: cosine_scores([1.0, 2.0], [[1.0, 2.0], [1.0, NAN]]),
        rm.InvalidArgumentError,
        "vectors, row 1, column 1: the value is nan; vectors must be finite",
    ),
    "query that is not finite": (
        lambda: cosine_scores([1.0, INF], [[1.0, 2.0]]),
        rm.InvalidArgumentError,
        "query, dimension 1: the value is inf; vectors must be finite",
    ),
    "vectors of another dtype": (
        lambda: cosine_scores([1.0, 2.0], np.zeros((1, 2), dtype=complex)),
        TypeError,
        "vectors has dtype complex128; it must hold real numbers (integers or floats)",
    ),
    "vectors of one dimension": (
        lambda: cosine_scores([1.0, 2.0], np.zeros(2)),
        rm.InvalidArgumentError,
        "vectors has 1 dimension(s) (shape [2]); it must have 2",
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_text(name):
    call, kind, text = ROWS[name]
    with pytest.raises(kind) as caught:
        call()
    assert type(caught.value) is kind
    assert str(caught.value) == text
