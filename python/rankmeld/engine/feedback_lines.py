"""Feedback as lines of JSON, to be kept elsewhere and brought back."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from typing import Any

from rankmeld.document import as_id
from rankmeld.engine.feedback import Feedback
from rankmeld.engine.feedback_base import as_user
from rankmeld.errors import FormatError
from rankmeld.stores.encoding import decode, encode, id_key

__all__ = ["read_lines", "write_lines"]

#: More marks than anybody gives; sums of such sums still fit 64 bits.
_MOST = 2**53

_WANTED = 'each line must be {"user": ..., "id": ..., "net": ...} as export() writes it'


def write_lines(entries: Iterable[Feedback]) -> Iterator[str]:
    """One line for each entry, without line breaks."""
    for entry in entries:
        user, id = encode(entry.user_id), id_key(entry.id)
        yield f'{{"user":{user},"id":{id},"net":{entry.net}}}'


def read_lines(lines: Iterable[str]) -> list[Feedback]:
    """Read what `write_lines` wrote; blank lines are passed over.

    Raises
    ------
    FormatError
        A line is something else; it names the file, if `lines` is one, and the line.
    """
    name = getattr(lines, "name", None)
    path = name if isinstance(name, str | os.PathLike) else None
    entries = []
    for number, line in enumerate(lines, start=1):
        try:
            entries += _entries(line)
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise FormatError(f"this is no feedback ({error}); {_WANTED}", path, number) from None
    return entries


def _entries(line: Any) -> list[Feedback]:
    """What stands in a line: one entry, or none in a blank one."""
    if not isinstance(line, str):
        raise TypeError(f"it is a {type(line).__name__} and no str")
    if not line.strip():
        return []
    read = json.loads(line)
    if not isinstance(read, dict) or read.keys() != {"user", "id", "net"}:
        raise ValueError("it is no object of these three")
    net = read["net"]
    if type(net) is not int or abs(net) > _MOST:
        raise ValueError(f"net is {net!r}")
    # User and id are written as in a store's file, whose own reading takes text.
    user, id = decode(json.dumps(read["user"])), as_id(decode(json.dumps(read["id"])), "id")
    id_key(id)
    return [Feedback(id, as_user(user), net)]
