"""A search's results for people: where each hit is, what it says, and why it stands there."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from rankmeld.cli import adaptive, console, options, reranking
from rankmeld.cli.report import Answer
from rankmeld.cli.snippets import Snippet, make_snippet, query_words
from rankmeld.explanation import HitExplanation, SourceCredit, Stage
from rankmeld.fusion import DEFAULT_RRF_K
from rankmeld.query.tiers import QueryTier
from rankmeld.types import Hit

__all__ = ["show"]

_INDENT = 4
#: Stages whose input is a leg's list and no fused one.
_BEFORE = {"lexical": "lexical", "summaries": "lexical"}
#: Tiers that fuse nothing.
_BY_WORDS = (QueryTier.DIRECT_FACTUAL, QueryTier.ARCHITECTURAL_GLOBAL)


def show(answer: Answer, *, explain: bool) -> None:
    """List the hits on standard output; where there are none, nothing."""
    out = console.stdout()
    for line in _heading(answer) if len(answer.ranking) else ():
        _print(out, Text(line, style="dim"), indent=0)
        out.print()
    words = query_words(answer.query)
    explanations = answer.ranking.explanation()
    for rank, (hit, explanation) in enumerate(zip(answer.ranking, explanations, strict=True), start=1):
        title, place, snippet = _parts(hit, words)
        _print(out, Text.assemble(f"{rank}.".ljust(_INDENT), (title or place, "bold")), indent=0)
        lists = ", ".join(_places(explanation))
        where = [place if title else "", lists]
        _print(out, Text(" · ".join(part for part in where if part), style="cyan"))
        _print(out, _marked(snippet, in_text=console.plain(out)))
        if explain:
            for line in _credits(explanation):
                _print(out, Text(line, style="dim"))
        out.print()
    if explain and len(answer.ranking):
        _print(out, Text(_legend(answer)), indent=0)
        if answer.search is not None:
            out.print()
            for line in adaptive.stages(answer.search):
                _print(out, Text(line, style="dim"), indent=0)


def _heading(answer: Answer) -> Iterator[str]:
    """What holds for all hits, before the first of them."""
    if answer.search is not None:
        yield adaptive.summary(answer.search)
    if answer.anchor is not None:
        yield reranking.aimed_at(answer.anchor, answer.now)


def _parts(hit: Hit, words: frozenset[str]) -> tuple[str, str, Snippet]:
    """The heading of a hit, the file and line where it begins, and the part of it to show."""
    if hit.document is None:
        return "", console.one_line(str(hit.id)), Snippet("", ())
    document = hit.document
    source = str(document.metadata.get("source", hit.id))
    line = document.metadata.get("line")
    place = options.shown(source) + (f":{line}" if isinstance(line, int) else "")
    record = document.metadata.get("record_id")
    if hit.id == f"{source}#{record}":  # many come from one file
        place += f"#{record}"
    if document.created_at is not None:
        place += f", {document.created_at.date()}"
    # A file without headings has its name as the title, which the place says already.
    title = "" if document.title == source.rpartition("/")[2] else document.title
    return console.one_line(title), console.one_line(place), make_snippet(document.text, words)


def _marked(snippet: Snippet, *, in_text: bool) -> Text:
    """The snippet with its words in another style or, where there are no styles, between asterisks."""
    text = Text(snippet.text)
    if not in_text:
        for start, end in snippet.marks:
            text.stylize("bold yellow", start, end)
        return text
    pieces, done = [], 0
    for start, end in snippet.marks:
        pieces += [snippet.text[done:start], "**", snippet.text[start:end], "**"]
        done = end
    return Text("".join([*pieces, snippet.text[done:]]))


def _places(explanation: HitExplanation) -> Iterator[str]:
    """Where each list had the hit, and where it stood when a reranker came to it."""
    for credit in explanation.sources:
        if credit.position is not None:
            yield f"{credit.name} {credit.position + 1}"
    for stage in explanation.stages:
        if "position_before" in stage.details:
            yield f"{_BEFORE.get(stage.name, 'fused')} {stage.details['position_before'] + 1}"


def _credits(explanation: HitExplanation) -> Iterator[str]:
    """One line for each list, one for the sum, one for each later stage."""
    if explanation.sources:
        width = max(len("fused"), *(len(credit.name) for credit in explanation.sources))
        for credit in explanation.sources:
            yield f"{credit.name:<{width}}  {_credit(credit)}"
        yield f"{'fused':<{width}}  {math.fsum(credit.credit for credit in explanation.sources):.6f}"
    for stage in explanation.stages:
        if any(stage.details.values()):  # else it did nothing to this hit
            yield console.one_line(f"then {_for_people(stage)}")


def _for_people(stage: Stage) -> Stage:
    """The stage in words, its positions as ranks: people count from 1, as the lists above it do."""
    details: dict[str, Any] = {}
    for key, value in stage.details.items():
        words = key.replace("_", " ")
        if "position" not in words:
            details[words] = value
        elif value is not None:
            details[words.replace("position", "rank")] = value + 1
    return Stage(
        stage.name.replace("_", " "), {key: value for key, value in details.items() if value is not None}
    )


def _credit(credit: SourceCredit) -> str:
    if credit.position is None:
        return "not in this list"
    score = "" if credit.score is None else f"   score {credit.score:<8.4g}"
    weight = "" if credit.weight == 1.0 else f"   weight {credit.weight:g}"
    return f"rank {credit.position + 1:<4}{score}{weight}   credit {credit.credit:.6f}"


def _legend(answer: Answer) -> str:
    what = "the results" if answer.rerank == "none" else f"the candidates of --rerank {answer.rerank}"
    vector = f"; vector ranks by meaning (cosine, {answer.model})" if answer.model else ""
    if answer.search is not None and answer.search.tier in _BY_WORDS:
        return f"lexical ranks by words (BM25), and its scores order {what}."
    if answer.search is not None and answer.search.tier is QueryTier.MULTI_HOP_GRAPH:
        vector += (
            "; recognized is lexical, with what the graph adds (its share of the walk); notes ranks by the"
            " sentence that answers best"
        )
    return (
        f"lexical ranks by words (BM25){vector}. A list gives its weight / ({DEFAULT_RRF_K:g} + rank),"
        f" and the sum of these credits orders {what}."
    )


def _print(out: Console, text: Text, *, indent: int = _INDENT) -> None:
    """Print a line with an indent that its wrapped parts keep; in a pipe it stays one line."""
    if out.is_terminal:
        out.print(Padding(text, (0, 0, 0, indent), expand=False))
    else:
        out.print(Text(" " * indent).append_text(text), soft_wrap=True)
