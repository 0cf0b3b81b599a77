"""Numbers in every kind that embeddings come in."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest

import rankmeld as rm
from reference import maxsim as oracle
from support.arrays import LAYOUTS, byte_orders, mapped
from support.interrupts import assert_a_signal_stops

RNG = np.random.default_rng(3)
QUERY = RNG.integers(-8, 9, (3, 5)).astype(np.float64)
DOCUMENTS = [RNG.integers(-8, 9, (n, 5)).astype(np.float64) for n in (2, 0, 4)]
EXPECTED = oracle.maxsim(QUERY, DOCUMENTS)
CUBE = np.concatenate(DOCUMENTS).reshape(2, 3, 5)
SIGNED = [d for name in ("i1", "i2", "i4", "i8", "f2", "f4", "f8") for d in byte_orders(name)] + ["g"]


def bits(values):
    """bfloat16 as its bits: the upper half of a float32."""
    return (np.asarray(values, np.float32).view(np.uint32) >> 16).astype(np.uint16)


def widened(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", SIGNED)
def test_every_dtype_and_layout(dtype, layout):
    lay = LAYOUTS[layout]
    query, documents = lay(QUERY.astype(dtype)), [lay(d.astype(dtype)) for d in DOCUMENTS]
    before = [d.tobytes() for d in documents]
    assert rm.maxsim(query, documents).tolist() == EXPECTED
    assert rm.maxsim(QUERY, documents).tolist() == EXPECTED
    assert rm.maxsim(query, DOCUMENTS).tolist() == EXPECTED
    joined = lay(np.concatenate(DOCUMENTS).astype(dtype))
    assert rm.maxsim(query, joined, offsets=lay(np.array([0, 2, 2, 6]))).tolist() == EXPECTED
    cube, mask = lay(CUBE.astype(dtype)), lay(np.ones((2, 3), bool))
    assert rm.maxsim(query, cube, mask=mask).tolist() == oracle.maxsim(QUERY, CUBE)
    assert [d.tobytes() for d in documents] == before


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["<u2", ">u2"])
def test_bfloat16_bits(dtype, layout):
    lay = LAYOUTS[layout]
    query, documents = lay(bits(QUERY).astype(dtype)), [lay(bits(d).astype(dtype)) for d in DOCUMENTS]
    assert rm.maxsim(query, documents).tolist() == EXPECTED
    assert rm.maxsim(QUERY.astype(np.float32), documents).tolist() == EXPECTED
    assert rm.maxsim(query, DOCUMENTS).tolist() == EXPECTED


@pytest.mark.parametrize("width", [1, 2, 7, 64, 129])
def test_bfloat16_with_itself_adds_the_second_of_a_pair_first(width):
    rng = np.random.default_rng(width)
    query, document = bits(rng.normal(size=(20, width))), bits(rng.normal(size=(30, width)))
    order = [i for pair in range(0, width, 2) for i in (pair + 1, pair) if i < width]
    left, right = widened(query)[:, order], widened(document)[:, order]
    sums = np.zeros((20, 30), np.float32)
    for column in range(width):
        # Products of bfloat16 are exact in float32, so this is what a fused multiply-add gives.
        sums += left[:, column, None] * right[None, :, column]
    expected = sum(sums.max(axis=1).tolist())
    assert rm.maxsim(query, [document]).tolist() == [expected]


def test_the_dtype_of_a_package():
    dtypes = pytest.importorskip("ml_dtypes")
    query, documents = QUERY.astype(dtypes.bfloat16), [d.astype(dtypes.bfloat16) for d in DOCUMENTS]
    assert rm.maxsim(query, documents).tolist() == EXPECTED
    assert rm.maxsim(query[:, ::-1], [np.asfortranarray(d)[:, ::-1] for d in documents]).tolist() == EXPECTED
    eighth = [d.astype(dtypes.float8_e5m2) for d in DOCUMENTS]
    wide = [d.astype(np.float32) for d in eighth]
    assert rm.maxsim(QUERY, eighth).tolist() == rm.maxsim(QUERY, wide).tolist()


@pytest.mark.parametrize("dtype", ["f2", "f4", "u2", "i1"])
def test_narrow_documents_are_exactly_what_they_hold(dtype):
    rng = np.random.default_rng(1)
    query = rng.normal(size=(40, 33)).astype(np.float32)
    rows = rng.normal(size=(50, 33)) * 8
    narrow = bits(rows) if dtype == "u2" else rows.astype(dtype)
    wide = widened(narrow) if dtype == "u2" else narrow.astype(np.float32)
    assert rm.maxsim(query, [narrow]).tolist() == rm.maxsim(query, [wide]).tolist()
    both = rm.maxsim(query, [narrow], normalize=True), rm.maxsim(query, [wide], normalize=True)
    assert both[0].tolist() == both[1].tolist()
    double = query.astype(np.float64)
    assert rm.maxsim(double, [narrow]).tolist() == rm.maxsim(double, [wide]).tolist()


def test_kinds_may_be_mixed_and_each_document_stands_alone():
    documents = [
        DOCUMENTS[0].astype("f4"),
        DOCUMENTS[1].astype("i8"),
        bits(DOCUMENTS[2]),
        DOCUMENTS[2].tolist(),
        [],
    ]
    assert rm.maxsim(QUERY.astype("f4"), documents).tolist() == [*EXPECTED, EXPECTED[2], 0.0]
    assert rm.maxsim(QUERY, iter(documents)).tolist() == [*EXPECTED, EXPECTED[2], 0.0]
    assert rm.maxsim(QUERY, tuple(documents)).tolist() == [*EXPECTED, EXPECTED[2], 0.0]


class Tensor:
    """Like those of other packages: no array, but it can make one."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return self.values

    def __len__(self):
        return len(self.values)


