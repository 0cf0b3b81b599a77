"""The README and the papers hold: their examples run, and what they name exists.

The pages of the guide have a test of their own, which runs their commands too.
"""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WITH_EXAMPLES = [ROOT / "README.md", ROOT / "docs" / "index.md"]
PAPERS = sorted(ROOT.glob("*.md"))
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def titled(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=titled)
def test_the_examples_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    # A page is one session: what a block defines, later ones use.
    names: dict[str, object] = {}
    differs: list[str] = []
    tried = 0
    for block in FENCE.finditer(text):
        if block[1] == "python":
            line = text.count("\n", 0, block.start(2))
            test = doctest.DocTestParser().get_doctest(block[2], names, page.name, str(page), line)
            runner = doctest.DocTestRunner(optionflags=OPTIONS)
            tried += runner.run(test, out=differs.append, clear_globs=False).attempted
            names.update(test.globs)
    assert tried, f"{titled(page)} has no example"
    assert not differs, "".join(differs)


@pytest.mark.parametrize("paper", PAPERS, ids=titled)
def test_every_make_target_that_a_paper_names_exists(paper: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    text = paper.read_text(encoding="utf-8")
    named = set(re.findall(r"`make ([a-z-]+)", text))
    for block in FENCE.finditer(text):
        named.update(re.findall(r"^make ([a-z-]+)", block[2], re.MULTILINE))
    assert named <= targets, f"{titled(paper)} names unknown targets: {sorted(named - targets)}"


@pytest.mark.parametrize("paper", PAPERS, ids=titled)
def test_every_relative_link_leads_to_a_file(paper: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", paper.read_text(encoding="utf-8"))
    broken = [link for link in links if "://" not in link and not (ROOT / link).exists()]
    assert not broken, f"{titled(paper)} links to missing files: {broken}"


@pytest.mark.parametrize("paper", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_every_path_that_a_paper_names_exists(paper: str) -> None:
    text = (ROOT / paper).read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:rust|python|tests|benches|docs|examples|\.ci)/[\w./-]+)`", text))
    missing = sorted(path for path in named if not (ROOT / path).exists())
    assert named, f"{paper} names no path"
    assert not missing, f"{paper} names paths that do not exist: {missing}"
