"""Keys: read from the environment where somebody named the variable, and shown nowhere."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import NoReturn

from rankmeld.errors import ConfigError

__all__ = ["Secret"]

#: What names of variables look like, and keys do not.
_NAME = re.compile(r"[A-Z][A-Z0-9_]{0,63}")


class Secret:
    """A text that is not shown, copied, pickled or found in the attributes of what holds it.

    Parameters
    ----------
    variable : str
        The environment variable that it is read from.

    Raises
    ------
    ConfigError
        The variable is not set, is blank, or cannot stand in a header. The message does not repeat it.
    """

    __slots__ = ("reveal",)

    def __init__(self, variable: str) -> None:
        revealed, fault = _read(variable)
        if fault and not _NAME.fullmatch(variable) and variable not in os.environ:
            # It may be the key itself, given in place of the name.
            raise ConfigError(
                "key_variable is the name of an environment variable, such as EXAMPLE_API_KEY, and not the "
                "key itself; there is no variable of the name that was given"
            )
        if fault:  # raised here, where no variable of a frame holds the text: tracebacks can show them
            raise ConfigError(f"the environment variable {variable} {fault}")
        self.reveal: Callable[[], str] = revealed

    def __repr__(self) -> str:
        """That there is one."""
        return "Secret(...)"

    def __reduce__(self) -> NoReturn:
        """It stays where it is."""
        raise TypeError("a key cannot be pickled or copied; it is read from the environment anew")


def _read(variable: str) -> tuple[Callable[[], str], str]:
    """What gives the text, and what is wrong with it. A closure, so that no dump of attributes meets it."""
    text = os.environ.get(variable, "").strip()
    fault = ""
    if not text:
        fault = "is not set; put the service's key there (for a server without one, any word)"
    elif not (text.isascii() and text.isprintable()) or " " in text:
        fault = "holds white space or characters beyond ASCII, which no key has"
    return lambda: text, fault
