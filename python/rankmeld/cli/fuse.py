"""``rankmeld fuse``: several runs into one."""

from __future__ import annotations

from typing import Annotated

import typer

from rankmeld.cli import options
from rankmeld.cli.errors import UsageError, reported
from rankmeld.cli.runs import read_runs, write_run
from rankmeld.runs import fuse_runs

__all__ = ["fuse"]


def fuse(  # noqa: PLR0917 - typer reads the signature
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN", help="Files of lines; - is standard input, .gz is unpacked.", show_default=False
        ),
    ],
    method: Annotated[
        str,
        typer.Option(
            "--method",
            metavar="WORD",
            help="rrf; minmax, max, sum, zscore, dbsf, rank or none; isr, log_isr, logn_isr, borda, rbc or"
            " condorcet.",
        ),
    ] = "rrf",
    combine: Annotated[
        str | None,
        typer.Option(
            "--combine",
            metavar="WORD",
            help="sum, mnz, anz, max, min or median, for scores.",
            show_default="sum",
        ),
    ] = None,
    k: Annotated[
        float | None, typer.Option("--k", metavar="K", help="The constant of rrf.", show_default="60")
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option("--weights", metavar="W,W...", help="A weight for each run.", show_default="1 each"),
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", help="Hits for each query.", show_default="all")
    ] = None,
    ties: Annotated[
        str, typer.Option("--ties", metavar="WORD", help="first, id_asc or id_desc, for equal scores.")
    ] = "first",
    output: Annotated[
        str,
        typer.Option(
            "-o", "--out", metavar="FILE", help="Where to; .gz is packed.", show_default="standard output"
        ),
    ] = "-",
    tag: Annotated[
        str | None,
        typer.Option("--tag", metavar="WORD", help="The last column.", show_default="the method"),
    ] = None,
    strict: Annotated[
        bool,
        typer.Option("--strict", metavar=options.NO_VALUE, help="Write each score below the one before it."),
    ] = False,
    debug: options.Debug = False,
) -> None:
    """Fuse runs, query by query: lines "query Q0 document rank score tag" in, such lines out.

    A run without a query brings nothing to it.
    """
    with reported(debug=debug):
        numbers = None if weights is None else _as_weights(weights, len(runs))
        options_ = {"method": method, "combine": combine, "k": k, "limit": limit, "ties": ties}
        fuse_runs([], **options_)  # type: ignore[arg-type]  # words are refused by name before a file is read
        fused = fuse_runs(read_runs(runs), weights=numbers, **options_)  # type: ignore[arg-type]  # checked above
        write_run(fused, output, tag=method if tag is None else tag, strict=strict)


def _as_weights(text: str, runs: int) -> list[float]:
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        raise UsageError(f"--weights is {text!r}; it is one number per run, as in 0.4,0.6") from None
    if len(numbers) != runs:
        raise UsageError(f"--weights has {len(numbers)} numbers for {runs} runs; give one for each")
    return numbers
