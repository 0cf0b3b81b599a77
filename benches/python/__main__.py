"""Benchmarks of rankmeld beside what people use today.

    python -m benches.python                      everything, with all peers that are installed
    python -m benches.python --quick              a short pass, against plain Python and NumPy
    python -m benches.python --only one_query     one family, or several by commas
    python -m benches.python --json figures.json  the same figures for a machine
    python -m benches.python --processes 7        only the goals, as medians of several processes

A wrong answer ends the run with an error before anything is timed. A missed goal is printed and
ends nothing: clocks of shared machines prove little.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from . import (
    adaptive,
    batch,
    bm25,
    caches,
    confidence,
    context,
    engine,
    graph,
    growth,
    late_interaction,
    maxsim,
    mmr,
    near_duplicates,
    one_query,
    peers,
    pipeline,
    postgres,
    quality,
    queries,
    remote,
    rerankers,
    runs,
    stages,
    startup,
    store,
    store_engine,
    text,
    time_phrases,
    vector_index,
)
from .harness import Result
from .repeat import in_processes
from .report import as_json, machine, sentence, show

FAMILIES = {
    module.__name__.rpartition(".")[2]: module
    for module in (
        startup,
        one_query,
        growth,
        batch,
        runs,
        stages,
        rerankers,
        remote,
        quality,
        text,
        time_phrases,
        vector_index,
        bm25,
        late_interaction,
        maxsim,
        mmr,
        confidence,
        near_duplicates,
        graph,
        store,
        postgres,
        store_engine,
        caches,
        context,
        adaptive,
        queries,
        engine,
        pipeline,
    )
}


def main() -> None:
    options = _options()
    if options.processes:
        quick = ["--quick"] if options.quick else []
        in_processes(options.processes, ["--only", ",".join(options.only), *quick])
        return
    for key, value in machine().items():
        print(f"{key}: {value}")
    if not options.quick and peers.missing():
        print(f"not installed, so not compared with: {', '.join(peers.missing())}")
    results: list[Result] = []
    for name in options.only:
        for result in FAMILIES[name].run(quick=options.quick):
            show(result)
            sys.stdout.flush()
            results.append(result)
    print("\n## Goals")
    for result in results:
        for verdict in result.verdicts:
            print(sentence(verdict))
    if options.json:
        options.json.write_text(json.dumps(as_json(results), indent=1) + "\n", encoding="utf-8")


def _options() -> argparse.Namespace:
    def families(text: str) -> list[str]:
        names = text.split(",")
        unknown = [name for name in names if name not in FAMILIES]
        if unknown:
            raise argparse.ArgumentTypeError(f"no family {unknown[0]!r}; there are {', '.join(FAMILIES)}")
        return names

    parser = argparse.ArgumentParser(
        prog="python -m benches.python", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="small sizes, short times, no other libraries")
    parser.add_argument("--only", type=families, default=list(FAMILIES), help="families, by commas")
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--json", type=Path, help="where to write the figures")
    output.add_argument("--processes", type=int, help="how many processes to take the median of")
    return parser.parse_args()


if __name__ == "__main__":
    main()
