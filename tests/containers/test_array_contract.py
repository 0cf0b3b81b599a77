"""Every array argument, in every dtype, byte order, layout and emptiness: one table."""

from __future__ import annotations

import itertools
import re
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import rankmeld as rm
from rankmeld import _core
from rankmeld.vectors import cosine_scores, cosine_top
from reference.cosine import cosine_scores as oracle
from reference.maxsim import maxsim as maxsim_oracle
from support.arrays import LAYOUTS, byte_orders, mapped

INTEGERS = [d for name in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8") for d in byte_orders(name)]
FLOATS = [d for name in ("f2", "f4", "f8") for d in byte_orders(name)] + ["g"]
IDS = np.array([5, 3, 9, 1, 7])
SCORES = np.array([8.0, 4.0, 2.0, 1.0, 0.0])
MATRIX = np.array([[1.0, 2.0, 0.0], [3.0, 4.0, 5.0], [0.0, 0.0, 0.0], [2.0, 1.0, 2.0]])
QUERY = np.array([1.0, 0.0, 2.0])
EXPECTED = oracle(QUERY, MATRIX)
TOLERANCE = 1e-6  # float16 holds these values exactly; only the arithmetic rounds


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", INTEGERS)
def test_ids(dtype, layout):
    ids = LAYOUTS[layout](IDS.astype(dtype))
    assert rm.Ranking(ids).ids == IDS.tolist()
    assert rm.Ranking((ids, SCORES)).ids == IDS.tolist()
    assert rm.rrf([ids, [9]]) == rm.rrf([IDS.tolist(), [9]])
    assert {type(id) for id in rm.rrf([ids]).ids} == {int}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_scores(dtype, layout):
    scores = LAYOUTS[layout](SCORES.astype(dtype))
    assert rm.Ranking((IDS, scores)).scores.tolist() == SCORES.tolist()
    assert rm.fuse_scores([(IDS, scores)]) == rm.fuse_scores([(IDS, SCORES)])


@pytest.mark.parametrize("count", [0, 1])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", INTEGERS)
def test_empty_and_single_ids(dtype, layout, count):
    ids = LAYOUTS[layout](IDS[:count].astype(dtype))
    assert rm.Ranking(ids).ids == IDS[:count].tolist()
    assert len(rm.rrf([ids])) == count


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_query_and_vectors(dtype, layout):
    query, vectors = QUERY.astype(dtype), LAYOUTS[layout](MATRIX.astype(dtype))
    assert cosine_scores(query, vectors) == pytest.approx(EXPECTED, abs=TOLERANCE)
    assert cosine_scores(LAYOUTS[layout](query), vectors) == pytest.approx(EXPECTED, abs=TOLERANCE)


@pytest.mark.parametrize(("left", "right"), list(itertools.product(["<f2", ">f4", "<f8", "<i4"], repeat=2)))
def test_query_and_vectors_of_two_dtypes(left, right):
    found = cosine_scores(QUERY.astype(left), MATRIX.astype(right))
    assert found == pytest.approx(EXPECTED, abs=TOLERANCE)
    assert (found.dtype, found.shape) == (np.dtype(np.float64), (4,))


def test_lists_are_vectors_too():
    assert cosine_scores(QUERY.tolist(), MATRIX.tolist()) == pytest.approx(EXPECTED, abs=1e-12)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_the_vector_of_a_query_and_the_columns_of_an_index(dtype, layout):
    class Index:
        def search(self, query):
            return IDS, LAYOUTS[layout](SCORES.astype(dtype))

    query = rm.VectorQuery(LAYOUTS[layout](QUERY.astype(dtype)), 3)
    found = rm.search_vectors(Index(), query, {})
    assert (found.ids, found.scores.tolist()) == (IDS[:3].tolist(), SCORES[:3].tolist())


@pytest.mark.parametrize("dtype", FLOATS)
def test_no_rows_is_no_scores(dtype):
    empty = np.zeros((0, 3), dtype=dtype)
    assert cosine_scores(QUERY, empty).shape == (0,)
    indices, scores = cosine_top(QUERY, empty, limit=5)
    assert (indices.shape, scores.shape) == ((0,), (0,))


@pytest.mark.parametrize("shape", [(2, 0), (2, 2), (2, 4)])
def test_a_wrong_width_is_refused_with_both_numbers(shape):
    with pytest.raises(rm.InvalidArgumentError, match=str(shape[1])) as caught:
        cosine_scores(QUERY, np.ones(shape, dtype=np.float32))
    assert "3" in str(caught.value)


@pytest.mark.parametrize(
    ("query", "vectors"),
    [
        (QUERY, np.ones(3)),
        (QUERY, np.ones((2, 3, 1))),
        (QUERY.reshape(1, 3), MATRIX),
        (np.float64(1.0), MATRIX),
    ],
)
def test_a_wrong_number_of_dimensions_is_refused(query, vectors):
    with pytest.raises((TypeError, rm.InvalidArgumentError), match=r"dimension|shape"):
        cosine_scores(query, vectors)


@pytest.mark.parametrize("dtype", ["O", "c8", "c16", "U3", "S3", "M8[s]", "m8[s]", "V4"])
def test_a_dtype_that_is_no_number_is_named(dtype):
    other = np.zeros((2, 3), dtype=dtype)
    name = re.escape(str(other.dtype))
    with pytest.raises(TypeError, match=name):
        cosine_scores(QUERY, other)
    with pytest.raises(TypeError, match=name):
        cosine_scores(other[0], MATRIX)


@pytest.mark.parametrize("dtype", ["c8", "c16", "U3", "S3", "M8[s]", "V4"])
def test_a_dtype_that_is_no_score(dtype):
    with pytest.raises((TypeError, ValueError)):
        rm.fuse_scores([(np.arange(2), np.zeros(2, dtype=dtype))])


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8"])
def test_an_array_of_ids_holds_integers(dtype):
    with pytest.raises(TypeError):
        rm.Ranking(np.zeros(2, dtype=dtype))


@pytest.mark.parametrize("shape", [(2, 2), (2, 1), ()])
def test_ids_and_scores_have_one_dimension(shape):
    with pytest.raises((TypeError, ValueError), match=r"dimension|shape"):
        rm.Ranking(np.zeros(shape, dtype=np.int64))
    with pytest.raises((TypeError, ValueError)):
        rm.Ranking((np.zeros(shape, dtype=np.int64), np.zeros(shape)))


@pytest.mark.parametrize("lengths", [(2, 3), (3, 2), (0, 1), (1, 0)])
def test_columns_of_two_lengths_are_refused_with_both(lengths):
    ids, scores = lengths
    for pair in [
        (np.arange(ids), np.zeros(scores)),
        ([str(i) for i in range(ids)], [0.0] * scores),
        (np.arange(ids), [0.0] * scores),
    ]:
        with pytest.raises(rm.InvalidArgumentError, match=f"{ids}.*{scores}"):
            rm.Ranking(pair)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", ["<f2", ">f4", "<f8", ">f8"])
def test_what_is_not_finite_is_found_in_any_dtype(dtype, bad):
    scores = SCORES.astype(dtype)
    scores[3] = bad
    with pytest.raises(rm.InvalidScoreError, match="1") as caught:
        rm.fuse_scores([(IDS, scores)])
    assert "3" in str(caught.value)
    for query, vectors in [(QUERY, MATRIX.copy()), (QUERY.copy(), MATRIX)]:
        (query if vectors is MATRIX else vectors).flat[1] = bad
        with pytest.raises(ValueError, match=r"(?i)nan|inf"):
            cosine_scores(query.astype(dtype), vectors.astype(dtype))


def test_aliases_and_read_only_memory(tmp_path):
    vectors = mapped(MATRIX.astype(np.float32), tmp_path)
    assert not vectors.flags.writeable
    before = vectors.tobytes()
    expected = oracle(MATRIX[1], MATRIX)
    assert cosine_scores(vectors[1], vectors) == pytest.approx(expected, abs=TOLERANCE)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: cosine_scores(vectors[1], vectors), range(50)))
    assert all(np.array_equal(one, found[0]) for one in found)
    assert vectors.tobytes() == before


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e-60, 1e60, 1e160, 1e300])
def test_huge_and_tiny_vectors_are_vectors(scale):
    assert cosine_scores(QUERY * scale, MATRIX * scale) == pytest.approx(EXPECTED, abs=1e-9)
    assert cosine_scores(QUERY, MATRIX * scale) == pytest.approx(EXPECTED, abs=1e-9)


