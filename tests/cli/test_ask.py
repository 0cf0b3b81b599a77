"""Asking for a context: what goes to the pipe, what beside it, and how feedback turns a ranking around."""

from __future__ import annotations

import json
import uuid

import pytest

import rankmeld as rm

RECORDS = [
    {"id": "a", "text": "The spare key lies under the mat.", "created_at": "2024-05-02", "confidence": 0.8},
    {"id": "b", "text": "The spare key hangs beside the door.", "created_at": "2024-05-01", "volatile": True},
    {"id": "c", "text": "Dogs bark at night."},
    {"id": "d", "title": "The spare key", "text": ""},
]


@pytest.fixture
def memories(rankmeld):
    """The command, with a few records indexed by words."""
    rankmeld.write("m.jsonl", "\n".join(map(json.dumps, RECORDS)))
    rankmeld.index("m.jsonl")
    return rankmeld


def ask(rankmeld, *arguments):
    return rankmeld("ask", "--db", "t.db", *arguments)


def as_json(rankmeld, *arguments):
    done = ask(rankmeld, "--json", *arguments)
    return json.loads(done.out)


def test_the_text_alone_goes_to_the_pipe(memories):
    done = ask(memories, "where", "is", "the", "spare", "key")
    assert done.code == 0
    first, second = "The spare key lies under the mat.", "The spare key hangs beside the door."
    assert done.out.startswith("=== RELEVANT MEMORIES ===\n\n")
    assert done.out.endswith("\n\n=== END MEMORIES ===\n")
    assert f"[2024-05-02T00:00:00Z] (confidence: 0.80)\n{first}\n" in done.out
    assert f"[2024-05-01T00:00:00Z]\n[verify live] {second}\n" in done.out
    assert "note: 2 passages in " in done.err
    assert "of 2,000 tokens: m.jsonl#" in done.err
    assert "note: without a text: m.jsonl#d" in done.err


def test_a_passage_of_several_files_comes_once(memories):
    memories.write("copy.jsonl", json.dumps(RECORDS[0]))
    memories.index("m.jsonl", "copy.jsonl")
    assert ask(memories, "where is the spare key").out.count("under the mat") == 1


def test_json_has_the_text_the_manifest_and_the_trace(memories):
    found = as_json(memories, "spare key", "--max-tokens", "40")
    assert found["text"].count("spare key") == 1
    assert 0 < found["tokens"] <= found["budget"] == 40
    skipped = {hit["reason"]: hit["tokens"] for hit in found["skipped"]}
    assert skipped.keys() == {"too_long", "no_text"}
    assert skipped["too_long"] > 40
    assert found["included"][0]["id"].endswith(("m.jsonl#a", "m.jsonl#b"))
    assert {hop["query"] for hop in found["trace"]["hops"]} == {"spare key"}
    assert "explanations" not in found
    assert len(as_json(memories, "spare key", "--explain")["explanations"]) == 3


def test_feedback_turns_the_ranking_around_for_one_user(memories):
    first, second = (hit["id"] for hit in as_json(memories, "spare key")["included"])
    for _ in range(5):
        assert memories("feedback", "--db", "t.db", "--useful", second, "--harmful", first).code == 0
    assert [hit["id"] for hit in as_json(memories, "spare key")["included"]] == [second, first]
    assert [hit["id"] for hit in as_json(memories, "spare key", "--user", "ada")["included"]] == [
        first,
        second,
    ]


def test_the_order_of_the_text_and_the_fill(memories):
    text = ask(memories, "spare key", "--order", "time").out
    assert text.index("beside the door") < text.index("under the mat")
    memories.write("long.jsonl", json.dumps({"id": "x", "text": "spare key " * 100}))
    memories.index("long.jsonl")
    done = ask(memories, "spare key", "--max-tokens", "60")
    assert (done.code, done.out) == (1, "")
    assert "note: 0 passages in 0 of 60 tokens; raise --max-tokens, or try --fill skip\n" in done.err
    assert "note: did not fit: long.jsonl#x, and 2 come after" in done.err
    assert ask(memories, "spare key", "--max-tokens", "60", "--fill", "skip").out.count("spare key") >= 1


def test_what_helps_is_said_only_where_it_helps(memories):
    done = ask(memories, "spare key", "--max-tokens", "5", "--fill", "skip")
    assert "note: 0 passages in 0 of 5 tokens; raise --max-tokens\n" in done.err
    with rm.SqliteStore(memories.folder / "u.db") as store:
        store.add([rm.Document("a", title="key")])
    done = memories("ask", "key", "--db", "u.db")
    assert (done.code, done.err) == (1, "note: 0 passages in 0 of 2,000 tokens\nnote: without a text: a\n")


