"""`MinHashIndex`: like a dict that is compared in full, in threads, in files."""

from __future__ import annotations

import contextlib
import copy
import errno
import os
import pickle
import re
import resource
import signal
import subprocess
import sys
import threading
import time
import uuid

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from reference.near_duplicates import jaccard, shingles
from support.refusals import refusal

#: Texts of one kind are near, of different kinds share nothing.
TEXTS = [
    " ".join(f"word{kind}x{i}" for i in range(40) if i != missing)
    for kind in range(3)
    for missing in range(5)
]
TEXTS += ["", "👍", "one"]

steps = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.integers(0, 9), st.sampled_from(TEXTS)),
        st.tuples(st.just("add_many"), st.lists(st.tuples(st.integers(0, 9), st.sampled_from(TEXTS)))),
        st.tuples(st.just("remove"), st.integers(0, 9)),
        st.tuples(st.just("query"), st.sampled_from(TEXTS)),
        st.tuples(st.sampled_from(["pickle", "copy", "file"])),
    ),
    max_size=25,
)


@given(steps)
def test_behaves_like_a_dict_that_is_compared_in_full(tmp_path_factory, steps):
    index = rm.MinHashIndex(threshold=0.6)
    known: dict[int, str] = {}
    for step, *arguments in steps:
        match step, arguments:
            case "add", [id, text]:
                index.add(id, text)
                known[id] = text
            case "add_many", [pairs]:
                index.add_many([id for id, _ in pairs], (text for _, text in pairs))
                known.update(pairs)
            case "remove", [id] if id in known:
                index.remove(id)
                del known[id]
            case "remove", [id]:
                with pytest.raises(KeyError):
                    index.remove(id)
            case "query", [text]:
                similar = {id: jaccard(shingles(text), shingles(other)) for id, other in known.items()}
                near = [(id, similarity) for id, similarity in similar.items() if similarity >= 0.6]
                assert index.query(text) == sorted(near, key=lambda found: -found[1])
            case "pickle", _:
                index = pickle.loads(pickle.dumps(index))
            case "copy", _:
                index = copy.deepcopy(index)
            case "file", _:
                path = tmp_path_factory.mktemp("index") / "index"
                index.save(path)
                index = rm.MinHashIndex.load(path)
        assert len(index) == len(known)
        assert [id in index for id in range(10)] == [id in known for id in range(10)]


def small(**options) -> rm.MinHashIndex:
    index = rm.MinHashIndex(**options)
    index.add("a", TEXTS[0])
    index.add("b", TEXTS[5])
    return index


def test_similarities_are_exact_and_equal_ones_keep_the_order_of_ids():
    index = rm.MinHashIndex(threshold=0.5)
    index.add_many("cab", [TEXTS[1], TEXTS[0], TEXTS[1]])
    assert index.query(TEXTS[1]) == [("c", 1.0), ("b", 1.0), ("a", 38 / 40)]
    index.add("c", TEXTS[1])
    assert [id for id, _ in index.query(TEXTS[1])] == ["c", "b", "a"]
    index.remove("c")
    index.add("c", TEXTS[1])
    assert [id for id, _ in index.query(TEXTS[1])] == ["b", "c", "a"]


def test_ids_are_what_came_first():
    index = rm.MinHashIndex()
    index.add(1, "one two")
    index.add(True, "three four")
    assert index.query("three four") == [(1, 1.0)]
    assert type(index.query("three four")[0][0]) is int
    assert len(index) == 1


def test_ids_of_numpy_are_those_of_python(tmp_path):
    index = rm.MinHashIndex()
    index.add_many(np.arange(2), ["one two three", "four five six"])
    index.add(np.str_("a"), "seven eight nine")
    found = [index.query(text)[0][0] for text in ("four five six", "seven eight nine")]
    assert [(id_, type(id_)) for id_ in found] == [(1, int), ("a", str)]
    index.save(tmp_path / "index")
    assert rm.MinHashIndex.load(tmp_path / "index").query("four five six") == [(1, 1.0)]


