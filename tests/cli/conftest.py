"""Runs the installed command as a process, the way a person does."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import subprocess
import sysconfig
from dataclasses import dataclass
from pathlib import Path

import pytest

COMMAND = Path(sysconfig.get_path("scripts")) / ("rankmeld.exe" if os.name == "nt" else "rankmeld")


def has(*modules: str) -> bool:
    return all(importlib.util.find_spec(module) is not None for module in modules)


def pytest_collection_modifyitems(items):
    if has("typer", "rich"):
        return
    for item in items:
        if "cli" in item.path.parts:
            item.add_marker(pytest.mark.skip(reason="typer and rich are not installed (extra cli)"))


@dataclass(frozen=True)
class Done:
    """A finished command."""

    code: int
    out: str
    err: str


class Command:
    """The command ``rankmeld`` in a folder of its own, where ``t.db`` is the database."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, *arguments: str, **env: str) -> Done:
        done = subprocess.run(
            [COMMAND, *arguments],
            cwd=self.folder,
            env=self.environment(**env),
            capture_output=True,
            encoding="utf-8",
            timeout=100,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Begin a command and return at once."""
        return subprocess.Popen(
            [COMMAND, *arguments],
            cwd=self.folder,
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    def in_terminal(self, *arguments: str, columns: int = 80, **env: str) -> str:
        """Run the command in a terminal of that width; what it wrote, to standard error as well."""
        pty = pytest.importorskip("pty", reason="pseudo-terminals are not available on this system")
        termios = pytest.importorskip("termios")
        leader, follower = pty.openpty()
        termios.tcsetwinsize(follower, (40, columns))
        process = subprocess.Popen(
            [COMMAND, *arguments],
            cwd=self.folder,
            env=self.environment(**{"TERM": "xterm-256color", **env}),
            stdin=follower,
            stdout=follower,
            stderr=follower,
        )
        os.close(follower)
        written = b""
        # Linux reports the end of a terminal as an error, others as an empty read.
        with contextlib.suppress(OSError):
            while piece := os.read(leader, 65536):
                written += piece
        os.close(leader)
        assert process.wait(timeout=60) == 0
        return written.decode()

    def index(self, *paths: str, embedder: str = "none") -> Done:
        done = self("index", *paths, "--db", "t.db", "--embedder", embedder)
        assert done.code == 0, done.err
        return done

    def search(self, query: str, *options: str, **env: str) -> Done:
        return self("search", "--db", "t.db", *options, "--", query, **env)

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    @staticmethod
    def environment(**env: str) -> dict[str, str]:
        """The caller's environment without what changes colours and width."""
        kept = {
            k: v for k, v in os.environ.items() if k not in {"COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR"}
        }
        return {**kept, "PYTHONIOENCODING": "utf-8", **env}


@pytest.fixture
def rankmeld(tmp_path) -> Command:
    """The command, in an empty folder."""
    return Command(tmp_path)


@pytest.fixture
def notes(rankmeld) -> Command:
    """The command, with three Markdown files of notes indexed by words."""
    rankmeld.write("notes/wal.md", "# Write-ahead log\n\n## Readers\n\nReaders never block the writer.\n")
    rankmeld.write("notes/vacuum.md", "# Vacuum\n\nRebuilding the file gives unused space back.\n")
    rankmeld.write("notes/types.txt", "A column accepts values of any type.\n")
    rankmeld.index("notes")
    return rankmeld


@pytest.fixture
def static() -> str:
    """The name of the fast embedder; the test is skipped where it is not installed."""
    if not has("wordllama", "tokenizers", "safetensors"):
        pytest.skip("wordllama is not installed (extra embed-static)")
    return "static"
