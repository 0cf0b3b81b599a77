"""Known failures at the border of native code: panics, threads, forks, pickles, imports."""

from __future__ import annotations

import copy
import importlib
import os
import pickle
import subprocess
import sys
import sysconfig
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import rankmeld as rm
from rankmeld import errors
from rankmeld.vectors import cosine_scores


def run(program: str, **variables: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(program)],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert "panicked" not in done.stderr
    return done.stdout


RAISED = {
    "invalid score": (rm.InvalidScoreError, lambda: rm.fuse_scores([[("a", float("nan"))]])),
    "invalid argument": (rm.InvalidArgumentError, lambda: rm.rrf([["a"]], limit=-1)),
    "unknown word": (rm.InvalidArgumentError, lambda: rm.fuse_scores([], normalize="x")),
    "repeat": (rm.InvalidArgumentError, lambda: rm.rrf([["a", "a"]], duplicates="error")),
    "wrong kind": (TypeError, lambda: rm.rrf("ab")),
    "vectors": (rm.InvalidArgumentError, lambda: cosine_scores([1.0], [[1.0, 2.0]])),
}


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("name", RAISED)
def test_c265_raised_exceptions_survive_pickle(name, protocol):
    kind, call = RAISED[name]
    with pytest.raises(kind) as caught:
        call()
    error = caught.value
    for back in (pickle.loads(pickle.dumps(error, protocol)), copy.deepcopy(error)):
        assert (type(back), str(back), back.args) == (type(error), str(error), error.args)
    module = importlib.import_module(type(error).__module__)
    assert getattr(module, type(error).__qualname__) is type(error)


@pytest.mark.parametrize("name", errors.__all__)
def test_c265_every_exception_class_survives_pickle(name):
    kind = getattr(errors, name)
    more = {"FormatError": ("runs/a.trec", 7), "CompressionError": ("d1",)}
    error = kind("what is wrong", *more.get(name, ()))
    back = pickle.loads(pickle.dumps(error))
    assert (type(back), str(back), vars(back)) == (kind, str(error), vars(error))
    assert issubclass(kind, rm.RankmeldError)
    if name == "FormatError":
        assert (back.path, back.line) == ("runs/a.trec", 7)


def test_c265_results_survive_a_process_pool():
    text = run(
        """
        from concurrent.futures import ProcessPoolExecutor
        import multiprocessing, rankmeld as rm

        if __name__ == "__main__":
            with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
                print(pool.submit(rm.rrf, [["a", "b"], ["b"]]).result().ids)
                try:
                    pool.submit(rm.fuse_scores, [[("a", float("nan"))]]).result()
                except rm.InvalidScoreError as error:
                    print(type(error).__name__)
        """
    )
    assert text.split("\n")[:2] == ["['b', 'a']", "InvalidScoreError"]


def test_c268_the_gil_stays_off():
    if not sysconfig.get_config_var("Py_GIL_DISABLED"):
        pytest.skip("not applicable: this interpreter has a GIL")
    assert run("import sys, rankmeld; print(sys._is_gil_enabled())").strip() == "False"


def test_c269_one_object_in_many_threads():
    ranking = rm.rrf([[("a", 1.0), ("b", 0.5)], ["b", "c"]])
    source = rm.Source("dense", ranking)

    def work(i: int) -> tuple[object, ...]:
        fused = rm.rrf([source, ranking, ["z"]], limit=i % 4 + 1)
        return fused.ids[:1], ranking.ids, str(ranking.explain("b")), ranking == copy.copy(ranking)

    alone = work(0)
    with ThreadPoolExecutor(8) as pool:
        assert all(found == alone for found in pool.map(work, range(1000)))


def test_c269_ids_that_use_the_library_while_they_are_hashed():
    class Nosy:
        def __init__(self, name: str) -> None:
            self.name = name

        def __hash__(self) -> int:
            assert rm.rrf([["x", "y"]], limit=1).ids == ["x"]
            return hash(self.name)

        def __eq__(self, other: object) -> bool:
            assert rm.dedup(["x", "x"]).ids == ["x"]
            return isinstance(other, Nosy) and self.name == other.name

        def __lt__(self, other: Nosy) -> bool:
            assert rm.fuse_scores([[("x", 1.0)]]).ids == ["x"]
            return self.name < other.name

    def work(_: int) -> list[str]:
        lists = [[Nosy("b"), Nosy("a")], [Nosy("a"), Nosy("b")]]
        return [id.name for id in rm.rrf(lists, ties="id_asc").ids]

    with ThreadPoolExecutor(8) as pool:
        assert all(found == ["a", "b"] for found in pool.map(work, range(100)))


