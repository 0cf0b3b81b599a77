"""Reranking by words: against the oracle, and what an explanation says about it."""

from __future__ import annotations

import asyncio
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from rankmeld.late_interaction import lexical_maxsim_many
from reference.rerankers import blend as oracle
from reference.rerankers import passages, read
from rerankers.samples import HITS, QUERY
from support.check import fused, outcome
from support.refusals import refusal

words = st.sampled_from(["vector", "vectors", "search", "research", "the", "house", "x_1", "é", "🙂", ""])
texts = st.lists(words, max_size=5).map(" ".join)
documents = st.one_of(
    st.none(),
    st.builds(lambda text, title: rm.Document("d", text, title=title), texts, texts),
)
#: Subnormal to the largest, and ordinary ones that tie.
scores = st.one_of(st.sampled_from([0.0, 1.0, -1.0, 0.5]), st.floats(allow_nan=False, allow_infinity=False))
hits = st.lists(st.tuples(st.sampled_from("abcdef"), scores, documents), max_size=6)
weights = st.one_of(st.sampled_from([0.0, 1.0, 0.6, 2.0]), st.floats(0, 1e300))
TINY = 5e-324


@given(hits, texts, st.tuples(weights, weights, weights), st.sampled_from(["max", "minmax", None]))
def test_equals_the_oracle(given_hits, query, three_weights, scale):
    rank_weight, maxsim_weight, maxsim_scale = three_weights
    scale = scale if rank_weight else "max"  # any other is refused there
    reranker = rm.LateInteractionReranker(
        rank_weight=rank_weight, maxsim_weight=maxsim_weight, maxsim_scale=maxsim_scale, scale=scale
    )
    if rm.tokenize(query):
        similarity = lexical_maxsim_many(query, passages(read(given_hits))).tolist()
        options = (rank_weight, [maxsim_weight, maxsim_scale], scale)
    else:
        similarity, options = [0.0] * len(given_hits), (1.0, [0.0], None)
    expected = outcome(oracle, given_hits, similarity, *options)
    found = outcome(lambda: fused(reranker.rerank(query, given_hits)))
    if expected is ValueError or found is ValueError:
        # Where both credits leave the range and their sum would not, there is no honest explanation.
        assert expected is found or abs(max(rank_weight, maxsim_weight, maxsim_scale)) > 1
        return
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)
    for (id, score), (wanted_id, wanted) in zip(sorted(found), sorted(expected), strict=True):
        assert id == wanted_id
        near = 1e-12 * max(abs(wanted), rank_weight if scale else 0.0)
        assert math.isclose(score, wanted, rel_tol=1e-12, abs_tol=max(near, 2 * TINY)), (score, wanted)


@given(hits, texts, st.sampled_from(["max", "minmax", None]))
def test_the_credits_sum_to_the_score(given_hits, query, scale):
    reranker = rm.LateInteractionReranker(scale=scale)
    found = outcome(reranker.rerank, query, given_hits)
    if found is ValueError or not len(found):
        return
    for line in found.explanation():
        (stage,) = line.stages
        details = stage.details
        if rm.tokenize(query):
            assert details["rank_credit"] + details["maxsim_credit"] == line.score == details["score"]
            assert details["maxsim_credit"] == 0.4 * 2.0 * details["maxsim"]
            matches = details["matches"]
            mean = math.fsum(m.weight * m.similarity for m in matches) / math.fsum(m.weight for m in matches)
            assert details["maxsim"] == pytest.approx(mean, rel=1e-12)
        else:
            assert list(details) == ["position_before", "score_before", "score"]
            assert details["score_before"] == details["score"] == line.score


def late(hits, query="vector", **options):
    return fused(rm.LateInteractionReranker(**options).rerank(query, hits))


def doc(id, score, text="house"):
    return (id, score, rm.Document(id, text))


def test_the_formula():
    found = late([doc("a", 0.9, "garden"), doc("b", 0.7, "vector search")], "vector search")
    assert found == [("b", 0.6 * (0.7 / 0.9) + 0.8), ("a", pytest.approx(0.6 + 0.8 * 0.0, abs=0.2))]
    assert found[1][1] == 0.6 + 0.8 * rm.lexical_maxsim("vector search", "garden")


@pytest.mark.parametrize(
    ("scores", "scale", "scaled"),
    [
        ([4.0, 2.0, -4.0], "max", [1.0, 0.5, -1.0]),
        ([0.0, -1.0, -4.0], "max", [1.0, 0.75, 0.0]),  # no maximum above 0
        ([-1.0, -3.0, -5.0], "max", [1.0, 0.5, 0.0]),
        ([0.0, 0.0, 0.0], "max", [1.0, 1.0, 1.0]),
        ([-2.0, -2.0, -2.0], "max", [1.0, 1.0, 1.0]),
        ([3.0, 2.0, 1.0], "minmax", [1.0, 0.5, 0.0]),
        ([2.0, 2.0, 2.0], "minmax", [1.0, 1.0, 1.0]),
        ([3.0, 2.0, -1.0], None, [3.0, 2.0, -1.0]),
    ],
)
def test_scales(scores, scale, scaled):
    hits = [doc(id, score) for id, score in zip("abc", scores, strict=True)]
    found = late(hits, "x_9", scale=scale, rank_weight=1.0)
    assert found == [(id, s) for id, s in zip("abc", scaled, strict=True)]


