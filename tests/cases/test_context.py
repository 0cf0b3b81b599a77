"""Known failures of putting contexts together elsewhere."""

from __future__ import annotations

import pytest

import rankmeld as rm
from rankmeld.embed import MiniLMEmbedder


def words(text):
    return len(text.split())


@pytest.fixture(scope="module")
def tokenizer():
    if not MiniLMEmbedder.is_available():
        pytest.skip("the extra [embed] is not installed")
    return MiniLMEmbedder()._tokenizer


@pytest.mark.parametrize(
    "text",
    [
        "The marker <|endoftext|> appears in the manual.",
        "[CLS] and [SEP] and [PAD] [MASK] [UNK]",
        "<s> </s> <pad>",
    ],
)
def test_c234_marks_of_tokenizers_in_a_text_are_text(tokenizer, text):
    found = rm.ContextAssembler(
        max_tokens=50, count_tokens=lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)
    ).select([rm.Document("manual", text)])
    assert found.included.ids == ["manual"]
    assert text in found.text
    assert 0 < found.tokens <= 50


def test_c234_with_the_default_count():
    text = "The marker <|endoftext|> appears in the manual."
    assert text in rm.ContextAssembler(max_tokens=50).assemble([rm.Document("manual", text)])


# C236 cuts a text and marks the place. Here nothing is ever cut in the middle: a text that does not
# fit is left out as a whole and named in `skipped`. What holds of it is that nothing exceeds the budget.
@pytest.mark.parametrize(("budget", "included"), [(5, ["a"]), (4, []), (3, []), (1, []), (0, [])])
def test_c236_what_does_not_fit_gives_less_never_more(budget, included):
    found = rm.ContextAssembler(max_tokens=budget, count_tokens=words, header="", footer="").select(
        [rm.Document("a", "one two three four five")]
    )
    assert found.included.ids == included
    assert words(found.text) <= budget
    assert [one.id for one in found.skipped] == ([] if included else ["a"])


# C240 parts texts by one space; the separator here is always a blank line, which no count of words sees.
# Its second variant cuts the first document, see C236.
def test_c240_one_long_document_does_not_end_the_assembly():
    documents = [rm.Document(n, text) for n, text in enumerate(["a b c d e f g h", "i j", "k l m"])]
    options = {"max_tokens": 5, "count_tokens": words, "header": "", "footer": ""}
    found = rm.ContextAssembler(fill="skip", **options).select(documents)
    assert found.text == "i j\n\nk l m"
    assert found.included.ids == [1, 2]
    assert [str(one) for one in found.skipped] == ["0: too long (8 tokens with it)"]
    # The other choice: nothing worse in place of something better.
    stopped = rm.ContextAssembler(**options).select(documents)
    assert (stopped.text, [one.reason for one in stopped.skipped]) == (
        "",
        ["too_long", "after_stop", "after_stop"],
    )
