"""Writes THIRD_PARTY_LICENSES.txt: the notices of the Rust crates that are linked into the wheel.

Run it after a change of Cargo.lock: ``python scripts/third_party.py``.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
OUTPUT = ROOT / "THIRD_PARTY_LICENSES.txt"
#: The crate that becomes the extension module.
LINKED = "rankmeld-python"
HEAD = """\
The compiled part of rankmeld contains the crates listed here, each under its own terms.
Where a crate offers a choice of licences, it is used under the MIT licence.
"""


def main() -> None:
    """Collect the notices and write the file."""
    metadata = json.loads(
        subprocess.run(
            ["cargo", "metadata", "--format-version", "1", "--locked"],
            cwd=ROOT,
            check=True,
            capture_output=True,
        ).stdout
    )
    packages = {package["id"]: package for package in metadata["packages"]}
    crates = sorted(linked(metadata, packages), key=lambda package: str(package["name"]))
    sections = [HEAD, *(section(package) for package in crates)]
    OUTPUT.write_text("\n".join(sections), encoding="utf-8")
    print(f"{OUTPUT.name}: {len(crates)} crates")


def linked(metadata: dict[str, Any], packages: dict[str, Any]) -> list[dict[str, Any]]:
    """The crates from elsewhere whose code ends in the extension module."""
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    waiting = [(id_, False) for id_, package in packages.items() if package["name"] == LINKED]
    seen: set[str] = set()
    while waiting:
        crate, on_linux_alone = waiting.pop()
        for dependency in nodes[crate]["deps"]:
            id_ = dependency["pkg"]
            targets = [kind["target"] or "" for kind in dependency["dep_kinds"] if kind["kind"] is None]
            if on_linux_alone:  # what it needs elsewhere is never linked
                targets = [target for target in targets if "windows" not in target]
            is_macro = any("proc-macro" in target["kind"] for target in packages[id_]["targets"])
            if targets and not is_macro and id_ not in seen:
                seen.add(id_)
                linux = all('target_os = "linux"' in target for target in targets)
                waiting.append((id_, on_linux_alone or linux))
    return [packages[id_] for id_ in seen if packages[id_]["source"]]


def section(package: dict[str, Any]) -> str:
    """One crate's part of the file."""
    head = f"{package['name']} {package['version']} ({package['license']})"
    return f"{'-' * 80}\n{head}\n\n{notice(package)}\n"


def notice(package: dict[str, Any]) -> str:
    """The licence text that the crate ships, the MIT one where there are several."""
    folder = Path(package["manifest_path"]).parent
    found = sorted(path for path in folder.glob("LICEN[SC]E*") if path.is_file())
    if not found:
        raise SystemExit(f"{package['name']} ships no licence text; add it by hand")
    best = next((path for path in found if "MIT" in path.name.upper()), found[0])
    return best.read_text(encoding="utf-8").strip()


if __name__ == "__main__":
    main()
