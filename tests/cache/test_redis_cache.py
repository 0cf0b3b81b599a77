"""The second level against a real server: shared, expiring, damaged, slow, gone."""

from __future__ import annotations

import asyncio
import shutil
import signal
import socket
import subprocess
import sys
import time

import numpy as np
import pytest

import rankmeld as rm

redis = pytest.importorskip("redis", reason="redis-py is not installed (rankmeld[redis])")
if shutil.which("redis-server") is None:
    pytest.skip("redis-server is not installed (apt-get install redis-server)", allow_module_level=True)

from rankmeld.stores.redis_cache import RedisVectorCache  # noqa: E402 - after what it may lack

KEY = rm.query_embedding_cache_key("m", "q")


class Server:
    """A Redis of our own on a socket in a folder: no port, no files."""

    def __init__(self, folder):
        self.path = folder / "s"
        self.start()

    def start(self):
        options = ["--port", "0", "--unixsocket", self.path, "--save", "", "--daemonize", "no"]
        self.process = subprocess.Popen(
            ["redis-server", *map(str, options)], stdout=subprocess.DEVNULL, cwd=self.path.parent
        )
        client = self.client()
        for _ in range(200):
            try:
                client.ping()
            except redis.RedisError:
                time.sleep(0.02)
            else:
                return
        raise AssertionError("redis-server does not answer")

    @property
    def url(self):
        return f"unix://{self.path}"

    def client(self):
        return redis.Redis(unix_socket_path=str(self.path), socket_timeout=5)

    def stop(self):
        self.process.kill()
        self.process.wait()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("r"))
    yield server
    server.stop()


@pytest.fixture
def client(server):
    with server.client() as client:
        client.flushall()
        yield client


def counted(cache):
    return cache.hits, cache.misses, cache.failures


