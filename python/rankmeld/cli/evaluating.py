"""``rankmeld eval``: how good runs are, and what one gains on another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankmeld.cli import console, options
from rankmeld.cli.errors import UsageError, reported
from rankmeld.cli.run_files import read_qrels, read_runs

if TYPE_CHECKING:
    from rankmeld.evaluation import Difference, Evaluation

__all__ = ["evaluate"]


def evaluate(  # noqa: PLR0917 - typer reads the signature
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN... QRELS", help="TREC run files, and last the judgements.", show_default=False
        ),
    ],
    measures: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--measure",
            metavar="NAME",
            help="As nDCG@10, R@100, RR, AP, P@5 or Success@5; may be given again.",
            show_default="nDCG@10, R@100, RR",
        ),
    ] = None,
    ties: Annotated[
        str, typer.Option("--ties", metavar="RULE", help="Order of equal scores: id_desc, first or id_asc.")
    ] = "id_desc",
    per_query: Annotated[
        bool, typer.Option("--per-query", metavar=options.NO_VALUE, help="Show every query's values too.")
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            metavar="FILE",
            help="Draw what the second run gains on the first, query by query (.svg or .png).",
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", metavar=options.NO_VALUE, help="Write JSON instead of a table.")
    ] = False,
    debug: options.Debug = False,
) -> None:
    """Measure runs against judgements, and compare the others with the first.

    Intervals are of 95 %, by resampling queries. A query that a run does not have counts 0.
    """
    with reported(debug=debug):
        if len(files) < 2:
            raise UsageError("name at least one run, and the judgements last: rankmeld eval RUN QRELS")
        if plot is not None and len(files) != 3:
            raise UsageError("--plot compares two runs: rankmeld eval RUN RUN QRELS --plot FILE")
        from rankmeld.evaluation.measures import DEFAULT_MEASURES  # noqa: PLC0415 - for this command alone
        from rankmeld.evaluation.measures import evaluate as measured  # noqa: PLC0415 - as above
        from rankmeld.evaluation.plots import check_ending, plot_differences  # noqa: PLC0415 - as above

        if plot is not None:
            check_ending(plot)

        wanted = list(measures or DEFAULT_MEASURES)
        runs, qrels = read_runs(files[:-1]), read_qrels(files[-1])
        found = {name: measured(run, qrels, wanted, ties=ties) for name, run in runs.items()}  # type: ignore[arg-type]  # checked there
        gains = _gains(found, wanted)
        if as_json:
            console.stdout().file.write(
                json.dumps(_plain(found, gains, per_query=per_query), indent=2) + "\n"
            )
        else:
            _show(found, gains, wanted)
            if per_query:
                _show_queries(found, wanted)
        for name, evaluation in found.items():
            if evaluation.unanswered:
                shown = f"{len(evaluation.unanswered):,} of {_queries(len(evaluation.queries))}"
                console.note(f"{name} lacks {shown}; what is lacking counts 0")
        if plot is not None:
            first, second = found
            plot_differences(gains[second][wanted[0]], plot, measure=wanted[0], names=(second, first))


def _gains(found: dict[str, Evaluation], measures: list[str]) -> dict[str, dict[str, Difference]]:
    first, *others = found
    return {
        other: {measure: found[other].difference(found[first], measure) for measure in measures}
        for other in others
    }


def _show(found: dict[str, Evaluation], gains: dict[str, dict[str, Difference]], measures: list[str]) -> None:
    rows = [["run", *measures]]
    for name, evaluation in found.items():
        rows.append([console.one_line(name), *(str(evaluation.interval(measure)) for measure in measures)])
        if name in gains:
            shown = [gains[name][measure] for measure in measures]
            rows.append(
                ["  gain", *(f"{gain.mean:+.3f} [{gain.low:+.3f}, {gain.high:+.3f}]" for gain in shown)]
            )
    out = console.stdout()
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *others in rows:
        cells = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        console.write(out, "  ".join([first.ljust(widths[0]), *cells]))
    console.write(out, _queries(len(next(iter(found.values())).queries)))


def _queries(count: int) -> str:
    return f"{count:,} judged {'query' if count == 1 else 'queries'}"


def _show_queries(found: dict[str, Evaluation], measures: list[str]) -> None:
    out = console.stdout()
    for measure in measures:
        columns = [evaluation[measure] for evaluation in found.values()]
        for query in columns[0]:
            values = "  ".join(f"{column[query]:.4f}" for column in columns)
            console.write(out, console.one_line(f"{measure} {query}") + "  " + values)


def _plain(
    found: dict[str, Evaluation], gains: dict[str, dict[str, Difference]], *, per_query: bool
) -> dict[str, Any]:
    def shown(name: str, evaluation: Evaluation) -> dict[str, Any]:
        made: dict[str, Any] = evaluation.to_dict()
        made["interval"] = {
            measure: [interval.low, interval.high]
            for measure in evaluation.measures
            for interval in [evaluation.interval(measure)]
        }
        if name in gains:
            made["gain"] = {
                measure: {
                    "mean": gain.mean,
                    "interval": [gain.low, gain.high],
                    "better": gain.better,
                    "worse": gain.worse,
                }
                for measure, gain in gains[name].items()
            }
        if per_query:
            made["per_query"] = {
                measure: {str(q): v for q, v in evaluation[measure].items()}
                for measure in evaluation.measures
            }
        return made

    return {name: shown(name, evaluation) for name, evaluation in found.items()}
