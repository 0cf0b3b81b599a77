"""Documents and embedders that the tests of stores share."""

from __future__ import annotations

import datetime as dt
from enum import Enum
from uuid import UUID

import numpy as np

import rankmeld as rm

EVERY_FIELD = rm.Document(
    ("chunk", 7),
    "Straße — cafe\u0301, 日本, \x00 and 😀",
    "A title",
    "A topic",
    parent_id=UUID(int=5),
    created_at=dt.datetime(2024, 2, 29, 23, 59, 59, 999_999, tzinfo=dt.timezone(dt.timedelta(hours=-5))),
    updated_at="2024-03-01T00:00:00Z",
    valid_from=dt.date(1, 1, 1),
    last_accessed_at=1_700_000_000.25,
    access_count=2**70,
    importance=0.1 + 0.2,
    assessed_importance=-1.5,
    confidence=5e-324,
    tier="procedural",
    evergreen=True,
    volatile=True,
    metadata={
        "project": "alpha",
        "none": None,
        "yes": True,
        "count": 7,
        "huge": 10**40,
        "ratio": 1 / 3,
        "infinite": float("inf"),
        "bytes": b"\x00\xff",
        "uuid": UUID(int=9),
        "when": dt.datetime(2024, 1, 1, tzinfo=dt.UTC),
        "day": dt.date(2024, 1, 1),
        "list": [1, "1", [None, (2.5, b"x")]],
        "nested": {"a": {"b": [1, {}]}, 3: "three", (1, 2): "pair"},
        "file": "broken-\udce4.txt",
        "tagged": {"tuple": [1]},
        5: "a key that is no text",
    },
)

#: Ids of every kind that a store keeps, no two of them equal.
IDS = [
    0,
    1,
    -1,
    2.5,
    2**80,
    float("inf"),
    "",
    "0",
    "1",
    "é",
    "e\u0301",
    "\x00",
    "a\x00b",
    "a\x00",
    "\udce4",
    b"",
    b"1",
    UUID(int=1),
    str(UUID(int=1)),
    (),
    (1,),
    ("1",),
    (1, ("a", b"b")),
    "[1]",
    '{"tuple":[1]}',
]


class Colour(str, Enum):  # noqa: UP042 - StrEnum has a __str__ that says the value
    RED = "red"


class Size(int, Enum):
    BIG = 7


class Loud(str):
    __slots__ = ()

    def __str__(self):
        return self.upper()


class LetterEmbedder:
    """Counts letters: a real embedder of three dimensions, whose results a reader can check."""

    dimensions = 3

    def __init__(self, model: str = "letters", letters: str = "abc") -> None:
        self.model = model
        self.letters = letters
        self.calls: list[list[str]] = []

    def __call__(self, texts):
        self.calls.append(list(texts))
        return np.array([[text.count(letter) for letter in self.letters] for text in texts], np.float32)

    def embed_query(self, text):
        return self([text])[0]


class BrokenEmbedder(LetterEmbedder):
    """Gives the same array for all texts, whatever they are."""

    def __init__(self, made):
        super().__init__()
        self.made = made

    def __call__(self, _texts):
        return self.made