@pytest.mark.parametrize(
    ("hits", "options", "expected"),
    [
        # The range of scores is wider than a float.
        (
            [doc("a", 1.7e308), doc("b", -1.7e308), doc("c", 0.0)],
            {"scale": "minmax"},
            [("a", 0.6), ("c", 0.3), ("b", 0.0)],
        ),
        ([doc("a", 1e300), doc("b", 1e-300)], {}, [("a", 0.6), ("b", 0.0)]),
        ([doc("a", 1e-300), doc("b", 5e-301)], {}, [("a", 0.6), ("b", 0.3)]),
        ([doc("a", 2 * TINY), doc("b", TINY)], {}, [("a", 0.6), ("b", 0.3)]),
        # What overflows or vanishes on the way, and comes back.
        (
            [doc("a", 1e-300), doc("b", -1e300)],
            {"rank_weight": 1e-300},
            [("a", 1e-300), ("b", pytest.approx(-1e300))],
        ),
        (
            [doc("a", 1e300, "vector"), doc("b", 0.0)],
            {"maxsim_weight": 1e200, "maxsim_scale": 1e-200},
            [("a", pytest.approx(1.6)), ("b", 0.0)],
        ),
        (
            [doc("a", 0.0), doc("b", 0.0)],
            {"maxsim_weight": 1e200, "maxsim_scale": 1e200},  # their product is not needed
            [("a", 0.6), ("b", 0.6)],
        ),
    ],
)
def test_extremes(hits, options, expected):
    assert late(hits, **options) == expected


@pytest.mark.parametrize(
    ("hits", "options"),
    [
        ([doc("a", 1e300), doc("b", 1.0)], {"rank_weight": 1e10, "scale": None}),
        ([doc("a", 1e-300), doc("b", -1e300)], {}),
        ([doc("a", 1.0), doc("b", 1.0, "vector")], {"maxsim_weight": 1e200, "maxsim_scale": 1e200}),
    ],
)
def test_a_score_beyond_floats_is_refused_by_name(hits, options):
    text = refusal(rm.InvalidScoreError, lambda: late(hits, **options))
    assert "gives no finite score" in text or "give no finite score" in text
    assert "use smaller weights" in text


def test_a_query_without_a_token_orders_by_score():
    hits = [doc("c", 0.5), doc("a", 0.9), doc("b", 0.9)]
    for query in ("", "?!", "🙂 .", "a"):  # one letter is no token
        assert late(hits, query) == [("a", 0.9), ("b", 0.9), ("c", 0.5)]
        with pytest.raises(rm.InvalidScoreError, match="there is no score"):
            late(["a"], query)


def test_with_no_weight_on_the_ranking_scores_are_not_needed():
    assert late(["a", ("b", None, rm.Document("b", "vector"))], rank_weight=0.0) == [("b", 0.8), ("a", 0.0)]
    with pytest.raises(rm.InvalidScoreError, match="position 1, id 'b': there is no score"):
        late([("a", 1.0), "b"])


def test_title_and_topic_are_read():
    hits = [
        ("text", 0.5, rm.Document("text", "planet")),
        ("title", 0.5, rm.Document("title", "copper", title="planet")),
        ("topic", 0.5, rm.Document("topic", "", topic="copper planet")),
    ]
    found = dict(late(hits, "copper planet"))
    assert found["title"] == found["topic"] == pytest.approx(1.4)
    assert found["text"] < 1.3


def test_weights_of_words_are_passed_on():
    hits = [doc("a", 1.0, "the"), doc("b", 1.0, "vector")]
    assert late(hits, "the vector")[0][0] == "b"
    assert late(hits, "the vector", weights=lambda token: float(token == "the"))[0][0] == "a"
    stats = rm.CorpusStats(["vector"] * 9 + ["the"])
    assert late(hits, "the vector", weights="idf", stats=stats)[0][0] == "a"


def test_why_a_hit_moved():
    found = rm.LateInteractionReranker().rerank("searching vectors", HITS)
    line = found.explain("vector")
    details = line.stages[0].details
    assert (details["position_before"], found.ids.index("vector")) == (1, 0)
    tokens = [(match.query_token, match.document_token) for match in details["matches"]]
    assert tokens == [("searching", "search"), ("vectors", "vectors")]
    assert "matches (searching -> search 0.67, vectors), score" in str(line)


def test_it_can_be_awaited_in_a_chain():
    chain = rm.ChainReranker([rm.LateInteractionReranker()])
    assert asyncio.run(chain.arerank(QUERY, HITS)) == rm.LateInteractionReranker().rerank(QUERY, HITS)


