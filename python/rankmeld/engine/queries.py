"""From a message to a query, and from a query to the next one."""

from __future__ import annotations

import re
import unicodedata

from rankmeld.ranking import Ranking
from rankmeld.text import clean_text, fold_text, white_space_words

__all__ = ["QUERY_CHARACTERS", "beginning", "hop_prompt", "is_done", "query_key", "summary_prompt"]

#: A message of up to so many characters is its own query.
QUERY_CHARACTERS = 100
#: How much of a longer one is a query, where nobody sums it up; and the most of a summary.
_CUT = 200

#: What of a message a model gets to read; of a longer one the beginning and the end.
_MESSAGE_SHOWN = 8_000
#: What people see as one character has no more code points than this, if it is meant to be read.
_LONGEST = 32
#: How many passages of how many characters a model gets to read before it asks again.
_PASSAGES_SHOWN = 10
_PASSAGE_SHOWN = 500

#: Scripts in which a word may end after any character (see `tokenize`).
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3031-\u3035\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)
_ZERO_WIDTH_JOINER = "\u200d"


def beginning(text: str, most: int = _CUT) -> str:
    """The first characters of a text, up to the end of a word.

    What fills more than half of them without a gap is no word, and is cut; but never inside of what
    people see as one character.
    """
    if len(text) <= most:
        return text
    end = most
    while end > most // 2 and _within_word(text[end - 1], text[end]):
        end -= 1
    if end == most // 2:
        whole = most
        while whole > most - _LONGEST and _within_character(text, whole):
            whole -= 1
        end = most if _within_character(text, whole) else whole
    return text[:end].rstrip()


def _within_word(before: str, after: str) -> bool:
    """Whether a word goes on between two characters."""
    if _UNSPACED.match(before) and not _joins(after):
        return False
    if _UNSPACED.match(after):
        return False
    return not (before.isspace() or after.isspace())


def _joins(character: str) -> bool:
    return character == _ZERO_WIDTH_JOINER or unicodedata.category(character)[0] == "M"


def _within_character(text: str, end: int) -> bool:
    """Whether a cut would part a letter from its marks, an emoji, or a flag."""
    before, after = text[end - 1], text[end]
    if _joins(after) or before == _ZERO_WIDTH_JOINER or "\U0001f3fb" <= after <= "\U0001f3ff":
        return True
    if not (_is_flag_letter(before) and _is_flag_letter(after)):
        return False
    letters = 0
    while letters < end and _is_flag_letter(text[end - 1 - letters]):
        letters += 1
    return letters % 2 == 1


def _is_flag_letter(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def query_key(query: str) -> str:
    """What two queries share that are one: case, composition and white space do not matter."""
    return fold_text(query)


def is_done(query: str) -> bool:
    """Whether a reasoner says that it needs no more: nothing, or DONE with whatever is put around it."""
    return query_key(query).strip(" \t\r\n.!*_`\"'") in ("", "done")


def summary_prompt(message: str) -> str:
    """The prompt that asks for a query that finds what a long message needs."""
    return (
        "Write a search query for a memory of notes and conversations, such that it finds what is needed to\n"
        "answer the message below. At most 20 words, in the language of the message. Keep names, numbers\n"
        "and dates as they are. Write only the query.\n\n"
        f"Message:\n{_shortened(clean_text(message))}"
    )


def hop_prompt(message: str, ranking: Ranking, asked: list[str]) -> str:
    """The prompt that asks what to look for next, or whether that is enough."""
    passages = [document.passage for document in ranking[:_PASSAGES_SHOWN].documents if document is not None]
    found = "\n".join(
        f"- {beginning(' '.join(white_space_words(passage)), _PASSAGE_SHOWN)}" for passage in passages
    )
    return (
        "A message is to be answered from a memory of notes and conversations. Below is what was searched\n"
        "for and found so far. If something is missing that another search could find, write that search\n"
        "query, at most 20 words, and nothing else. If nothing is missing, write DONE.\n\n"
        f"Message:\n{_shortened(clean_text(message))}\n\n"
        f"Searched for:\n{chr(10).join(f'- {query}' for query in asked)}\n\n"
        f"Found:\n{clean_text(found) or '(nothing)'}"
    )


def _shortened(message: str) -> str:
    if len(message) <= _MESSAGE_SHOWN:
        return message
    half = _MESSAGE_SHOWN // 2
    return f"{message[:half]}\n[...]\n{message[-half:]}"
