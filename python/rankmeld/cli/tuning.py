"""``rankmeld tune``: how to fuse runs, and whether it is worth it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from rankmeld.cli import console, options
from rankmeld.cli.errors import EXIT_NO_RESULTS, UsageError, reported
from rankmeld.cli.run_files import read_qrels, read_runs

__all__ = ["tune"]


def tune(  # noqa: PLR0917 - typer reads the signature
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN RUN... QRELS", help="TREC run files, and last the judgements.", show_default=False
        ),
    ],
    methods: Annotated[
        list[str] | None,
        typer.Option(
            "--method",
            metavar="NAME",
            help="What to try: rrf, minmax, zscore, dbsf, isr, borda and others; may be given again."
            " The first, with equal weights, is what others have to beat.",
            show_default="rrf, minmax, zscore",
        ),
    ] = None,
    measure: Annotated[
        str, typer.Option("-m", "--measure", metavar="NAME", help="What to gain in.")
    ] = "nDCG@10",
    folds: Annotated[int, typer.Option("--folds", metavar="N", help="How many parts the queries make.")] = 5,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Decides the parts.")] = 0,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Where the parameters go, as JSON for a pipeline."
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="Draw all settings that were measured (.svg or .png)."),
    ] = None,
    debug: options.Debug = False,
) -> None:
    """Choose how to fuse runs, and measure what that gains on queries that did not choose it.

    Exit code 1 where nothing is better than equal weights.
    """
    with reported(debug=debug):
        if len(files) < 3:
            raise UsageError("name at least two runs, and the judgements last: rankmeld tune RUN RUN QRELS")
        from rankmeld.evaluation.plots import check_ending, plot_trials  # noqa: PLC0415 - for this command alone
        from rankmeld.tuning.tune import DEFAULT_METHODS  # noqa: PLC0415 - as above
        from rankmeld.tuning.tune import tune as tuned  # noqa: PLC0415 - as above

        if plot is not None:
            check_ending(plot)
        runs, qrels = read_runs(files[:-1]), read_qrels(files[-1])
        columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
        with Progress(*columns, console=console.stderr(), transient=True) as bar:
            task = bar.add_task("Searching", total=None)
            found = tuned(
                runs,
                qrels,
                methods=methods or DEFAULT_METHODS,
                measure=measure,
                folds=folds,
                seed=seed,
                progress=lambda done, total: bar.update(task, completed=done, total=total),
            )
        console.write(console.stdout(), console.printable(str(found)))
        if output is not None:
            output.write_text(found.to_json() + "\n", encoding="utf-8")
        if plot is not None:
            plot_trials(found, plot)
        if not found.better:
            raise typer.Exit(EXIT_NO_RESULTS)
