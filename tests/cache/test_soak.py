"""The soak, for ten seconds; `make soak` takes ten minutes."""

from __future__ import annotations

import sys

import pytest

from cache.soak import soak


@pytest.mark.skipif(sys.platform != "linux", reason="not applicable: memory is read from /proc")
def test_memory_stays_flat_under_eight_threads():
    soak(10.0)
