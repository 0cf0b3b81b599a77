"""What models answer: every form of numbers is read, and anything else is refused, word for word."""

from __future__ import annotations

import asyncio
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import rankmeld as rm
from rerankers.samples import HITS, QUERY, Calls, letters
from support.refusals import refusal

NAN, INF = math.nan, math.inf
THREE = HITS[:3]
NUMBERS = [0.25, 2.0, -1.0]


class Tensor:
    """What rankmeld touches of a torch tensor: it may have a gradient and be elsewhere."""

    def __init__(self, values, at="with a gradient"):
        self.values = values
        self.at = at

    def _step(self, before, after):
        assert self.at == before
        return Tensor(self.values, after)

    def detach(self):
        return self._step("with a gradient", "on a device")

    def cpu(self):
        return self._step("on a device", "bfloat16")

    def float(self):
        return self._step("bfloat16", "float32")

    def numpy(self):
        if self.at != "float32":
            raise TypeError("Got unsupported ScalarType BFloat16")
        return np.array(self.values, np.float32)


FORMS = {
    "list": NUMBERS,
    "tuple": tuple(NUMBERS),
    "iterator": iter(NUMBERS),
    "float64": np.array(NUMBERS),
    "float16": np.array(NUMBERS, np.float16),
    "big-endian": np.array(NUMBERS, ">f4"),
    "backwards": np.array(NUMBERS[::-1])[::-1],
    "one column": np.array(NUMBERS)[:, None],
    "list of lists of one": [[x] for x in NUMBERS],
    "NumPy scalars": [np.float32(x) for x in NUMBERS],
    "arrays without dimensions": [np.array(x) for x in NUMBERS],
    "decimals": [Decimal(x) for x in NUMBERS],
    "fractions": [Fraction(x) for x in NUMBERS],
    "mixed": [Decimal("0.25"), 2, np.float32(-1)],
    "objects": np.array(NUMBERS, dtype=object),
    "tensor": Tensor(NUMBERS),
}


@pytest.mark.parametrize("answer", FORMS.values(), ids=FORMS)
def test_numbers_are_numbers(answer):
    found = rm.CallableReranker(lambda _query, _passages: answer).rerank(QUERY, THREE)
    assert [tuple(hit)[:2] for hit in found] == [("vector", 2.0), ("river", 0.25), ("search", -1.0)]


WANTED = "it must give one finite number for each of 3 passages, in their order"
BAD = {
    "too few": ([1.0, 2.0], f"judge gave 2 answers; {WANTED}"),
    "too many": ([1.0] * 4, f"judge gave 4 answers; {WANTED}"),
    "none at all": ([], f"judge gave 0 answers; {WANTED}"),
    "NaN": ([1.0, NAN, 2.0], f"judge gave nan for passage 1; {WANTED}"),
    "infinite": (np.array([1.0, 2.0, -INF]), f"judge gave -inf for passage 2; {WANTED}"),
    "beyond floats": ([1, 2, 10**400], f"judge gave 1{'0' * 36}... for passage 2; {WANTED}"),
    "no score": ([1.0, None, 2.0], f"judge gave None for passage 1; {WANTED}"),
    "text": ([1.0, "0.9", 2.0], f"judge gave '0.9' for passage 1; {WANTED}"),
    "two numbers": ([[0.2, 0.8], 1.0, 2.0], f"judge gave [0.2, 0.8] for passage 0; {WANTED}"),
    "yes and no": ([True, 1.0, None], f"judge gave True for passage 0; {WANTED}"),
    "booleans": ([True, False, True], f"judge gave True for passage 0; {WANTED}"),
    "complex": ([1j, 1.0, 2.0], f"judge gave 1j for passage 0; {WANTED}"),
    "pairs": (
        np.zeros((3, 2)),
        (
            f"judge gave an array of shape (3, 2); {WANTED} (of a model with several classes, give the "
            "column of the one that means relevant)"
        ),
    ),
    "one number": (1.0, f"judge gave a float; {WANTED}"),
    "an array without dimensions": (np.array(1.0), f"judge gave a ndarray; {WANTED}"),
    "nothing": (None, f"judge gave None; {WANTED}"),
    "a mapping": ({"a": 1.0, "b": 2.0, "c": 3.0}, f"judge gave a dict; {WANTED}"),
    "a string": ("123", f"judge gave a str; {WANTED}"),
}


@pytest.mark.parametrize(("answer", "text"), BAD.values(), ids=BAD)
def test_c042_what_is_no_score_is_refused_and_named(answer, text):
    reranker = rm.CallableReranker(lambda _query, _passages: answer, name="judge")
    assert refusal(rm.RerankResponseError, reranker.rerank, QUERY, THREE) == text
    with pytest.raises(rm.RerankResponseError) as caught:
        asyncio.run(reranker.arerank(QUERY, THREE))
    assert str(caught.value) == text