ROWS = {
    "negative weight": (
        {"rank_weight": -0.5},
        rm.InvalidArgumentError,
        "rank_weight is -0.5; it must not be negative",
    ),
    "NaN weight": (
        {"maxsim_weight": math.nan},
        rm.InvalidArgumentError,
        "maxsim_weight is nan; it must be finite",
    ),
    "infinite scale": (
        {"maxsim_scale": math.inf},
        rm.InvalidArgumentError,
        "maxsim_scale is inf; it must be finite",
    ),
    "weight of a kind": ({"rank_weight": "0.6"}, TypeError, "rank_weight must be a number, not str"),
    "unknown scale": (
        {"scale": "raw"},
        rm.InvalidArgumentError,
        "scale is 'raw'; it must be 'max', 'minmax' or None",
    ),
    "a scale without effect": (
        {"scale": "minmax", "rank_weight": 0},
        rm.InvalidArgumentError,
        (
            "scale is 'minmax', but rank_weight is 0, so that the ranking's scores do not count; give a "
            "rank_weight above 0, or leave scale out"
        ),
    ),
    "no scale without effect": (
        {"scale": None, "rank_weight": 0.0},
        rm.InvalidArgumentError,
        (
            "scale is None, but rank_weight is 0, so that the ranking's scores do not count; give a "
            "rank_weight above 0, or leave scale out"
        ),
    ),
    "scale of a kind": ({"scale": 1.0}, TypeError, "scale must be 'max', 'minmax' or None, not float"),
}


@pytest.mark.parametrize(("options", "kind", "text"), ROWS.values(), ids=ROWS)
def test_options(options, kind, text):
    assert refusal(kind, lambda: rm.LateInteractionReranker(**options)) == text


@pytest.mark.parametrize("options", [{"weights": "tf"}, {"weights": 3}, {"weights": "idf"}])
def test_weights_are_checked_before_any_data(options):
    with pytest.raises((TypeError, rm.InvalidArgumentError), match=r"weights|stats"):
        rm.LateInteractionReranker(**options)


def test_only_so_many_hits_are_read():
    hits = [
        (str(n), 1.0 - n / 10, rm.Document(str(n), "a garden" if n % 2 else "a search engine"))
        for n in range(6)
    ]
    reranker = rm.LateInteractionReranker(depth=3, rank_weight=0.5, maxsim_weight=1.0, maxsim_scale=1.0)
    found = reranker.rerank("search engine", hits)
    whole = rm.LateInteractionReranker(rank_weight=0.5, maxsim_weight=1.0, maxsim_scale=1.0)
    expected = dict(fused(whole.rerank("search engine", hits[:3])))
    assert {id: score for id, score in fused(found) if int(id) < 3} == expected
    assert fused(found)[3:] == [(str(n), (1.0 - n / 10) * 0.5) for n in (3, 4, 5)]
    assert found.explain("4").stages[0].details["matches"] == []
    assert found.explain("2").stages[0].details["matches"]
    assert reranker.rerank("search engine", hits[:3]) == whole.rerank("search engine", hits[:3])
    assert rm.LateInteractionReranker(depth=0).rerank("search", hits).ids == [str(n) for n in range(6)]
    with pytest.raises(rm.InvalidArgumentError, match="depth is -1; it must be 0 or more, or None for all"):
        rm.LateInteractionReranker(depth=-1)


@given(hits, texts, st.integers(0, 6))
def test_what_is_not_read_leads_nothing(given_hits, query, depth):
    given_hits = sorted(
        ((id, abs(score), document) for id, score, document in given_hits), key=lambda hit: -hit[1]
    )
    marked = [((place, id), score, document) for place, (id, score, document) in enumerate(given_hits)]
    found = rm.LateInteractionReranker(depth=depth).rerank(query, marked).ids
    if rm.tokenize(query):
        assert [place for place, _ in found if place >= depth] == list(range(depth, len(marked)))
        assert all(place < depth for place, _ in found[: min(depth, len(marked))])


def test_repr_shows_what_was_chosen():
    assert repr(rm.LateInteractionReranker()) == "LateInteractionReranker()"
    shown = repr(rm.LateInteractionReranker(rank_weight=1, scale=None))
    assert shown == "LateInteractionReranker(rank_weight=1.0, scale=None)"


def test_with_nothing_to_order_by_the_order_stays():
    found = rm.LateInteractionReranker(rank_weight=0.0).rerank("?!", ["b", "a"])
    assert (found.ids, found.scores) == (["b", "a"], None)


def test_an_explanation_has_the_weights_that_counted_whatever_changed_since():
    passages = [doc("a", 0.5, "planet copper"), doc("b", 0.4, "planet")]
    stats = rm.CorpusStats(["planet", "copper", "planet river"])
    asked = []

    def rarer_each_time(token):
        asked.append(token)
        return float(len(asked))

    for options in ({"weights": "idf", "stats": stats}, {"weights": rarer_each_time}):
        found = rm.LateInteractionReranker(**options).rerank("planet copper river", passages)
        stats.add(["planet"] * 50)
        for hit in found:
            details = found.explain(hit.id).stages[-1].details
            matches = details["matches"]
            mean = math.fsum(m.weight * m.similarity for m in matches) / math.fsum(m.weight for m in matches)
            assert details["maxsim"] == pytest.approx(mean)
    assert asked == ["planet", "copper", "river"]