def test_two_processes_share_vectors(server, client):
    ours = rm.QueryEmbeddingCache(second=RedisVectorCache(server.url))
    assert ours.embed("m", "Q", lambda _: [1.0, 2.5]).tolist() == [1.0, 2.5]
    program = (
        "import sys, rankmeld as rm\n"
        "from rankmeld.stores.redis_cache import RedisVectorCache\n"
        "second = RedisVectorCache(sys.argv[1])\n"
        "vector = rm.QueryEmbeddingCache(second=second).embed('m', ' q', lambda _: 1 / 0)\n"
        "print(vector, vector.dtype, vector.flags.writeable, second.hits)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, server.url], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[1.  2.5] float32 False 1"


def test_the_first_level_is_asked_first(client):
    second = RedisVectorCache(client)
    cache = rm.QueryEmbeddingCache(second=second)
    for _ in range(3):
        cache.embed("m", "q", lambda _: [1.0])
    assert counted(second) == (0, 1, 0)
    assert (cache.hits, cache.misses) == (2, 1)
    cache.clear()
    assert cache.embed("m", "q", lambda _: 1 / 0).tolist() == [1.0]
    assert counted(second) == (1, 1, 0)


def test_what_is_kept_is_packed_and_shows_no_query(client):
    RedisVectorCache(client, prefix="mine").set(KEY, np.array([1.0, -2.0], np.float32))
    (name,) = client.keys("*")
    assert name.startswith(b"mine:RMV1:")
    assert len(name) == len("mine:RMV1:") + 40
    assert client.get(name) == b"RMV1" + np.array([1.0, -2.0], "<f4").tobytes()


def test_time_and_jitter(client):
    cache = RedisVectorCache(client, ttl=100.0, jitter=0.2)
    for number in range(60):
        cache.set(f"{KEY}{number}", np.ones(2, np.float32))
    lives = [client.pttl(name) / 1000 for name in client.keys("*")]
    assert 79.0 < min(lives) < 95.0
    assert 105.0 < max(lives) <= 120.0
    brief = RedisVectorCache(client, ttl=0.05, jitter=0.0)
    brief.set(KEY, np.ones(2, np.float32))
    assert brief.get(KEY) is not None
    time.sleep(0.08)
    assert brief.get(KEY) is None


@pytest.mark.parametrize("ttl", [1e15, 1e300])
def test_a_time_beyond_all_counting_is_a_long_time(client, ttl):
    cache = RedisVectorCache(client, ttl=ttl)
    cache.set(KEY, np.ones(2, np.float32))
    assert cache.get(KEY) is not None
    assert cache.failures == 0


def test_nothing_empty_and_no_error_is_kept(client):
    cache = rm.QueryEmbeddingCache(second=RedisVectorCache(client))
    cache.embed("m", "q", lambda _: [])
    with pytest.raises(ZeroDivisionError):
        cache.embed("m", "q", lambda _: 1 / 0)
    assert client.keys("*") == []


@pytest.mark.parametrize(
    "value",
    [b"", b"RMV1", b"RMV2" + b"\0" * 8, b"RMV1" + b"\0" * 7, b"RMV1" + np.array([np.nan], "<f4").tobytes()],
    ids=repr,
)
def test_damaged_values_are_embedded_anew(client, value):
    second = RedisVectorCache(client)
    second.set(KEY, np.ones(2, np.float32))
    (name,) = client.keys("*")
    client.set(name, value)
    assert rm.QueryEmbeddingCache(second=second).embed("m", "q", lambda _: [3.0]).tolist() == [3.0]
    assert counted(second) == (0, 1, 1)
    assert second.get(KEY).tolist() == [3.0]  # mended


def test_a_key_of_another_kind_is_a_failure_not_an_error(client):
    second = RedisVectorCache(client, pause=0.0)
    second.set(KEY, np.ones(2, np.float32))
    (name,) = client.keys("*")
    client.delete(name)
    client.rpush(name, "a list")
    assert second.get(KEY) is None
    assert counted(second) == (0, 1, 1)


def test_no_server_costs_one_failure_a_pause(tmp_path):
    now = [0.0]
    second = RedisVectorCache(f"unix://{tmp_path}/none", pause=5.0, clock=lambda: now[0])
    cache = rm.QueryEmbeddingCache(second=second)
    for number in range(5):
        assert cache.embed("m", f"q{number}", lambda _: [1.0]).tolist() == [1.0]
    assert counted(second) == (0, 5, 1)
    now[0] = 5.0
    cache.embed("m", "once more", lambda _: [1.0])
    assert second.failures == 2
    assert cache.embed("m", "q0", lambda _: 1 / 0).tolist() == [1.0]


def test_a_server_that_does_not_answer_is_given_up_in_time():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        second = RedisVectorCache(f"redis://127.0.0.1:{silent.getsockname()[1]}/0", timeout=0.1)
        started = time.monotonic()
        vector = rm.QueryEmbeddingCache(second=second).embed("m", "q", lambda _: [1.0])
        assert time.monotonic() - started < 5.0
    assert vector.tolist() == [1.0]
    assert second.failures >= 1


def test_a_server_that_stops_and_comes_back(tmp_path):
    server = Server(tmp_path)
    try:
        second = RedisVectorCache(server.url, pause=0.0)
        second.set(KEY, np.ones(2, np.float32))
        server.stop()
        assert second.get(KEY) is None
        assert second.failures == 1
        server.start()
        second.set(KEY, np.ones(2, np.float32))
        assert second.get(KEY).tolist() == [1.0, 1.0]
        assert second.failures == 1
        server.process.send_signal(signal.SIGSTOP)  # there, but not answering
        assert second.get(KEY) is None
        server.process.send_signal(signal.SIGCONT)
    finally:
        server.stop()


def test_a_full_server_keeps_nothing_and_stops_nobody(client):
    client.config_set("maxmemory", "1")
    try:
        second = RedisVectorCache(client)
        assert rm.QueryEmbeddingCache(second=second).embed("m", "q", lambda _: [1.0]).tolist() == [1.0]
        assert second.failures == 1
    finally:
        client.config_set("maxmemory", "0")


def test_tasks_do_not_block_their_loop(client):
    class Slow(RedisVectorCache):
        def get(self, key, /):
            time.sleep(0.2)
            return super().get(key)

    cache = rm.QueryEmbeddingCache(second=Slow(client))

    async def main():
        ticks = 0
        asked = asyncio.ensure_future(cache.aembed("m", "q", lambda _: [1.0]))
        while not asked.done():
            await asyncio.sleep(0.01)
            ticks += 1
        return ticks, (await asked).tolist()

    ticks, vector = asyncio.run(main())
    assert ticks >= 5
    assert vector == [1.0]
    assert len(client.keys("*")) == 1
    cache.clear()
    assert asyncio.run(cache.aembed("m", "q", lambda _: 1 / 0)).tolist() == [1.0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ttl": 0}, "ttl is 0.0; it must be above zero, or None for no expiry"),
        ({"ttl": None}, "ttl is None; Redis keeps vectors for a millisecond or longer, not for ever"),
        ({"ttl": 0.0001}, "ttl is 0.0001; Redis keeps vectors for a millisecond or longer, not for ever"),
        ({"jitter": 1.0}, "jitter is 1.0; it must be from 0 to below 1"),
        ({"jitter": float("nan")}, "jitter is nan; it must be from 0 to below 1"),
        ({"pause": -1.0}, "pause is -1.0; it must be finite and not negative"),
        ({"timeout": float("inf")}, "timeout is inf; it must be finite and not negative"),
    ],
    ids=str,
)
def test_refusals(options, message):
    with pytest.raises(rm.InvalidArgumentError) as caught:
        RedisVectorCache("redis://localhost", **options)
    assert str(caught.value) == message


def test_without_the_extra_the_install_line_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "redis", None)
    with pytest.raises(rm.MissingExtraError, match=r'pip install "rankmeld\[redis\]"'):
        RedisVectorCache("redis://localhost")
