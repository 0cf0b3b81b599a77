"""``python -m rankmeld`` is the command ``rankmeld``."""

from __future__ import annotations

from rankmeld.cli import main

if __name__ == "__main__":
    main()
