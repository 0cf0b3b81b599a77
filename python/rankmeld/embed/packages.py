"""Files that other packages ship, found without running any of their code."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rankmeld.errors import MissingExtraError

__all__ = ["data_file", "import_extra", "is_installed"]


def data_file(package: str, name: str, *, extra: str, purpose: str) -> Path:
    """Path of a file inside an installed distribution.

    Importing the package instead would run it: some set up logging, load HTTP clients or could
    download what they miss. Here only its record of installation is read.

    Raises
    ------
    MissingExtraError
        The distribution is not installed, or is a version that does not carry the file.
    """
    try:
        found = distribution(package)
    except PackageNotFoundError:
        raise MissingExtraError.for_extra(extra, purpose) from None
    path = Path(str(found.locate_file(name)))
    if not path.is_file():
        raise MissingExtraError(
            f"{purpose} needs {name}, which {package} {found.version} does not carry: "
            f'pip install --force-reinstall "rankmeld[{extra}]"'
        )
    return path


def import_extra(module: str, *, extra: str, purpose: str) -> Any:
    """Import a module that an extra brings.

    Raises
    ------
    MissingExtraError
        It is not installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError.for_extra(extra, purpose) from error


def is_installed(*modules: str) -> bool:
    """Whether these top-level modules could be imported; none of them is."""
    return all(find_spec(module) is not None for module in modules)
