"""Destructors, the collector, reference cycles, forks: each in a process that must end in time."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest


def run(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        check=False,
        timeout=40,
    )
    assert done.returncode == 0, done.stderr
    assert "Exception ignored" not in done.stderr, done.stderr
    return done.stdout.strip()


def test_a_factory_that_collects_or_reads_the_cache_returns():
    assert (
        run(
            """
            import gc, rankmeld as rm
            cache = rm.ScopedCache()
            def collects():
                gc.collect()
                return "v"
            def reads():
                return len(cache), cache.get("other"), cache.stats().entries, cache.get_or_compute("x", list)
            print(cache.get_or_compute("k", collects), *cache.get_or_compute("r", reads))
            """
        )
        == "v 1 None 1 []"
    )


def test_destructors_that_use_the_cache():
    """Evicted, overwritten, expired, deleted, purged, cleared: each drops a value that comes back."""
    assert (
        run(
            """
            import rankmeld as rm
            now = [0.0]
            cache = rm.ScopedCache(capacity=2, ttl=10.0, clock=lambda: now[0])
            gone = []
            class Value:
                def __init__(self, name): self.name = name
                def __del__(self):
                    gone.append(self.name)
                    cache.get("a"), len(cache), "b" in cache, cache.stats()
                    cache.set(("from", "del"), 1)
                    cache.delete(("from", "del"))
            cache.set("a", Value("overwritten")); cache.set("a", 1)
            cache.set("a", Value("evicted")); cache.set("b", 2); cache.set("c", 3); cache.set("d", 4)
            cache.set("e", Value("deleted")); cache.delete("e")
            cache.set("p", Value("purged")); cache.purge_prefix("p")
            cache.set("x", Value("expired and read")); now[0] = 10.0; cache.get("x")
            cache.set("y", Value("expired and swept")); now[0] = 20.0; len(cache)
            cache.set("z", Value("cleared")); cache.clear()
            print(", ".join(gone))
            """
        )
        == "overwritten, evicted, deleted, purged, expired and read, expired and swept, cleared"
    )


def test_destructors_of_keys_run_unlocked_too():
    assert (
        run(
            """
            import rankmeld as rm
            cache = rm.ScopedCache(capacity=1)
            class Key:
                def __hash__(self): return 5
                def __eq__(self, other): return isinstance(other, Key)
                def __del__(self): cache.get("x"), len(cache)
            cache.set(Key(), 1)
            cache.set(Key(), 2)
            cache.set("x", 3)
            print(cache.get("x"))
            """
        )
        == "3"
    )


def test_the_collector_at_every_allocation():
    assert (
        run(
            """
            import gc, rankmeld as rm
            cache = rm.ScopedCache(capacity=20)
            class Knot:
                def __init__(self): self.me = self
                def __del__(self): cache.get("k1"); cache.set("from del", 1)
            gc.set_threshold(1, 1, 1)
            for i in range(3000):
                cache.set(f"k{i % 30}", Knot())
                cache.get(("t", i)); cache.set(("t", i % 5), [Knot()]); cache.items()
                "\\ud800" + str(i) in cache
            print(len(cache) <= 20)
            """
        )
        == "True"
    )


@pytest.mark.parametrize("threads", [1, 4, 8])
@pytest.mark.parametrize("threshold", [1, 7])
def test_destructors_that_ask_for_the_very_key_that_is_waited_for(threads, threshold):
    """The collector runs between any two steps of who leads and who waits."""
    assert (
        run(
            f"""
            import gc, threading, time, rankmeld as rm
            cache = rm.ScopedCache()
            here = threading.local()
            class Knot:
                def __init__(self): self.me = self
                def __del__(self):
                    if getattr(here, "inside", False): return
                    here.inside = True
                    try: cache.get_or_compute("k", lambda: 1)
                    except rm.RankmeldError: pass
                    finally: here.inside = False
            def work():
                for _ in range(200):
                    Knot()
                    try: cache.get_or_compute("k", lambda: time.sleep(0.0002))
                    except rm.RankmeldError: pass
                    cache.delete("k")
            gc.set_threshold({threshold}, 1, 1)
            workers = [threading.Thread(target=work, daemon=True) for _ in range({threads})]
            for worker in workers: worker.start()
            for worker in workers: worker.join(20)
            print(any(worker.is_alive() for worker in workers))
            """
        )
        == "False"
    )


def test_cycles_through_the_cache_are_collected():
    assert run(
        """
            import gc, weakref, rankmeld as rm
            class Holder: pass
            def through(how):
                holder = Holder()
                if how == "value": holder.cache = rm.ScopedCache(); holder.cache.set("me", holder)
                if how == "key": holder.cache = rm.ScopedCache(); holder.cache.set(holder, 1)
                if how == "clock": holder.cache = rm.ScopedCache(clock=lambda: id(holder) * 0.0)
                if how == "sizer": holder.cache = rm.ScopedCache(sizer=lambda value: id(holder))
                if how == "itself": c = holder.cache = rm.ScopedCache(); c.set("c", (holder, c))
                return weakref.ref(holder), weakref.ref(holder.cache)
            for how in ("value", "key", "clock", "sizer", "itself"):
                holder, cache = through(how)
                gc.collect()
                print(how, holder() is None, cache() is None)
            """
    ).split("\n") == [f"{how} True True" for how in ("value", "key", "clock", "sizer", "itself")]


def test_what_goes_out_is_freed():
    assert (
        run(
            """
            import sys, rankmeld as rm
            cache = rm.ScopedCache(capacity=3)
            value, key = object(), ("key", 1)
            before = sys.getrefcount(value), sys.getrefcount(key)
            for _ in range(10):
                cache.set(key, value); cache.set("b", value); cache.get(key); cache.peek(key); cache.items()
                cache.get(("key", 1)); cache.set(("key", 1), value)
            assert sys.getrefcount(value) == before[0] + 2
            cache.delete(key); cache.purge_prefix("b"); cache.set("c", value); cache.clear()
            print((sys.getrefcount(value), sys.getrefcount(key)) == before)
            """
        )
        == "True"
    )


def test_a_cache_within_a_cache_within_a_cache():
    assert (
        run(
            """
            import rankmeld as rm
            cache = rm.ScopedCache()
            for _ in range(1000):
                outer = rm.ScopedCache()
                outer.set("inner", cache)
                cache = outer
            del cache, outer
            print("fine")
            """
        )
        == "fine"
    )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="not applicable: this system has no fork")
def test_a_fork_takes_a_whole_cache_along_and_waits_for_nobody_of_the_parent():
    assert (
        run(
            """
            import os, signal, threading, rankmeld as rm
            cache = rm.ScopedCache()
            cache.set("a", 1)
            inside, go_on = threading.Event(), threading.Event()
            def slow():
                inside.set()
                go_on.wait()
                return "parent's"
            thread = threading.Thread(target=lambda: cache.get_or_compute("k", slow))
            thread.start()
            inside.wait()
            child = os.fork()
            if child == 0:
                signal.alarm(20)
                fine = cache.get("a") == 1 and cache.get_or_compute("k", lambda: "child's") == "child's"
                os._exit(0 if fine else 3)
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            go_on.set()
            thread.join()
            print(code, cache.get("k"))
            """
        )
        == "0 parent's"
    )
