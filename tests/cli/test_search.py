"""Searching: what is shown, what is written as JSON, and what a hostile document can do (nothing)."""

from __future__ import annotations

import datetime as dt
import json
import os
import re
import subprocess
import sys

import pytest

pytest.importorskip("rich", reason="rich is not installed (extra cli)")

from rich.cells import cell_len

ENGLISH = {
    "wal.md": "# Write-ahead log\n\n## Readers\n\nReaders never block the writer.\n",
    "vacuum.md": "# Vacuum\n\nRebuilding the file gives unused space back to the disk.\n",
    "copy.md": "# Copy\n\nReaders never  block the WRITER.\n",
}


@pytest.fixture
def meanings(rankmeld, static):
    """The command, with notes that are indexed by words and by meaning."""
    for name, text in ENGLISH.items():
        rankmeld.write(f"d/{name}", text)
    rankmeld.index("d", embedder=static)
    return rankmeld


def test_a_hit_shows_heading_file_and_marked_words(notes):
    done = notes.search("reader blocking")
    assert done.code == 0
    assert "**Readers** never **block** the writer." in done.out
    assert "Write-ahead log" in done.out
    assert "notes/wal.md:5 · lexical 1" in done.out
    assert done.err == ""


def test_passages_of_one_file_without_headings_are_told_apart_by_their_lines(rankmeld):
    body = "\n".join(f"    value_{n} = {n}" for n in range(60))
    rankmeld.write("src/merge.py", f"def merge():\n{body}\n\n\ndef merge_two():\n{body}\n")
    rankmeld.index("src")
    heads = [line for line in rankmeld.search("merge").out.splitlines() if line[:1].isdigit()]
    assert sorted(head.split(maxsplit=1)[1] for head in heads) == ["src/merge.py:1", "src/merge.py:64"]


def test_a_pipe_gets_no_escapes_and_no_broken_lines(notes):
    long = "reader " * 60
    notes.write("notes/long.md", f"# {'Heading ' * 30}\n\n{long}\n")
    notes.index("notes")
    out = notes.search("reader").out
    assert "\x1b" not in out
    assert max(map(len, out.splitlines())) > 200


def test_nothing_found_says_so_and_exits_with_1(notes):
    done = notes.search("zebra")
    assert (done.code, done.out) == (1, "")
    assert "nothing found for: zebra" in done.err
    done = notes.search("zebra", "--json")
    assert done.code == 1
    assert json.loads(done.out)["hits"] == []


def test_nothing_found_names_the_filters(notes):
    done = notes.search("readers", "--filter", "type=text", "--filter", "source=notes/wal.md")
    assert (done.code, done.out) == (1, "")
    assert done.err == "note: nothing found for: readers (with type=text, source=notes/wal.md)\n"


def test_a_type_that_no_file_has_is_told_with_those_that_there_are(notes):
    done = notes.search("readers", "--filter", "type=markdwon")
    assert done.code == 1
    assert "type=markdwon fits only records that bring this type" in done.err
    assert "files are of type text, markdown, rst, code, jsonl, csv" in done.err
    assert "text, markdown, rst" in " ".join(notes("search", "--help", COLUMNS="300").out.split())
    notes.write("notes/r.jsonl", '{"text": "readers", "type": "markdwon"}\n')
    notes.index("notes")
    done = notes.search("readers", "--filter", "type=markdwon")
    assert (done.code, done.err) == (0, "")


def test_a_query_needs_no_quotes(notes):
    done = notes("search", "block", "the", "writer", "--db", "t.db", "--json")
    assert json.loads(done.out)["query"] == "block the writer"
    assert notes("search", "--db", "t.db", "zebra", "--", "-n").code == 1


def test_a_database_that_is_not_there_is_an_error_and_stays_so(rankmeld):
    done = rankmeld.search("word")
    assert done.code == 2
    assert "rankmeld index PATH --db t.db" in done.err
    assert not (rankmeld.folder / "t.db").exists()


@pytest.mark.parametrize("command", [["search", "word"], ["info"]])
def test_an_empty_file_is_no_database_yet(rankmeld, command):
    rankmeld.write("t.db", "")
    done = rankmeld(*command, "--db", "t.db")
    assert done.code == 2
    assert "run: rankmeld index PATH --db t.db" in done.err
    assert "read_only" not in done.err
    rankmeld.write("d/a.md", "word\n")
    rankmeld.index("d")
    assert rankmeld(*command, "--db", "t.db").code == 0


