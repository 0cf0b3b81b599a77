"""The exceptions of rankmeld.

Each derives from :class:`RankmeldError` and from the built-in that fits, so both
``except rankmeld.RankmeldError`` and ``except ValueError`` do what they say.
"""

from __future__ import annotations

from collections.abc import Hashable
from os import PathLike, fspath

__all__ = [
    "CompressionError",
    "ConfigError",
    "FormatError",
    "InvalidArgumentError",
    "InvalidScoreError",
    "MissingExtraError",
    "OutboundRefusedError",
    "RankmeldError",
    "RemoteError",
    "RemoteTimeoutError",
    "RerankResponseError",
    "StoreError",
]


class RankmeldError(Exception):
    """Base of all exceptions that rankmeld raises on its own account."""


class InvalidArgumentError(RankmeldError, ValueError):
    """An argument has a value that the operation does not accept."""


class InvalidScoreError(RankmeldError, ValueError):
    """A score is absent, NaN or infinite where arithmetic or ordering needs a number."""


class RerankResponseError(RankmeldError, ValueError):
    """What a model or a service answered does not fit the passages; nothing of it was applied."""


class ConfigError(RankmeldError, ValueError):
    """A configuration is incomplete or contradicts itself."""


class OutboundRefusedError(RankmeldError, PermissionError):
    """An `OutboundPolicy` does not allow this connection, so it was not made."""


class RemoteError(RankmeldError, RuntimeError):
    """A service elsewhere could not be reached, or answered that it would not do what was asked.

    Neither its text nor its attributes hold the request, so they cannot hold the key.

    Parameters
    ----------
    message : str
        What happened.
    status : int, optional
        The HTTP status, where there was an answer.
    """

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message, status)
        self.message = message
        self.status = status

    def __str__(self) -> str:
        """What happened."""
        return self.message


class RemoteTimeoutError(RemoteError, TimeoutError):
    """A service elsewhere did not answer in the time that there was for it."""


class CompressionError(RankmeldError, RuntimeError):
    """A model did not rewrite a text; the ranking stays as it is.

    Parameters
    ----------
    message : str
        What happened.
    id : Hashable
        The id of the hit whose text it was.
    """

    def __init__(self, message: str, id: Hashable) -> None:
        super().__init__(message, id)
        self.message = message
        self.id = id

    def __str__(self) -> str:
        """What happened."""
        return self.message


class FormatError(RankmeldError, ValueError):
    """A file does not have the form it should have.

    Parameters
    ----------
    message : str
        What is wrong and what is wanted.
    path : str or os.PathLike, optional
        The file.
    line : int, optional
        The line, counted from 1.
    """

    def __init__(
        self, message: str, path: str | PathLike[str] | None = None, line: int | None = None
    ) -> None:
        super().__init__(message, path, line)
        self.message = message
        self.path = None if path is None else fspath(path)
        self.line = line

    def __str__(self) -> str:
        """``file:line: message``, as compilers write it."""
        place = ":".join(str(part) for part in (self.path, self.line) if part is not None)
        return f"{place}: {self.message}" if place else self.message


class MissingExtraError(RankmeldError, ImportError):
    """An optional dependency is not installed; the message has the install line."""

    @classmethod
    def for_extra(cls, extra: str, purpose: str) -> MissingExtraError:
        """Make the error for one extra.

        Parameters
        ----------
        extra : str
            Name of the extra, as in ``rankmeld[extra]``.
        purpose : str
            What needs it, as the subject of a sentence.
        """
        return cls(f'{purpose} needs an optional dependency: pip install "rankmeld[{extra}]"')


class StoreError(RankmeldError, RuntimeError):
    """A store cannot do what was asked: read-only, busy, damaged, or newer than this version."""
