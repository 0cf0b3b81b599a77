"""Every example in a docstring of the package is run, and must print what it says it prints."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from pathlib import Path
from types import ModuleType

import pytest

import rankmeld
import rankmeld.errors

REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "reference"
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def modules() -> list[str]:
    """Every Python module of the installed package, in a fixed order."""
    found = [info.name for info in pkgutil.walk_packages(rankmeld.__path__, "rankmeld.")]
    return sorted({"rankmeld", *found} - {"rankmeld._core", "rankmeld.__main__"})


def examples(module: ModuleType) -> list[doctest.DocTest]:
    """The docstrings of a module that hold examples, each with the module's own names."""
    return [test for test in doctest.DocTestFinder(exclude_empty=True).find(module) if test.examples]


@pytest.mark.parametrize("name", modules())
def test_the_examples_of_a_module_run(name: str, tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Examples write their files where they stand.
    monkeypatch.chdir(tmp_path)
    report: list[str] = []
    for example in examples(importlib.import_module(name)):
        runner = doctest.DocTestRunner(optionflags=OPTIONS)
        runner.run(example, out=report.append)
    assert not report, "".join(report)


PUBLIC = sorted(name for name in rankmeld.__all__ if callable(getattr(rankmeld, name)))


@pytest.mark.parametrize("name", PUBLIC)
def test_what_is_public_explains_itself(name: str) -> None:
    public = getattr(rankmeld, name)
    assert (public.__doc__ or "").strip(), f"rankmeld.{name} has no docstring"
    if isinstance(public, type) and issubclass(public, Exception | rankmeld.Tier):
        return
    assert ">>>" in public.__doc__ or isinstance(public, type), f"rankmeld.{name} shows no example"


def test_the_reference_lists_everything_public() -> None:
    pages = "\n".join(page.read_text(encoding="utf-8") for page in sorted(REFERENCE.glob("*.md")))
    # The error page takes its module whole.
    listed = set(re.findall(r"(?:auto\w+|py:data):: (?:rankmeld\.)?(\w+)$", pages, re.MULTILINE))
    missing = sorted(set(rankmeld.__all__) - listed - set(rankmeld.errors.__all__) - {"__version__"})
    assert not missing, f"docs/reference names no {missing}"
