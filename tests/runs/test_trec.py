"""Reading and writing lines: against plain Python, on anything that a file may hold."""

from __future__ import annotations

import gzip
import io
import itertools
import math
import pickle
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import rankmeld as rm
from reference.runs import BadLine, read_run, write_run
from support.check import fused
from support.interrupts import assert_a_signal_stops

ids = st.sampled_from(["a", "b", "c", "d", "é", "c\xa0d", "doc#12%20", "01", "1", "x" * 20, "東京" * 12])
numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.sampled_from(["1", "-0", "+2.", ".5", "1e3", "-1E+3", "1e-400", "0.5", "0.5000", "00012"]),
)
blanks = st.sampled_from([" ", "\t", "  ", " \t "])


@st.composite
def lines(draw, number=numbers):
    fields = [draw(st.sampled_from(["1", "01", "q"])), "Q0", draw(ids), "1", draw(number), "run"]
    text = draw(st.sampled_from(["", " ", "\t"]))
    for field in fields:
        text += field + draw(blanks)
    return text + draw(st.sampled_from(["", "\r"]))


def files(number=numbers):
    line = st.one_of(lines(number=number), st.sampled_from(["", " ", "\r", "\t"]))
    mark = st.sampled_from([b"", b"\xef\xbb\xbf"])
    end = st.sampled_from(["", "\n"])
    return st.builds(
        lambda mark, read, end: mark + ("\n".join(read) + end).encode(),
        mark,
        st.lists(line, max_size=12),
        end,
    )


def plain(run: rm.Run) -> dict:
    return {query: fused(ranking) for query, ranking in run.items()}


def outcome(call, *arguments, **options):
    try:
        return call(*arguments, **options)
    except (rm.FormatError, BadLine) as error:
        return error.line


@pytest.mark.parametrize("ties", ["first", "id_asc", "id_desc"])
@given(content=files())
def test_repeats_are_found_and_everything_else_is_read(content, ties):
    found = outcome(lambda: plain(rm.Run.from_trec(content, ties=ties)))
    assert found == outcome(read_run, content, ties=ties)


@pytest.mark.filterwarnings("ignore:.*repeat a document")
@pytest.mark.parametrize("ties", ["first", "id_asc", "id_desc"])
@given(content=files(st.sampled_from(["1", "1.0", "2", "-0", "0"])))
def test_the_better_of_two_hits_is_kept(content, ties):
    found = plain(rm.Run.from_trec(content, ties=ties, duplicates="first"))
    assert found == read_run(content, ties=ties, best=True)


def test_a_warning_says_how_many_were_left_out(tmp_path):
    path = tmp_path / "twice.run"
    path.write_bytes(b"1 Q0 a 1 0.1 r\n1 Q0 b 2 0.8 r\n1 Q0 a 3 0.9 r\n")
    with pytest.warns(UserWarning, match=r"twice\.run: 1 hits repeat a document") as caught:
        run = rm.Run.from_trec(path, duplicates="first")
    assert caught[0].filename == __file__
    assert plain(run) == {"1": [("a", 0.9), ("b", 0.8)]}


@given(
    content=st.one_of(
        st.binary(max_size=300), files().flatmap(lambda file: st.permutations(list(file)).map(bytes))
    )
)
@example(b"\xef\xbb\xbf")
@example(b"1 Q0 a 1 0.1 r\n\xff")
@example(b"1 Q0 a 1 0.1 r\n1 Q0 a 1")
@example("1 Q0 a 1 ١ r".encode())
def test_any_bytes_are_a_run_or_a_format_error(content):
    assert outcome(lambda: plain(rm.Run.from_trec(content))) == outcome(read_run, content)


class Dripping(io.BytesIO):
    """Gives as many bytes at a time as it likes."""

    sizes = iter([1])

    def read(self, size=-1):
        return super().read(next(self.sizes, 1))


@given(content=files(), sizes=st.lists(st.integers(1, 20)))
def test_pieces_of_any_size_are_read_alike(content, sizes):
    file = Dripping(content)
    file.sizes = iter(sizes)
    assert outcome(lambda: plain(rm.Run.from_trec(file))) == outcome(read_run, content)


scores = st.floats(allow_nan=False, allow_infinity=False)
runs = st.dictionaries(
    ids.filter(lambda id: "\xa0" not in id),
    st.dictionaries(ids, scores, max_size=6).map(lambda hits: sorted(hits.items(), key=lambda hit: -hit[1])),
    max_size=4,
)


def score_and_rest(line: str) -> tuple[str, float, int]:
    """A line without its score, the score, and how long it is: of two shortest forms either is right."""
    query, _, document, rank, score, tag = line.split(" ")
    return f"{query} Q0 {document} {rank} {tag}", float(score), len(score)


@given(rankings=runs, strict=st.booleans())
def test_written_as_plain_python_writes_it(rankings, strict):
    found = rm.Run.from_dict(rankings).to_trec(tag="t", strict=strict)
    expected = write_run(rankings, "t", strict=strict)
    assert [*map(score_and_rest, found.splitlines())] == [*map(score_and_rest, expected.splitlines())]
    assert found.endswith("\n") == bool(found)


@given(rankings=runs)
def test_what_was_written_reads_back_to_the_bit(rankings):
    rankings = {query: hits for query, hits in rankings.items() if hits}
    text = rm.Run.from_dict(rankings).to_trec(tag="t")
    back = rm.Run.from_trec(text.encode())
    bits = {query: [(id, score.hex()) for id, score in hits] for query, hits in plain(back).items()}
    assert bits == {query: [(id, score.hex()) for id, score in hits] for query, hits in rankings.items()}
    assert back.to_trec() == text
    assert back.name == ("t" if rankings else None)


