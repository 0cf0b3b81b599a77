"""`rankmeld eval` and `rankmeld tune`: runs and judgements in files, tables, JSON and pictures."""

from __future__ import annotations

import gzip
import json
import random
import subprocess

import pytest

import rankmeld as rm
from rankmeld.pipeline import FuseScores, Pipeline

from .conftest import COMMAND

pytest.importorskip("ir_measures", reason="ir-measures is not installed (extra eval)")

QUERIES = 40


def lines(position, tag):
    """A run in which each query's relevant document stands at `position(query)`."""
    rows = []
    for query in range(QUERIES):
        ids = [f"d{query}-{place}" for place in range(5)]
        ids.insert(position(query), f"good{query}")
        rows += [f"{query} Q0 {id} {rank} {10 - rank} {tag}\n" for rank, id in enumerate(ids, 1)]
    return "".join(rows)


@pytest.fixture
def files(rankmeld):
    drawn = random.Random(3)
    places = [drawn.choice([0, 0, 1, 3]) for _ in range(QUERIES)]
    rankmeld.write("bm25.run", lines(lambda query: query % 3, "b"))
    rankmeld.write("dense.run", lines(lambda query: places[query], "d"))
    rankmeld.write("qrels.txt", "".join(f"{query} 0 good{query} 1\n" for query in range(QUERIES)))
    rankmeld.write(
        "qrels.tsv",
        "query-id\tcorpus-id\tscore\n" + "".join(f"{query}\tgood{query}\t1\n" for query in range(QUERIES)),
    )
    return rankmeld


def measured(files, name):
    folder = files.folder
    return rm.evaluate(
        rm.Run.from_trec(folder / name), rm.Qrels.from_trec(folder / "qrels.txt"), ["RR", "Success@1"]
    )


def test_a_table_of_means_intervals_and_gains(files):
    done = files("eval", "bm25.run", "dense.run", "qrels.txt", "-m", "RR", "-m", "Success@1")
    assert (done.code, done.err) == (0, "")
    first, second = measured(files, "bm25.run"), measured(files, "dense.run")
    head, bm25, dense, gain, foot = done.out.splitlines()
    assert head.split() == ["run", "RR", "Success@1"]
    assert bm25.startswith("bm25")
    for measure in ("RR", "Success@1"):
        assert str(first.interval(measure)) in bm25
        assert str(second.interval(measure)) in dense
        assert f"{second.difference(first, measure).mean:+.3f}" in gain
    assert foot == "40 judged queries"


def test_judgements_of_beir_and_packed_runs_and_a_run_from_a_pipe_give_the_same(files):
    plain = files("eval", "bm25.run", "qrels.txt").out
    assert files("eval", "bm25.run", "qrels.tsv").out == plain
    packed = gzip.compress((files.folder / "bm25.run").read_bytes())
    (files.folder / "bm25.run.gz").write_bytes(packed)
    assert files("eval", "bm25.run.gz", "qrels.txt").out == plain
    with (files.folder / "bm25.run").open("rb") as pipe:
        piped = subprocess.run(
            [COMMAND, "eval", "-", "qrels.txt"],
            cwd=files.folder,
            env=files.environment(),
            stdin=pipe,
            capture_output=True,
            encoding="utf-8",
            timeout=100,
            check=True,
        ).stdout
    assert piped.splitlines()[-1] == plain.splitlines()[-1]
    assert piped.splitlines()[1].split()[2:] == plain.splitlines()[1].split()[1:]


def test_json_has_everything(files):
    done = files("eval", "bm25.run", "dense.run", "qrels.txt", "-m", "RR", "--json", "--per-query")
    found = json.loads(done.out)
    first, second = measured(files, "bm25.run"), measured(files, "dense.run")
    assert found["bm25"]["mean"]["RR"] == pytest.approx(first.mean["RR"])
    assert found["bm25"]["per_query"]["RR"] == first["RR"]
    gain = second.difference(first, "RR")
    told = found["dense"]["gain"]["RR"]
    assert [told["mean"], *told["interval"]] == pytest.approx([gain.mean, gain.low, gain.high])
    assert (told["better"], told["worse"]) == (gain.better, gain.worse)


