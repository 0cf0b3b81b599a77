"""`rankmeld dedup`: every form of file, what is refused, runs that are stopped, and the page for people."""

from __future__ import annotations

import json
import os
import signal
import sys
import time

import pytest

import rankmeld as rm
from rankmeld._sketching import as_options
from rankmeld.corpora import Deduplication, open_collection

NEAR = "the river was high after the storm and the bridge was closed for a week in spring"
TEXTS = [
    NEAR,
    "a kiwi",
    NEAR.upper() + "!",
    "",
    "Sicher ist <b>sicher</b> & “gut”",
    "a kiwi, no: a plum",
    "",
    NEAR.replace("week", "month"),
]
STAYS = [0, 1, 3, 4, 5, 6, 7]


def jsonl(texts: list[str]) -> str:
    return "".join(json.dumps({"n": n, "text": text}, indent=None) + "\n" for n, text in enumerate(texts))


def test_json_lines_stay_as_they_are(rankmeld):
    lines = jsonl(TEXTS).splitlines(keepends=True)
    lines[1] = lines[1].replace(" ", "   ").replace('"n":', '"text2": 1e400, "n":')
    lines[-1] = lines[-1].rstrip("\n")
    rankmeld.write("in.jsonl", "\ufeff" + lines[0] + "\n \n" + "".join(lines[1:]))
    done = rankmeld("dedup", "in.jsonl", "-o", "out.jsonl")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "Records: 8 read, 7 kept, 1 left out",
        "Clusters: 1",
        "Output: out.jsonl",
    ]
    expected = "\ufeff" + "".join(lines[place] for place in STAYS) + "\n"
    assert (rankmeld.folder / "out.jsonl").read_text(encoding="utf-8") == expected
    assert sorted(path.name for path in rankmeld.folder.iterdir()) == ["in.jsonl", "out.jsonl"]


def test_a_text_a_line(rankmeld):
    rankmeld.write("in.txt", "\n".join(TEXTS))
    assert rankmeld("dedup", "in.txt", "-o", "out.txt").code == 0
    expected = "".join(TEXTS[place] + "\n" for place in STAYS)
    assert (rankmeld.folder / "out.txt").read_text(encoding="utf-8") == expected


@pytest.mark.parametrize(("name", "separator"), [("t.csv", ","), ("t.csv", ";"), ("t.tsv", "\t")])
def test_tables_with_cells_of_several_lines(rankmeld, name, separator):
    rows = [
        f'{n}{separator}"{text.replace(chr(34), chr(34) * 2)}\r\nsecond ""line"""\r\n'
        for n, text in enumerate(TEXTS)
    ]
    header = f"n{separator}content\r\n"
    (rankmeld.folder / name).write_bytes((header + "".join(rows)).encode())
    done = rankmeld("dedup", name, "-o", f"out{name}", "--shingle", "1")
    assert done.code == 0, done.err
    # All share a second line, which makes the empty ones the same and the rivers more alike.
    stays = [place for place in STAYS if place < 6]
    expected = (header + "".join(rows[place] for place in stays)).encode()
    assert (rankmeld.folder / f"out{name}").read_bytes() == expected


def test_parquet_keeps_its_columns(rankmeld):
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra frames)")
    pq = pytest.importorskip("pyarrow.parquet")
    texts = [None if text == "" else text for text in TEXTS] * 3_000
    table = pa.table(
        {"n": pa.array(range(len(texts)), pa.int16()), "body": pa.array(texts, pa.large_string())}
    )
    pq.write_table(table, rankmeld.folder / "in.parquet", row_group_size=5_000)
    done = rankmeld("dedup", "in.parquet", "-o", "out.parquet")
    assert done.code == 0, done.err
    found = pq.read_table(rankmeld.folder / "out.parquet")
    assert found.schema.equals(table.schema)
    blank = [place for place, text in enumerate(texts) if text is None]
    assert found["n"].to_pylist() == sorted({0, 1, 4, 5, 7, *blank})


def test_options_reach_the_comparison(rankmeld):
    rankmeld.write("in.jsonl", jsonl([NEAR, NEAR.replace("week", "month")]).replace('"text"', '"said"'))
    for options, kept in [
        ((), 2),
        (("--threshold", "0.7"), 1),
        (("--threshold", "0.7", "--shingle", "3"), 2),
    ]:
        done = rankmeld("dedup", "in.jsonl", "-o", "out.jsonl", "--field", "said", "--threads", "2", *options)
        assert done.code == 0, done.err
        assert f"{kept} kept" in done.out


