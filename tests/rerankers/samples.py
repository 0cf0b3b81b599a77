"""Hits and models that the tests of rerankers share. Functions stand at module level: they are pickled."""

from __future__ import annotations

import asyncio

import numpy as np

import rankmeld as rm

TEXTS = {
    "river": "the river runs past the garden market",
    "vector": "a vector search engine finds vectors",
    "search": "search",
    "copper": "copper kettles of the market",
    "blank": "",
}
HITS = [
    rm.Hit(
        id,
        0.9 - place / 10,
        rm.Document(id, text, created_at=f"2024-01-0{place + 1}", importance=place / 4),
    )
    for place, (id, text) in enumerate(TEXTS.items())
]
QUERY = "vector search"


class Calls:
    """Counts what is asked of it."""

    def __init__(self, fn):
        self.fn = fn
        self.calls = []

    def __call__(self, *args):
        self.calls.append(args)
        return self.fn(*args)


def third_of_january(query, now):
    """The time that every query names; now is 1 March."""
    return rm.TimeAnchor(58, 0.5, query)


def shared_letters(query, passages):
    """How many distinct letters a passage shares with the query."""
    return [float(len(set(query) & set(passage))) for passage in passages]


def equal(query, passages):
    return [1.0] * len(passages)


def letters(texts):
    """Counts of a few letters, as vectors."""
    return np.array([[text.count(letter) for letter in "vectorsah"] for text in texts], np.float32)


def letter_tokens(texts):
    """One vector for each word."""
    return [letters(text.split()) if text.split() else np.empty((0, 9), np.float32) for text in texts]


async def shared_letters_later(query, passages):
    await asyncio.sleep(0)
    return shared_letters(query, passages)


async def letters_later(texts):
    await asyncio.sleep(0)
    return letters(texts)


async def letter_tokens_later(texts):
    await asyncio.sleep(0)
    return letter_tokens(texts)
