"""Models that say what they are told to, and remember what they were asked."""

from __future__ import annotations

import numpy as np

import rankmeld as rm
from rankmeld.embed import CallableEmbedder

SEMANTIC, MULTI_HOP = rm.QueryTier.SEMANTIC_HYBRID, rm.QueryTier.MULTI_HOP_GRAPH
QUERY = "what is the refund rule"


def lengths(text):
    return [float(len(text)), 1.0]


class Model:
    """Gives one answer after the other, the last one for ever; raises those that are errors."""

    def __init__(self, *answers):
        self.answers, self.asked = answers, []

    def __call__(self, question):
        self.asked.append(question)
        answer = self.answers[min(len(self.asked), len(self.answers)) - 1]
        if isinstance(answer, BaseException):
            raise answer
        return answer


class OneByOne(Model):
    """As `Model`, with an answer for each text."""

    def __init__(self, answers):
        super().__init__()
        self.answers = answers

    def __call__(self, text):
        self.asked.append(text)
        if isinstance(self.answers[text], BaseException):
            raise self.answers[text]
        return self.answers[text]


class Pair(CallableEmbedder):
    """An embedder that treats queries otherwise than documents, and remembers what it embedded."""

    def __init__(self, rows=None):
        super().__init__(lambda texts: [lengths(text) for text in texts], model="pair")
        self.rows, self.asked = rows, []

    def __call__(self, texts):
        self.asked.append(list(texts))
        return super().__call__(texts) if self.rows is None else self.rows

    def embed_query(self, text):
        self.asked.append(text)
        return np.array([-float(len(text)), 1.0], dtype=np.float32)
