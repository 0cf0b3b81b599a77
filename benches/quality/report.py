"""The tables, in Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from .documents import Documents
from .ladder import STAGES, Ladder
from .measures import RECALLS, Figures, interval

BASE = "RRF, k 60"


def about_conversations(ladder: Ladder) -> str:
    """The ladder, by category, and without each stage."""
    rows, base = ladder.rows, ladder.rows[BASE]
    median, most = ladder.cost()
    asked = f"{len(base):,} questions about {len(ladder.collection.documents):,} turns of {len(ladder.parts)}"
    took = f"{median:.2f} ms a question (median; {most:.2f} at the 95th percentile)"
    lines = [
        f"## {ladder.collection.name}\n",
        f"{asked} conversations. In brackets the 95% interval of the mean. The last column is the",
        f"difference of the MRR to RRF, question by question. All stages behind the legs take {took} of one",
        "processor.\n",
        _line(["", *RECALLS, "MRR less that of RRF"]),
        _line(["---"] * 5),
    ]
    for name, figures in rows.items():
        cells = [_with_interval(figures[:, column], 1) for column in range(3)]
        lines.append(_line([name, *cells, _difference(figures[:, 2] - base[:, 2], 1, name)]))
    apart = (ladder.adversarial, ~ladder.adversarial)
    lines += [
        "",
        "The same, the adversarial questions apart (recall-any@5 / @10 / MRR):\n",
        _line(["", f"adversarial, {apart[0].sum()}", f"all others, {apart[1].sum()}"]),
        _line(["---"] * 3),
        *(_line([name, *(_triple(figures[part]) for part in apart)]) for name, figures in rows.items()),
        "",
        "What each stage brings to the whole: the defaults less the defaults without it.\n",
        _line(["without", *RECALLS]),
        _line(["---"] * 4),
    ]
    last = rows[list(STAGES)[-1]]
    for name, figures in ladder.without.items():
        cells = [_difference(last[:, column] - figures[:, column], 1) for column in range(3)]
        lines.append(_line([name.removeprefix("+ ").removesuffix(": **the defaults**"), *cells]))
    honest = rows["parameters chosen on the other five conversations"]
    whole = ", ".join(_bracket(interval(honest[:, column], ladder.names), 1) for column in range(3))
    lines += [
        "",
        "Six conversations are few: with whole conversations resampled in place of questions, the intervals",
        f"of the parameters chosen on the other five are {whole}.",
        f"They were chosen as {_choices(ladder.chosen)}.",
        "",
        f"ranx's best on the other five was {_counted(ladder.peers)}.",
        "",
    ]
    return "\n".join(lines)


def about_documents(measured: Documents) -> str:
    """nDCG@10 of a collection without conversation."""
    base = measured.rows[BASE]
    asked = f"{len(base)} queries, {len(measured.collection.documents):,} documents"
    skipped = ", ".join(f"`{name}`" for name in measured.skipped if name != "documents")
    lines = [
        f"## {measured.collection.name}\n",
        f"{asked}. Stages that found nothing to do: {skipped}.\n",
        _line(["", "nDCG@10", "less that of RRF"]),
        _line(["---"] * 3),
    ]
    for name, figures in measured.rows.items():
        lines.append(_line([name, _with_interval(figures, 4), _difference(figures - base, 4, name)]))
    lines += [
        "",
        f"Parameters chosen on other queries: {_choices(measured.chosen)}.",
        f"ranx's best there was {_counted(measured.peers)}.",
        "",
    ]
    return "\n".join(lines)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _bracket(bounds: tuple[float, float], digits: int, sign: str = "") -> str:
    low, high = bounds
    return f"[{low:{sign}.{digits}f}, {high:{sign}.{digits}f}]"


def _with_interval(figures: Figures, digits: int) -> str:
    return f"{figures.mean():.{digits}f} {_bracket(interval(figures), digits)}"


def _difference(figures: Figures, digits: int, name: str = "") -> str:
    if name == BASE:
        return ""
    return f"{figures.mean():+.{digits}f} {_bracket(interval(figures), digits, '+')}"


def _triple(figures: Figures) -> str:
    return " / ".join(f"{mean:.1f}" for mean in figures.mean(axis=0))


def _counted(names: Sequence[str]) -> str:
    return "; ".join(f"{name} ({count} of {len(names)})" for name, count in Counter(names).most_common())


def _choices(chosen: Sequence[Mapping[str, Any]]) -> str:
    """Each parameter with the values that it got, the most frequent first."""
    told = []
    for name in chosen[0]:
        values = Counter(parameters[name] for parameters in chosen).most_common()
        shown = " or ".join("equal" if value is None else str(value) for value, _ in values)
        if name != "limit":
            told.append(f"`{name}` {shown}")
    return ", ".join(told)