@pytest.mark.parametrize("work", ["rrf", "cosine"])
def test_c270_the_gil_is_released_during_long_work(work):
    rng = np.random.default_rng(1)
    if work == "rrf":
        lists = [rng.permutation(600_000) for _ in range(4)]
        call = lambda: rm.rrf(lists, limit=10)  # noqa: E731
    else:
        query, vectors = rng.normal(size=64), rng.normal(size=(400_000, 64))
        call = lambda: cosine_scores(query, vectors)  # noqa: E731
    stamps: list[float] = []
    done = threading.Event()

    def tick() -> None:
        while not done.is_set():
            stamps.append(time.perf_counter())
            time.sleep(0.001)

    ticking = threading.Thread(target=tick)
    ticking.start()
    try:
        inside = 0
        for _ in range(5):
            start = time.perf_counter()
            call()
            end = time.perf_counter()
            tenth = (end - start) / 10
            inside += sum(start + tenth < stamp < end - tenth for stamp in stamps)
    finally:
        done.set()
        ticking.join()
    # Were the lock held, no other thread could note the time while a call was running.
    assert inside >= 10


def test_c270_callbacks_and_reads_at_once_do_not_deadlock():
    class Slow(str):
        __slots__ = ()

        def __hash__(self) -> int:
            time.sleep(0)
            return str.__hash__(self)

        def __eq__(self, other: object) -> bool:
            time.sleep(0)
            return str.__eq__(self, other)

    ids = [f"d{i}" for i in range(200)]
    alone = rm.rrf([ids, ids[::-1]]).ids

    def work(i: int) -> list[str]:
        kind = Slow if i % 2 else str
        return rm.rrf([list(map(kind, ids)), list(map(kind, reversed(ids)))]).ids

    with ThreadPoolExecutor(8) as pool:
        assert all(found == alone for found in pool.map(work, range(64), timeout=30))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_fork_after_use_still_works():
    """Not one of the reported cases: threads of a pool do not survive a fork."""
    text = run(
        """
        import os, signal, numpy as np, rankmeld as rm
        from rankmeld.vectors import cosine_scores
        rng = np.random.default_rng(0)
        lists = [rng.permutation(200_000) for _ in range(3)]
        vectors = rng.normal(size=(100_000, 32)).astype(np.float32)
        def work():
            first = float(cosine_scores(vectors[0], vectors)[0])
            return rm.rrf(lists, limit=5).ids, first, rm.rrf([["a"], ["b", "a"]]).ids
        before = work()
        for _ in range(3):
            child = os.fork()
            if child == 0:
                signal.alarm(20)
                os._exit(0 if work() == before else 3)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert work() == before
        print("fine")
        """
    )
    assert text.strip() == "fine"


def test_c273_frames_are_imported_only_when_asked_for():
    text = run(
        """
        import sys
        for name in ("pandas", "polars", "pyarrow"):
            sys.modules[name] = None
        import rankmeld as rm
        ranking = rm.rrf([["a", "b"], ["b"]])
        assert ranking.to_dicts()[0]["id"] == "b"
        for convert in (ranking.to_pandas, ranking.to_polars, ranking.to_arrow):
            try:
                convert()
            except rm.MissingExtraError as error:
                assert isinstance(error, ImportError)
                assert 'pip install "rankmeld[frames]"' in str(error), error
                print("told")
        """
    )
    assert text.split() == ["told"] * 3


def test_c273_importing_the_package_imports_no_extra():
    text = run(
        """
        import sys, threading
        threads = threading.active_count()
        import rankmeld
        extras = {"pandas", "polars", "pyarrow", "typer", "rich", "onnxruntime", "tokenizers", "wordllama"}
        print(sorted(extras & set(sys.modules)), threading.active_count() == threads)
        """
    )
    assert text.strip() == "[] True"
