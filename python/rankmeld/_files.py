"""Files that hold what a data structure has in memory: written as a whole, checked when read."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from rankmeld import _core
from rankmeld.errors import FormatError, InvalidArgumentError

__all__ = ["FileKind", "flush_folder", "load_parts", "save_parts"]

_PathLike = str | os.PathLike[str]


class FileKind(NamedTuple):
    """A kind of file that this library writes.

    Attributes
    ----------
    mark : str
        How the file says what it is; up to 16 characters of ASCII.
    version : int
        Of what is written now; earlier ones are read.
    name : str
        As messages call it, without its article.
    """

    mark: str
    version: int
    name: str


def save_parts(path: _PathLike, kind: FileKind, parts: Sequence[bytes]) -> None:
    """Write a file; on an error or a crash, what was there before is still there.

    It is written beside its place, flushed to the disk and then renamed. A symbolic link is followed:
    the file that it leads to is written, and the link stays.

    Raises
    ------
    InvalidArgumentError
        The path names no file.
    OSError
        It cannot be written, or something that is no file (a device, a pipe, a folder) has its name.
    """
    target = _behind_links(_as_path(path))
    if target.exists() and not target.is_file():
        # A rename would put a file in place of the device.
        number = errno.EISDIR if target.is_dir() else errno.EINVAL
        raise OSError(number, "not a regular file", str(target))
    # Short, as the name of the file itself may be as long as a name can be.
    temporary = target.with_name(f".rankmeld-{os.getpid():x}-{os.urandom(4).hex()}.tmp")
    sealed = _core.seal(kind.mark, kind.version, list(parts))
    try:
        with temporary.open("xb") as file:
            file.write(sealed)
            file.flush()
            os.fsync(file.fileno())
        with suppress(OSError):  # a new file is as open to others as the one that it replaces
            temporary.chmod(target.stat().st_mode & 0o777)
        temporary.replace(target)
    except BaseException as error:
        with suppress(OSError):  # where the folder is no folder, say: the first reason counts
            temporary.unlink()
        if isinstance(error, OSError) and error.errno is not None:
            # By the name that was asked for: the temporary one says nothing to anybody.
            raise OSError(error.errno, error.strerror, os.fspath(path)) from None
        raise
    flush_folder(target.parent)


def load_parts(path: _PathLike, kind: FileKind) -> tuple[int, list[bytes]]:
    """Read a file that `save_parts` wrote: its version and its parts.

    Raises
    ------
    InvalidArgumentError
        The path names no file.
    FormatError
        It is not of this kind, from a newer version, cut short or damaged.
    OSError
        It cannot be read.
    """
    target = _as_path(path)
    wrong, version, parts = _core.unseal(kind.mark, kind.version, target.read_bytes())
    if wrong is None:
        return version, parts
    reasons = {
        "foreign": f"this is not a {kind.name} of rankmeld; check the path",
        "newer": f"a newer rankmeld wrote this (version {version}; {kind.version} is the newest known here); "
        "upgrade rankmeld to read it",
        "truncated": f"this {kind.name} ends too early; make it again, or take a whole copy",
        "damaged": f"this {kind.name} is damaged (wrong checksum); make it again, or take a whole copy",
    }
    raise FormatError(reasons[wrong], target)


def _as_path(path: _PathLike) -> Path:
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"path must be a str or a path, not {type(path).__name__}")
    found = Path(path)
    if not found.name:
        raise InvalidArgumentError(f"path is {os.fspath(path)!r}, which names no file; give the path of one")
    return found


def _behind_links(path: Path) -> Path:
    target = Path(os.path.realpath(path)) if path.is_symlink() else path
    if target.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    return target


def flush_folder(folder: Path) -> None:
    """See that the new name is on the disk as well, where the system lets a folder be flushed."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        with suppress(OSError):
            os.fsync(handle)
    finally:
        os.close(handle)
