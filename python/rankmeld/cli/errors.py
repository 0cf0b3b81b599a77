"""What a person sees when something goes wrong, and the exit code that goes with it."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from rankmeld.cli import console
from rankmeld.errors import RankmeldError

__all__ = ["EXIT_ERROR", "EXIT_INTERRUPTED", "EXIT_NO_RESULTS", "UsageError", "explain_os_error", "reported"]

EXIT_NO_RESULTS = 1
EXIT_ERROR = 2
EXIT_INTERRUPTED = 130


class UsageError(RankmeldError, ValueError):
    """What was typed cannot be done; the message says what to type instead."""


def explain_os_error(error: OSError) -> str:
    """``notes.md: permission denied`` instead of ``[Errno 13] Permission denied: 'notes.md'``."""
    reason = (error.strerror or str(error) or type(error).__name__).lower()
    return f"{os.fsdecode(error.filename)}: {reason}" if isinstance(error.filename, str | bytes) else reason


@contextmanager
def reported(*, debug: bool) -> Iterator[None]:
    """Turn what a command raises into a message and an exit code; with `debug`, show the traceback too."""
    try:
        yield
    except typer.Exit:
        raise
    except KeyboardInterrupt:
        raise typer.Exit(EXIT_INTERRUPTED) from None
    except BrokenPipeError:
        # The reader of the pipe (`| head`) has seen enough. Nothing may be written at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(0) from None
    except Exception as error:  # noqa: BLE001 - the last line of defence: a person gets a sentence
        if debug:
            traceback.print_exc()
        console.error(_message(error))
        raise typer.Exit(EXIT_ERROR) from None


def _message(error: Exception) -> str:
    if isinstance(error, RankmeldError):
        return str(error)
    if isinstance(error, OSError):
        return explain_os_error(error)
    kind = type(error).__name__
    return f"unexpected {kind}: {error}\nThis is a defect in rankmeld; --debug shows where it happened."