def test_of_an_id_given_twice_in_one_call_the_last_counts():
    index = rm.MinHashIndex()
    index.add_many(["a", "b", "a"], ["one two", "one two", "three four"])
    assert index.query("one two") == [("b", 1.0)]
    assert index.query("three four") == [("a", 1.0)]
    assert len(index) == 2


def test_options_are_in_the_repr_and_have_their_effect():
    index = small(threshold=0.5, num_perm=64, shingle=2, verify=False)
    assert repr(index) == ("<MinHashIndex of 2 texts, threshold=0.5, num_perm=64, shingle=2, verify=False>")
    tokens = rm.MinHashIndex(tokenizer=list)
    tokens.add("a", "👍🎉")
    assert tokens.query("🎉👍") == [("a", 1.0)]


def test_progress_and_threads():
    calls = []
    index = rm.MinHashIndex()
    index.add_many(
        range(20_000), ["one two three"] * 20_000, progress=lambda *call: calls.append(call), threads=2
    )
    assert calls[-1] == (20_000, 20_000)
    assert len(calls) > 1
    assert [id for id, _ in index.query("one two three")] == list(range(20_000))


def test_what_progress_raises_leaves_what_was_added_before():
    index = rm.MinHashIndex()

    def stop(done, total):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        index.add_many(range(20_000), ["one two"] * 20_000, progress=stop)
    assert 0 < len(index) < 20_000
    assert len(index.query("one two")) == len(index)


def test_memory_is_flat():
    from rankmeld import _core  # what Python allocates is not what is measured here

    texts = [" ".join(f"w{(i * 31 + j * 7919) % 30_011}" for j in range(80)) for i in range(20_000)]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    index = rm.MinHashIndex()
    index.add_many(range(len(texts)), texts, threads=1)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert isinstance(index._bands, _core.BandIndex)
    assert grown / len(texts) < 1.5 * (1 if sys.platform != "darwin" else 1024)


def test_removing_and_replacing_leaves_nothing_behind():
    index = rm.MinHashIndex()
    for turn in range(40):
        index.add_many(range(500), [f"{TEXTS[0]} turn{turn}"] * 500)
    assert len(index.query(f"{TEXTS[0]} turn39")) == 500
    for id in range(500):
        index.remove(id)
    assert (len(index), index.query(f"{TEXTS[0]} turn39")) == (0, [])


def test_readers_beside_writers():
    index = rm.MinHashIndex()
    index.add("stays", TEXTS[0])
    errors: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for turn in range(150):
                id = (number + turn) % 3
                if number % 2:
                    index.add(id, TEXTS[0])
                    with contextlib.suppress(KeyError):
                        index.remove(id)
                else:
                    found = dict(index.query(TEXTS[0]))
                    assert found["stays"] == 1.0
                    assert set(found) <= {"stays", 0, 1, 2}
                    len(index), id in index, pickle.dumps(index)
        except BaseException as error:  # noqa: BLE001 - told below
            errors.append(error)

    workers = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert errors == []
    # Whatever is in the tables is in the index as well.
    found = [id for id, _ in index.query(TEXTS[0])]
    assert sorted(map(str, found)) == sorted(str(id) for id in ("stays", 0, 1, 2) if id in index)
    assert len(found) == len(index)


def test_ids_may_call_the_index():
    index = rm.MinHashIndex()

    class Curious:
        def __hash__(self):
            len(index), index.query(TEXTS[0])
            return 1

        def __eq__(self, other):
            index.query(TEXTS[0])
            return self is other

    one, other = Curious(), Curious()
    index.add(one, TEXTS[0])
    index.add(other, TEXTS[0])
    assert [id for id, _ in index.query(TEXTS[0])] == [one, other]
    index.remove(one)
    assert len(index) == 1


IDS = [1, -(10**30), "é", "\ud800", b"\x00", 2.5, uuid.UUID(int=7), ("a", (1, None)), None]


