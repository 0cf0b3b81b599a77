"""The libraries that people use for fusion today, one file each.

A file offers `rrf` and, where its library has it, `minmax`: cases for lists of `(id, score)`. Each
result is held against the reference before it is timed, as ours is.
"""

from __future__ import annotations

import importlib
import importlib.util
from types import ModuleType

#: The file here, and the package that has to be installed for it.
_PEERS = {
    "ranx_runs": "ranx",
    "langchain_ensemble": "langchain_classic",
    "haystack_joiner": "haystack",
    "llama_index_fusion": "llama_index",
}


def installed() -> list[ModuleType]:
    """The peers that are here."""
    return [
        importlib.import_module(f"{__name__}.{file}")
        for file, package in _PEERS.items()
        if importlib.util.find_spec(package)
    ]


def missing() -> list[str]:
    """The packages of the others."""
    return [package for package in _PEERS.values() if not importlib.util.find_spec(package)]