def test_what_can_make_an_array_is_one():
    tensors = [Tensor(d) for d in DOCUMENTS]
    assert rm.maxsim(Tensor(QUERY), tensors).tolist() == EXPECTED
    mask = Tensor(np.ones((2, 3), bool))
    assert rm.maxsim(QUERY, Tensor(CUBE), mask=mask).tolist() == oracle.maxsim(QUERY, CUBE)
    joined = Tensor(np.concatenate(DOCUMENTS))
    assert rm.maxsim(QUERY, joined, offsets=Tensor(np.array([0, 2, 2, 6]))).tolist() == EXPECTED


def test_files_and_many_threads(tmp_path):
    rng = np.random.default_rng(0)
    vectors = mapped(rng.normal(size=(3_000, 16)).astype(np.float32), tmp_path)
    offsets = np.arange(0, 3_001, 10)
    expected = rm.maxsim(vectors[:20], vectors, offsets=offsets)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: rm.maxsim(vectors[:20], vectors, offsets=offsets), range(64)))
    assert all(one.tobytes() == expected.tobytes() for one in found)


def test_axes_of_length_zero():
    query = np.zeros((2, 3), np.float32)
    assert rm.maxsim(query, []).shape == (0,)
    assert rm.maxsim(query, [[], np.zeros((0, 3)), np.zeros((0, 0))]).tolist() == [0, 0, 0]
    assert rm.maxsim(query, np.zeros((0, 3)), offsets=[0]).shape == (0,)
    assert rm.maxsim(query, np.zeros((0, 3)), offsets=[0, 0, 0]).tolist() == [0, 0]
    assert rm.maxsim(query, np.zeros((0, 4, 3))).shape == (0,)
    assert rm.maxsim(query, np.zeros((2, 0, 3)), mask=np.zeros((2, 0), bool)).tolist() == [0, 0]
    assert rm.maxsim(query, np.ones((2, 4, 3)), mask=np.zeros((2, 4), bool)).tolist() == [0, 0]
    assert rm.maxsim(np.zeros((0, 3)), [np.ones((2, 3))]).tolist() == [0]
    assert rm.maxsim(np.zeros((2, 0)), [np.ones((2, 0))]).tolist() == [0]
    nothing = rm.maxsim(query, [[], np.ones((1, 3))], explain=True)
    assert nothing.matches.tolist() == [[-1, -1], [0, 0]]
    assert rm.maxsim(np.zeros((0, 3)), [[]], explain=True).matches.shape == (1, 0)
    assert len(rm.maxsim_top(query, [], limit=5)) == 0


def test_equal_scores_keep_their_order():
    documents = [np.array([[1.0, 0.0]])] * 4
    query = np.array([[1.0, 0.0]])
    assert rm.maxsim_top(query, documents, limit=None).ids == [0, 1, 2, 3]
    assert rm.maxsim_top(query, documents, limit=2, ties="id_desc").ids == [3, 2]


def test_a_signal_is_heard_while_only_another_thread_is_at_work():
    query, vectors = np.ones((8_192, 64), np.float32), np.ones((2, 300_000, 64), np.float32)
    mask = np.zeros((2, 300_000), bool)
    mask[1] = True
    assert_a_signal_stops(lambda: rm.maxsim(query, vectors, mask=mask, threads=2), threads=2)


def test_a_signal_stops_it_and_others_go_on_meanwhile():
    query, vectors = np.ones((4_096, 256), np.float32), np.ones((1, 200_000, 256), np.float32)
    turns = 0
    done = threading.Event()

    def count():
        nonlocal turns
        while not done.wait(0.002):
            turns += 1

    counter = threading.Thread(target=count)
    counter.start()
    try:
        for threads in (1, 2):
            assert_a_signal_stops(partial(rm.maxsim, query, vectors, threads=threads), threads=threads)
    finally:
        done.set()
        counter.join()
    assert turns > 5


def test_quantizing_is_also_found_in_the_module_of_maxsim():
    from rankmeld.maxsim import quantize_int8

    assert quantize_int8 is rm.quantize_int8