@pytest.mark.parametrize("scale", [1e-40, 1e-30, 1e30, 1e37])
def test_huge_and_tiny_float32_vectors_are_vectors(scale):
    scaled = MATRIX.astype(np.float32) * np.float32(scale)
    assert cosine_scores(QUERY, scaled) == pytest.approx(EXPECTED, abs=1e-4)


def test_top_is_the_beginning_of_a_full_sort():
    rng = np.random.default_rng(7)
    vectors = rng.integers(-2, 3, size=(500, 4)).astype(np.float32)  # many equal scores
    query = np.array([1.0, 2.0, -1.0, 0.5], dtype=np.float32)
    scores = cosine_scores(query, vectors)
    order = sorted(range(500), key=lambda i: (-scores[i], i))
    for limit in (0, 1, 10, 499, 500, 10_000):
        indices, best = cosine_top(query, vectors, limit=limit)
        assert indices.tolist() == order[:limit]
        assert best.tolist() == [scores[i] for i in order[:limit]]
        assert (indices.dtype, best.dtype) == (np.dtype(np.int64), np.dtype(np.float64))


@pytest.mark.parametrize(("rows", "width"), [(1, 1), (3, 7), (17, 33), (5, 384), (100, 3)])
def test_odd_sizes_meet_the_oracle(rows, width):
    rng = np.random.default_rng(rows * width)
    query, vectors = (
        rng.normal(size=width).astype(np.float32),
        rng.normal(size=(rows, width)).astype(np.float32),
    )
    assert cosine_scores(query, vectors) == pytest.approx(oracle(query, vectors), abs=1e-6)


