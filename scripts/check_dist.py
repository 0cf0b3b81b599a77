"""Install the wheel and the source distribution into fresh environments and use them there.

A package can be broken in ways that no test of the working tree sees: a file that was not
packed, a tag that the installer refuses, a build that only works inside the repository.
"""

from __future__ import annotations

import argparse
import email
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

MAX_WHEEL_BYTES = 4 * 1024 * 1024

# What a user does first. The scores are those of the textbook: 1 / (60 + rank).
SMOKE = """
import importlib.metadata
import sys
import rankmeld as rm
assert "site-packages" in rm.__file__, rm.__file__
fused = rm.rrf([["a", "b"], ["b", "c"]])
assert fused.ids == ["b", "a", "c"], fused.ids
assert fused.scores.tolist() == [1 / 62 + 1 / 61, 1 / 61, 1 / 62], fused.scores
loaded = {"typer", "onnxruntime", "wordllama", "pandas", "polars", "pyarrow"} & set(sys.modules)
assert not loaded, f"import rankmeld also imported {loaded}"
print("rankmeld", importlib.metadata.version("rankmeld"), "works")
"""


def only(folder: Path, pattern: str) -> Path:
    """The one file of that pattern; several would leave open which one is checked."""
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        sys.exit(f"expected one {pattern} in {folder}, found {[path.name for path in found]}")
    return found[0]


def check_wheel(wheel: Path) -> None:
    """What must be in a wheel, what must not, and how large it may be."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata_name = next(name for name in names if name.endswith(".dist-info/METADATA"))
        metadata = email.message_from_bytes(archive.read(metadata_name))
    wanted = ["rankmeld/__init__.py", "rankmeld/py.typed", "rankmeld/_core.pyi"]
    for name in wanted:
        if name not in names:
            sys.exit(f"{wheel.name} lacks {name}")
    if not any(name.endswith("licenses/LICENSE") for name in names):
        sys.exit(f"{wheel.name} carries no licence")
    strays = [name for name in names if not name.startswith(("rankmeld/", "rankmeld-"))]
    if strays:
        sys.exit(f"{wheel.name} would install files outside its package: {strays}")
    if wheel.stat().st_size > MAX_WHEEL_BYTES:
        sys.exit(f"{wheel.name} has {wheel.stat().st_size:,} bytes, more than {MAX_WHEEL_BYTES:,}")
    if "-abi3-manylinux" not in wheel.name:
        sys.exit(f"{wheel.name} is not a stable-ABI manylinux wheel")
    if metadata["Requires-Python"] != ">=3.11" or not metadata.get_payload():
        sys.exit(f"{wheel.name} has no description, or the wrong Requires-Python")
    print(f"{wheel.name}: {len(names)} files, {wheel.stat().st_size / 2**20:.2f} MiB")


def check_sdist(sdist: Path) -> None:
    """What a build from source needs."""
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    for name in ("pyproject.toml", "Cargo.lock", "LICENSE", "README.md", "python/rankmeld/__init__.py"):
        if name not in names:
            sys.exit(f"{sdist.name} lacks {name}")
    print(f"{sdist.name}: {len(names)} files")


def check_installed(package: Path) -> None:
    """Install into a fresh environment, with what the package itself asks for, and run the smoke."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder, "bin", "python")
        subprocess.run([python, "-m", "pip", "install", "--quiet", package], check=True)
        # Outside the repository, so that only the installed package can answer.
        subprocess.run([python, "-c", SMOKE], check=True, cwd=folder)
        # The command is there without its extra, and says what it lacks.
        command = [python.with_name("rankmeld"), "--version"]
        told = subprocess.run(command, check=False, cwd=folder, capture_output=True, text=True)
        if 'pip install "rankmeld[cli]"' not in told.stderr or "Traceback" in told.stderr:
            sys.exit(f"without its extra the command should name it, but said: {told.stdout}{told.stderr}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dist", type=Path, help="the folder with one wheel and one sdist")
    dist = parser.parse_args().dist.resolve()
    wheel, sdist = only(dist, "rankmeld-*.whl"), only(dist, "rankmeld-*.tar.gz")
    check_wheel(wheel)
    check_sdist(sdist)
    for package in (wheel, sdist):
        check_installed(package)


if __name__ == "__main__":
    main()
