"""Programs that use a store in a process of their own, for the tests of what processes do to it."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import textwrap
from contextlib import closing

import pytest

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither fork nor SIGKILL")


def run_child(code: str, *arguments: object) -> subprocess.Popen[str]:
    program = "import os, sys, time\nimport rankmeld as rm\n" + textwrap.dedent(code)
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)], stdout=subprocess.PIPE, text=True
    )


def check_integrity(path) -> None:
    """SQLite's own check, and that of the full-text index against the documents."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        connection.execute("INSERT INTO passages (passages, rank) VALUES ('integrity-check', 1)")