@pytest.mark.parametrize("options", [{}, {"shingle": 2, "num_perm": 64, "threshold": 0.5}, {"verify": False}])
def test_files_hold_ids_texts_and_options(tmp_path, options):
    index = rm.MinHashIndex(**options)
    index.add_many(IDS, [TEXTS[0]] * len(IDS))
    index.add("blank", "")
    index.save(tmp_path / "index")
    found = rm.MinHashIndex.load(str(tmp_path / "index"))
    assert found.query(TEXTS[1]) == index.query(TEXTS[1])
    assert [type(id) for id, _ in found.query(TEXTS[0])] == [type(id) for id in IDS]
    assert "blank" in found
    assert repr(found) == repr(index)
    found.add("new", TEXTS[0])
    assert len(found.query(TEXTS[0])) == len(IDS) + 1


def test_equal_indexes_give_equal_files_in_every_process(tmp_path):
    program = (
        "import sys, rankmeld as rm; index = rm.MinHashIndex(verify=False); "
        "index.add_many(['b', 'a'], ['one two three', 'four five six']); index.save(sys.argv[1])"
    )
    written = set()
    for seed in ("0", "1", "random"):
        path = tmp_path / seed
        subprocess.run(
            [sys.executable, "-c", program, str(path)], env={"PYTHONHASHSEED": seed, **_path()}, check=True
        )
        written.add(path.read_bytes())
    assert len(written) == 1


def _path() -> dict[str, str]:
    import os

    return {name: os.environ[name] for name in ("PYTHONPATH", "PATH") if name in os.environ}


def test_a_tokenizer_goes_with_the_pickle_and_beside_the_file(tmp_path):
    index = small(tokenizer=str.split)
    assert pickle.loads(pickle.dumps(index)).query(TEXTS[0]) == [("a", 1.0)]
    index.save(tmp_path / "index")
    assert rm.MinHashIndex.load(tmp_path / "index", tokenizer=str.split).query(TEXTS[0]) == [("a", 1.0)]
    message = refusal(rm.InvalidArgumentError, rm.MinHashIndex.load, tmp_path / "index")
    assert message.startswith("the index was made with a tokenizer of its own, and tokenizer is None")
    small().save(tmp_path / "plain")
    message = refusal(rm.InvalidArgumentError, rm.MinHashIndex.load, tmp_path / "plain", tokenizer=list)
    assert message.startswith("the index was made without a tokenizer, and one is given")


def test_damaged_files_are_refused_by_name(tmp_path):
    path = tmp_path / "index"
    small().save(path)
    whole = path.read_bytes()
    for at in range(0, len(whole), 7):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x40]) + whole[at + 1 :])
        with pytest.raises(rm.FormatError, match=re.escape(str(path))):
            rm.MinHashIndex.load(path)
        path.write_bytes(whole[:at])
        with pytest.raises(rm.FormatError, match=re.escape(str(path))):
            rm.MinHashIndex.load(path)
    path.write_bytes(b"a picture")
    assert "this is not a MinHash index" in refusal(rm.FormatError, rm.MinHashIndex.load, path)


def test_files_of_a_newer_version_and_of_another_kind_are_refused(tmp_path):
    from rankmeld import _core

    path = tmp_path / "index"
    for mark, version, parts, message in [
        ("minhash-index", 2, [b"", b""], "a newer rankmeld wrote this (version 2"),
        ("another", 1, [b"", b""], "is not a MinHash index"),
        ("minhash-index", 1, [b""], "this MinHash index is damaged"),
        ("minhash-index", 1, [b"", b"{}"], "this MinHash index is damaged"),
        ("minhash-index", 1, [b"x" * 50, b'{"mapping":[["ids",[]],["own_tokenizer",false]]}'], "damaged"),
    ]:
        path.write_bytes(_core.seal(mark, version, parts))
        assert message in refusal(rm.FormatError, rm.MinHashIndex.load, path)


def test_an_absent_file_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        rm.MinHashIndex.load(tmp_path / "absent")
    with pytest.raises(TypeError):
        rm.MinHashIndex.load(5)


