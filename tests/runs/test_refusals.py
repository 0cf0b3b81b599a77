"""What runs refuse, in the words that people read."""

from __future__ import annotations

import io

import pytest

import rankmeld as rm

ONE = rm.Run.from_dict({"q1": [("a", 1.0), ("b", 2.0)]}, name="bm25")
UNSCORED = rm.Run.from_dict({"q1": ["a"]}, name="dense")

OPTIONS = {
    "method is 'combsum'; it must be one of 'rrf', 'minmax', 'max', 'sum', 'zscore', 'dbsf', 'rank', 'borda'"
    ", 'none', 'isr', 'log_isr', 'logn_isr', 'rbc', 'condorcet'": {"method": "combsum"},
    "combine is 'sum', but method 'rrf' has no use for it": {"combine": "sum"},
    "combine is 'add'; it must be one of 'sum', 'mnz', 'anz', 'max', 'min', 'median'": {
        "method": "minmax",
        "combine": "add",
    },
    "k is 60.0, but method 'minmax' has no use for it": {"method": "minmax", "k": 60.0},
    "k is 60.0, but method 'isr' has no use for it": {"method": "isr", "k": 60.0},
    "phi is 0.5, but method 'rrf' has no use for it": {"phi": 0.5},
    "on_constant is 0.0, but method 'rbc' has no use for it": {"method": "rbc", "on_constant": 0.0},
    "bounds is [(0, 1)], but method 'max' has no use for it": {"method": "max", "bounds": [(0, 1)]},
    "k + rank_base is -1.0 + 1; it must be above zero, or the first rank has no credit": {"k": -1.0},
    "duplicates is 'overwrite'; it must be one of 'sum', 'first', 'error'": {
        "method": "minmax",
        "duplicates": "overwrite",
    },
    "duplicates is 'sum'; it must be one of 'first', 'last', 'error'": {"method": "isr", "duplicates": "sum"},
    "limit is -1; it must be 0 or more, or None for all": {"limit": -1},
    "ties is 'id'; it must be one of 'first', 'id_asc', 'id_desc'": {"ties": "id"},
    "threads is 0; it must be 1 or more, or None for what fits": {"threads": 0},
}


@pytest.mark.parametrize("text", list(OPTIONS))
def test_options_are_refused_before_runs_are_looked_at(text):
    with pytest.raises(rm.InvalidArgumentError) as refusal:
        rm.fuse_runs([], **OPTIONS[text])
    assert str(refusal.value) == text