@given(hits=st.lists(st.one_of(scores, st.sampled_from([1.0, 0.0, -0.0, 2.0])), max_size=8))
def test_strict_scores_decrease_and_keep_the_order(hits):
    if any(score < -1e308 for score in hits):
        return
    run = rm.Run.from_dict({"q": [(f"d{place}", score) for place, score in enumerate(hits)]})
    back = rm.Run.from_trec(run.to_trec(strict=True).encode(), ties="id_desc")
    if hits:
        assert back["q"].ids == run["q"].ids
        written = back["q"].scores.tolist()
        assert all(a > b for a, b in itertools.pairwise(written))
        assert written[0] == hits[0]


def test_paths_files_text_and_packed_files_are_read_alike(tmp_path):
    run = rm.Run.from_dict({"q": {"é": 2.0, "b": 1.0}}, name="t")
    path = tmp_path / "a.run"
    run.to_trec(path)
    with gzip.open(tmp_path / "a.run.gz", "wb") as packed:
        run.to_trec(packed)
    with (tmp_path / "text.run").open("w", encoding="utf-8", newline="") as text:
        run.to_trec(text)
    assert path.read_bytes() == (tmp_path / "text.run").read_bytes() == run.to_trec().encode()
    assert rm.Run.from_trec(path) == rm.Run.from_trec(str(path)) == run
    with gzip.open(tmp_path / "a.run.gz") as packed:
        assert rm.Run.from_trec(packed) == run
    with path.open(encoding="utf-8") as text:
        assert rm.Run.from_trec(text, name="x").name == "x"
        assert not text.closed
    with path.open("rb", buffering=0) as raw:
        assert rm.Run.from_trec(raw) == run


def test_an_error_names_file_and_line(tmp_path):
    path = tmp_path / "bad.run"
    path.write_text("\n\nq Q0 a 1 nan t\n")
    with pytest.raises(rm.FormatError) as refusal:
        rm.Run.from_trec(path)
    assert str(refusal.value) == f"{path}:3: the score is nan; scores must be finite numbers that fit a float"
    assert (refusal.value.path, refusal.value.line) == (str(path), 3)
    with path.open("rb") as file, pytest.raises(rm.FormatError, match=r"bad\.run:3: "):
        rm.Run.from_trec(file)
    assert pickle.loads(pickle.dumps(refusal.value)).line == 3


FORM = "a line has 6: query Q0 document rank score tag, separated by spaces or tabs"
TEXTS = {
    b"q Q0 a 1 0.5\n": f"1: 5 columns; {FORM}",
    b"q\n": f"1: 1 column; {FORM}",
    b"q Q0 a 1 0.5 my run": f"1: 7 columns; {FORM}",
    b"q Q0 a 1 high r": '1: the score is "high", which is not a number',
    b"q Q0 a 1 1e400 r": "1: the score is 1e400; scores must be finite numbers that fit a float",
    b"q Q0 a 1 -inf r": "1: the score is -inf; scores must be finite numbers that fit a float",
    b"q Q0 a 1 1 r\n\xff": "2: not UTF-8; convert the file first, as `iconv -t UTF-8` does",
    "q Q0 a 1 1 r\n".encode("utf-16"): "1: not UTF-8; convert the file first, as `iconv -t UTF-8` does",
    b"x" * (1 << 21): "1: a line of more than 1048576 bytes; this is no file of this kind",
    b"q Q0 a 1 1 r\np Q0 a 1 1 r\nq Q0 a 1 1 r\n": (
        '3: document "a" stands for query "q" already, on line 1; remove one of the two, or read with'
        ' duplicates="first"'
    ),
}


@pytest.mark.parametrize("content", TEXTS, ids=range(len(TEXTS)))
def test_the_text_says_what_is_wrong_and_wanted(content):
    with pytest.raises(rm.FormatError) as refusal:
        rm.Run.from_trec(content)
    assert str(refusal.value) == TEXTS[content]


def test_a_long_line_is_refused_wherever_pieces_end():
    long = b"q Q0 " + b"x" * (1 << 20) + b" 1 1 r\n"
    for before in (0, 1, 3_000_000, 4_194_000):
        blank = b" " * 9 + b"\n"
        with pytest.raises(rm.FormatError, match="a line of more than 1048576 bytes"):
            rm.Run.from_trec(blank * (before // 10) + long)


def test_progress_counts_bytes(tmp_path):
    path = tmp_path / "a.run"
    content = "".join(f"q{n} Q0 d 1 0.5 t\n" for n in range(400_000)).encode()
    path.write_bytes(content)
    for source, total in (
        (path, len(content)),
        (content, len(content)),
        (io.StringIO(content.decode()), None),
    ):
        seen: list[tuple[int, int | None]] = []
        assert (
            len(rm.Run.from_trec(source, progress=lambda *counts, seen=seen: seen.append(counts))) == 400_000
        )
        assert len(seen) > 1
        assert seen[-1] == (len(content), total)

    def stop(done, total):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        rm.Run.from_trec(path, progress=stop)


@pytest.mark.skipif(sys.platform == "win32", reason="not applicable: no alarms there")
def test_a_signal_stops_reading_and_writing():
    hits = "".join(f"q{n % 5000} Q0 d{n} 1 {math.sin(n)} t\n" for n in range(700_000)).encode()
    assert_a_signal_stops(lambda: rm.Run.from_trec(hits, ties="id_asc"))
    run = rm.Run.from_trec(hits)
    assert_a_signal_stops(run.to_trec)
