"""Budgets in the tokens of a real tokenizer, which merges and splits as it likes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from rankmeld.embed import MiniLMEmbedder
from reference.engine import context as oracle

if not MiniLMEmbedder.is_available():
    pytest.skip("the extra [embed] is not installed", allow_module_level=True)

WORD_PIECES = MiniLMEmbedder()._tokenizer


def bare(text):
    return len(WORD_PIECES.encode(text, add_special_tokens=False).ids)


def marked(text):
    return len(WORD_PIECES.encode(text).ids)


@pytest.fixture(scope="module")
def byte_pairs():
    """A tokenizer whose pieces reach over blank lines, so that joined texts count less than their parts."""
    from tokenizers import Tokenizer, models, trainers

    tokenizer = Tokenizer(models.BPE())
    corpus = ["the cat.\n\nthe dog.\n\nthe end.\n\nthe cat.\n\nthe dog.\n\n"] * 20
    tokenizer.train_from_iterator(corpus, trainers.BpeTrainer(vocab_size=200, show_progress=False))
    return tokenizer


texts = st.lists(st.text("thecatdog .\n[CLS]<|>é日\U0001f600", max_size=80), max_size=8)


@given(texts, st.integers(0, 80), st.sampled_from([bare, marked]), st.sampled_from(["stop", "skip"]))
def test_word_pieces_keep_the_budget_and_equal_the_oracle(texts, budget, count, fill):
    documents = [rm.Document(n, text) for n, text in enumerate(texts)]
    found = rm.ContextAssembler(max_tokens=budget, count_tokens=count, fill=fill).select(documents)
    included, text = oracle(documents, max_tokens=budget, count=count, fill=fill)
    assert (found.included.ids, found.text) == (included, text)
    assert not found.text or found.tokens == count(found.text) <= budget


def test_pieces_that_reach_over_blank_lines(byte_pairs):
    def count(text):
        return len(byte_pairs.encode(text).ids)

    part = "the cat."
    assert count(f"{part}\n\n{part}") < 2 * count(part) + count("\n\n")
    documents = [rm.Document(n, "the cat." if n % 2 else "the dog.") for n in range(40)]
    for budget in range(60):
        found = rm.ContextAssembler(max_tokens=budget, count_tokens=count, header="", footer="").select(
            documents
        )
        included, text = oracle(documents, max_tokens=budget, count=count, header="", footer="")
        assert (found.included.ids, found.text) == (included, text)
