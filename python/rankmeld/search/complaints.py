"""Errors of somebody else's code as one line that may be kept, logged and shown."""

from __future__ import annotations

import re

__all__ = ["complaint"]

#: Longer messages are cut: a trace is no log file.
_MOST_CHARS = 300
#: What is looked at of a message; far more than is shown, so that no secret is cut in two.
_READ_CHARS = 4000
_HIDDEN = "***"

_SECRETS = (
    # https://user:password@host
    (re.compile(r"(://)[^/\s@]{1,500}@"), rf"\1{_HIDDEN}@"),
    # Authorization: Bearer abc, also alone
    (re.compile(r"(?i)\b(bearer|basic|token|apikey)(\s+)[\w.~+/=-]{6,}"), rf"\1\2{_HIDDEN}"),
    # api_key=abc, "password": "abc", --secret abc
    (
        re.compile(
            r"(?i)((?:key|token|secret|passw(?:or)?d|passphrase|pwd|authorization|credentials?|signature|sig|cookie)"
            r"[\"']?\s*[=:]\s*(?:(?:bearer|basic|token)\s+)?[\"']?)[^\s\"'&,;)}\]]+"
        ),
        rf"\1{_HIDDEN}",
    ),
    # The forms in which services hand out keys.
    (re.compile(r"\b(?:sk|pk|rk|ghp|gho|ghs|glpat|hf|xox[abprs]|AKIA)[-_]?[A-Za-z0-9_-]{12,}"), _HIDDEN),
    # JSON web tokens
    (re.compile(r"\beyJ[\w-]{8,}(?:\.[\w-]+){0,2}"), _HIDDEN),
)


def complaint(error: BaseException) -> str:
    """The kind of an error and its message, on one line, shortened, without what looks like a credential.

    Examples
    --------
    >>> complaint(ConnectionError("cannot reach https://me:hunter2@host/?api_key=abc"))
    'ConnectionError: cannot reach https://***@host/?api_key=***'
    """
    kind = type(error).__name__
    try:
        message = " ".join(str(error)[:_READ_CHARS].split())
    except Exception:  # noqa: BLE001 - a message that cannot be made must not hide the error itself
        return kind
    for pattern, shown in _SECRETS:
        message = pattern.sub(shown, message)
    if len(message) > _MOST_CHARS:
        message = f"{message[: _MOST_CHARS - 3]}..."
    return f"{kind}: {message}" if message else kind