def test_the_page_shows_pairs_and_lets_no_text_through_as_markup(rankmeld):
    script = "<script>alert('x')</script> " + NEAR
    rankmeld.write(
        "in<1>.jsonl",
        jsonl(
            [
                script,
                "a kiwi",
                script + " indeed",
                script,
                script,
                *[f"{script} indeed number{n}" for n in range(6)],
            ]
        ),
    )
    done = rankmeld("dedup", "in<1>.jsonl", "-o", "out.jsonl", "--report")
    assert done.out.splitlines()[-1] == "Report: out.jsonl.html"
    page = (rankmeld.folder / "out.jsonl.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "Near-duplicates in in&lt;1&gt;.jsonl" in page
    assert "11 records, 2 kept, 9 left out, in 1 clusters." in page
    assert "Record 1 stays for 9" in page
    assert "3 (left out), similarity 0.9" in page
    assert "<ins> indeed</ins>" in page
    assert "<p>Also 2 with the very same text and 2 that are not shown.</p>" in page
    assert page.count("<table>") == 5


def test_a_page_of_nothing_and_of_long_texts(rankmeld):
    rankmeld.write("in.txt", "one\n")
    assert rankmeld("dedup", "in.txt", "-o", "out.txt", "--report").code == 0
    assert "1 records, 1 kept" in (rankmeld.folder / "out.txt.html").read_text(encoding="utf-8")
    giant = " ".join(f"word{n}" for n in range(100_000))
    rankmeld.write("in.txt", f"{giant}\n{giant} more\n")
    assert rankmeld("dedup", "in.txt", "-o", "out.txt", "--report").code == 0
    assert (rankmeld.folder / "out.txt.html").stat().st_size < 20_000


@pytest.mark.parametrize(
    ("name", "content", "arguments", "message"),
    [
        ("in.jsonl", '{"text": "a"}\n{"text": 5}\n', (), "in.jsonl:2: text must be a string"),
        (
            "in.jsonl",
            '\n{"txt": "a"}\n',
            (),
            "in.jsonl:2: no text: the object has no key text or content or body",
        ),
        ("in.jsonl", '{"text": "a"}\n', ("--field", "x"), "in.jsonl:1: no text: the object has no key x"),
        ("in.jsonl", "[]\n", (), "in.jsonl:1: every line must be one object"),
        ("in.jsonl", "{\n", (), "in.jsonl:1: not JSON: "),
        ("in.jsonl", b'{"text": "\xff"}\n', (), "in.jsonl:1: not UTF-8: invalid start byte at byte 10"),
        ("in.csv", "a,b\n1,2\n", (), "in.csv:1: no text: no column is named text or content or body"),
        ("in.csv", "text,b\n1,2\n3\n", (), "in.csv:3: the row has 1 cells and the header 2"),
        ("in.csv", 'text,b\n"1,2\n', (), "in.csv:2: not a table: "),
        ("in.parquet", "no", (), "in.parquet: no Parquet file: "),
        ("in.txt", "a\n", ("--field", "x"), "in.txt: a text file has no fields; leave the field out"),
        ("in.md", "a\n", (), "in.md: the end of the name says how a file is read, and .md is not known"),
        (
            "in.txt",
            "a\n",
            ("-o", "out.csv"),
            "out.csv: the output has the form of the input; let it end in .txt",
        ),
        ("in.txt", "a\n", ("-o", "in.txt"), "in.txt is the input itself; name another output"),
        ("in.txt", "a\n", ("--threshold", "0"), "threshold is 0.0; it must be above 0 and at most 1"),
        ("in.txt", "a\n", ("--threshold", "0.01"), "the smallest possible is 0.0354, or raise num_perm"),
        ("in.txt", "a\n", ("--shingle", "char"), "shingle is 'char'; it must be 'word', or an integer n"),
        (
            "in.txt",
            "a\n",
            ("--shingle", "-1"),
            "shingle is -1; runs of tokens have from 1 to 2,",
        ),
        ("in.txt", "a\n", ("--shingle", "9" * 5_000), "it must be 'word', or an integer n"),
        ("in.txt", "a\n", ("-o", "folder.txt"), "folder.txt is no regular file; name another output"),
        ("in.txt", "a\n", ("--threads", "0"), "threads is 0; it must be 1 or more"),
        ("in.txt", None, (), "in.txt: no such file"),
        ("in.txt", "a\n", ("-o", "absent/out.txt"), "no such file or directory"),
    ],
)
def test_what_cannot_be_done_is_said_and_leaves_an_older_output(rankmeld, name, content, arguments, message):
    if "parquet" in name:
        pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra frames)")
    if content is not None:
        (rankmeld.folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    output = "out" + name[2:]
    (rankmeld.folder / "folder.txt").mkdir()
    older = rankmeld.write(output, "older")
    done = rankmeld("dedup", name, "-o", output, *arguments)
    assert done.code == 2
    assert message in " ".join(done.err.split())
    assert done.out == ""
    assert older.read_text(encoding="utf-8") == "older"
    assert not [path for path in rankmeld.folder.iterdir() if "tmp" in path.name or "progress" in path.name]


def many(rankmeld, count: int = 100_000) -> None:
    words = [f"w{n}" for n in range(5_000)]
    rankmeld.write(
        "in.txt",
        "".join(
            " ".join(words[(n * 7 + m * m * 31) % 5_000] for m in range(40)) + f" own{n}\n"
            for n in range(count)
        ),
    )


def stopped_after_a_part(rankmeld, how: signal.Signals) -> tuple[int, str]:
    """Stop a run as soon as the sketches of some records are on the disk."""
    process = rankmeld.start("dedup", "in.txt", "-o", "out.txt", "--threads", "1")
    first = rankmeld.folder / "out.txt.progress" / "000000"
    deadline = time.monotonic() + 60
    while not first.exists() and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.002)
    process.send_signal(how)
    _, err = process.communicate(timeout=60)
    return process.returncode, err


