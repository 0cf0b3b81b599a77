"""A run as a mapping, in other forms, and out of the process."""

from __future__ import annotations

import copy
import io
import json
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from support.check import fused
from support.strategies import any_scores, odd_ids, ordinary_scores, pairs

RUN = rm.Run.from_dict({"q2": {"d1": 0.4, "d2": 0.9}, "q1": ["d2"], "empty": []}, name="bm25")


def test_it_is_a_mapping_in_first_seen_order():
    assert list(RUN) == RUN.queries == ["q2", "q1", "empty"]
    assert (len(RUN), "q1" in RUN, "q3" in RUN, RUN.get("q3")) == (3, True, False, None)
    assert fused(RUN["q2"]) == [("d2", 0.9), ("d1", 0.4)]
    assert RUN["q1"].scores is None
    assert RUN["q1"].name == "bm25"
    assert len(RUN["empty"]) == 0
    with pytest.raises(KeyError):
        RUN["q3"]
    with pytest.raises(TypeError):
        [] in RUN  # noqa: B015 - that it cannot be hashed is the point


@given(st.dictionaries(st.sampled_from("pqr"), pairs(odd_ids, st.one_of(st.none(), any_scores))))
def test_every_ranking_is_what_ranking_makes_of_it(rankings):
    run = rm.Run.from_dict(rankings)
    for query, given_hits in rankings.items():
        assert run[query] == rm.Ranking(given_hits)


def test_forms_of_rankings():
    ids = np.array([3, 1, 2])
    run = rm.Run.from_dict(
        {
            "array": ids,
            "columns": (ids, np.array([1.0, 2.0, 0.5])),
            "source": rm.Source("s", ["a"], weight=2.0),
            "documents": [rm.Document("d", "text")],
            "ranking": rm.Ranking([("a", 1.0)]),
            "generator": (id for id in "ab"),
        }
    )
    assert run["array"].ids == [3, 1, 2]
    assert {type(id) for id in run["array"].ids} == {int}
    assert fused(run["columns"]) == [(3, 1.0), (1, 2.0), (2, 0.5)]
    assert run["source"].ids == ["a"]
    assert run["documents"].ids == ["d"]
    assert run["documents"].documents == [None]
    assert run["generator"].ids == ["a", "b"]


def test_equal_runs():
    other = rm.Run.from_dict({"empty": [], "q1": ["d2"], "q2": [("d2", 0.9), ("d1", 0.4)]})
    assert other == RUN
    assert hash(other) == hash(RUN)
    assert rm.Run.from_dict({"q1": ["d2"]}) != RUN
    assert rm.Run.from_dict({"empty": [], "q1": ["d2"], "q2": [("d2", 0.9), ("d1", 0.5)]}) != RUN
    assert RUN != {"q1": ["d2"]}


def test_it_cannot_change():
    with pytest.raises(TypeError):
        RUN["q1"] = ["a"]  # type: ignore[index]
    with pytest.raises(AttributeError):
        RUN.name = "x"  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        RUN["q2"].scores[0] = 1.0
    RUN.queries.clear()
    assert len(RUN) == 3


def test_copies():
    assert copy.copy(RUN) is RUN
    for other in (copy.deepcopy(RUN), pickle.loads(pickle.dumps(RUN))):
        assert other == RUN
        assert (other.name, other.queries) == ("bm25", RUN.queries)
        with pytest.raises(ValueError, match="read-only"):
            other["q2"].scores[0] = 1.0
    assert RUN.named("x").name == "x"
    assert RUN.named("x") == RUN
    assert rm.Run.from_dict(RUN) is RUN


def test_repr():
    assert repr(RUN) == "Run('bm25', 3 queries, 3 hits: 'q2', 'q1', 'empty')"
    assert repr(rm.Run.from_dict({})) == "Run(0 queries, 0 hits)"
    assert repr(rm.Run.from_dict({n: [n] for n in range(5)})) == "Run(5 queries, 5 hits: 0, 1, 2, ...)"


def test_the_input_stays_as_it_was():
    given_run = {"q": {"b": 1.0, "a": 2.0}, "p": [("a", 1.0)]}
    before = copy.deepcopy(given_run)
    rm.fuse_runs([given_run, given_run])
    assert given_run == before


# ------------------------------------------------------------------ dicts and JSON

scored = st.dictionaries(st.text(max_size=3), pairs(st.sampled_from("abc"), ordinary_scores, unique=True))


@given(scored)
def test_dicts(rankings):
    run = rm.Run.from_dict(rankings)
    assert run.to_dict() == {query: dict(hits) for query, hits in rankings.items()}
    assert [list(hits) for hits in run.to_dict().values()] == [
        [id for id, _ in hits] for hits in rankings.values()
    ]


@pytest.mark.parametrize("hits", [["a"], [("a", 1.0), ("b", None)]])
def test_a_dict_needs_scores(hits):
    with pytest.raises(rm.InvalidScoreError, match="query 'q' has hits without a score"):
        rm.Run.from_dict({"q": hits}).to_dict()
    with pytest.raises(rm.InvalidArgumentError, match="query 'q' has a document twice"):
        rm.Run.from_dict({"q": [("a", 1.0), ("a", 0.5)]}).to_dict()


json_ids = st.one_of(st.text(max_size=2), st.integers(-5, 10**20))


@given(
    st.dictionaries(
        st.text(max_size=3), st.one_of(pairs(json_ids, any_scores), st.lists(json_ids, max_size=4))
    )
)
def test_json_reads_back_as_an_equal_run(rankings):
    run = rm.Run.from_dict(rankings)
    text = run.to_json()
    json.loads(text, parse_constant=pytest.fail)
    back = rm.Run.from_json(text.encode("utf-8"))
    assert back.queries == run.queries
    for query, ranking in run.items():
        assert back[query] == ranking
        assert list(map(type, back[query].ids)) == list(map(type, ranking.ids))


