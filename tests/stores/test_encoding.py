"""The text form of ids and metadata."""

from __future__ import annotations

import datetime as dt
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmeld.errors import InvalidArgumentError
from rankmeld.stores.encoding import decode, encode, id_key

TEXT = st.text(st.characters(exclude_categories=()), max_size=8)
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), TEXT, st.binary(max_size=8),
    st.uuids(), st.dates(), st.datetimes(timezones=st.just(dt.UTC)), st.datetimes(),
)  # fmt: skip
KEYS = st.one_of(st.integers(), TEXT, st.tuples(TEXT, st.integers()))
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(KEYS, inner, max_size=3),
    ),
    max_leaves=12,
)
IDS = st.recursive(
    st.one_of(
        st.booleans(),
        st.integers(-3, 3),
        st.integers(),
        st.sampled_from([0.0, -0.0, 1.0, 2.5, 1e300, float("inf")]),
        st.floats(allow_nan=False),
        TEXT,
        st.sampled_from(["1", "[1]", "null", "\ud83d\ude00", "😀"]),
        st.binary(max_size=3),
        st.sampled_from([UUID(int=1), str(UUID(int=1))]),
    ),
    lambda inner: st.lists(inner, max_size=2).map(tuple),
    max_leaves=4,
)


def same(a, b) -> bool:
    """Equal, and of the same kinds all the way down."""
    if type(a) is not type(b):
        return False
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return len(a) == len(b) and all(map(same, a.items(), b.items()))
    return a == b


@given(VALUES)
def test_values_come_back_as_they_were(value):
    text = encode(value)
    text.encode()  # no lone surrogate
    assert "\x00" not in text
    assert same(decode(text), value)


@given(IDS, IDS)
def test_ids_share_a_key_exactly_if_they_are_equal(a, b):
    assert (id_key(a) == id_key(b)) == (a == b)


@pytest.mark.parametrize(
    ("scalar", "plain"),
    [
        (np.int8(3), 3),
        (np.float32(0.5), 0.5),
        (np.bool_(True), True),
        (np.str_("x"), "x"),
        (np.bytes_(b"x"), b"x"),
    ],
)
def test_numpy_scalars_are_python_values(scalar, plain):
    assert same(decode(encode([scalar])), [plain])
    assert id_key(scalar) == id_key(plain)


def nested(depth, wrap):
    value = 1
    for _ in range(depth):
        value = wrap(value)
    return value


WRAPPERS = pytest.mark.parametrize(
    "wrap",
    [lambda inner: [inner], lambda inner: (inner,), lambda inner: {"a": inner}],
    ids=["list", "tuple", "dict"],
)


@WRAPPERS
def test_what_is_nested_comes_back_up_to_a_depth(wrap):
    value = nested(100, wrap)
    assert same(decode(encode(value)), value)
    for depth in (101, 5_000):
        with pytest.raises(InvalidArgumentError, match="contains itself or is nested more than 100 deep"):
            encode(nested(depth, wrap))


def test_what_contains_itself_is_refused():
    for value, put in (([], list.append), ({}, lambda value, self: value.update(a=self))):
        put(value, value)
        with pytest.raises(InvalidArgumentError, match="contains itself"):
            encode(value)


def test_ids_have_the_same_limits():
    assert id_key(nested(100, lambda inner: (inner,)))
    with pytest.raises(InvalidArgumentError, match="nested more than 100 deep"):
        id_key(nested(101, lambda inner: (inner,)))
    with pytest.raises(InvalidArgumentError, match="is too large to be stored"):
        id_key(10**5000)


@pytest.mark.parametrize("sign", [1, -1])
def test_integers_come_back_up_to_a_size(sign):
    value = sign * (2**14_000 - 1)
    assert decode(encode(value)) == value
    with pytest.raises(
        InvalidArgumentError, match=r"14001 bits is too large to be stored, .* as a str or bytes"
    ):
        encode(value + sign)


@pytest.mark.parametrize(
    "value", [object(), {1, 2}, dt.timedelta(1), 1j, np.zeros(2), np.datetime64("2024-01-01")]
)
def test_other_kinds_are_refused(value):
    with pytest.raises(TypeError, match=r"a value of type .* cannot be stored"):
        encode({"a": [value]})