PLACES = [("a", 4.0), ("b", 3.0), ("c", 2.0), ("d", 1.0)]
SIMILARITY = np.array(
    [[1.0, 2.0, 0.0, 1.0], [2.0, 1.0, 0.0, 3.0], [0.0, 3.0, 1.0, 2.0], [1.0, 0.0, 2.0, 1.0]]
)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_vectors_of_hits(dtype, layout):
    vectors = LAYOUTS[layout](MATRIX.astype(dtype))
    expected = rm.mmr(PLACES, similarity="cosine", vectors=MATRIX, lambda_=0.3)
    assert rm.mmr(PLACES, similarity="cosine", vectors=vectors, lambda_=0.3) == expected
    by_id = dict(zip("abcd", vectors, strict=True))
    for given in (list(vectors), by_id):
        assert rm.mmr(PLACES, similarity="cosine", vectors=given, lambda_=0.3) == expected
    for given in (vectors, list(vectors), by_id):
        found = rm.cosine_rerank(QUERY.astype(dtype), PLACES, given)
        assert {hit.id: hit.score for hit in found} == pytest.approx(
            dict(zip("abcd", EXPECTED, strict=True)), abs=TOLERANCE
        )


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_a_matrix_of_similarities(dtype, layout):
    similarity = LAYOUTS[layout](SIMILARITY.astype(dtype))
    found = rm.mmr(PLACES, similarity=similarity, lambda_=0.4)
    assert found.ids == ["a", "c", "b", "d"]  # read by columns it would be a, c, d, b
    assert found == rm.mmr(PLACES, similarity=SIMILARITY.tolist(), lambda_=0.4)


@pytest.mark.parametrize("dtype", ["O", "c8", "U3", "M8[s]"])
def test_a_dtype_that_is_no_vector_of_a_hit(dtype):
    other = np.zeros((4, 4), dtype=dtype)
    name = re.escape(str(other.dtype))
    for vectors in (other, list(other)):
        with pytest.raises(TypeError, match=name):
            rm.cosine_rerank(np.ones(4), PLACES, vectors)
        with pytest.raises(TypeError, match=name):
            rm.mmr(PLACES, similarity="cosine", vectors=vectors)
    with pytest.raises(TypeError, match=name):
        rm.mmr(PLACES, similarity=other)


