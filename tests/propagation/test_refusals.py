"""What `propagate`, `adjacent` and `boost_matches` refuse, and what they say."""

from __future__ import annotations

import math
import re

import pytest

import rankmeld as rm

HITS = [("a", 1.0), ("b", 0.5)]
HERE = {"a": ["b"]}


def refused(error: type[Exception], text: str, call, *args, **options) -> None:
    with pytest.raises(error, match=re.escape(text)):
        call(*args, **options)


@pytest.mark.parametrize("hits", [HITS, []])
@pytest.mark.parametrize(
    ("error", "text", "options"),
    [
        (rm.InvalidArgumentError, "weight is nan; it must be finite", {"weight": math.nan}),
        (rm.InvalidArgumentError, "weight is -0.1; it must not be negative", {"weight": -0.1}),
        (TypeError, "weight must be a number, not str", {"weight": "0.4"}),
        (TypeError, "limit must be an integer or None, not float", {"limit": 1.0}),
        (rm.InvalidArgumentError, "limit is -1; it must be 0 or more", {"limit": -1}),
        (
            rm.InvalidArgumentError,
            "ties is 'id'; it must be one of 'first', 'id_asc', 'id_desc'",
            {"ties": "id"},
        ),
        (TypeError, "lookup must have a method get(id), which int has not", {"lookup": 5}),
    ],
)
def test_options_are_checked_before_data(hits, error, text, options):
    refused(error, text, rm.propagate, hits, HERE, **options)


@pytest.mark.parametrize(
    ("error", "text", "neighbors"),
    [
        (
            TypeError,
            "neighbors must be a mapping of ids to their neighbours, as rankmeld.adjacent makes it, not list",
            ["b"],
        ),
        (TypeError, "neighbors must be a mapping of ids to their neighbours", None),
        (
            TypeError,
            "neighbors['a'] must be a list of ids or of (id, weight) pairs, not a str; for one neighbour",
            {"a": "b"},
        ),
        (
            TypeError,
            "neighbors['a'] must be a list of ids or of (id, weight) pairs, not a set; the order of a set",
            {"a": {"b"}},
        ),
        (TypeError, "neighbors['a'] must be a list of ids or of (id, weight) pairs, not a int", {"a": 5}),
        (
            rm.InvalidArgumentError,
            "neighbors['a'][1]: the weight is nan; weights are finite and not negative",
            {"a": ["b", ("c", math.nan)]},
        ),
        (
            rm.InvalidArgumentError,
            "neighbors['a'][0]: the weight is -1.0; weights are finite and not negative",
            {"a": [("c", -1)]},
        ),
        (
            rm.InvalidArgumentError,
            "neighbors['a'][0]: the weight is inf; weights are finite and not negative",
            {"a": [("c", 10**400)]},
        ),
        (
            TypeError,
            (
                "neighbors['a'][0]: the weight is a str ('d'); it must be a number. A neighbour is an id or "
                "an (id, weight) pair; an id that is a tuple of two goes in as (id, weight)"
            ),
            {"a": [("c", "d")]},
        ),
        (
            TypeError,
            "neighbors['a'][0] is a tuple of three (('c', 1, 2)); a neighbour is an id or an",
            {"a": [("c", 1, 2)]},
        ),
        (TypeError, "neighbors['a'][0]: the id is a dict, which cannot be hashed", {"a": [{"c": 1}]}),
        (rm.InvalidArgumentError, "neighbors['a'][0]: the id is NaN", {"a": [(math.nan, 1.0)]}),
    ],
)
def test_neighbours(error, text, neighbors):
    refused(error, text, rm.propagate, HITS, neighbors)


@pytest.mark.parametrize(
    ("text", "hits"),
    [
        (
            "ranking, position 1, id 'b': the score is -1.0; evidence is not negative",
            [("a", 1.0), ("b", -1.0)],
        ),
        ("ranking, position 0, id 'a': there is no score (None or NaN)", ["a", "b"]),
        ("ranking, position 1, id 'b': the score is inf", [("a", 1.0), ("b", math.inf)]),
        ("the fused score of id 'b' is not a finite number", [("a", 1.7e308), ("b", 1.7e308)]),
    ],
)
def test_scores(text, hits):
    refused(rm.InvalidScoreError, text, rm.propagate, hits, HERE, weight=1.0)


def test_a_lookup_that_gives_something_else():
    refused(
        TypeError,
        "lookup gave a str for id 'x'; it must give a rankmeld.Document, or None",
        rm.propagate,
        HITS,
        {"a": ["x"]},
        lookup={"x": "text"},
    )


def test_what_a_lookup_or_a_mapping_raises_goes_through():
    class Broken(dict):
        def get(self, id, default=None):
            raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        rm.propagate(HITS, {"a": ["x"]}, lookup=Broken())


