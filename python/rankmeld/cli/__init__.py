"""The command ``rankmeld``: index files, search them, see why each hit is where it is.

It needs the extra ``cli`` (typer and rich); `main` says so where they are missing. The library itself
never imports this.
"""

from __future__ import annotations

import sys

from rankmeld.errors import MissingExtraError

__all__ = ["main"]


def main() -> None:
    """Run the command on ``sys.argv`` and exit.

    Exit codes: 0 done; 1 a search without results; 2 an error, told on standard error; 130 stopped by Ctrl-C.
    """
    try:
        from rankmeld.cli.app import run  # noqa: PLC0415 - typer and rich are an extra
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in {"typer", "rich"}:
            raise
        error = MissingExtraError.for_extra("cli", "the command rankmeld")
        sys.stderr.write(f"error: {error}\n")
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
    run()
