"""Where the command writes, and what it lets through.

Results go to standard output, everything else (progress, notes, errors) to standard error. Text that
comes from documents, file names or a query is never given to the terminal as it is: it could hold
escape sequences.
"""

from __future__ import annotations

import io
import re
import sys
from functools import cache

from rich.console import Console
from rich.text import Text

from rankmeld.text import clean_text

__all__ = ["counted", "error", "note", "one_line", "plain", "printable", "stderr", "stdout", "warn", "write"]

# ESC [ ... final byte (colours, cursor), ESC ] ... BEL or ESC \ (titles, links), ESC P/X/^/_ ... ESC \
# (strings), ESC x. The same sequences begin with one C1 character instead of ESC and another. What has
# no end loses its beginning only. A sequence ends where another begins, so that none is looked through
# twice, however many there are.
_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b\]|\x9d)[^\x07\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\|\x9c)"
    r"|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x90\x98\x9c-\x9f]*(?:\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-~]?"
)
# The rest of C0, DEL and C1, and the marks that turn the direction of what follows (they can make a
# line read as another).
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """The text without terminal escapes and control characters; tabs and line feeds stay."""
    return _CONTROLS.sub("", _ESCAPES.sub("", clean_text(text).replace("\r\n", "\n")))


def one_line(text: str) -> str:
    """The printable text with every run of white space as one space."""
    return " ".join(printable(text).split())


def counted(count: int, thing: str) -> str:
    """``1 passage``, ``2,000 passages``: a number with its noun."""
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {thing}s"


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Leave a reader that stops early (`| head`) to the handler of errors; rich would exit with 1."""
        raise BrokenPipeError


def _console(*, to_stderr: bool) -> Console:
    stream = sys.stderr if to_stderr else sys.stdout
    # A terminal that cannot show a character gets a replacement, not a crash.
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="replace")
    return _Console(stderr=to_stderr, markup=False, emoji=False, highlight=False)


@cache
def stdout() -> Console:
    """The console for results."""
    return _console(to_stderr=False)


@cache
def stderr() -> Console:
    """The console for progress, notes and errors."""
    return _console(to_stderr=True)


def plain(console: Console) -> bool:
    """Whether the console can show no styles at all: a pipe, a file, or a dumb terminal."""
    return not console.is_terminal or console.is_dumb_terminal


def write(console: Console, text: Text | str, *, style: str | None = None) -> None:
    """Print one line: wrapped in a terminal, in one piece in a pipe, so that grep sees all of it."""
    console.print(text, style=style, soft_wrap=not console.is_terminal)


def note(message: str) -> None:
    """Say something beside the result, on standard error."""
    write(stderr(), Text.assemble(("note: ", "yellow"), printable(message)))


def warn(message: str) -> None:
    """Say what was left out of a result, on standard error."""
    write(stderr(), Text.assemble(("warning: ", "yellow"), printable(message)))


def error(message: str) -> None:
    """Say what went wrong, on standard error."""
    write(stderr(), Text.assemble(("error: ", "bold red"), printable(message)))
