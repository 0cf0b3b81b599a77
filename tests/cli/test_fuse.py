"""`rankmeld fuse`: files, pipes, packed files, and what is refused."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys

import pytest

import rankmeld as rm

from .conftest import COMMAND

BM25 = "q1 Q0 d1 1 12.0 bm25\nq1 Q0 d2 2 3.0 bm25\nq2 Q0 d3 1 8.0 bm25\n"
DENSE = "q1 Q0 d2 1 0.8 dense\nq1 Q0 d4 2 0.6 dense\n"


@pytest.fixture
def runs(rankmeld):
    rankmeld.write("bm25.run", BM25)
    rankmeld.write("dense.run", DENSE)
    return rankmeld


def fused(**options):
    given = [rm.Run.from_trec(text.encode()) for text in (BM25, DENSE)]
    return rm.fuse_runs(given, **options)


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ((), {}),
        (("--k", "5"), {"k": 5.0}),
        (("--method", "minmax", "--combine", "mnz"), {"method": "minmax", "combine": "mnz"}),
        (("--method", "isr", "--limit", "1"), {"method": "isr", "limit": 1}),
        (("--weights", "0.4,0.6", "--ties", "id_desc"), {"weights": [0.4, 0.6], "ties": "id_desc"}),
    ],
)
def test_it_is_fuse_runs(runs, arguments, options):
    done = runs("fuse", "bm25.run", "dense.run", *arguments)
    assert (done.code, done.err) == (0, "")
    assert done.out == fused(**options).to_trec(tag=options.get("method", "rrf"))


def test_files_and_tags(runs):
    done = runs("fuse", "bm25.run", "dense.run", "-o", "out.run", "--tag", "mine", "--strict")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert (runs.folder / "out.run").read_text() == fused().to_trec(tag="mine", strict=True)
    done = runs("fuse", "bm25.run", "dense.run", "--out", "bm25.run")
    assert done.code == 0
    assert (runs.folder / "bm25.run").read_text() == fused().to_trec(tag="rrf")


def test_packed_files_in_and_out(runs):
    with gzip.open(runs.folder / "b.run.gz", "wb") as packed:
        packed.write(BM25.encode())
    written = set()
    for _ in range(2):
        assert runs("fuse", "b.run.gz", "dense.run", "-o", "out.run.gz").code == 0
        written.add((runs.folder / "out.run.gz").read_bytes())
    assert len(written) == 1
    assert gzip.decompress(written.pop()).decode() == fused().to_trec(tag="rrf")
    (runs.folder / "cut.run.gz").write_bytes((runs.folder / "b.run.gz").read_bytes()[:-9])
    for name in ("cut.run.gz", "plain.gz"):
        if name == "plain.gz":
            runs.write(name, BM25)
        done = runs("fuse", name)
        assert done.code == 2
        assert done.err.startswith(f"error: {name}: not gzip, or damaged")


def test_standard_input(runs):
    done = subprocess.run(
        [COMMAND, "fuse", "-", "dense.run"],
        cwd=runs.folder,
        env=runs.environment(),
        input=BM25,
        capture_output=True,
        encoding="utf-8",
        timeout=100,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, fused().to_trec(tag="rrf"), "")


REFUSED = {
    ("nope.run",): "nope.run: no such file",
    (".",): ".: a folder, no file",
    ("-", "-"): "- stands more than once, and standard input can be read once",
    ("bad.run",): 'bad.run:2: the score is "high", which is not a number',
    ("bm25.run", "--weights", "1,2"): "--weights has 2 numbers for 1 runs; give one for each",
    ("bm25.run", "--weights", "x"): "--weights is 'x'; it is one number per run, as in 0.4,0.6",
    ("bm25.run", "--weights", "-1"): "weights[0] is -1.0; it must be finite and not negative",
    ("nope.run", "--method", "sums"): (
        "method is 'sums'; it must be one of 'rrf', 'minmax', 'max', 'sum', 'zscore', 'dbsf', 'rank', "
        "'borda', 'none', 'isr', 'log_isr', 'logn_isr', 'rbc', 'condorcet'"
    ),
    ("bm25.run", "--tag", "a b"): "tag is 'a b'; it must be one word, as lines are split at blanks",
    ("bm25.run", "-o", "no/such/out.run"): "no/such/out.run: no such file or directory",
}


@pytest.mark.parametrize("arguments", REFUSED, ids=" ".join)
def test_what_is_refused(runs, arguments):
    runs.write("bad.run", "q Q0 a 1 1.0 t\nq Q0 b 2 high t\n")
    done = runs("fuse", *arguments)
    assert done.code == 2
    assert done.out == ""
    assert done.err == f"error: {REFUSED[arguments]}\n"


@pytest.mark.skipif(os.name == "nt", reason="not applicable: pipes end otherwise there")
def test_a_reader_that_stops_early(runs):
    for name in ("a.run", "b.run"):
        lines = (f"q{n // 100} Q0 {name}{n % 100} 1 {100 - n % 100}.0 t" for n in range(100_000))
        runs.write(name, "\n".join(lines))
    piped = subprocess.run(
        f'"{COMMAND}" fuse a.run b.run | head -n 1; exit ${{PIPESTATUS[0]}}',
        shell=True,
        executable="/bin/bash",
        cwd=runs.folder,
        env=runs.environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=100,
        check=False,
    )
    assert piped.stdout == "q0 Q0 a.run0 1 0.01639344262295082 rrf\n"
    assert (piped.returncode, piped.stderr) in {(0, ""), (141, "")}


def test_it_loads_no_peer_and_no_frames(runs):
    program = (
        "import sys; from rankmeld.cli.app import app; app(['fuse', 'bm25.run'], standalone_mode=False);"
        "heavy = {'pandas', 'polars', 'pyarrow', 'scipy', 'matplotlib', 'ir_measures'} & set(sys.modules);"
        "print(sorted(heavy), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=runs.folder,
        env=runs.environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=100,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "[]\n")
