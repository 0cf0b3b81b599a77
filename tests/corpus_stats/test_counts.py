"""`CorpusStats` against plain dictionaries, through any sequence of changes."""

from __future__ import annotations

import copy
import math
import pickle
from collections import Counter

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, multiple, rule

import rankmeld as rm
from reference.late_interaction import idf
from support.refusals import refusal

WORDS = ["red", "Red", "car", "cars", "the", "検索", "cafe\u0301", "\ud800x", "v2", "."]
texts = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)


TOKENIZERS = [rm.tokenize, rm.bm25_tokenize, str.split]


class Counting(RuleBasedStateMachine):
    """Texts come and go; the counts are those of the texts that are there."""

    added = Bundle("added")

    @initialize(
        first=st.lists(texts, max_size=3),
        tokenizer=st.sampled_from(TOKENIZERS),
    )
    def begin(self, first, tokenizer):
        self.tokenizer = tokenizer
        self.stats = rm.CorpusStats(iter(first), tokenizer=tokenizer)
        self.there = list(first)

    @rule(target=added, some=st.lists(texts, max_size=4))
    def add(self, some):
        self.stats.add(some)
        self.there += some
        return multiple(*some)

    @rule(text=consumes(added))
    def remove(self, text):
        self.stats.remove([text])
        self.there.remove(text)

    @rule(text=texts)
    def removing_what_no_text_holds_changes_nothing(self, text):
        before = copy.deepcopy(self.stats)
        with pytest.raises(rm.InvalidArgumentError, match="texts cannot be removed"):
            self.stats.remove([*self.there, text])
        assert self.stats == before

    @rule()
    def an_error_in_the_middle_changes_nothing(self):
        before = copy.deepcopy(self.stats)
        with pytest.raises(TypeError):
            self.stats.add(["red car", None])
        with pytest.raises(ZeroDivisionError):
            self.stats.add(text for text in ["red", 1 / 0])
        assert self.stats == before

    @rule()
    def copies_live_their_own_lives(self):
        for made in (
            copy.copy(self.stats),
            copy.deepcopy(self.stats),
            pickle.loads(pickle.dumps(self.stats)),
        ):
            assert made == self.stats
            made.add(["one more"])
            assert made != self.stats

    @invariant()
    def counts_are_those_of_the_texts(self):
        tokens = [["\ufffdx" if t == "\ud800x" else t for t in self.tokenizer(text)] for text in self.there]
        if self.tokenizer is str.split:
            tokens = [["caf\u00e9" if t == "cafe\u0301" else t for t in some] for some in tokens]
        holding = Counter(token for some in tokens for token in set(some))
        stats = self.stats
        assert stats.document_count == len(self.there)
        assert stats.total_length == sum(map(len, tokens))
        assert stats.average_length == (stats.total_length / len(tokens) if tokens else 0.0)
        for token in [*holding, "absent"]:
            assert stats.document_frequency(token) == holding[token]
            assert stats.idf(token) == idf(len(tokens), holding[token])
        assert stats == rm.CorpusStats(self.there, tokenizer=self.tokenizer)


TestCounting = Counting.TestCase


def test_idf_is_the_formula_and_never_negative():
    stats = rm.CorpusStats(["a1 b1", "a1", "a1"])
    assert stats.idf("a1") == pytest.approx(math.log(1 + 0.5 / 3.5), rel=1e-12)
    assert stats.idf("b1") == pytest.approx(math.log(1 + 2.5 / 1.5), rel=1e-12)
    assert stats.idf("no") == pytest.approx(math.log(1 + 3.5 / 0.5), rel=1e-12)
    assert rm.CorpusStats().idf("no") == pytest.approx(math.log(2), rel=1e-12)


def test_what_cannot_have_been_added_is_refused_by_its_reason():
    def removing(*some: str) -> str:
        return refusal(rm.InvalidArgumentError, stats.remove, some)

    stats = rm.CorpusStats(["aa bb", "aa bb", "aa"])
    end = "; remove only texts that were added, and as they were"
    assert removing("aa", "cc") == (
        f"texts cannot be removed: more of them hold 'cc' than of those that were added{end}"
    )
    assert removing("", "", "", "") == (
        f"texts cannot be removed: there are 4 of them, and only 3 were added{end}"
    )
    # Three texts hold "aa"; without "bb" alone, only two would be there to hold it.
    assert removing("bb") == f"texts cannot be removed: what would be left fits no texts{end}"
    assert removing("aa aa aa aa") == f"texts cannot be removed: what would be left fits no texts{end}"
    stats.remove(["aa", "aa bb", "bb aa"])
    assert stats == rm.CorpusStats()


def test_equality_is_of_counts_and_tokenizer():
    assert rm.CorpusStats(["aa bb", "bb"]) == rm.CorpusStats(["bb", "bb aa"])
    assert rm.CorpusStats(["aa"]) != rm.CorpusStats(["aa"], tokenizer=str.split)
    assert rm.CorpusStats(["aa"]) != rm.CorpusStats(["aa", ""])
    assert rm.CorpusStats(["aa"]) != "aa"
    with pytest.raises(TypeError, match="unhashable"):
        hash(rm.CorpusStats())


def test_it_shows_what_it_counts():
    assert repr(rm.CorpusStats(["aa bb", "aa"])) == (
        "CorpusStats(2 texts, 2 distinct tokens, tokenizer=tokenize)"
    )
    assert repr(rm.CorpusStats(["aa"])) == "CorpusStats(1 text, 1 distinct token, tokenizer=tokenize)"


def test_more_texts_than_are_read_at_once():
    texts = (f"w{n % 7} w{n}" for n in range(10_000))
    stats = rm.CorpusStats(texts)
    assert stats.document_count == 10_000
    assert stats.document_frequency("w3") == 1_429  # 1,429 numbers are 3 modulo 7, and one of them is 3
    message = refusal(TypeError, rm.CorpusStats, ["aa"] * 5_000 + [3])
    assert message == "texts[5000] must be a str, not int"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: rm.CorpusStats("text"),
            "texts must be an iterable of str, not a str; to pass one text alone, write [text]",
        ),
        (lambda: rm.CorpusStats(3), "texts must be an iterable of str, not int"),
        (lambda: rm.CorpusStats([b"x"]), "texts[0] must be a str, not bytes"),
        (lambda: rm.CorpusStats(tokenizer="tokenize"), "tokenizer must be a callable, not str"),
        (
            lambda: rm.CorpusStats(["x", "y"], tokenizer=lambda text: [text, 3 if text == "y" else "z"]),
            "tokenizer(texts[1])[1] must be a str, not int",
        ),
        (
            lambda: rm.CorpusStats(
                ["x"] * 5_000 + ["y"], tokenizer=lambda text: [text] if text == "x" else None
            ),
            "tokenizer(texts[5000]) must be a list of str, not NoneType",
        ),
        (lambda: rm.CorpusStats().document_frequency(3), "token must be a str, not int"),
        (lambda: rm.CorpusStats().idf(None), "token must be a str, not NoneType"),
    ],
)
def test_the_wrong_kind_is_refused(call, message):
    assert refusal(TypeError, call) == message
