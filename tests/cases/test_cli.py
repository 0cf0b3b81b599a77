"""Known failures of commands elsewhere, each as a test of its whole kind."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys

import pytest

pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="not applicable: pipes end otherwise there"),
    pytest.mark.skipif(
        not all(importlib.util.find_spec(name) for name in ("typer", "rich")),
        reason="typer and rich are not installed (extra cli)",
    ),
]


@pytest.mark.parametrize("reads", ["head -n 1", "head -c 1", "true", "head -n 5000"])
def test_c275_a_closed_pipe_is_a_normal_end(tmp_path, reads):
    for name in ("a.run", "b.run"):
        with (tmp_path / name).open("w") as file:
            file.writelines(f"q{n // 100} Q0 d{name}{n % 100} 1 {100 - n % 100} t\n" for n in range(100_000))
    done = subprocess.run(
        f'"{sys.executable}" -m rankmeld fuse a.run b.run | {reads}; exit ${{PIPESTATUS[0]}}',
        shell=True,
        executable="/bin/bash",
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode in {0, 141}
    assert done.stderr == ""
