"""Known failures at the border of native code, the part about arrays and text."""

from __future__ import annotations

import pickle
import re
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import rankmeld as rm
from rankmeld.text import clean_text, fold_text
from rankmeld.vectors import cosine_scores, cosine_top

QUERY = np.array([1, 0])


def test_c256_a_strided_view_is_not_read_as_if_it_were_contiguous():
    gaps = np.array([[1, 9, 2, 9], [3, 9, 4, 9]], dtype=np.float32)
    assert cosine_scores(QUERY, gaps[:, ::2]) == pytest.approx([0.4472135954999579, 0.6], abs=1e-6)
    rows = np.array([[1, 2], [9, 9], [3, 4], [9, 9]], dtype=np.float32)
    assert cosine_scores(QUERY, rows[::2]) == pytest.approx([0.4472135954999579, 0.6], abs=1e-6)
    assert cosine_scores(QUERY, np.asfortranarray(gaps[:, ::2])) == pytest.approx([0.4472136, 0.6], abs=1e-6)
    assert cosine_scores(gaps[0, ::2], gaps[:, ::2])[0] == pytest.approx(1.0, abs=1e-6)
    ids = np.array([1, 9, 2, 9, 3, 9])
    assert rm.rrf([ids[::2]]).ids == [1, 2, 3]


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", ">f4", ">f8", "i4", "i8", ">i2", "u1", "g"])
@pytest.mark.parametrize("query_dtype", ["f2", "f8", "i4"])
def test_c258_every_real_dtype_gives_the_same_numbers(dtype, query_dtype):
    vectors = np.array([[2, 0], [1, 1]]).astype(dtype)
    found = cosine_scores(QUERY.astype(query_dtype), vectors)
    assert found == pytest.approx([1.0, 2**-0.5], abs=1e-3)


@pytest.mark.parametrize("dtype", ["O", "c8", "c16", "U1", "S1"])
def test_c258_other_dtypes_are_refused_by_name(dtype):
    vectors = np.array([[1, 0], [1, 1]]).astype(dtype)
    name = re.escape(str(vectors.dtype))
    with pytest.raises((TypeError, ValueError), match=name):
        cosine_scores(QUERY, vectors)
    with pytest.raises((TypeError, ValueError), match=name):
        cosine_scores(vectors[0], np.ones((2, 2)))


def test_c259_no_rows_is_a_normal_candidate_list():
    empty = pickle.loads(pickle.dumps(np.zeros((0, 2), dtype=np.float32), protocol=5))
    assert cosine_scores(QUERY, empty).tolist() == []
    indices, scores = cosine_top(QUERY, empty, limit=3)
    assert (indices.tolist(), scores.tolist()) == ([], [])
    with pytest.raises(rm.InvalidArgumentError, match="0"):
        cosine_scores(QUERY, np.zeros((2, 0), dtype=np.float32))
    for shape in ((0,), (0, 0)):
        try:
            assert len(cosine_scores(QUERY, np.zeros(shape, dtype=np.float32))) == 0
        except (rm.InvalidArgumentError, TypeError):
            continue


def test_c260_read_only_mapped_and_shared_memory(tmp_path):
    path = tmp_path / "vectors.npy"
    np.save(path, np.random.default_rng(0).normal(size=(50, 8)).astype(np.float32))
    frozen = np.load(path)
    frozen.flags.writeable = False
    for vectors in (
        frozen,
        np.load(path, mmap_mode="r"),
        np.frombuffer(frozen.tobytes(), "<f4").reshape(50, 8),
    ):
        before = vectors.tobytes()
        expected = cosine_scores(vectors[0], vectors)
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda _, v=vectors: cosine_scores(v[0], v), range(64)))
        assert all(np.array_equal(one, expected) for one in found)
        assert vectors.tobytes() == before
    ids = np.arange(50)
    ids.flags.writeable = False
    assert rm.rrf([ids, ids[::-1]]) == rm.rrf([list(range(50)), list(range(49, -1, -1))])


@pytest.mark.parametrize("limit", [2, 2**31, 2**63 - 1, 2**64, 10**12, 10**30])
def test_c263_a_huge_limit_allocates_nothing(limit):
    hits = [("a", 0.1), ("b", 0.2)]
    assert rm.fuse_scores([hits], normalize="none", limit=limit).ids == ["b", "a"]
    assert rm.rrf([hits], limit=limit).ids == ["a", "b"]
    assert rm.dedup(hits, limit=limit).ids == ["a", "b"]
    assert cosine_top(QUERY, np.eye(2), limit=limit)[0].tolist() == [0, 1]


@pytest.mark.parametrize("limit", [2.0, "2", True, b"2", [2]])
def test_c263_a_limit_of_the_wrong_kind(limit):
    with pytest.raises(TypeError, match="limit"):
        rm.rrf([["a"]], limit=limit)
    with pytest.raises(TypeError, match="limit"):
        cosine_top(QUERY, np.eye(2), limit=limit)
    with pytest.raises(rm.InvalidArgumentError, match="limit"):
        cosine_top(QUERY, np.eye(2), limit=-1)


TEXTS = ["a\ud83db", "\ud800", "\udfff", "\x00", "a\x00b", "\ufffd", "\U0010ffff", "\ufeff"]


@pytest.mark.parametrize("text", TEXTS)
def test_c271_any_text_is_text(text):
    assert clean_text(text) == "".join("\ufffd" if 0xD800 <= ord(c) < 0xE000 else c for c in text)
    assert fold_text(text) == clean_text(text)
    document = rm.Document(id="d", text=text, title=text)
    assert rm.dedup([("d", 1.0, document), ("e", 0.5, document)]).ids == ["d"]


@pytest.mark.parametrize("text", TEXTS)
def test_c271_any_text_is_an_id_and_comes_back_untouched(text):
    ranking = rm.rrf([[text, "z"], ["z", text]], ties="id_asc")
    assert set(ranking.ids) == {text, "z"}
    assert rm.rrf([np.array([text, "z"], dtype=object).tolist()]).ids == [text, "z"]
    for shown in (repr(ranking), str(ranking.explain(text)), ranking._repr_html_()):
        shown.encode("utf-8", "surrogatepass")
    with pytest.raises(rm.InvalidScoreError):
        rm.fuse_scores([[(text, float("nan"))]])
    with pytest.raises(rm.InvalidArgumentError):
        rm.rrf([["a"]], ties=text)
    with pytest.raises(rm.InvalidArgumentError):
        rm.rrf([rm.Source(text, ["a"])], weights={text + "x": 1.0})


def test_c271_a_lone_surrogate_is_not_a_replacement_character_as_an_id():
    assert len(rm.rrf([["\ud800", "\ufffd", "\udfff"]])) == 3


@pytest.mark.parametrize("unit", ["a", "a ", "é", "e\u0301", "\ud800", "ß\u3000"])
def test_c271_long_texts_take_linear_time(unit):
    def seconds(times: int) -> float:
        text = unit * times
        start = time.thread_time()
        fold_text(text)
        return time.thread_time() - start

    short = min(seconds(50_000) for _ in range(3))
    # Twenty times the text: four hundred times the time if something were quadratic.
    assert min(seconds(1_000_000) for _ in range(2)) < 160 * short + 0.05