@pytest.mark.parametrize("shape", [(4,), (4, 3), (3, 4), (4, 4, 1), (0, 0), ()])
def test_a_matrix_of_another_shape(shape):
    with pytest.raises(rm.InvalidArgumentError, match=r"shape"):
        rm.mmr(PLACES, similarity=np.zeros(shape))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [d for d in FLOATS + INTEGERS if d[1:] != "u2"])
def test_vectors_of_late_interaction(dtype, layout):
    lay = LAYOUTS[layout]
    query, rows = lay(np.stack([QUERY, MATRIX[1]]).astype(dtype)), MATRIX.astype(dtype)
    offsets, mask = lay(np.array([0, 1, 4])), lay(np.array([[True, False], [True, True]]))
    expected = maxsim_oracle(np.stack([QUERY, MATRIX[1]]), [MATRIX[:1], MATRIX[1:]])
    assert rm.maxsim(query, [lay(rows[:1]), lay(rows[1:])]).tolist() == expected
    assert rm.maxsim(query, lay(rows), offsets=offsets).tolist() == expected
    masked = rm.maxsim(query, lay(rows.reshape(2, 2, 3)), mask=mask)
    assert masked.tolist() == maxsim_oracle(np.stack([QUERY, MATRIX[1]]), [MATRIX[:1], MATRIX[2:]])
    scaled = rm.maxsim(query, lay(MATRIX.astype("i1")), offsets=offsets, scales=lay(np.full(4, 2, dtype)))
    assert scaled.tolist() == [2 * score for score in expected]


@pytest.mark.parametrize("dtype", ["O", "c8", "c16", "U3", "S3", "M8[s]", "m8[s]", "V4", "?"])
def test_vectors_of_late_interaction_that_are_no_numbers(dtype):
    other, name = np.zeros((2, 3), dtype=dtype), re.escape(str(np.dtype(dtype)))
    for query, documents, options in [
        (other, [MATRIX], {}),
        (MATRIX, [MATRIX, other], {}),
        (MATRIX, other, {"offsets": [0, 2]}),
        (MATRIX, other[None], {}),
    ]:
        with pytest.raises(TypeError, match=name):
            rm.maxsim(query, documents, **options)


SHARES = np.array([0.0, 1.0, 0.0])  # whole numbers, so that integers hold them too


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_scores_to_grade(dtype, layout):
    assert rm.grade_scores(LAYOUTS[layout](SHARES.astype(dtype))) == "high"
    assert rm.grade_scores(LAYOUTS[layout](SHARES[:1].astype(dtype))) == "low"
    assert rm.grade_scores(LAYOUTS[layout](SHARES[:0].astype(dtype))) == "low"


@pytest.mark.parametrize("dtype", ["c8", "c16", "U3", "S3", "M8[s]", "m8[s]", "V4", "?"])
def test_a_dtype_that_is_no_score_to_grade(dtype):
    with pytest.raises(TypeError, match=re.escape(str(np.dtype(dtype)))):
        rm.grade_scores(np.zeros(2, dtype=dtype))


def test_arrays_of_objects_are_read_item_by_item():
    assert rm.grade_scores(SHARES.astype(object)) == "high"
    assert rm.fusion_features(np.array([8, 4.0, 2], dtype=object)) == rm.fusion_features([8.0, 4.0, 2.0])
    for ask in (rm.grade_scores, rm.fusion_features):
        with pytest.raises(TypeError, match=re.escape("scores[1] must be a number, not str")):
            ask(np.array([0.5, "0.4"], dtype=object))


@pytest.mark.parametrize("shape", [(), (1, 2), (2, 1, 1)])
def test_scores_to_grade_have_one_dimension(shape):
    with pytest.raises(rm.InvalidArgumentError, match="dimension"):
        rm.grade_scores(np.zeros(shape))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 2.0, -1.0])