def test_every_query_on_request(files):
    done = files("eval", "bm25.run", "dense.run", "qrels.txt", "-m", "RR", "--per-query")
    rows = [line.split() for line in done.out.splitlines() if line.startswith("RR ")]
    assert len(rows) == QUERIES
    assert rows[2] == ["RR", "2", "0.3333", f"{measured(files, 'dense.run')['RR']['2']:.4f}"]


def test_what_a_run_lacks_is_said(files):
    half = lines(lambda query: 0, "h").splitlines(keepends=True)[: 6 * QUERIES // 2]
    files.write("half.run", "".join(half))
    done = files("eval", "half.run", "qrels.txt", "-m", "RR")
    assert done.err == "note: half lacks 20 of 40 judged queries; what is lacking counts 0\n"
    assert "0.500 [" in done.out


def test_a_picture_of_the_differences(files):
    done = files("eval", "bm25.run", "dense.run", "qrels.txt", "-m", "RR", "--plot", "gain.svg")
    assert (done.code, done.err) == (0, "")
    assert (files.folder / "gain.svg").read_text(encoding="utf-8").startswith("<?xml")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["bm25.run"], "name at least one run, and the judgements last: rankmeld eval RUN QRELS"),
        (["bm25.run", "qrels.txt", "--plot", "x.svg"], "--plot compares two runs"),
        (["bm25.run", "none.txt"], "none.txt: no such file or directory"),
        (["qrels.txt", "bm25.run"], "qrels.txt:1: "),
        (["bm25.run", "bm25.run", "qrels.txt"], "a run is named twice"),
        (["-", "-", "qrels.txt"], "- is named twice"),
        (["bm25.run", "qrels.txt", "-m", "best"], "'best', which ir-measures does not know"),
        (["bm25.run", "qrels.txt", "--ties", "best"], "ties is 'best'"),
        (["bm25.run", "dense.run", "qrels.txt", "--plot", "x.pdf"], "its ending must be .svg or .png"),
        (["bad.run.gz", "qrels.txt"], "bad.run.gz: it cannot be unpacked"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(files, arguments, message):
    files.write("bad.run.gz", "no gzip")
    done = files("eval", *arguments)
    assert done.code == 2
    assert done.out == ""
    assert message in done.err
    assert "Traceback" not in done.err


def test_tune_says_what_to_use_and_writes_what_a_pipeline_loads(files):
    files.write("worse.run", lines(lambda query: 5 if query % 4 else 0, "w"))
    done = files("tune", "bm25.run", "worse.run", "qrels.txt", "--method", "minmax", "-m", "RR",
                 "--folds", "4", "-o", "best.json", "--plot", "trials.png")  # fmt: skip
    runs = {name: rm.Run.from_trec(files.folder / f"{name}.run") for name in ("bm25", "worse")}
    qrels = rm.Qrels.from_trec(files.folder / "qrels.txt")
    found = rm.tune(runs, qrels, methods=["minmax"], measure="RR", folds=4)
    assert done.out == f"{found}\n"
    assert done.code == (0 if found.better else 1)
    assert found.better
    written = (files.folder / "best.json").read_text(encoding="utf-8")
    assert Pipeline([FuseScores()]).with_json(written).parameters() == found.pipeline().parameters()
    assert (files.folder / "trials.png").read_bytes().startswith(b"\x89PNG")


def test_tune_ends_with_one_where_nothing_is_better(files):
    done = files("tune", "bm25.run", "bm25.run.copy", "qrels.txt", "-m", "RR")
    assert done.code == 2
    files.write("copy.run", (files.folder / "bm25.run").read_text(encoding="utf-8"))
    done = files("tune", "bm25.run", "copy.run", "qrels.txt", "-m", "RR")
    assert done.code == 1
    assert done.out.startswith("no better than equal weights: RR 0.")
    assert files("tune", "bm25.run", "qrels.txt").err == (
        "error: name at least two runs, and the judgements last: rankmeld tune RUN RUN QRELS\n"
    )
