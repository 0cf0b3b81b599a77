"""Plain callables as embedders: what they are given, what they may give back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmeld.embed import CallableEmbedder, Embedder, as_embedder
from rankmeld.embed.base import pieces, unit
from rankmeld.errors import InvalidArgumentError


def lengths(texts):
    return [[len(text), 1.0] for text in texts]


def test_vectors_are_float32_rows_in_the_order_of_the_texts():
    vectors = CallableEmbedder(lengths, model="length")(["one", "three", ""])
    assert vectors.dtype == np.float32
    assert vectors.flags.c_contiguous
    assert vectors.tolist() == [[3, 1], [5, 1], [0, 1]]


@pytest.mark.parametrize(
    "form",
    [
        lambda rows: np.array(rows, dtype=np.float64),
        lambda rows: np.array(rows, dtype=">f4"),
        np.asfortranarray,
        lambda rows: np.array(rows, dtype=np.int16),
        lambda rows: [tuple(row) for row in rows],
        lambda rows: np.repeat(np.array(rows), 2, axis=1)[:, ::2],
    ],
    ids=["float64", "big-endian", "fortran", "int16", "tuples", "strided"],
)
def test_any_numeric_form_gives_the_same_vectors(form):
    embedder = CallableEmbedder(lambda texts: form(lengths(texts)), model="length")
    vectors = embedder(["one", "three"])
    assert vectors.dtype == np.float32
    assert vectors.flags.c_contiguous
    assert vectors.tolist() == [[3, 1], [5, 1]]


def test_query_is_one_row():
    assert CallableEmbedder(lengths, model="length").embed_query("four").tolist() == [4, 1]


def test_function_gets_a_list_of_clean_texts():
    seen = []

    def remember(texts):
        seen.append(texts)
        return lengths(texts)

    CallableEmbedder(remember, model="m")(("cafe\u0301", "a\ud800b"))
    assert seen == [["caf\u00e9", "a\ufffdb"]]


def test_no_texts_call_nothing():
    def never(texts):
        raise AssertionError("called for no texts")

    assert CallableEmbedder(never, model="m")([]).shape == (0, 0)
    assert CallableEmbedder(never, model="m", dimensions=3)([]).shape == (0, 3)


def test_dimensions_are_learned_from_the_first_call():
    calls = []

    def counted(texts):
        calls.append(texts)
        return lengths(texts)

    embedder = CallableEmbedder(counted, model="m")
    assert "dimensions" not in repr(embedder)
    embedder(["one"])
    assert embedder.dimensions == 2
    assert len(calls) == 1
    assert repr(embedder) == "CallableEmbedder(model='m', dimensions=2)"


def test_dimensions_are_found_out_when_asked_before_any_call():
    assert CallableEmbedder(lengths, model="m").dimensions == 2


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (None, r"must give an array of shape \(2, D\), not NoneType"),
        ([1.0, 2.0], r"shape \(2, D\); it gave shape \(2,\)"),
        ([[1.0]], r"shape \(2, D\); it gave shape \(1, 1\)"),
        ([[], []], r"it gave shape \(2, 0\)"),
        ([[1.0], [1.0, 2.0]], "rows are of different lengths"),
        ([["a"], ["b"]], "of numbers, not of <U1"),
        ({"a": 1}, "of numbers, not of object"),
        ([[1j], [1j]], "of numbers, not of complex128"),
        ([[1.0], [np.nan]], "infinity or a number beyond float32 for text 1"),
        ([[1e39], [1.0]], "infinity or a number beyond float32 for text 0"),
    ],
)
def test_what_a_function_may_not_give(result, message):
    with pytest.raises(InvalidArgumentError, match="model 'm'.*" + message):
        CallableEmbedder(lambda _: result, model="m")(["a", "b"])


def test_coroutine_functions_are_refused():
    async def promised(texts):
        return lengths(texts)

    with pytest.raises(
        InvalidArgumentError, match=r"shape \(1, D\), not a coroutine; wrap a function that waits"
    ):
        CallableEmbedder(promised, model="m")(["a"])


def test_width_may_not_change():
    widths = iter([2, 3])
    embedder = CallableEmbedder(lambda texts: np.ones((len(texts), next(widths))), model="m")
    embedder(["a"])
    with pytest.raises(InvalidArgumentError, match=r"shape \(1, 2\); it gave shape \(1, 3\)"):
        embedder(["a"])


def test_declared_width_is_held_against_the_first_call():
    with pytest.raises(InvalidArgumentError, match=r"shape \(1, 5\); it gave shape \(1, 2\)"):
        CallableEmbedder(lengths, model="m", dimensions=5)(["a"])


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ("one text", r"texts is one str; pass a list of texts: \[text\]"),
        (b"bytes", "texts must be a list of str, not bytes"),
        (3, "texts must be a list of str, not int"),
        (None, "texts must be a list of str, not NoneType"),
        (["a", None], r"texts\[1\] must be a str, not NoneType"),
        ([b"a"], r"texts\[0\] must be a str, not bytes"),
    ],
)
def test_texts_of_the_wrong_kind(texts, message):
    with pytest.raises(TypeError, match=message):
        CallableEmbedder(lengths, model="m")(texts)


def test_query_of_the_wrong_kind():
    with pytest.raises(TypeError, match="text must be a str, not list"):
        CallableEmbedder(lengths, model="m").embed_query(["a"])


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"fn": 3, "model": "m"}, TypeError, "fn must be a callable texts -> array, not int"),
        ({"fn": lengths, "model": None}, TypeError, "model must be a str, not NoneType"),
        ({"fn": lengths, "model": " "}, InvalidArgumentError, "model is blank"),
        (
            {"fn": lengths, "model": "m", "dimensions": 0},
            InvalidArgumentError,
            "dimensions is 0; it must be 1 or more",
        ),
        (
            {"fn": lengths, "model": "m", "dimensions": True},
            TypeError,
            "dimensions must be an int, not bool",
        ),
    ],
)
def test_options_of_the_wrapper(options, kind, message):
    with pytest.raises(kind, match=message):
        CallableEmbedder(**options)


class Complete:
    model = "complete"

    @property
    def dimensions(self):
        raise AssertionError("looking at an embedder must not ask for its width")

    def __call__(self, texts, /):
        return np.zeros((len(texts), 2), np.float32)

    def embed_query(self, text, /):
        return self([text])[0]


class DocumentsOnly:
    def embed_documents(self, texts):
        return lengths(texts)

    def embed_query(self, text):
        return lengths([text])[0]


class Functor:
    def __call__(self, texts):
        return lengths(texts)


def test_embedder_stays_itself():
    embedder = Complete()
    assert as_embedder(embedder) is embedder
    wrapped = CallableEmbedder(lengths, model="m")
    assert as_embedder(wrapped) is wrapped


def test_plain_callables_are_named_after_themselves():
    assert as_embedder(lengths).model == f"{__name__}.lengths"
    assert as_embedder(Functor()).model == f"{__name__}.Functor"
    assert as_embedder(DocumentsOnly().embed_documents).model.endswith("embed_documents")
    assert as_embedder(lengths).embed_query("four").tolist() == [4, 1]
    assert isinstance(as_embedder(lengths), Embedder)


@pytest.mark.parametrize(
    ("thing", "message"),
    [
        ("minilm", r"not the str 'minilm'; pass load_embedder\('minilm'\)"),
        (None, "an embedder or a callable texts -> array is wanted, not NoneType"),
        (DocumentsOnly(), "DocumentsOnly has embed_query but no __call__, model, dimensions; wrap"),
    ],
)
def test_what_is_no_embedder(thing, message):
    with pytest.raises(TypeError, match=message):
        as_embedder(thing)


@given(st.text(alphabet="ab \n"), st.integers(2, 9))
def test_pieces_lose_nothing_but_the_spaces_of_the_cuts(text, size):
    cut = list(pieces(text, size))
    assert all(len(piece) <= size for piece in cut)
    assert "".join(cut).replace(" ", "") == text.replace(" ", "")


def test_pieces_cut_at_the_last_space_that_fits():
    assert list(pieces("aa bb cc", 6)) == ["aa bb", "cc"]
    assert list(pieces("aaaabbbb", 4)) == ["aaaa", "bbbb"]
    assert list(pieces("", 4)) == [""]


def test_zero_vector_stays_zero():
    assert unit(np.zeros(3)).tolist() == [0, 0, 0]
    assert unit(np.array([3.0, 4.0])).tolist() == pytest.approx([0.6, 0.8])
