"""Keys: read from the environment where somebody named the variable, and shown nowhere."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NoReturn

from rankmeld.errors import ConfigError

__all__ = ["Secret"]


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
        text = os.environ.get(variable, "").strip()
        if not text:
            raise ConfigError(
                f"the environment variable {variable} is not set; put the service's key there (for a server "
                "without one, any word)"
            )
        if not (text.isascii() and text.isprintable()) or " " in text:
            raise ConfigError(
                f"the environment variable {variable} holds white space or characters beyond ASCII, which no "
                "key has"
            )
        # A closure, so that no dump of attributes meets the text.
        self.reveal: Callable[[], str] = lambda: text

    def __repr__(self) -> str:
        """That there is one."""
        return "Secret(...)"

    def __reduce__(self) -> NoReturn:
        """It stays where it is."""
        raise TypeError("a key cannot be pickled or copied; it is read from the environment anew")
