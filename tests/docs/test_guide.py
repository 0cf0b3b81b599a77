"""The guide's pages do what they say: their code runs, and prints what stands below it.

In a page, blocks marked ``python`` run in order and share their names. A block marked ``text`` that
follows one is what it prints. A block marked ``console`` holds commands after ``$``, each with its
output. Anything marked otherwise is only shown.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

import pytest

from rankmeld.ingest import discover, read_documents

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide"
EXAMPLES = GUIDE.parents[1] / "examples"
COLLECTION = EXAMPLES / "demo" / "collection"
PAGES = sorted(GUIDE.glob("*.md"))
_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: What a page may need beside the core: a word in it, and the modules without which it cannot run.
_NEEDS = {
    'load_embedder("static")': ("tokenizers", "safetensors", "wordllama"),
    "$ rankmeld": ("typer", "rich"),
    "SparkSession": ("pyspark",),
    "rankmeld.remote": ("httpx2", "openai"),
    "rm.evaluate(": ("ir_measures",),
    "PostgresStore": ("psycopg", "psycopg_pool", "pgvector"),
    "QdrantClient": ("qdrant_client",),
}


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, and the line of the page where it starts."""

    language: str
    text: str
    line: int


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [Block(m[1], m[2], text.count("\n", 0, m.start(2)) + 1) for m in _FENCE.finditer(text)]


def comparable(output: str) -> str:
    """Output without what differs from run to run: durations, and spaces at the end of lines."""
    lines = (re.sub(r"\b\d+(\.\d+)? s\b", "N s", line).rstrip() for line in output.splitlines())
    return "\n".join(lines).strip()


def run_python(block: Block, page: Path, names: dict[str, object]) -> str:
    printed = io.StringIO()
    # Padded, so that a traceback shows the line of the page.
    code = compile("\n" * (block.line - 1) + block.text, str(page), "exec")
    with contextlib.redirect_stdout(printed):
        exec(code, names)
    return printed.getvalue()


def run_commands(block: Block, folder: Path) -> str:
    """Run each ``$`` line and give the block as it should stand in the page."""
    scripts = sysconfig.get_path("scripts")
    env = {**os.environ, "PATH": os.pathsep.join([scripts, os.environ.get("PATH", "")]), "NO_COLOR": "1"}
    shown: list[str] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            done = subprocess.run(
                line[2:],
                shell=True,
                cwd=folder,
                env=env,
                capture_output=True,
                check=False,
                encoding="utf-8",
                timeout=100,
            )
            shown += [line, *(done.stdout + done.stderr).splitlines()]
    return "\n".join(shown)


def missing_for(page: Path) -> str | None:
    text = page.read_text(encoding="utf-8")
    for words, modules in _NEEDS.items():
        absent = [module for module in modules if importlib.util.find_spec(module) is None]
        if words in text and absent:
            return f"{', '.join(absent)} is not installed, which {page.name} uses"
    if "SparkSession" in text and shutil.which("java") is None:
        return f"java is not installed, which Spark in {page.name} needs"
    return None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page_does_what_it_says(page, tmp_path, monkeypatch, request):
    reason = missing_for(page)
    if reason is not None:
        pytest.skip(reason)
    if "postgresql:///handbook" in page.read_text(encoding="utf-8"):
        server = request.getfixturevalue("postgres")
        server.call("createdb", "-h", server.folder, "-U", "postgres", "handbook")
        # Who is meant where a connection string does not say.
        monkeypatch.setenv("PGHOST", str(server.folder))
        monkeypatch.setenv("PGUSER", "postgres")
    monkeypatch.chdir(tmp_path)
    shutil.copytree(COLLECTION, tmp_path / "sqlite-docs")
    shutil.copytree(EXAMPLES, tmp_path / "examples", ignore=shutil.ignore_patterns("demo"))
    names: dict[str, object] = {"__name__": "__guide__"}
    printed = ""
    for block in blocks_of(page):
        where = f"{page.name}:{block.line}"
        if block.language == "python":
            assert not printed, (
                f"{where}: the block before printed something that the page does not show:\n{printed}"
            )
            printed = run_python(block, page, names)
        elif block.language == "text":
            assert comparable(printed) == comparable(block.text), (
                f"{where} is not what the block above it prints"
            )
            printed = ""
        elif block.language == "console":
            assert comparable(run_commands(block, tmp_path)) == comparable(block.text), where
    assert not printed, (
        f"{page.name}: the last block printed something that the page does not show:\n{printed}"
    )


def test_there_is_a_guide():
    assert {page.stem for page in PAGES} >= {
        "getting-started",
        "explanations",
        "fusing-lists",
        "reranking",
        "scoring",
        "near-duplicates",
        "spark",
        "store",
        "routing",
        "embedders",
        "remote-models",
        "command",
    }


def test_the_index_lists_every_page():
    index = (GUIDE.parent / "index.md").read_text(encoding="utf-8")
    listed = re.findall(r"^((?:guide|reference)/\S+)$", index, re.MULTILINE)
    pages = [f"{page.parent.name}/{page.stem}" for page in sorted(GUIDE.parent.glob("*/*.md"))]
    assert sorted(listed) == pages


def test_links_between_pages_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}, which is not there"


def test_the_example_of_fusing_lists_runs():
    done = subprocess.run(
        [sys.executable, EXAMPLES / "fuse_lists.py"],
        capture_output=True,
        check=True,
        encoding="utf-8",
        timeout=60,
    )
    assert done.stdout.splitlines()[0].split() == ["0.03252", "install"]


def test_the_demo_has_a_few_hundred_passages_and_says_whose_they_are():
    files = list(discover([COLLECTION]))
    assert 300 <= sum(len(read_documents(file)) for file in files) <= 600
    assert sum(Path(file.path).stat().st_size for file in files) < 1_000_000
    assert "public domain" in (COLLECTION.parent / "SOURCE.md").read_text(encoding="utf-8")
    assert "dedicated to the public domain" in (COLLECTION.parent / "COPYRIGHT.md").read_text(
        encoding="utf-8"
    )