@pytest.mark.parametrize(
    "query",
    ["-n", "--limit", '"unbalanced', "AND OR (*", "NEAR/3 :^", "'; DROP TABLE", "🙂", "\udcff", "[bold]"],
)
def test_any_query_is_text(notes, query):
    done = notes.search(query)
    assert done.code == 1, done.err
    assert "Traceback" not in done.err


def test_a_blank_query_is_an_error(notes):
    assert notes.search("  ").code == 2


def test_limit(notes):
    notes.write("notes/more.md", "# More\n\nreaders and readers\n")
    notes.index("notes")
    assert len(json.loads(notes.search("readers", "--json").out)["hits"]) == 2
    assert len(json.loads(notes.search("readers", "--json", "--limit", "1").out)["hits"]) == 1
    assert notes.search("readers", "--limit", "0").code == 2
    assert notes.search("readers", "--limit", "many").code == 2


def test_filters(notes):
    def found(*filters: str) -> dict[str, str]:
        """Files and their types."""
        options = [part for item in filters for part in ("--filter", item)]
        hits = json.loads(notes.search("readers column file", "--json", *options).out)["hits"]
        return {os.path.relpath(hit["source"], notes.folder): hit["metadata"]["type"] for hit in hits}

    kinds = found()
    assert kinds == {"notes/types.txt": "text", "notes/wal.md": "markdown", "notes/vacuum.md": "markdown"}
    assert set(found("type=text")) == {"notes/types.txt"}
    assert found("type=text", "type=markdown") == kinds
    assert set(found("source=notes/wal.md", "type=markdown")) == {"notes/wal.md"}
    assert set(found(f"source={notes.folder}/notes/wal.md")) == {"notes/wal.md"}
    assert found("type=nothing") == {}
    assert found("source=notes") == found("source=notes/") == found("source=.") == kinds
    assert found("source=note") == {}
    for bad in ("type", "=x", "type=", "colour=red", "created_at=2024"):
        done = notes.search("readers", "--filter", bad)
        assert done.code == 2, bad
        assert "Traceback" not in done.err


def test_json_is_strict_and_alone_on_standard_output(meanings):
    done = meanings.search("unused space", "--json", "--explain")
    answer = json.loads(done.out, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))
    assert done.out.isascii()
    assert set(answer) == {"query", "model", "limit", "rerank", "hits"}
    assert answer["rerank"] == "none"
    assert answer["model"] == "wordllama-l2-supercat-256"
    top = answer["hits"][0]
    assert (top["rank"], top["title"]) == (1, "Vacuum")
    assert top["source"] == str(meanings.folder / "d" / "vacuum.md")
    assert [top["snippet"][a:b] for a, b in top["marks"]] == ["unused", "space"]
    lists = {entry["name"]: entry for entry in top["explanation"]["lists"]}
    assert lists["lexical"]["rank"] == lists["vector"]["rank"] == 1
    for hit in answer["hits"]:
        assert hit["score"] == sum(entry["credit"] for entry in hit["explanation"]["lists"])


def test_both_lists_are_fused_and_duplicates_dropped(meanings):
    hits = json.loads(meanings.search("readers block the writer", "--json").out)["hits"]
    assert len([hit for hit in hits if "readers never" in hit["text"].lower()]) == 1
    # No word of this query is in the text that answers it.
    hits = json.loads(meanings.search("shrink", "--json").out)["hits"]
    assert hits


def test_explain_shows_every_list(meanings):
    out = meanings.search("unused space", "--explain").out
    assert "lexical  rank 1" in out
    assert "vector   rank 1" in out
    assert "credit 0.016393" in out
    assert "fused    0.032787" in out


