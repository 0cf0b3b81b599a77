"""Clients with a policy: their options, threads, processes and event loops, what they log and close."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import ssl
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import rankmeld as rm
from support.loopback import Answer, serving

httpx2 = pytest.importorskip("httpx2", reason="httpx2 is not installed (rankmeld[http])")
pytest.importorskip("trustme", reason="trustme is not installed")

from rankmeld.remote.transport import PolicyTransport, async_http_client, http_client  # noqa: E402

from .samples import AUTHORIZED, KEY, Asynchronous, Plain, asking, loopback  # noqa: E402

KINDS = pytest.mark.parametrize("kind", [Plain, Asynchronous])


def test_a_context_that_believes_everybody_is_refused():
    blind = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    blind.check_hostname = False
    for mode in (ssl.CERT_REQUIRED, ssl.CERT_NONE):
        blind.verify_mode = mode
        with pytest.raises(rm.InvalidArgumentError) as caught:
            http_client(loopback(80), tls=blind)
        assert str(caught.value) == (
            "tls does not verify certificates and host names; for an authority of your own write "
            "ssl.create_default_context(cafile=...)"
        )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"policy": None}, "policy must be an OutboundPolicy, not NoneType"),
        ({"tls": False}, "tls must be an ssl.SSLContext or None, not bool"),
        ({"resolver": "8.8.8.8"}, "resolver must be a callable (host, port) -> addresses, not str"),
    ],
)
def test_arguments_are_checked(options, message):
    options = {"policy": loopback(80), **options}
    for make in (http_client, async_http_client):
        with pytest.raises(TypeError) as caught:
            make(**options)
        assert str(caught.value) == message


def test_a_client_is_shared_by_threads():
    with serving() as server, http_client(loopback(server.port)) as client:

        def work(number):
            answer = client.post(f"http://127.0.0.1:{server.port}/{number}", content=b"x")
            return answer.url.path == f"/{number}" and answer.status_code == 200

        with ThreadPoolExecutor(8) as threads:
            assert all(threads.map(work, range(160)))
        assert len(server.received) == 160
        assert len(server.peers) <= 8


@pytest.mark.skipif(not hasattr(os, "fork"), reason="not applicable: no fork here")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_process_has_connections_of_its_own():
    with serving() as server, http_client(loopback(server.port)) as client:
        url = f"http://127.0.0.1:{server.port}/"
        client.get(url)
        child = os.fork()
        if not child:
            os._exit(client.get(url).status_code != 200)
        assert os.waitpid(child, 0)[1] == 0
        client.get(url)
        assert len(server.peers) == 2


def test_an_asynchronous_client_outlives_an_event_loop():
    with serving() as server:
        client = async_http_client(loopback(server.port))

        async def twice():
            url = f"http://127.0.0.1:{server.port}/"
            return [(await client.get(url)).status_code for _ in range(2)]

        for _ in range(3):
            assert asyncio.run(twice()) == [200, 200]
            # The loop has ended, and its connections with it.
            assert len(client._transport._loops) == 0
        assert len(server.peers) == 3


def test_connections_of_tasks_are_closed_with_a_transport_that_is_forgotten():
    async def forgetting(url, port):
        client = async_http_client(loopback(port))
        loops = client._transport._loops
        async with client.stream("GET", url) as response:
            del client  # what is being read goes on
            gc.collect()
            assert await response.aread() == b"ok"
        del response
        gc.collect()
        for _ in range(5):
            await asyncio.sleep(0)
        return len(loops)

    with serving(lambda _request: Answer(200, b"ok", {})) as server:
        assert asyncio.run(forgetting(f"http://127.0.0.1:{server.port}/", server.port)) == 0


@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_loop_that_is_closed_without_a_word_is_let_go():
    with serving() as server:
        client = async_http_client(loopback(server.port))
        url = f"http://127.0.0.1:{server.port}/"
        loop = asyncio.new_event_loop()
        loop.run_until_complete(client.get(url))
        # What `asyncio.run` does, and this one does not: `loop.shutdown_asyncgens()`.
        loop.close()
        asyncio.run(client.get(url))
        assert len(client._transport._loops) == 0
        del loop
        gc.collect()  # its sockets, while their warnings are expected


@KINDS
def test_the_errors_of_the_pool_are_those_of_the_client(kind):
    def hangs(_request):
        time.sleep(1)
        return Answer()

    with (
        serving(hangs) as server,
        asking(kind, loopback(server.port, timeout=0.1)) as client,
        pytest.raises(httpx2.ReadTimeout),
    ):
        client.ask(f"http://127.0.0.1:{server.port}/")


@KINDS
def test_the_key_is_in_no_log_and_no_repr(kind, caplog):
    caplog.set_level(logging.NOTSET)
    for name in ("httpx2", "httpcore2", "httpcore2.connection", "httpcore2.http11"):
        caplog.set_level(1, logger=name)
    with serving() as server, asking(kind, loopback(server.port), headers=AUTHORIZED) as client:
        client.ask(f"http://127.0.0.1:{server.port}/")
        assert KEY in server.received[0].headers["authorization"]
        assert caplog.records
        assert KEY not in caplog.text
        assert KEY not in repr(client.client)


def test_closing_closes_the_connections():
    with serving() as server:
        transport = PolicyTransport(loopback(server.port))
        with httpx2.Client(transport=transport, trust_env=False) as client:
            client.get(f"http://127.0.0.1:{server.port}/")
            (pool,) = transport._pools.values()
            assert len(pool.connections) == 1
        assert pool.connections == []


@pytest.mark.parametrize("absent", ["httpx2", "httpcore2"])
def test_without_the_extra_the_message_has_the_install_line(absent):
    code = (
        f"import sys; sys.modules[{absent!r}] = None\nimport rankmeld as rm\n"
        "try:\n    import rankmeld.remote.transport\n"
        "except rm.MissingExtraError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=os.environ)
    assert done.stdout.decode().endswith(
        'asking a server over HTTP needs an optional dependency: pip install "rankmeld[http]"\n'
    )
