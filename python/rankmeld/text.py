"""Text as rankmeld compares it: composed, without lone surrogates, folded."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["clean_text", "fold_text", "is_blank"]

_SURROGATES = re.compile("[\ud800-\udfff]")
# Unicode White_Space. `str.split` would also split at U+001C to U+001F, which are not in it.
_SPACES = "\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_WHITE_SPACE = re.compile(f"[{_SPACES}]+")
_SAYING_SOMETHING = re.compile(f"[^{_SPACES}]")


def clean_text(text: str) -> str:
    r"""Compose a text (NFC) and read each lone surrogate as U+FFFD.

    Parameters
    ----------
    text : str
        Any text, surrogates from broken JSON or file names included.

    Returns
    -------
    str
        A text that can be encoded as UTF-8.

    Examples
    --------
    >>> clean_text("cafe\u0301")
    'café'
    >>> clean_text("a\ud800b") == "a\ufffdb"
    True
    """
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", _SURROGATES.sub("\ufffd", text))


def fold_text(text: str) -> str:
    r"""Bring a text into the form in which texts are compared for equality.

    Composed (NFC), fully case folded, runs of Unicode white space as one space, trimmed.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    str
        The folded text; empty for a blank one.

    Examples
    --------
    >>> fold_text("  Straße \n  ONE ")
    'strasse one'
    """
    if text.isascii():  # bytes split at the white space of ASCII, and fast
        return b" ".join(text.lower().encode("ascii").split()).decode("ascii")
    folded = clean_text(clean_text(text).casefold())
    return _WHITE_SPACE.sub(" ", folded).strip(" ")


def is_blank(text: str) -> bool:
    r"""Whether a text is empty or white space alone.

    Parameters
    ----------
    text : str
        Any text.

    Examples
    --------
    >>> is_blank(" \u3000 "), is_blank(" . ")
    (True, False)
    """
    return _SAYING_SOMETHING.search(text) is None