DATA = [
    (
        rm.InvalidScoreError,
        (
            "runs[1] ('dense'), query 'q1', position 0, id 'a': there is no score (None), and this "
            "operation needs one; give every hit a finite score, or fuse by rank"
        ),
        lambda: rm.fuse_runs([ONE, UNSCORED], method="minmax"),
    ),
    (
        rm.InvalidScoreError,
        "runs[0], query 'q', position 1, id 'b': the score is inf; scores must be finite numbers",
        lambda: rm.fuse_runs([{"p": [("a", 1.0)], "q": [("a", 1.0), ("b", float("inf"))]}], method="none"),
    ),
    (
        rm.InvalidArgumentError,
        (
            "runs[1], query 'q': id 'a' stands at positions 0 and 2, and duplicates=\"error\" refuses "
            "that; remove one, or choose another rule for duplicates"
        ),
        lambda: rm.fuse_runs([{"q": ["b"]}, {"q": ["a", "b", "a"]}], duplicates="error"),
    ),
    (
        rm.InvalidScoreError,
        (
            "the fused score of id 'a' for query 'q' is not a finite number; scale the scores or the "
            "weights down, or normalize the lists"
        ),
        lambda: rm.fuse_runs([{"q": [("b", 1.0), ("a", 1.7e308)]}, {"q": [("a", 1.7e308)]}], method="none"),
    ),
    (
        rm.InvalidArgumentError,
        "bounds has 1 entries for 2 runs; give exactly one for each (None: the observed range)",
        lambda: rm.fuse_runs([ONE, ONE], method="minmax", bounds=[(0, 1)]),
    ),
    (
        rm.InvalidArgumentError,
        "weights has 1 entries for 2 runs; give exactly one for each (None is 1)",
        lambda: rm.fuse_runs([ONE, ONE], weights=[1.0]),
    ),
    (
        TypeError,
        "runs must be a list of runs, not a Run; to pass one run alone, write [run]",
        lambda: rm.fuse_runs(ONE),
    ),
    (TypeError, "runs must be a list of runs, not int", lambda: rm.fuse_runs(3)),
    (
        TypeError,
        "runs[1] is a list, where a run belongs: a rankmeld.Run, or a mapping of query id to ranking",
        lambda: rm.fuse_runs([ONE, ["a"]]),
    ),
    (
        TypeError,
        "rankings must be a mapping of query id to ranking, not list",
        lambda: rm.Run.from_dict([("q", ["a"])]),
    ),
    (
        TypeError,
        (
            "query 'q2' is a str ('abc'), where a ranking belongs: a list of ids or of (id, score) "
            "pairs, a mapping of id to score, a tuple (ids, scores) or an array of ids"
        ),
        lambda: rm.Run.from_dict({"q1": ["a"], "q2": "abc"}),
    ),
    (
        rm.InvalidScoreError,
        (
            "query 'q', position 0, id 'a': the score is nan; the scores of a mapping order it, so "
            "they must be finite numbers"
        ),
        lambda: rm.Run.from_dict({"q": {"a": float("nan")}}),
    ),
    (
        TypeError,
        "a run is made by Run.from_trec, from_dict, from_json, from_arrow or rankmeld.fuse_runs",
        rm.Run,
    ),
    (
        rm.InvalidArgumentError,
        "source is a str of several lines, and a str is a path; to read the text itself, pass text.encode()",
        lambda: rm.Run.from_trec("1 Q0 a 1 0.9 r\n"),
    ),
    (
        TypeError,
        "source must be a path, bytes or an open file, not list",
        lambda: rm.Run.from_trec(["1 Q0 a 1 0.9 r"]),
    ),
    (TypeError, "progress must be callable, not int", lambda: rm.Run.from_trec(b"", progress=3)),
    (
        TypeError,
        "query 1: the id is a int; lines hold text: make the run with str ids",
        lambda: rm.Run.from_dict({1: [("a", 1.0)]}).to_trec(),
    ),
    (
        TypeError,
        "document 7: the id is a int; lines hold text: make the run with str ids",
        lambda: rm.Run.from_dict({"q": [(7, 1.0)]}).to_trec(),
    ),
    (
        rm.InvalidScoreError,
        'query "q1", document "a": the score is absent; lines need finite scores',
        UNSCORED.to_trec,
    ),
    (
        rm.InvalidArgumentError,
        (
            'query "q1", document "b": the score is above that of the hit before it, and readers '
            "order by score; strict=True keeps the order and writes scores that decrease"
        ),
        ONE.to_trec,
    ),
    (
        rm.InvalidArgumentError,
        'query "q", document "a": the document stands for the query twice; remove one of the two hits',
        lambda: rm.Run.from_dict({"q": [("a", 2.0), ("a", 1.0)]}).to_trec(),
    ),
    (
        rm.InvalidScoreError,
        'query "q", document "b": no float is below the score before it; scale the scores down',
        lambda: rm.Run.from_dict({"q": [("a", -1.7976931348623157e308), ("b", 0.0)]}).to_trec(strict=True),
    ),
    (
        rm.InvalidArgumentError,
        "tag is 'two words'; it must be one word, as lines are split at blanks",
        lambda: UNSCORED.to_trec(tag="two words"),
    ),
    (
        TypeError,
        "target must be a path, an open file or None, not int",
        lambda: ONE.to_trec(3),
    ),
    (
        rm.FormatError,
        "2: not JSON: Expecting ',' delimiter at column 1",
        lambda: rm.Run.from_json(b'{"q": {"a": 1}\n"p": []}'),
    ),
    (
        rm.FormatError,
        "not JSON: 'a' stands twice in one object",
        lambda: rm.Run.from_json(b'{"q": {"a": 1, "a": 2}}'),
    ),
    (
        rm.FormatError,
        "a run is an object of query ids to rankings, not list",
        lambda: rm.Run.from_json(b"[]"),
    ),
    (
        TypeError,
        "query 'q', id b'a': a bytes has no form in JSON",
        lambda: rm.Run.from_dict({"q": [b"a"]}).to_json(),
    ),
    (
        rm.InvalidScoreError,
        "query 'q', id 'b': there is no score; JSON needs finite numbers",
        lambda: rm.Run.from_dict({"q": [("a", 1.0), ("b", None)]}).to_json(),
    ),
    (
        rm.InvalidArgumentError,
        (
            "query 'q', id 'a': the grade is 0.5; grades are whole numbers: multiply them all if some are "
            "fractions"
        ),
        lambda: rm.Qrels.from_dict({"q": {"a": 0.5}}),
    ),
    (
        TypeError,
        "query 'q', id 'a': the grade is a str; grades are whole numbers",
        lambda: rm.Qrels.from_dict({"q": {"a": "1"}}),
    ),
    (TypeError, "judgements are made by Qrels.from_trec, from_beir or from_dict", rm.Qrels),
]


@pytest.mark.parametrize(("kind", "text", "call"), DATA, ids=[text[:60] for _, text, _ in DATA])
def test_the_text_says_what_to_do(kind, text, call):
    with pytest.raises(kind) as refusal:
        call()
    assert str(refusal.value) == text


@pytest.mark.parametrize("id", ["", "a b", "a\tb", "a\nb", "a\rb", "a\x0bb", "a\x0cb", "\ufeffa", "\ud800"])
@pytest.mark.parametrize("of", ["query", "document"])
def test_ids_that_lines_cannot_hold(id, of):
    run = rm.Run.from_dict({id: [("a", 1.0)]} if of == "query" else {"q": [(id, 1.0)]})
    with pytest.raises(rm.InvalidArgumentError, match=f"{of} .*: the id cannot be written"):
        run.to_trec()


def test_a_refusal_leaves_the_file_that_was_there(tmp_path):
    path = tmp_path / "old.run"
    path.write_text("old")
    for call in (ONE.to_trec, UNSCORED.to_trec):
        with pytest.raises(ValueError, match="score"):
            call(path)
    assert path.read_text() == "old"


def test_a_file_that_gives_neither_bytes_nor_text():
    class Strange(io.RawIOBase):
        def read(self, size=-1):
            return 7

    with pytest.raises(TypeError, match="source gave int where bytes or str were read"):
        rm.Run.from_trec(Strange())