def test_json_files(tmp_path):
    path = tmp_path / "run.json"
    RUN.to_json(path)
    assert rm.Run.from_json(path, name="x") == RUN
    buffer = io.StringIO()
    RUN.to_json(buffer)
    assert buffer.getvalue() == path.read_text() == RUN.to_json()
    with path.open() as file:
        assert rm.Run.from_json(file) == RUN
    path.write_bytes(b'{"q": \xff}')
    with pytest.raises(rm.FormatError, match=r"run\.json: not JSON"):
        rm.Run.from_json(path)
    path.write_bytes(b"[" * 100_000)
    with pytest.raises(rm.FormatError, match=r"run\.json: not JSON"):
        rm.Run.from_json(path)
    with pytest.raises(rm.InvalidScoreError, match="the score is inf"):
        rm.Run.from_dict({"q": [("a", math.inf)]}).to_json()


# ------------------------------------------------------------------ Arrow


@pytest.fixture(scope="module")
def pa():
    return pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra frames)")


@given(scored)
def test_arrow_reads_back_as_an_equal_run(pa, rankings):
    run = rm.Run.from_dict({query: dict(hits) for query, hits in rankings.items() if hits})
    table = run.to_arrow()
    assert table.column_names == ["query_id", "doc_id", "score"]
    assert rm.Run.from_arrow(table) == run
    batches = table.to_batches(max_chunksize=2)
    assert rm.Run.from_arrow(pa.Table.from_batches(batches, table.schema)) == run
    for batch in batches[:1]:
        assert len(rm.Run.from_arrow(batch)) >= 1


def test_arrow_rows_in_any_order_and_names_of_columns(pa):
    rows = {"q": ["p", "q", "p", "q"], "d": [1, 2, 3, 4], "s": np.array([1, 2, 2, 2], "f4")}
    run = rm.Run.from_arrow(pa.table(rows), query="q", id="d", score="s", name="x")
    assert {query: fused(ranking) for query, ranking in run.items()} == {
        "p": [(3, 2.0), (1, 1.0)],
        "q": [(2, 2.0), (4, 2.0)],
    }
    for module in ("polars", "pandas"):
        frames = pytest.importorskip(module, reason=f"{module} is not installed (extra frames)")
        assert rm.Run.from_arrow(frames.DataFrame(rows), query="q", id="d", score="s") == run


def test_arrow_refusals(pa):
    table = pa.table({"query_id": ["q", None], "doc_id": ["a", "b"], "score": [1.0, float("nan")]})
    with pytest.raises(rm.InvalidArgumentError, match="column 'query_id' holds 1 nulls"):
        rm.Run.from_arrow(table)
    with pytest.raises(
        rm.InvalidArgumentError, match=r"the table has no column 'qid' \(columns: 'query_id', "
    ):
        rm.Run.from_arrow(table, query="qid")
    with pytest.raises(rm.InvalidScoreError, match="row 1: the score is nan"):
        rm.Run.from_arrow(table, query="doc_id")
    with pytest.raises(rm.InvalidArgumentError, match="column 'doc_id' holds no numbers"):
        rm.Run.from_arrow(table, query="doc_id", score="doc_id")
    with pytest.raises(TypeError, match="table must be a pyarrow Table or RecordBatch"):
        rm.Run.from_arrow([1])
    with pytest.raises(rm.InvalidArgumentError, match="Arrow has no column for these ids"):
        rm.Run.from_dict({"q": [("a", 1.0), (2, 0.5)]}).to_arrow()
    assert rm.Run.from_dict({"q": ["a"]}).to_arrow().column("score").null_count == 1


# ------------------------------------------------------------------ judgements


def test_qrels():
    qrels = rm.Qrels.from_trec(b"q1 0 d1 2\r\n\nq1\t0\td2\t-1\nq2 Q0 d1 1.0\n")
    assert qrels == rm.Qrels.from_dict({"q2": {"d1": 1}, "q1": {"d2": -1, "d1": 2.0}})
    assert qrels.to_dict() == {"q1": {"d1": 2, "d2": -1}, "q2": {"d1": 1}}
    assert qrels.queries == list(qrels) == ["q1", "q2"]
    assert ("q1" in qrels, "q3" in qrels, len(qrels)) == (True, False, 2)
    assert {type(grade) for grade in qrels["q1"].values()} == {int}
    assert pickle.loads(pickle.dumps(qrels)) == copy.deepcopy(qrels) == copy.copy(qrels) == qrels
    assert hash(qrels) == hash(rm.Qrels.from_dict({"q1": {}, "q2": {}}))
    assert qrels != {"q1": {}}
    assert repr(qrels) == "Qrels(2 queries, 3 judgements)"
    qrels["q1"]["d9"] = 1
    assert "d9" not in qrels["q1"]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"q 0 a\n", "1: 3 columns; a line has 4: query 0 document grade, separated by spaces or tabs"),
        (b"q 0 a x\n", '1: the grade is "x", which is not a number'),
        (
            b"q 0 a inf\n",
            "1: the grade is inf; grades are whole numbers: multiply them all if some are fractions",
        ),
        (
            b"q 0 a 1\nq 0 a 2\n",
            '2: document "a" stands for query "q" already, on line 1; remove one of the two',
        ),
    ],
)
def test_lines_of_judgements_that_are_refused(content, text):
    with pytest.raises(rm.FormatError) as refusal:
        rm.Qrels.from_trec(content)
    assert str(refusal.value) == text
