"""The key of a server of models."""

from __future__ import annotations

import os

import pytest

#: The variable that holds it.
VARIABLE = "RANKMELD_TEST_MODEL_KEY"


@pytest.fixture
def key(monkeypatch):
    from .samples import KEY

    for name in [name for name in os.environ if name.startswith("OPENAI")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv(VARIABLE, KEY)
    return VARIABLE