@pytest.mark.parametrize("dtype", FLOATS)
def test_a_score_outside_0_and_1_is_found_in_any_dtype(dtype, bad):
    scores = SHARES.astype(dtype)
    scores[2] = bad
    with pytest.raises(rm.InvalidScoreError, match=re.escape("scores[2]")):
        rm.grade_scores(scores)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_rankings_of_arrays_are_graded_and_filtered(dtype, layout):
    scores = LAYOUTS[layout](SCORES.astype(dtype))
    found = rm.evaluate_crag((IDS, scores), rm.CragConfig(high=8.0, low=1.0, floor=1.0))
    assert (found.grade, found.ranking.ids, found.pruned.ids) == ("high", [5, 3, 9, 1], [7])
    assert rm.recognition_filter((IDS, scores), relative_floor=0.25).ids == [5, 3, 9]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_scores_of_an_answer(dtype, layout):
    scores = np.array([8, 4, 2, 1, 0]).astype(dtype)
    assert rm.fusion_features(LAYOUTS[layout](scores)) == rm.fusion_features([8.0, 4.0, 2.0, 1.0, 0.0])
    for count in (0, 1):
        assert not rm.fusion_features(LAYOUTS[layout](scores[:count])).available


@pytest.mark.parametrize("dtype", ["c8", "c16", "U3", "S3", "M8[s]", "m8[s]", "V4", "?"])
def test_scores_of_an_answer_that_are_no_numbers(dtype):
    with pytest.raises(TypeError, match=re.escape(str(np.dtype(dtype)))):
        rm.fusion_features(np.zeros(3, dtype=dtype))


@pytest.mark.parametrize("shape", [(), (1, 3), (3, 1), (0, 2)])
def test_scores_of_an_answer_have_one_dimension(shape):
    with pytest.raises(rm.InvalidArgumentError, match="dimension"):
        rm.fusion_features(np.zeros(shape))


EDGES = ([0, 1, 2, 2], [1, 2, 0, 1], [8.0, 4.0, 2.0, 1.0])
WALKED = rm.Graph.from_arrays(*EDGES).personalized_pagerank({0: 1.0, 2: 3.0}).array


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", INTEGERS)
def test_numbers_of_nodes(dtype, layout):
    lay = LAYOUTS[layout]
    sources, targets, weights = (np.array(column) for column in EDGES)
    graph = rm.Graph.from_arrays(lay(sources.astype(dtype)), lay(targets.astype(dtype)), weights)
    assert graph.personalized_pagerank({0: 1.0, 2: 3.0}).array.tolist() == WALKED.tolist()
    indptr = lay(np.array([0, 1, 2, 4]).astype(dtype))
    graph = rm.Graph.from_csr(indptr, lay(targets.astype(dtype)), weights)
    assert graph.personalized_pagerank({0: 1.0, 2: 3.0}).array.tolist() == WALKED.tolist()


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_weights_of_edges_seeds_and_starts(dtype, layout):
    lay = LAYOUTS[layout]
    sources, targets, weights = (np.array(column) for column in EDGES)
    graph = rm.Graph.from_arrays(sources, targets, lay(weights.astype(dtype)))
    seeds = np.array([1, 0, 3]).astype(dtype)
    assert graph.personalized_pagerank(lay(seeds)).array.tolist() == WALKED.tolist()
    both = lay(np.stack([seeds, seeds]))
    found = graph.personalized_pagerank(both, start=lay(both.copy()))
    assert [one.array.tolist() for one in found] == [WALKED.tolist()] * 2


