"""MaxSim against the oracle, and what must hold whatever the vectors are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import rankmeld as rm
from reference import maxsim as oracle

#: Eighths of small numbers: sums of their products are exact in float32 and in float16 inputs.
EIGHTHS = st.integers(-16, 16).map(lambda n: n / 8)


@st.composite
def cases(draw, least=0):
    """A query and documents of one width; documents may be empty."""
    width = draw(st.integers(1, 9))
    shapes = st.tuples(st.integers(least, 5), st.just(width))
    block = shapes.flatmap(lambda shape: hnp.arrays(np.float32, shape, elements=EIGHTHS))
    query = draw(hnp.arrays(np.float32, (draw(st.integers(1, 20)), width), elements=EIGHTHS))
    return query, draw(st.lists(block, max_size=5))


def flat(documents, width):
    offsets = np.cumsum([0, *map(len, documents)])
    return np.concatenate([np.zeros((0, width), np.float32), *documents]), offsets


def padded(documents, width, filler=0.0):
    longest = max(map(len, documents), default=0)
    cube = np.full((len(documents), longest, width), filler, dtype=np.float32)
    mask = np.zeros(cube.shape[:2], dtype=bool)
    for index, document in enumerate(documents):
        cube[index, : len(document)] = document
        mask[index, : len(document)] = True
    return cube, mask


@given(cases())
def test_every_form_gives_the_exact_sums(case):
    query, documents = case
    expected = oracle.maxsim(query, documents)
    width = query.shape[1]
    vectors, offsets = flat(documents, width)
    cube, mask = padded(documents, width, np.nan)
    assert rm.maxsim(query, documents).tolist() == expected
    assert rm.maxsim(query, vectors, offsets=offsets).tolist() == expected
    assert rm.maxsim(query, cube, mask=mask).tolist() == expected
    assert rm.maxsim(query.tolist(), [document.tolist() for document in documents]).tolist() == expected
    best = rm.maxsim_top(query, documents, limit=3)
    found = list(zip(best.ids, best.scores.tolist(), strict=True))
    assert found == oracle.maxsim_top(query, documents, limit=3)


@given(cases())
def test_matches_are_the_first_of_the_best(case):
    query, documents = case
    found = rm.maxsim(query, documents, explain=True)
    assert found.matches.tolist() == oracle.matches(query, documents)
    assert found.scores.tolist() == rm.maxsim(query, documents).tolist()
    assert found.similarities.sum(axis=1).tolist() == found.scores.tolist()
    assert found.matches.shape == found.similarities.shape == (len(documents), len(query))


@given(cases(), st.sampled_from([np.float32, np.float64]))
def test_cosines(case, dtype):
    query, documents = case
    documents = [document.astype(dtype) for document in documents]
    expected = oracle.maxsim(query, documents, normalize=True)
    found = rm.maxsim(query.astype(dtype), documents, normalize=True)
    tolerance = 2e-7 if dtype is np.float32 else 1e-14
    assert found == pytest.approx(expected, abs=tolerance * len(query), rel=tolerance)


@given(cases(least=1), st.randoms(use_true_random=False))
def test_neither_order_nor_padding_nor_company_matters(case, random):
    query, documents = case
    alone = [rm.maxsim(query, [document])[0] for document in documents]
    assert rm.maxsim(query, documents).tolist() == alone
    shuffled = [document[random.sample(range(len(document)), len(document))] for document in documents]
    assert rm.maxsim(query, shuffled).tolist() == alone
    cube, mask = padded(documents, query.shape[1], 99.0)
    order = np.array(random.sample(range(cube.shape[1]), cube.shape[1]), dtype=int)
    assert rm.maxsim(query, cube[:, order], mask=mask[:, order]).tolist() == alone


@given(cases(least=1), st.integers(-100, 100))
def test_a_power_of_two_comes_out_of_the_sum(case, power):
    query, documents = case
    scale = np.float64(2.0) ** power
    expected = (rm.maxsim(query, documents) * scale).tolist()
    assert rm.maxsim(query * scale, documents).tolist() == expected
    assert rm.maxsim(query, [document * scale for document in documents]).tolist() == expected
    assert (
        rm.maxsim(query, [(document * scale).astype(np.float32) for document in documents]).tolist()
        == expected
    )


@pytest.mark.parametrize("count", [1, 2, 15, 16, 17, 31, 32, 33, 65])
@pytest.mark.parametrize("width", [1, 3, 127, 128, 1024])
def test_sizes_around_the_registers(count, width):
    rng = np.random.default_rng(count * width)
    query = rng.integers(-4, 5, (count, width)).astype(np.float32)
    documents = [rng.integers(-4, 5, (rows, width)).astype(np.float32) for rows in (*range(1, 28), 100)]
    expected = [(query @ document.T).max(axis=1).sum() for document in documents]
    assert rm.maxsim(query, documents).tolist() == expected
    assert rm.maxsim(query.astype(np.float64), documents).tolist() == expected
    small = [document.astype(np.int8) for document in documents]
    assert rm.maxsim(query.astype(np.int8), small).tolist() == expected
    assert rm.maxsim(query, small).tolist() == expected


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_threads_change_no_bit(threads):
    rng = np.random.default_rng(5)
    query = rng.normal(size=(32, 64)).astype(np.float32)
    documents = [rng.normal(size=(n, 64)).astype(np.float32) for n in rng.integers(0, 60, 100)]
    one = rm.maxsim(query, documents, threads=1, explain=True)
    many = rm.maxsim(query, documents, threads=threads, explain=True)
    assert one.scores.tobytes() == many.scores.tobytes()
    assert one.matches.tobytes() == many.matches.tobytes()
    assert one.scores == pytest.approx(
        [(query @ d.T).max(1).sum() if len(d) else 0 for d in documents], rel=1e-5
    )


def test_int8_with_scales_is_exact():
    rng = np.random.default_rng(8)
    query, query_scales = rm.quantize_int8(rng.normal(size=(9, 40)))
    documents = [rng.normal(size=(n, 40)) for n in (3, 0, 7)]
    small, scales = zip(*map(rm.quantize_int8, documents), strict=True)
    wide = [d.astype(np.float64) * s[:, None] for d, s in zip(small, scales, strict=True)]
    wide_query = query.astype(np.float64) * query_scales[:, None]
    expected = pytest.approx(oracle.maxsim(wide_query, wide), rel=1e-14)
    each = {"query_scales": query_scales}
    assert rm.maxsim(query, list(small), scales=list(scales), **each) == expected
    joined, offsets = np.concatenate(small), [0, 3, 3, 10]
    assert rm.maxsim(query, joined, offsets=offsets, scales=np.concatenate(scales), **each) == expected
    cube = np.concatenate(small)[None]
    both = rm.maxsim(query, cube, scales=np.concatenate(scales)[None], **each)
    assert both == pytest.approx(oracle.maxsim(wide_query, [np.concatenate(wide)]), rel=1e-14)
    assert (
        rm.maxsim(query, list(small), scales=0.5, query_scales=2.0).tolist()
        == rm.maxsim(query, list(small)).tolist()
    )
    close = rm.maxsim(wide_query.astype(np.float32), list(small), scales=list(scales))
    assert close == pytest.approx(expected.expected, rel=1e-5)
    assert rm.maxsim(query, list(small), scales=[2.0, 1.0, 0.0])[2] == 0.0


@given(
    hnp.arrays(
        np.float32,
        hnp.array_shapes(min_dims=1, max_dims=3),
        elements=st.floats(-(2.0**100), 2.0**100, width=32),
    )
)
def test_quantized_vectors_come_back_nearly(vectors):
    small, scales = rm.quantize_int8(vectors)
    assert (small.dtype, scales.dtype, small.shape, scales.shape) == (
        np.int8,
        np.float32,
        vectors.shape,
        vectors.shape[:-1],
    )
    error = np.abs(small * scales[..., None].astype(np.float64) - vectors)
    largest = np.abs(vectors).max(axis=-1, initial=0, keepdims=True)
    assert (error <= largest / 250 + 1e-44 * 127).all()


@pytest.mark.parametrize("size", [1e-300, 1e-160, 1e-30, 1e30, 1e150])
def test_sizes_beyond_the_range_of_products(size):
    query, document = np.array([[size, 0.0], [0.0, size]]), np.array([[size, -size], [-1.0, -1.0]])
    expected = oracle.maxsim(query, [document])
    assert rm.maxsim(query, [document]) == pytest.approx(expected, rel=1e-15)
    assert rm.maxsim(query, [document], normalize=True) == pytest.approx(
        oracle.maxsim(query, [document], normalize=True), rel=1e-14
    )


def test_float32_neither_overflows_nor_vanishes():
    query = np.array([[3e38, 3e38]], np.float32)
    assert rm.maxsim(query, [query, -query]) == pytest.approx(oracle.maxsim(query, [query, -query]), rel=1e-6)
    small = np.array([[1e-30, 0.0]], np.float32)
    document = np.array([[-1.0, 0.0], [1e-30, 1.0e-33]], np.float32)
    assert rm.maxsim(small, [document]) == pytest.approx(oracle.maxsim(small, [document]), rel=1e-6)