def test_in_batches_the_place_among_all_passages_is_named():
    answers = iter([[1.0, 1.0], [NAN]])
    reranker = rm.CallableReranker(lambda _query, _passages: next(answers), batch_size=2, name="judge")
    text = refusal(rm.RerankResponseError, reranker.rerank, QUERY, THREE)
    assert "nan for passage 2; it must give one finite number for each of 1 passages" in text


VECTORS = {
    "too few": ([[1.0], [2.0]], "gave an array of shape (2, 1)"),
    "one vector": ([1.0, 2.0, 3.0], "gave an array of shape (3,)"),
    "no width": (np.empty((3, 0)), "gave an array of shape (3, 0)"),
    "NaN": ([[1.0], [NAN], [2.0]], "gave NaN or an infinity for passage 1"),
    "infinite": ([[1.0], [2.0], [INF]], "gave NaN or an infinity for passage 2"),
    "uneven": ([[1.0], [1.0, 2.0], [1.0]], "gave what is no array of numbers"),
    "texts": ([["a"], ["b"], ["c"]], "gave what is no array of numbers"),
    "nothing": (None, "gave None"),
    "a number": (3.0, "gave a float"),
}


@pytest.mark.parametrize(("answer", "text"), VECTORS.values(), ids=VECTORS)
def test_what_is_no_vector_is_refused_and_named(answer, text):
    def embed(_texts):
        return answer

    found = refusal(rm.RerankResponseError, rm.CosineReranker(embed).rerank, QUERY, THREE)
    name = embed.__qualname__
    wanted = "it must give an array of shape (3, D) of finite numbers, one row for each text"
    assert found == f"{name} {text}; {wanted}"


class Queries:
    """An embedder whose queries are another matter."""

    def __init__(self, answer):
        self.answer = answer

    def __call__(self, texts):
        return letters(texts)

    def embed_query(self, _text):
        return self.answer


@pytest.mark.parametrize(
    "answer", [np.ones(9), np.ones((1, 9)), [1.0] * 9, Tensor([1.0] * 9), Tensor([[1.0] * 9])]
)
def test_a_query_is_one_vector(answer):
    found = rm.CosineReranker(Queries(answer)).rerank(QUERY, THREE)
    assert found == rm.CosineReranker(Queries(np.ones(9))).rerank(QUERY, THREE)
    assert found[0].score > 0.5


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ([NAN] * 9, "Queries.embed_query gave NaN or an infinity; it must give an array of shape (D,)"),
        (np.ones((2, 9)), "Queries.embed_query gave an array of shape (2, 9)"),
        (None, "Queries.embed_query gave None"),
        (1.0, "Queries.embed_query gave a float"),
        ([], "Queries.embed_query gave an array of shape (0,)"),
        (
            [1.0] * 8,
            (
                "Queries gave a vector of width 8 for the query, and of width 9 before; query and passages "
                "must come from one model"
            ),
        ),
    ],
)
def test_what_is_no_vector_of_the_query_is_refused(answer, text):
    found = refusal(rm.RerankResponseError, rm.CosineReranker(Queries(answer)).rerank, QUERY, THREE)
    assert found.startswith(text)


def test_vectors_that_become_wider_are_refused():
    widths = iter([4, 4, 5])
    embed = Calls(lambda texts: np.ones((len(texts), next(widths))))
    found = refusal(rm.RerankResponseError, rm.CosineReranker(embed, batch_size=1).rerank, QUERY, THREE)
    assert found.startswith("Calls gave a vector of width 5 for passage 2, and of width 4 before")


def test_what_has_no_order_or_no_value_is_refused():
    """A set would pair scores with passages by chance, and a masked entry has no value."""
    for answer, kind in (
        ({0.5, 0.25, 1.0}, "a set"),
        (np.ma.array(NUMBERS, mask=[0, 1, 0]), "a MaskedArray"),
    ):
        reranker = rm.CallableReranker(lambda _query, _passages, answer=answer: answer, name="model")
        text = refusal(rm.RerankResponseError, reranker.rerank, QUERY, THREE)
        wanted = "it must give one finite number for each of 3 passages, in their order"
        assert text == f"model gave {kind}; {wanted}"
    reranker = rm.CallableReranker(lambda _query, _passages: [Decimal("sNaN"), 1, 2], name="model")
    text = refusal(rm.RerankResponseError, reranker.rerank, QUERY, THREE)
    assert text.startswith("model gave Decimal('sNaN') for passage 0;")


def test_a_number_beyond_floats_is_refused_without_a_warning():
    huge = np.full(3, np.finfo(np.longdouble).max)
    if huge.dtype.itemsize <= 8:
        pytest.skip("not applicable: long doubles are doubles here")
    reranker = rm.CallableReranker(lambda _query, _passages: huge, name="model")
    text = refusal(rm.RerankResponseError, reranker.rerank, QUERY, THREE)
    assert text.startswith("model gave inf for passage 0;")
    embedder = Calls(lambda texts: np.tile(huge, (len(texts), 1)))
    text = refusal(rm.RerankResponseError, rm.CosineReranker(embedder).rerank, QUERY, THREE)
    assert text.startswith("Calls gave NaN or an infinity for passage 0;")
