"""What the README and the guide show is run: their examples as doctests, their commands by name."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

import rankmeld

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def blocks(page: Path, language: str) -> list[tuple[int, str]]:
    """The fenced blocks of one language, each with the line that it starts on."""
    text = page.read_text(encoding="utf-8")
    return [
        (text.count("\n", 0, match.start(2)), match[2])
        for match in FENCE.finditer(text)
        if match[1] == language
    ]


def titled(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=titled)
def test_the_examples_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    report: list[str] = []
    for line, source in blocks(page, "python"):
        if ">>>" not in source:
            # A listing without a prompt has nothing to compare: it must run.
            try:
                exec(compile("\n" * line + source, str(page), "exec"), names)
            except rankmeld.MissingExtraError as missing:
                pytest.skip(f"needs an extra: {missing}")
            continue
        test = doctest.DocTestParser().get_doctest(source, names, page.name, str(page), line)
        # A page is one session: what a block defines, later ones use.
        doctest.DocTestRunner(optionflags=OPTIONS).run(test, out=report.append, clear_globs=False)
        names.update(test.globs)
    if any("MissingExtraError" in text for text in report):
        pytest.skip(f"needs an extra that {titled(page)} uses")
    assert not report, "".join(report)


def test_the_readme_shows_a_prompted_example() -> None:
    assert any(">>>" in source for _, source in blocks(ROOT / "README.md", "python"))


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "ARCHITECTURE.md"], ids=titled)
def test_every_make_target_that_a_page_names_exists(page: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    text = page.read_text(encoding="utf-8")
    named = set(re.findall(r"`make ([a-z-]+)", text))
    for _, source in blocks(page, "sh"):
        named.update(re.findall(r"^make ([a-z-]+)", source, re.MULTILINE))
    assert named <= targets, f"{titled(page)} names unknown targets: {sorted(named - targets)}"


@pytest.mark.parametrize("page", [*ROOT.glob("*.md"), *PAGES[1:]], ids=titled)
def test_every_relative_link_leads_to_a_file(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    broken = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert not broken, f"{titled(page)} links to missing files: {broken}"


@pytest.mark.parametrize("paper", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_every_path_that_a_paper_names_exists(paper: str) -> None:
    named = set(
        re.findall(
            r"`((?:rust|python|tests|benches|docs|examples|\.ci)/[\w./-]+)`", (ROOT / paper).read_text()
        )
    )
    missing = sorted(path for path in named if not (ROOT / path).exists())
    assert named, f"{paper} names no path"
    assert not missing, f"{paper} names paths that do not exist: {missing}"