def test_without_the_embedder_it_says_so_and_searches_words(meanings):
    code = (
        "import sys, importlib.metadata as m; real = m.distribution\n"
        "def absent(name):\n"
        "    if name == 'wordllama': raise m.PackageNotFoundError(name)\n"
        "    return real(name)\n"
        "m.distribution = absent\n"
        "sys.argv = ['rankmeld', 'search', 'unused space', '--db', 't.db']\n"
        "from rankmeld.cli import main; main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=meanings.folder,
        env=meanings.environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.returncode == 0
    assert "searching words only" in done.stderr
    assert 'pip install "rankmeld[embed-static]"' in done.stderr
    assert "**unused** **space**" in done.stdout


def test_a_hostile_document_writes_nothing_but_text(rankmeld):
    rankmeld.write(
        "d/evil.md",
        "# Title \x1b]0;owned\x07 [red]t[/red]\n\n"
        "word \x1b[2J\x1b[31m[bold]not bold[/bold] \x9b5m :smile: [/] \u202eoverride\n",
    )
    rankmeld.index("d")
    for options in ([], ["--explain"], ["--json"]):
        done = rankmeld.search("word", *options)
        assert done.code == 0, done.err
        assert not [c for c in done.out if (c < " " and c != "\n") or "\x7f" <= c <= "\x9f" or c == "\u202e"]
    assert "[bold]not bold[/bold]" in rankmeld.search("word").out
    assert ":smile: [/]" in rankmeld.search("word").out


def test_the_reader_of_a_pipe_may_stop(notes):
    with notes.start("search", "readers", "--db", "t.db") as process:
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 0


def test_a_terminal_gets_styles_and_lines_that_fit(notes):
    out = notes.in_terminal("search", "readers", "--db", "t.db", "--explain", columns=34)
    assert "\x1b[" in out
    assert "**" not in out
    assert widest(out) <= 34


def test_no_color_is_heeded(notes):
    colours = re.compile(r"\x1b\[(?:\d+;)*(?:3[0-7]|9[0-7]|38)[;m]")
    assert colours.search(notes.in_terminal("search", "readers", "--db", "t.db"))
    assert not colours.search(notes.in_terminal("search", "readers", "--db", "t.db", NO_COLOR="1"))


def test_a_dumb_terminal_gets_plain_text(notes):
    out = notes.in_terminal("search", "readers", "--db", "t.db", TERM="dumb")
    assert "\x1b" not in out
    assert "**Readers**" in out


def test_wide_characters_fit_a_narrow_terminal(rankmeld):
    rankmeld.write("d/wide.md", "# 見出し\n\nword " + "日本語のとても長いテキスト" * 20 + "\n")
    rankmeld.index("d")
    out = rankmeld.in_terminal("search", "word", "--db", "t.db", columns=30)
    assert widest(out) <= 30
    assert "見出し" in out


def widest(output: str) -> int:
    """Cells of the widest line, as a terminal counts them."""
    return max(cell_len(re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", line)) for line in output.splitlines())


RERANKERS = {
    "late-interaction": "late_interaction",
    "bm25": "bm25",
    "mmr": "mmr",
    "composite": "rerank",
    "temporal": "rerank",
}


@pytest.fixture
def pages(rankmeld):
    """The command, with pages of which the longest says a word most often and the shortest says it all."""
    rankmeld.write("d/often.md", "# Often\n\nlocks locks locks, and locks again\n")
    rankmeld.write("d/both.md", "# Both\n\nOf locks that are held by a reader, some are shared.\n")
    rankmeld.write("d/twice.md", "# Often again\n\nlocks and locks and locks again, locks\n")
    rankmeld.index("d")
    return rankmeld


def found(done):
    assert done.code == 0, done.err
    return json.loads(done.out)


@pytest.mark.parametrize("reranker", RERANKERS)
def test_the_best_are_ordered_anew(pages, reranker):
    plain = found(pages.search("shared locks", "--json", "--explain"))
    answer = found(pages.search("shared locks", "--json", "--explain", "--rerank", reranker))
    assert answer["rerank"] == reranker
    assert {hit["id"] for hit in answer["hits"]} == {hit["id"] for hit in plain["hits"]}
    for hit in answer["hits"]:
        *_, stage = hit["explanation"]["stages"]
        assert stage["name"] == RERANKERS[reranker]
        before = plain["hits"][stage["details"]["position_before"]]
        assert before["id"] == hit["id"]
        assert before["explanation"]["lists"] == hit["explanation"]["lists"]


def test_a_limit_is_kept_and_what_was_further_down_may_come_up(pages):
    plain = found(pages.search("shared locks", "--json", "--limit", "1"))
    answer = found(pages.search("shared locks", "--json", "--limit", "1", "--rerank", "late-interaction"))
    assert len(plain["hits"]) == len(answer["hits"]) == 1
    assert answer["hits"][0]["title"] == "Both"


def test_explain_shows_the_fused_score_and_what_the_reranker_did(pages):
    out = pages.search("shared locks", "--rerank", "late-interaction", "--explain").out
    assert re.search(r"lexical \d, fused \d$", out, re.MULTILINE)
    assert re.search(r"^    fused    0\.01\d{4}$", out, re.MULTILINE)
    assert re.search(r"^    then late interaction: rank before \d, score before 0\.01", out, re.MULTILINE)
    assert "orders the candidates of --rerank late-interaction" in out
    assert "fused" not in pages.search("shared locks").out


def test_none_is_the_default_and_others_are_refused(pages):
    assert pages.search("shared locks", "--rerank", "none").out == pages.search("shared locks").out
    done = pages.search("shared locks", "--rerank", "magic")
    assert done.code == 2
    assert "late-interaction" in done.err


@pytest.mark.parametrize("reranker", RERANKERS)
def test_nothing_found_is_nothing_to_rerank(pages, reranker):
    done = pages.search("zebra", "--rerank", reranker)
    assert (done.code, done.out) == (1, "")


@pytest.fixture
def records(rankmeld):
    """The command, with three records that say the same and differ in what is known about them."""
    now = dt.datetime.now().astimezone()

    def record(name, days, **fields):
        created = (now - dt.timedelta(days=days)).isoformat()
        return json.dumps({"id": name, "text": f"we decided on {name}", "created_at": created, **fields})

    lines = [
        record("chat", 0.1, tier="working", importance=0.1),
        record("minutes", 7, tier="episodic"),
        record("rule", 400, tier="procedural", importance=1),
    ]
    rankmeld.write("d/notes.jsonl", "\n".join(lines))
    rankmeld.index("d")
    return rankmeld


def names(answer):
    return [hit["metadata"]["record_id"] for hit in answer["hits"]]


def test_composite_weighs_what_records_say_of_themselves(records):
    done = records.search("decided", "--rerank", "composite", "--json", "--explain")
    answer = found(done)
    assert done.err == ""
    assert names(answer)[0] == "rule"
    assert "aimed_at" not in answer
    quality = [hit["explanation"]["stages"][-1]["details"]["quality"] for hit in answer["hits"]]
    assert quality[0] == 1.0
    assert all(0.0 < worth < 0.5 for worth in quality[1:])


def test_temporal_says_what_it_aimed_at(records):
    done = records.search("what was decided last week", "--rerank", "temporal", "--json")
    answer = found(done)
    assert done.err == ""
    assert names(answer)[0] == "minutes"
    aim = answer["aimed_at"]
    assert (aim["phrase"], aim["days"], aim["tolerance"]) == ("last week", 7, 3.0)
    start, end = (dt.datetime.fromisoformat(aim[name]) for name in ("start", "end"))
    assert start.weekday() == 0
    assert start.utcoffset() is not None
    assert (end.date() - start.date()).days == 7
    day = dt.datetime.now().astimezone().date() - dt.timedelta(days=7)
    out = records.search("what was decided last week", "--rerank", "temporal").out
    assert out.startswith(f'aimed at "last week": {day}, give or take 3 days\n\n1.  ')
    assert ", give or take 1 day\n" in records.search("decided yesterday", "--rerank", "temporal").out


def test_temporal_says_when_the_query_names_no_time(records):
    done = records.search("decided", "--rerank", "temporal", "--json")
    answer = found(done)
    assert answer["aimed_at"] is None
    assert names(answer) == names(found(records.search("decided", "--rerank", "composite", "--json")))
    assert done.err == (
        "note: the query names no time to aim at; the results are ordered as by --rerank composite\n"
    )


def test_reranks_by_time_say_when_no_result_has_a_date(pages):
    may = "; records of JSONL and CSV files may bring one\n"
    done = pages.search("locks", "--rerank", "composite")
    read = "created_at, updated_at, last_accessed_at"
    assert done.err == f"note: no result has a date ({read}), so age counts for none{may}"
    done = pages.search("locks yesterday", "--rerank", "temporal", "--json")
    assert found(done)["aimed_at"]["phrase"] == "yesterday"
    assert done.err == f"note: no result has a date (created_at, valid_from), so none could be lifted{may}"


def test_records_are_named_by_id_and_date(rankmeld):
    records = [
        {"id": 7, "text": "readers", "created_at": "2024-03-12T23:30:00-05:00"},
        {"id": "x", "text": "readers too", "metadata": {"source": "https://example.com/x"}},
        {"text": "readers as well"},
    ]
    rankmeld.write("r.jsonl", "\n".join(map(json.dumps, records)))
    rankmeld.index("r.jsonl")
    shown = rankmeld.search("readers").out
    assert "r.jsonl#7, 2024-03-12" in shown  # the day as the record has it
    assert "https://example.com/x#" not in shown
    dates = {
        hit["text"]: hit["created_at"] for hit in json.loads(rankmeld.search("readers", "--json").out)["hits"]
    }
    assert dt.datetime.fromisoformat(dates["readers"]) == dt.datetime(2024, 3, 13, 4, 30, tzinfo=dt.UTC)
    assert dates["readers too"] is None
