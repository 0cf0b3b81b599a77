"""What the tokenizers refuse, and how they say it."""

from __future__ import annotations

import pytest

import rankmeld as rm
from rankmeld.text import SNOWBALL_LANGUAGES, sentences
from support.refusals import refusal

FUNCTIONS = {
    "text": (rm.tokenize, rm.bm25_tokenize, sentences),
    "word": (rm.light_stem,),
}


@pytest.mark.parametrize(
    ("value", "kind"),
    [(None, "NoneType"), (b"text", "bytes"), (1, "int"), (["a"], "list"), (object(), "object")],
)
@pytest.mark.parametrize("argument", FUNCTIONS)
def test_what_is_no_text(argument, value, kind):
    for function in FUNCTIONS[argument]:
        assert refusal(TypeError, function, value) == f"{argument} must be a str, not {kind}"


@pytest.mark.parametrize("stemmer", ["English", "klingon", "", "czech "])
def test_a_stemmer_that_is_not_there(stemmer):
    allowed = ", ".join(repr(name) for name in ("light", *SNOWBALL_LANGUAGES))
    message = refusal(rm.InvalidArgumentError, rm.bm25_tokenize, "text", stemmer=stemmer)
    assert message == f"stemmer is {stemmer!r}; it must be one of {allowed}"


@pytest.mark.parametrize("stemmer", [1, b"light", True, ("light",)])
def test_a_stemmer_that_is_no_name(stemmer):
    message = refusal(TypeError, rm.bm25_tokenize, "text", stemmer=stemmer)
    assert message.startswith("stemmer must be one of 'light', 'arabic', ")
    assert message.endswith(f"not {type(stemmer).__name__}")


def test_the_stemmer_is_checked_before_the_text():
    with pytest.raises(rm.InvalidArgumentError, match="stemmer"):
        rm.bm25_tokenize("", stemmer="klingon")


def test_options_are_keywords():
    with pytest.raises(TypeError):
        rm.bm25_tokenize("text", "light")


class Name(str):
    """A string of another class."""

    __slots__ = ()


def test_strings_of_other_classes_are_strings():
    assert rm.tokenize(Name("One two")) == ["one", "two"]
    assert type(rm.tokenize(Name("One"))[0]) is str
    assert type(rm.light_stem(Name("dogs"))) is str
