"""Where shared data and golden vectors lie on this machine, if anywhere."""

from __future__ import annotations

import os
from pathlib import Path


def shared_folder() -> Path | None:
    """The folder that `RANKMELD_SHARED` names, else the one beside the repository, if it is there."""
    beside = Path(__file__).resolve().parents[2].parent / "shared"
    folder = Path(os.environ.get("RANKMELD_SHARED", beside))
    return folder if folder.is_dir() else None
