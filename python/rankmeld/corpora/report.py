"""A page that shows near-duplicates side by side, so that a person can judge them."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from pathlib import Path

from rankmeld._sketching import Options, Sketching
from rankmeld.corpora.deduplication import Outcome
from rankmeld.corpora.formats import Collection
from rankmeld.text import clean_text

__all__ = ["write_report"]

#: Clusters, and pairs of each, that are shown; nobody looks at more.
_CLUSTERS = 200
_PAIRS = 5
#: Records of a cluster among which pairs that differ from each other are looked for.
_CANDIDATES = 100
#: Characters of a text that are shown.
_LONGEST = 3_000

_WORD_OR_GAP = re.compile(r"\s+|[^\s\w]|\w+")

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 90em; padding: 0 1em }
table { border-collapse: collapse; table-layout: fixed; width: 100%; margin-bottom: 1em }
td, th { border: 1px solid #8884; padding: .5em; text-align: left; vertical-align: top; width: 50% }
td { overflow-wrap: anywhere; white-space: pre-wrap }
del { background: #f003; text-decoration: none } ins { background: #0b03; text-decoration: none }
@media (prefers-color-scheme: dark) { body { background: #181818; color: #ddd } }
"""


def write_report(path: Path, source: Collection, outcome: Outcome, options: Options) -> None:
    """Write the page.

    Parameters
    ----------
    path : Path
        The page; what stood there is replaced.
    source : Collection
        The records, which are read once more.
    outcome : Outcome
        What was found.
    options : Options
        What a near-duplicate was.

    Raises
    ------
    OSError
        A file cannot be read or written.
    """
    shown = [[first, *rest[:_CANDIDATES]] for first, *rest in outcome.clusters[:_CLUSTERS]]
    wanted = {place for cluster in shown for place in cluster}
    texts = {place: text for place, text in enumerate(source.texts()) if place in wanted}
    sketching = Sketching(options, None, banded=False)
    body = "".join(
        piece
        for cluster, (_, *rest) in zip(shown, outcome.clusters, strict=False)
        for piece in _cluster(cluster, len(rest), texts, sketching)
    )
    title = f"Near-duplicates in {html.escape(clean_text(source.path.name))}"
    path.write_text(
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>\n'
        f"<style>{_STYLE}</style></head><body>\n<h1>{title}</h1>\n"
        f"{_summary(outcome, options)}{body}</body></html>\n",
        encoding="utf-8",
    )


def _summary(outcome: Outcome, options: Options) -> str:
    total, kept, clusters = len(outcome.labels), int(outcome.kept.sum()), len(outcome.clusters)
    shingle = "words" if options.shingle is None else f"runs of {options.shingle} tokens"
    lines = [
        f"{total:,} records, {kept:,} kept, {total - kept:,} left out, in {clusters:,} clusters.",
        f"Linked from a Jaccard similarity of {options.threshold:g} on, over {shingle}.",
        "On the left is the record that was kept, on the right one that was left out for it.",
        "What only one of the two has is marked. Records are counted from 1.",
    ]
    if clusters > _CLUSTERS:
        lines.append(f"The {_CLUSTERS} largest clusters are shown.")
    return "".join(f"<p>{html.escape(line)}</p>\n" for line in lines)


def _cluster(cluster: list[int], left_out: int, texts: dict[int, str], sketching: Sketching) -> Iterator[str]:
    first, *rest = cluster
    kept = clean_text(texts[first])
    yield f"<h2>Record {first + 1:,} stays for {left_out:,}</h2>\n"
    different: dict[str, int] = {}
    for place in rest:
        different.setdefault(clean_text(texts[place]), place)
    copies = sum(clean_text(texts[place]) == kept for place in rest)
    different.pop(kept, None)
    for text, place in list(different.items())[:_PAIRS]:
        similarity = sketching([kept, text]).similarity(0, 1)
        left, right = _marked(kept[:_LONGEST], text[:_LONGEST])
        ends = ["…" if len(whole) > _LONGEST else "" for whole in (kept, text)]
        yield (
            f"<table><tr><th>{first + 1:,} (kept)</th><th>{place + 1:,} (left out), similarity "
            f"{similarity:.3f}</th></tr>\n<tr><td>{left}{ends[0]}</td><td>{right}{ends[1]}</td></tr></table>\n"
        )
    if not different:
        yield f"<table><tr><td>{html.escape(kept[:_LONGEST])}</td></tr></table>\n"
    notes = [f"{copies:,} with the very same text"] if copies else []
    if (more := left_out - copies - min(len(different), _PAIRS)) > 0:
        notes.append(f"{more:,} that are not shown")
    if notes:
        yield f"<p>Also {' and '.join(notes)}.</p>\n"


def _marked(left: str, right: str) -> tuple[str, str]:
    """Both texts as HTML, with what only one of them has between marks."""
    ours, theirs = _WORD_OR_GAP.findall(left), _WORD_OR_GAP.findall(right)
    kept: list[str] = []
    gone: list[str] = []
    for kind, a, b, c, d in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        kept.append(_between("del", ours[a:b], marked=kind != "equal"))
        gone.append(_between("ins", theirs[c:d], marked=kind != "equal"))
    return "".join(kept), "".join(gone)


def _between(tag: str, pieces: Iterable[str], *, marked: bool) -> str:
    text = html.escape("".join(pieces))
    return f"<{tag}>{text}</{tag}>" if marked and text else text
