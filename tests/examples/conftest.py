"""The example server: a process that all tests of a module ask, and the module itself."""

from __future__ import annotations

import importlib.util
import sys

import pytest

from .served import EXAMPLE, running


@pytest.fixture(scope="module")
def port():
    with running() as (_process, port):
        yield port


@pytest.fixture(scope="module")
def example():
    """The server as a module, for what a test has to see from within."""
    spec = importlib.util.spec_from_file_location("rerank_server", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    sys.modules["rerank_server"] = module  # where dataclasses look
    spec.loader.exec_module(module)
    yield module
    del sys.modules["rerank_server"]