@pytest.mark.parametrize("dtype", ["O", "c8", "U3", "M8[s]", "?"])
def test_a_dtype_that_is_no_graph(dtype):
    other, name = np.zeros(3, dtype=dtype), re.escape(str(np.dtype(dtype)))
    graph = rm.Graph.from_arrays(*EDGES)
    for call in (
        lambda: rm.Graph.from_arrays(other, [0, 1, 2]),
        lambda: rm.Graph.from_arrays([0, 1, 2], [0, 1, 2], other),
        lambda: rm.Graph.from_csr([0, 3, 3, 3], other),
        lambda: graph.personalized_pagerank(other),
        lambda: graph.personalized_pagerank({0: 1}, start=other),
    ):
        with pytest.raises(TypeError, match=name):
            call()


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", INTEGERS)
def test_ids_that_stand_side_by_side(dtype, layout):
    expected = rm.adjacent(IDS.tolist(), groups=[1, 1, 1, 2, 2])
    ids, groups = LAYOUTS[layout](IDS.astype(dtype)), LAYOUTS[layout](np.array([1, 1, 1, 2, 2], dtype))
    assert rm.adjacent(ids, groups=groups) == expected
    assert rm.adjacent(ids[:0], groups=groups[:0]) == {}
    flows = LAYOUTS[layout](np.array([3, 2, 1, 0, 5], dtype))
    assert rm.adjacent(ids, forward=flows) == rm.adjacent(IDS, forward=[3, 2, 1, 0, 5])
    hits = (ids, SCORES)
    assert rm.propagate(hits, expected) == rm.propagate(
        list(zip(IDS.tolist(), SCORES, strict=True)), expected
    )


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_scores_that_are_evidence(dtype, layout):
    neighbors = rm.adjacent(IDS)
    found = rm.propagate((IDS, LAYOUTS[layout](SCORES.astype(dtype))), neighbors)
    assert found == rm.propagate((IDS, SCORES), neighbors)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_ids_and_vectors_of_a_collection(dtype, layout):
    expected = rm.alike(IDS[:4].tolist(), MATRIX, k=1)
    assert rm.alike(IDS[:4], LAYOUTS[layout](MATRIX.astype(dtype)), k=1) == expected
    assert {type(id) for id in expected} == {int}


def table_of(vectors, positions=None):
    positions = np.arange(len(vectors)) if positions is None else positions
    return _core.VectorTable(3).updated(positions, vectors, np.empty(0, np.int64))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [*byte_orders("f2"), *byte_orders("f4"), *byte_orders("i2"), "u1"])
def test_a_table_of_vectors(dtype, layout):
    vectors = LAYOUTS[layout](MATRIX.astype(dtype))
    for query in (QUERY, LAYOUTS[layout](QUERY.astype(dtype))):
        positions, scores = table_of(vectors).nearest(query, None, None, None)
        rows, expected = cosine_top(QUERY, MATRIX.astype(np.float32), limit=None)
        assert (positions.tolist(), scores.tolist()) == (rows.tolist(), expected.tolist())


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [name for name in INTEGERS if not name.endswith("u8")])
def test_positions_of_a_table_of_vectors(dtype, layout):
    places = LAYOUTS[layout](np.array([2, 5, 9, 11]).astype(dtype))
    vectors = MATRIX.astype(np.float32)
    table = table_of(vectors, places)
    assert table.nearest(QUERY, 2, None, 1)[0].tolist() == [11, 5]
    some = LAYOUTS[layout](np.array([1, 5, 9]).astype(dtype))
    assert table.nearest(QUERY, 2, some, 1)[0].tolist() == [5, 9]
    less = table.updated(places[:0], vectors[:0], some)
    assert (len(less), less.nearest(QUERY, 9, None, 2)[0].tolist()) == (2, [11, 2])
    assert len(table.nearest(QUERY, 2, some[:0], 1)[0]) == 0


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: _core.VectorTable(0), ValueError, "width is 0; it must be 1 or more"),
        (lambda: table_of(MATRIX), TypeError, "vectors has dtype float64; it must be float32"),
        (
            lambda: table_of(MATRIX[:, :2].astype("f4")),
            ValueError,
            r"vectors has shape \[4, 2\] for 4 position",
        ),
        (
            lambda: table_of(MATRIX.astype("f4"), [1, 2, 2, 3]),
            ValueError,
            "positions must ascend, each position",
        ),
        (
            lambda: table_of(MATRIX.astype("f4"), [1.0, 2, 3, 4]),
            TypeError,
            "positions has dtype float64; it must hold",
        ),
        (lambda: table_of(np.full((1, 3), np.nan, "f4")), ValueError, "row 0, column 0: the value is nan"),
        (
            lambda: table_of(MATRIX.astype("f4")).nearest(QUERY[:2], 1, None, 1),
            ValueError,
            "query has 2 dimension",
        ),
        (
            lambda: table_of(MATRIX.astype("f4")).nearest([1, np.inf, 0], 1, None, 1),
            ValueError,
            "query, dimension 1: the value is inf",
        ),
    ],
)
def test_what_a_table_of_vectors_refuses(call, error, text):
    with pytest.raises(error, match=text):
        call()
