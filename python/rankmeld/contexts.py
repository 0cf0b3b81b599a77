"""Texts in their context: a turn with those around it, and whether it asks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from typing import SupportsIndex

from rankmeld._options import as_integer, as_list, require_order
from rankmeld.document import no_text
from rankmeld.errors import InvalidArgumentError

__all__ = ["in_context", "is_question"]

# Question marks of all scripts that have one of their own; Greek writes a semicolon, which says too little.
_MARKS = "?\u055e\u061f\u1367\u2047\u2048\u2049\u2e2e\ua60f\ua6f7\ufe16\ufe56\uff1f"
_ENDS = ".!\u2026\u3002\ufe52\ufe57\uff01\uff0e\uff61"


def in_context(
    texts: Iterable[str],
    *,
    groups: Iterable[Hashable] | None = None,
    before: SupportsIndex = 2,
    after: SupportsIndex = 2,
    separator: str = " ",
) -> list[str]:
    """Join each text with those around it: what is to be indexed so that a turn is found by its context.

    "Yes, in May!" shares no word with the question that it answers; the turns around it do. Index the texts
    and the texts in context, each under the same ids, and fuse what both find.

    Parameters
    ----------
    texts : iterable of str
        In their order: the turns of a conversation, the chunks of a document.
    groups : iterable of hashable, optional
        A group for each text, as the session or the document that it is part of; a context ends where its
        group does. The groups may be mixed; the order counts within each.
    before, after : int, default 2
        How many texts are joined on either side; not negative.
    separator : str, default " "
        What stands between two texts.

    Returns
    -------
    list of str
        One for each text, in their order; the text itself is part of it.

    Raises
    ------
    TypeError
        Something of `texts` is no str, or a group cannot be hashed.
    InvalidArgumentError
        There are not as many groups as texts, or `before` or `after` is negative.

    See Also
    --------
    adjacent : the same order as neighbours for `propagate`.

    Notes
    -----
    O(texts * (before + after)). Document expansion by what stands around a passage is described in
    Callan, "Passage-level evidence in document retrieval", SIGIR 1994.

    Examples
    --------
    >>> from rankmeld import in_context
    >>> in_context(["Where?", "In Rome.", "Nice.", "Bye."], groups=[1, 1, 1, 2], before=1, after=0)
    ['Where?', 'Where? In Rome.', 'In Rome. Nice.', 'Bye.']
    """
    left, right = (_not_below_zero(before, "before"), _not_below_zero(after, "after"))
    if not isinstance(separator, str):
        raise TypeError(f"separator must be a str, not {type(separator).__name__}")
    require_order(texts, "texts", "texts")
    given = as_list(texts, "texts")
    for place, text in enumerate(given):
        if not isinstance(text, str):
            raise TypeError(f"texts[{place}] must be a str, not {no_text(text)}")
    joined = list(given)
    for places in _grouped(groups, len(given)):
        for at, place in enumerate(places):
            around = places[max(0, at - left) : at + right + 1]
            joined[place] = separator.join([given[near] for near in around])
    return joined


def _grouped(groups: Iterable[Hashable] | None, count: int) -> Iterable[list[int]]:
    """The places of each group, in their order."""
    if groups is None:
        return [list(range(count))]
    require_order(groups, "groups", "groups, one for each text")
    if isinstance(groups, str | bytes) or not isinstance(groups, Iterable):
        raise TypeError(f"groups must be a list of groups, one for each text, not a {type(groups).__name__}")
    labels = list(groups)
    if len(labels) != count:
        raise InvalidArgumentError(
            f"groups has {len(labels)} entries and texts has {count}; there must be a group for each text"
        )
    places: defaultdict[Hashable, list[int]] = defaultdict(list)
    for place, label in enumerate(labels):
        try:
            places[label].append(place)
        except TypeError:
            raise TypeError(
                f"groups[{place}] is a {type(label).__name__}, which cannot be hashed; a group is a str, an "
                "int or another hashable value"
            ) from None
    return places.values()


def _not_below_zero(value: SupportsIndex, name: str) -> int:
    count = as_integer(value, name)
    if count < 0:
        raise InvalidArgumentError(f"{name} is {count}; it must be 0 or more")
    return count


def is_question(text: str) -> bool:
    """Whether a text ends with a question, so that what comes next may answer it.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    bool
        Whether there is a question mark, of any script, with no end of a sentence behind it. A remark in
        brackets or a name may follow it.

    Raises
    ------
    TypeError
        `text` is no str.

    Notes
    -----
    Linear. It looks at signs alone: a question without its mark is not seen.

    Examples
    --------
    >>> from rankmeld import is_question
    >>> [is_question(text) for text in ("And you?", "Why? I forgot.", "Did you see it? [photo of a dog]")]
    [True, False, True]
    """
    if not isinstance(text, str):
        raise TypeError(f"text must be a str, not {no_text(text)}")
    last = max(map(text.rfind, _MARKS))
    if last < 0:
        return False
    behind = text[last:].lstrip(_MARKS + _ENDS)  # "?!" and "?..." ask too
    return not any(end in behind for end in _ENDS)