def test_filters_keep_to_documents(memories):
    found = as_json(memories, "spare key", "--filter", "created_at=2024-05-02..")
    assert [hit["id"].rpartition("#")[2] for hit in found["included"]] == ["a"]


def test_nothing_found(memories):
    done = ask(memories, "zebra")
    assert (done.code, done.out, done.err) == (1, "", "note: nothing found\n")
    assert as_json(memories, "zebra")["text"] == ""


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["  "], "error: the message is blank; type what you want to know"),
        (["key", "--filter", "odd"], "--filter 'odd' is not KEY=VALUE"),
    ],
)
def test_what_cannot_be_asked(memories, arguments, text):
    done = ask(memories, *arguments)
    assert (done.code, done.out) == (2, "")
    assert text in done.err


def test_a_database_that_is_not_there(rankmeld):
    for command in (["ask", "key"], ["feedback", "--useful", "a"], ["doctor"]):
        done = rankmeld(*command, "--db", "t.db")
        assert done.code == 2
        assert "no such database; make it with: rankmeld index PATH --db t.db" in done.err
        assert not (rankmeld.folder / "t.db").exists()


def test_the_text_of_a_document_cannot_steer_the_terminal(rankmeld):
    rankmeld.write("m.jsonl", json.dumps({"id": "a", "text": "a key \x1b]0;owned\x07 \x1b[2J here"}))
    rankmeld.index("m.jsonl")
    done = ask(rankmeld, "key")
    assert "\x1b" not in done.out + done.err
    assert "a key   here" in done.out


def test_feedback_lists_what_was_said(memories):
    done = memories("feedback", "--db", "t.db")
    assert (done.code, done.out) == (1, "")
    assert "no feedback of local yet" in done.err
    done = memories("feedback", "--db", "t.db", "--useful", "m.jsonl#a", "--useful", "m.jsonl#b")
    assert (done.code, done.out) == (0, "+1  m.jsonl#a\n+1  m.jsonl#b\n")
    memories(
        "feedback",
        "--db",
        "t.db",
        "--harmful",
        "m.jsonl#b",
        "--harmful",
        "m.jsonl#b",
        "--useful",
        "m.jsonl#a",
    )
    assert memories("feedback", "--db", "t.db").out == "+2  m.jsonl#a\n-1  m.jsonl#b\n"
    assert memories("feedback", "--db", "t.db", "--user", "ada").code == 1


def test_feedback_for_what_is_not_there_is_refused_whole(memories):
    done = memories("feedback", "--db", "t.db", "--useful", "m.jsonl#a", "--harmful", "m.jsonl#zzz")
    assert done.code == 2
    assert "error: no passage has the id 'm.jsonl#zzz'; rankmeld ask shows the ids" in done.err
    assert memories("feedback", "--db", "t.db").code == 1


def test_a_passage_is_found_by_any_path_to_its_file(memories):
    (memories.folder / "d").mkdir()
    done = memories("feedback", "--db", "t.db", "--useful", "d/../m.jsonl#a")
    assert (done.code, done.out) == (0, "+1  m.jsonl#a\n")


def test_ids_that_are_no_text(rankmeld):
    unique = uuid.UUID(int=5)
    ids = [7, -8, 0.5, b"x", ("s", 3), unique]
    with rm.SqliteStore(rankmeld.folder / "t.db") as store:
        store.add([rm.Document(id, "a key") for id in [*ids, "9", 1]])
    marks = [mark for id in [*ids, "9"] for mark in ("--useful", id if isinstance(id, str) else repr(id))]
    done = rankmeld("feedback", "--db", "t.db", *marks)
    assert done.out.splitlines() == [f"+1  {name}" for name in marks[1::2]]
    assert rankmeld("feedback", "--db", "t.db", "--useful", str(unique)).out == f"+2  {unique!r}\n"
    with rm.SqliteFeedback(rankmeld.folder / "t.db") as feedback:
        assert feedback.net([7, "7", "9", 9], user_id="local") == {7: 1, "7": 0, "9": 1, 9: 0}
    for name in ("True", "7 # 8", "7#8", "(", "(" * 500, "[7]", "None", "x\n"):
        done = rankmeld("feedback", "--db", "t.db", "--useful", name)
        assert (done.code, "no passage has the id" in done.err) == (2, True)


def test_meaning_finds_what_words_do_not(rankmeld, static):
    rankmeld.write("d/a.md", "# Cars\n\nThe automobile needs fuel.\n")
    rankmeld.write("d/b.md", "# Pets\n\nThe cat sleeps all day.\n")
    rankmeld.index("d", embedder=static)
    found = as_json(rankmeld, "gasoline for vehicles")
    assert "automobile" in found["text"].split("cat")[0]
    assert found["model"]