def test_a_full_disk_keeps_the_old_file(tmp_path):
    path = tmp_path / "index"
    small().save(path)
    before = path.read_bytes()
    large = small()
    large.add_many(range(2_000), [" ".join(f"w{i}x{j}" for j in range(80)) for i in range(2_000)])
    # A limit on the size of files is met like the end of a disk.
    program = (
        "import pickle, resource, signal, sys\n"
        "index = pickle.load(sys.stdin.buffer)\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "try:\n    index.save(sys.argv[1])\nexcept OSError as error:\n    sys.exit(error.errno)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(path)], input=pickle.dumps(large), check=False)
    assert done.returncode == errno.EFBIG
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["index"]


def test_ids_that_no_file_can_hold_are_refused(tmp_path):
    index = rm.MinHashIndex()
    index.add(frozenset({1}), "one two")
    with pytest.raises(TypeError, match="frozenset"):
        index.save(tmp_path / "index")
    assert not (tmp_path / "index").exists()
    assert pickle.loads(pickle.dumps(index)).query("one two") == [(frozenset({1}), 1.0)]


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (
            lambda index: index.add([], "x"),
            TypeError,
            "id is a list, which cannot be hashed; use a str or an int",
        ),
        (
            lambda index: index.add(float("nan"), "x"),
            rm.InvalidArgumentError,
            "id is NaN, which is not equal",
        ),
        (lambda index: index.add("a", None), TypeError, "text must be a str, not NoneType"),
        (lambda index: index.query(b"x"), TypeError, "text must be a str, not bytes"),
        (
            lambda index: index.add_many(["x"], []),
            rm.InvalidArgumentError,
            "there are 1 ids and 0 texts; give one",
        ),
        (lambda index: index.add_many(["x", []], ["", ""]), TypeError, "ids[1] is a list, which cannot be"),
        (lambda index: index.add_many(["x", "y"], ["", 1]), TypeError, "texts[1] must be a str, not int"),
        (lambda index: index.add_many(["x"], "y"), TypeError, "texts must be a list of str, not a str"),
        (
            lambda index: index.add_many([], [], threads=0),
            rm.InvalidArgumentError,
            "threads is 0; it must be",
        ),
        (
            lambda _: rm.MinHashIndex(threshold=0.01),
            rm.InvalidArgumentError,
            "smallest possible is 0.0354",
        ),
        (lambda _: rm.MinHashIndex(threshold=2), rm.InvalidArgumentError, "threshold is 2.0; it must be"),
    ],
)
def test_refusals_change_nothing(call, kind, message):
    index = small()
    assert message in refusal(kind, call, index)
    assert len(index) == 2
    assert "x" not in index
    with pytest.raises(KeyError):
        index.remove("x")


def test_a_child_of_fork_has_the_index_too():
    import os

    if not hasattr(os, "fork"):
        pytest.skip("not applicable: this system has no fork")
    index = small()
    index.add_many(range(1_000), [TEXTS[0]] * 1_000)
    child = os.fork()
    if child == 0:
        index.add_many(range(1_000, 2_000), [TEXTS[0]] * 1_000)
        os._exit(0 if len(index.query(TEXTS[0])) == 2_001 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert len(index.query(TEXTS[0])) == 1_001


@pytest.mark.skipif(not hasattr(os, "fork"), reason="not applicable: there is no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_child_works_though_another_thread_was_writing(tmp_path):
    index = rm.MinHashIndex()
    texts = [f"word{n} alpha{n % 97} beta{n % 13} gamma delta{n}" for n in range(3_000)]
    ended = threading.Event()

    def write() -> None:
        while not ended.is_set():
            index.add_many(range(3_000), texts)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(15):
            time.sleep(0.005)
            child = os.fork()
            if child == 0:
                signal.alarm(5)  # ends a child that waits for ever
                index.add("child", "of the fork alone")
                index.save(tmp_path / "index")
                os._exit(0 if index.query("of the fork alone") == [("child", 1.0)] else 1)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        ended.set()
        writer.join()