@pytest.mark.parametrize("how", ["SIGINT", "SIGKILL"])
def test_a_stopped_run_goes_on_where_it_was(rankmeld, how):
    if not hasattr(signal, how) or sys.platform == "win32":
        pytest.skip(f"not applicable: {how} does not exist here")
    many(rankmeld)
    code, err = stopped_after_a_part(rankmeld, getattr(signal, how))
    if code == 0:
        pytest.skip("not applicable: the run was done before it could be stopped")
    if how == "SIGINT":
        assert (code, err) == (130, "note: stopped; the same command goes on from there\n")
    assert not (rankmeld.folder / "out.txt").exists()
    resumed = rankmeld("dedup", "in.txt", "-o", "out.txt")
    assert resumed.code == 0, resumed.err
    assert "records had been read by an earlier run" in resumed.err
    assert not (rankmeld.folder / "out.txt.progress").exists()
    anew = rankmeld("dedup", "in.txt", "-o", "anew.txt")
    assert anew.out.splitlines()[:2] == resumed.out.splitlines()[:2]
    written = [(rankmeld.folder / name).read_bytes() for name in ("out.txt", "anew.txt")]
    assert written[0] == written[1]


@pytest.mark.parametrize("change", ["input", "options", "damage"])
def test_what_an_earlier_run_left_is_used_only_if_it_fits(rankmeld, change):
    if sys.platform == "win32":
        pytest.skip("not applicable: SIGKILL does not exist here")
    many(rankmeld)
    code, _ = stopped_after_a_part(rankmeld, signal.SIGKILL)
    if code == 0:
        pytest.skip("not applicable: the run was done before it could be stopped")
    options: list[str] = []
    if change == "input":
        os.utime(rankmeld.folder / "in.txt", (1, 1))
    elif change == "options":
        options = ["--shingle", "2"]
    else:
        part = rankmeld.folder / "out.txt.progress" / "000000"
        part.write_bytes(part.read_bytes()[:-100])
    done = rankmeld("dedup", "in.txt", "-o", "out.txt", *options)
    assert done.code == 0
    assert "earlier run" not in done.err
    assert not (rankmeld.folder / "out.txt.progress").exists()


def test_a_row_of_empty_cells_is_a_record_and_an_empty_line_is_none(rankmeld):
    rankmeld.write("in.csv", 'id,text\n1,"river high"\n,\n\n2,"River, high"\n,\n')
    done = rankmeld("dedup", "in.csv", "-o", "out.csv")
    assert done.out.startswith("Records: 4 read, 3 kept, 1 left out\n"), done.err
    assert (rankmeld.folder / "out.csv").read_text(encoding="utf-8") == 'id,text\n1,"river high"\n,\n,\n'