@pytest.mark.parametrize(
    ("error", "text", "ids", "options"),
    [
        (TypeError, "ids must be a list of ids, not a str", "abc", {}),
        (TypeError, "ids must be a list of ids, in their order, not a set", {"a"}, {}),
        (TypeError, "ids must be a list of ids, not a int", 5, {}),
        (TypeError, "ids, position 1: the id is a list, which cannot be hashed", ["a", []], {}),
        (rm.InvalidArgumentError, "ids, position 0: the id is NaN", [math.nan], {}),
        (
            rm.InvalidArgumentError,
            "ids, position 2: the id 'a' stands at position 0 already; each id has one place in the order",
            ["a", "b", "a"],
            {},
        ),
        (
            rm.InvalidArgumentError,
            "groups has 1 entries and ids has 2; there must be a group for each id",
            ["a", "b"],
            {"groups": [1]},
        ),
        (TypeError, "groups must be a list of groups, one for each id, not a str", ["a"], {"groups": "a"}),
        (TypeError, "groups[0] is a list, which cannot be hashed", ["a"], {"groups": [[]]}),
        (rm.InvalidArgumentError, "window is -1; it must be 0 or more", [], {"window": -1}),
        (TypeError, "window must be an integer, not float", [], {"window": 1.0}),
        (rm.InvalidArgumentError, "forward is inf; it must be finite", [], {"forward": math.inf}),
        (rm.InvalidArgumentError, "backward is -1.0; it must not be negative", [], {"backward": -1}),
        (TypeError, "forward must be a number, not str", [], {"forward": "1"}),
        (
            rm.InvalidArgumentError,
            "forward has 1 entries and ids has 2; it must be a number, or have one for each id",
            ["a", "b"],
            {"forward": [1.0]},
        ),
        (
            rm.InvalidArgumentError,
            "backward[1]: the weight is -1.0; weights are finite and not negative",
            ["a", "b"],
            {"backward": [1.0, -1.0]},
        ),
        (TypeError, "forward has dtype <U1; it must hold real numbers", ["a"], {"forward": ["x"]}),
    ],
)
def test_adjacent(error, text, ids, options):
    refused(error, text, rm.adjacent, ids, **options)


@pytest.mark.parametrize("hits", [HITS, []])
@pytest.mark.parametrize(
    ("error", "text", "options"),
    [
        (TypeError, "query must be a str, not NoneType", {"query": None}),
        (TypeError, "field must be a str, not list", {"field": ["title"]}),
        (
            rm.InvalidArgumentError,
            (
                "field is 'created_at', which holds no words; it must be one of 'title', 'topic', 'text', "
                "'id', 'parent_id', 'tier', or a key of the metadata"
            ),
            {"field": "created_at"},
        ),
        (rm.InvalidArgumentError, "boost is nan; it must be finite", {"boost": math.nan}),
        (rm.InvalidArgumentError, "boost is -0.5; it must not be negative", {"boost": -0.5}),
        (rm.InvalidArgumentError, "ties is 'last'; it must be one of", {"ties": "last"}),
    ],
)
def test_options_of_boost_matches(hits, error, text, options):
    refused(error, text, rm.boost_matches, hits, **{"query": "x", **options})


def test_scores_of_boost_matches():
    named = rm.Document("a", title="Ann")
    refused(
        rm.InvalidScoreError, "ranking, position 0, id 'a': there is no score", rm.boost_matches, ["a"], "q"
    )
    refused(
        rm.InvalidScoreError,
        "the fused score of id 'a' is not a finite number",
        rm.boost_matches,
        [("a", 1.7e308, named)],
        "Ann",
    )


class Awaited:
    async def get(self, id):
        return None


class AwaitedAtOnce(Awaited):
    async def get_many(self, ids):
        return {}


@pytest.mark.parametrize(("lookup", "name"), [(Awaited(), "get"), (AwaitedAtOnce(), "get_many")])
def test_a_lookup_that_has_to_be_awaited(lookup, name):
    # Nothing is left that Python would warn of.
    refused(
        TypeError,
        f"lookup.{name} is asynchronous (it gave a coroutine); pass a lookup that waits, or leave it out and "
        "fetch the documents of what came without one",
        rm.propagate,
        HITS,
        {"a": ["x"]},
        lookup=lookup,
    )


@pytest.mark.parametrize(("given", "kind"), [([], "list"), (None, "NoneType"), (iter(()), "tuple_iterator")])
def test_a_lookup_that_gives_no_mapping(given, kind):
    class Listing:
        def get(self, id):
            return None

        def get_many(self, ids):
            return given

    refused(
        TypeError,
        f"lookup.get_many gave a {kind}; it must give a mapping of ids to documents",
        rm.propagate,
        HITS,
        {"a": ["x"]},
        lookup=Listing(),
    )
