"""What the tests of clients share: policies for loopback, and an authority of certificates of its own."""

from __future__ import annotations

import asyncio
import ssl
from contextlib import contextmanager

import trustme

import rankmeld as rm
from rankmeld.remote.transport import async_http_client, http_client

#: A name that only the resolvers of these tests know.
NAME = "models.test"
KEY = "SECRET-9f2c"
AUTHORIZED = {"Authorization": f"Bearer {KEY}", "api-key": KEY, "X-Anything": KEY, "Cookie": f"k={KEY}"}


def loopback(*ports, hosts=("127.0.0.1",), timeout=10, **options):
    """A policy for plain servers on loopback."""
    return rm.OutboundPolicy(
        hosts,
        allowed_ports=ports,
        allow_loopback=True,
        allow_insecure_loopback_http=True,
        timeout=timeout,
        **options,
    )


class Resolver:
    """Gives one list of addresses after the other, the last one for ever, and remembers who asked."""

    def __init__(self, *answers):
        self.answers = [list(answer) for answer in answers]
        self.asked = []

    def __call__(self, host, port):
        self.asked.append((host, port))
        return self.answers[min(len(self.asked), len(self.answers)) - 1]


def certificates(*names):
    """What a server of these names needs to speak TLS, and what a client needs to believe it."""
    authority = trustme.CA()
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*names).configure_cert(server)
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    authority.configure_trust(client)
    return server, client


class Plain:
    """A client that waits."""

    def __init__(self, policy, **options):
        self.client = http_client(policy, **options)

    def ask(self, url, method="POST", **options):
        return self.client.request(method, url, **options)

    def close(self):
        self.client.close()


class Asynchronous:
    """The same for tasks, driven from outside by a loop of its own."""

    def __init__(self, policy, **options):
        self.runner = asyncio.Runner()
        self.client = async_http_client(policy, **options)

    def ask(self, url, method="POST", **options):
        async def answered():
            return await self.client.request(method, url, **options)

        return self.runner.run(answered())

    def close(self):
        self.runner.run(self.client.aclose())
        self.runner.close()


@contextmanager
def asking(kind, policy, **options):
    """A client of either kind, closed at the end."""
    client = kind(policy, **options)
    try:
        yield client
    finally:
        client.close()