def test_numbers_of_any_length_are_no_matter(rankmeld):
    rankmeld.write("in.jsonl", f'{{"text": "a", "n": {"9" * 5_000}}}\n')
    assert rankmeld("dedup", "in.jsonl", "-o", "out.jsonl").code == 0


@pytest.mark.skipif(sys.platform != "linux", reason="not applicable: names of files are text here")
def test_a_name_that_is_no_text_has_a_page_too(rankmeld):
    name = os.fsdecode(b"in\xff.txt")
    (rankmeld.folder / name).write_text("one two\nOne two\n", encoding="utf-8")
    done = rankmeld("dedup", name, "-o", "out.txt", "--report")
    assert done.code == 0, done.err
    assert "in\N{REPLACEMENT CHARACTER}.txt" in (rankmeld.folder / "out.txt.html").read_text(encoding="utf-8")


def test_what_others_keep_beside_the_sketches_stays(rankmeld):
    rankmeld.write("in.txt", "one\n")
    (rankmeld.folder / "out.txt.progress").mkdir()
    rankmeld.write("out.txt.progress/theirs", "precious")
    assert rankmeld("dedup", "in.txt", "-o", "out.txt").code == 0
    left = [path.name for path in (rankmeld.folder / "out.txt.progress").iterdir()]
    assert left == ["theirs"]


def sketched(folder, text: str, *, field: str | None = None):
    """A run over one file of JSON lines, stopped when its sketches are on the disk."""
    (folder / "in.jsonl").write_text(text, encoding="utf-8")
    run = begun(folder, field)
    with pytest.raises(KeyboardInterrupt):
        run.run(lambda done: interrupt() if done else None)
    return run


def begun(folder, field: str | None = None) -> Deduplication:
    options = as_options(0.85, 128, "word", verify=True)
    return Deduplication(open_collection(folder / "in.jsonl", field=field), folder / "out.jsonl", options)


def interrupt() -> None:
    raise KeyboardInterrupt


def test_sketches_of_another_field_are_not_used(tmp_path):
    sketched(tmp_path, '{"text": "one two", "body": "five"}\n{"text": "One two", "body": "six seven"}\n')
    outcome = begun(tmp_path, "body").run()
    assert (outcome.resumed, outcome.labels.tolist()) == (0, [0, 1])
    assert not begun(tmp_path).progress_folder.exists()


def test_a_source_that_changes_while_it_is_read_is_not_copied(tmp_path):
    text = '{"text": "one two"}\n{"text": "One two"}\n'
    (tmp_path / "in.jsonl").write_text(text, encoding="utf-8")
    (tmp_path / "out.jsonl").write_text("older", encoding="utf-8")
    other = '{"text": "yes"}\n' + text

    def change(done: int) -> None:
        if done:
            (tmp_path / "in.jsonl").write_text(other, encoding="utf-8")

    with pytest.raises(rm.FormatError, match="the file was changed while it was read; run again"):
        begun(tmp_path).run(change)
    assert (tmp_path / "out.jsonl").read_text(encoding="utf-8") == "older"
    assert begun(tmp_path).run().labels.tolist() == [0, 1, 1]


def test_a_damaged_parquet_file_and_one_of_two_texts_are_refused(rankmeld):
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra frames)")
    pq = pytest.importorskip("pyarrow.parquet")
    whole = rankmeld.folder / "in.parquet"
    pq.write_table(pa.table({"text": [f"text {n} of {n * 7}" for n in range(20_000)]}), whole)
    content = bytearray(whole.read_bytes())
    for at in (100, len(content) // 3, len(content) // 2):
        damaged = content[:at] + b"\xff" * 40 + content[at + 40 :]
        rankmeld.folder.joinpath("in.parquet").write_bytes(damaged)
        done = rankmeld("dedup", "in.parquet", "-o", "out.parquet")
        assert (done.code, done.err.split(": ")[1:3]) == (2, ["in.parquet", "a damaged Parquet file"])
    pq.write_table(pa.Table.from_arrays([pa.array(["a"]), pa.array(["b"])], names=["text", "text"]), whole)
    done = rankmeld("dedup", "in.parquet", "-o", "out.parquet")
    assert done.err == "error: in.parquet: several columns are named text; the text must be in one\n"
