"""Keys that run code while they are hashed and compared, and texts that are hard to compare."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor

import pytest

import rankmeld as rm


class Key:
    """Equal by name; every comparison and every hashing tells `watch`."""

    def __init__(self, name, watch=lambda _: None, code=1):
        self.name, self.watch, self.code = name, watch, code

    def __hash__(self):
        self.watch("hash")
        return self.code

    def __eq__(self, other):
        self.watch("eq")
        return isinstance(other, Key) and self.name == other.name


def fresh(text):
    return ("\0" + text)[1:]


@pytest.mark.parametrize("text", ["", "a", "é", "日本語", "😀", "\ud800", "a\udfff", "x" * 10_000], ids=ascii)
def test_equal_texts_are_one_key_whatever_object_they_are(text):
    cache = rm.ScopedCache()
    cache.set(fresh(text), 1)
    cache.set(fresh(text), 2)
    assert cache.get(fresh(text)) == 2
    assert len(cache) == 1
    assert fresh(text) in cache
    assert cache.delete(fresh(text))


def test_keys_are_not_folded():
    cache = rm.ScopedCache()
    for number, key in enumerate(["é", "e\u0301", "É", "ﬁ", "fi", "a", "a ", "a\0"]):
        cache.set(key, number)
    assert [value for _, value in cache.items()] == list(range(8))


def test_purge_of_texts_without_utf8():
    cache = rm.ScopedCache()
    for key in ("\ud800a", "\ud800b", "a\ud800", "a"):
        cache.set(key, key)
    assert cache.purge_prefix("\ud800") == 2
    assert cache.purge_prefix("a") == 2


def test_purge_uses_the_text_of_a_subclass_not_its_methods():
    class Sly(str):
        __slots__ = ()

        def startswith(self, *_):
            raise AssertionError("asked")

    cache = rm.ScopedCache()
    cache.set(Sly("ab"), 1)
    assert cache.purge_prefix(Sly("a")) == 1


def test_a_thousand_keys_of_one_hash():
    cache = rm.ScopedCache(capacity=300, ttl=None)
    for i in range(300):
        cache.set(Key(i), i)
    assert [cache.get(Key(i)) for i in (0, 150, 299)] == [0, 150, 299]
    assert cache.get(Key("other"), "absent") == "absent"


def test_integers_that_are_far_apart_do_not_fall_together():
    cache = rm.ScopedCache(capacity=50_000, ttl=None)
    for i in range(50_000):
        cache.set(i << 40, i)
    assert all(cache.get(i << 40) == i for i in range(50_000))


@pytest.mark.parametrize("what", ["hash", "eq"])
@pytest.mark.parametrize("deed", ["clear", "delete", "set", "purge", "read"])
def test_code_of_a_key_may_use_the_cache(what, deed):
    cache = rm.ScopedCache(capacity=2)
    deeds = {
        "clear": cache.clear,
        "delete": lambda: cache.delete("plain"),
        "set": lambda: cache.set("plain", 1),
        "purge": lambda: cache.purge_prefix("p"),
        "read": lambda: (cache.get("plain"), len(cache), cache.items(), cache.stats()),
    }

    def watch(asked):
        if asked == what:
            deeds[deed]()

    for _ in range(3):
        for name in "abc":
            key = Key(name, watch)
            cache.set(key, name)
            assert cache.get(Key(name, watch)) in (name, None)
            assert (Key("other", watch) in cache) is False
            cache.delete(Key(name, watch))
    cache.clear()
    cache.set("x", 1)
    assert (cache.get("x"), len(cache)) == (1, 1)


@pytest.mark.parametrize("call", ["get", "set", "delete", "__contains__", "peek"])
@pytest.mark.parametrize("what", ["hash", "eq"])
def test_what_a_key_raises_reaches_the_caller(what, call):
    cache = rm.ScopedCache(capacity=2)
    armed = []

    def watch(asked):
        if armed == [asked]:
            raise LookupError("from the key")

    cache.set(Key("a", watch), 1)
    armed.append(what)
    with pytest.raises(LookupError, match="from the key"):
        getattr(cache, call)(Key("b", watch), *[1] * (call == "set"))
    # Still one whole cache.
    armed.clear()
    assert cache.get(Key("a")) == 1
    cache.set(Key("b"), 2)
    assert len(cache) == 2


def test_a_stored_key_that_raises_only_when_it_is_compared():
    cache = rm.ScopedCache(capacity=2)

    class Bad(Key):
        __hash__ = Key.__hash__

        def __eq__(self, other):
            raise LookupError("from the stored key")

    bad = Bad("bad")
    cache.set(bad, 1)
    assert cache.get(bad) == 1  # itself needs no comparison
    with pytest.raises(LookupError):
        cache.get(Key("other"))
    cache.set("x", 2)
    cache.set("y", 3)
    assert cache.get(Key("other")) is None


def test_equal_keys_that_come_in_while_they_are_compared_stay_one():
    """The first comparison says no; meanwhile the key came in by another way."""
    cache = rm.ScopedCache()
    raced = []

    def watch(asked):
        if asked == "eq" and not raced:
            raced.append(1)
            cache.set(Key("a"), "from within")

    cache.set(Key("other", watch), 0)
    cache.set(Key("a"), "outer")
    assert raced
    assert sorted(key.name for key, _ in cache.items()) == ["a", "other"]
    assert cache.get(Key("a")) == "outer"


def test_a_comparison_that_sets_and_deletes_other_keys_comes_to_an_end():
    cache, asked = rm.ScopedCache(), itertools.count()

    def watch(what):
        if what == "eq":
            assert next(asked) < 100
            cache.set("other", 1)
            cache.delete("other")

    cache.set(Key("a", watch), 1)
    cache.set(Key("b", watch), 2)
    assert (cache.get(Key("b", watch)), cache.get(Key("c", watch)), len(cache)) == (2, None, 2)


def test_hostile_keys_from_many_threads():
    cache = rm.ScopedCache(capacity=8)

    def work(seed):
        for step in range(300):
            name = (seed * 7 + step) % 12
            kind = step % 5
            if kind == 0:
                cache.set(Key(name), name)
            elif kind == 1:
                cache.delete(Key(name))
            elif kind == 2 and step % 50 == 2:
                cache.clear()
            else:
                assert cache.get(Key(name)) in (name, None)
            assert len(cache) <= 8

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    names = [key.name for key, _ in cache.items()]
    assert len(names) == len(set(names))
