"""What the README and the guide show is run: their examples, what these print, and their commands by name."""

from __future__ import annotations

import contextlib
import doctest
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import rankmeld

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
EVERY_PAGE = sorted({*PAGES, *ROOT.glob("*.md")})
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

# A fenced block, and what it is said to print: a `text` block right below it.
FENCE = re.compile(
    r"^```(?P<language>\w+)\n(?P<source>.*?)^```\n(?:\s*^```text\n(?P<shown>.*?)^```$)?",
    re.MULTILINE | re.DOTALL,
)


class Block(NamedTuple):
    line: int
    language: str
    source: str
    shown: str | None


def blocks(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for match in FENCE.finditer(text):
        line = text.count("\n", 0, match.start("source"))
        yield Block(line, match["language"], match["source"], match["shown"])


def titled(page: Path) -> str:
    return str(page.relative_to(ROOT))


def run_prompted(block: Block, page: Path, names: dict[str, object]) -> str:
    """Run a block of `>>>` lines; what differs, as text."""
    differs: list[str] = []
    test = doctest.DocTestParser().get_doctest(block.source, names, page.name, str(page), block.line)
    doctest.DocTestRunner(optionflags=OPTIONS).run(test, out=differs.append, clear_globs=False)
    names.update(test.globs)
    return "".join(differs)


def run_listing(block: Block, page: Path, names: dict[str, object]) -> str:
    """Run a block without prompts and compare all that it prints with the text below it; what differs."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile("\n" * block.line + block.source, str(page), "exec"), names)
    got, want = printed.getvalue(), block.shown
    if want is None or doctest.OutputChecker().check_output(want, got, OPTIONS):
        return ""
    return f"{titled(page)}:{block.line}: the page shows\n{want}\nbut the example printed\n{got}\n"


@pytest.mark.parametrize("page", PAGES, ids=titled)
def test_the_examples_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # A page is one session: what a block defines, later ones use.
    names: dict[str, object] = {"__name__": "__main__"}
    differs = ""
    for block in blocks(page):
        if block.language == "python":
            run = run_prompted if ">>>" in block.source else run_listing
            try:
                differs += run(block, page, names)
            except rankmeld.MissingExtraError as missing:
                pytest.skip(f"an extra is not installed: {missing}")
    if "MissingExtraError" in differs:
        pytest.skip(f"an extra that {titled(page)} uses is not installed")
    assert not differs, differs


def test_the_readme_shows_prompted_examples() -> None:
    assert any(">>>" in block.source for block in blocks(ROOT / "README.md"))


@pytest.mark.parametrize("page", EVERY_PAGE, ids=titled)
def test_every_make_target_that_a_page_names_exists(page: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    named = set(re.findall(r"`make ([a-z-]+)", page.read_text(encoding="utf-8")))
    for block in blocks(page):
        if block.language in {"sh", "bash", "console"}:
            named.update(re.findall(r"^(?:\$ )?make ([a-z-]+)", block.source, re.MULTILINE))
    assert named <= targets, f"{titled(page)} names unknown targets: {sorted(named - targets)}"


@pytest.mark.parametrize("page", EVERY_PAGE, ids=titled)
def test_every_relative_link_leads_to_a_file(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    broken = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert not broken, f"{titled(page)} links to missing files: {broken}"


@pytest.mark.parametrize("paper", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_every_path_that_a_paper_names_exists(paper: str) -> None:
    text = (ROOT / paper).read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:rust|python|tests|benches|docs|examples|\.ci)/[\w./-]+)`", text))
    missing = sorted(path for path in named if not (ROOT / path).exists())
    assert named, f"{paper} names no path"
    assert not missing, f"{paper} names paths that do not exist: {missing}"
