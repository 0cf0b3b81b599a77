"""A ranking as a frame of pandas, polars or Arrow, each imported when asked for."""

from __future__ import annotations

import datetime as dt
import json
from types import ModuleType

import pytest

import rankmeld as rm

PAIRS = [("a", 0.5), ("b", 0.25), ("c", None)]
DOCUMENT = rm.Document(
    "a",
    text="body",
    title="head",
    created_at=dt.datetime(2024, 1, 2, tzinfo=dt.UTC),
    tier="semantic",
    metadata={"project": "p", "page": 3},
)


def frames(name: str) -> ModuleType:
    return pytest.importorskip(name, reason=f"{name} is not installed: the extra `frames` brings it")


def test_pandas():
    pandas = frames("pandas")
    frame = rm.Ranking(PAIRS).to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame["id"]) == ["a", "b", "c"]
    assert frame["score"].dtype == "float64"
    assert list(frame["score"][:2]) == [0.5, 0.25]
    assert frame["score"].isna().tolist() == [False, False, True]
    mixed = rm.Ranking([("a", 3.0), (1, 2.0), ((1, 2), 1.0)]).to_pandas()
    assert list(mixed["id"]) == ["a", 1, (1, 2)]
    assert len(rm.Ranking().to_pandas()) == 0


def test_polars():
    polars = frames("polars")
    frame = rm.Ranking(PAIRS).to_polars()
    assert frame.schema == {"id": polars.String, "score": polars.Float64}
    assert frame.rows() == PAIRS
    assert rm.Ranking([(1, 2.0)]).to_polars().rows() == [(1, 2.0)]
    assert len(rm.Ranking().to_polars()) == 0
    with pytest.raises(rm.InvalidArgumentError, match="ids"):
        rm.Ranking(["a", 1]).to_polars()


def test_arrow():
    pyarrow = frames("pyarrow")
    table = rm.Ranking(PAIRS).to_arrow()
    assert table.column_names == ["id", "score"]
    assert table.schema.field("score").type == pyarrow.float64()
    assert table.to_pylist() == [{"id": id, "score": score} for id, score in PAIRS]
    assert rm.Ranking().to_arrow().num_rows == 0
    with pytest.raises(rm.InvalidArgumentError, match="ids"):
        rm.Ranking(["a", 1]).to_arrow()


@pytest.mark.parametrize("convert", ["to_pandas", "to_polars", "to_arrow"])
def test_documents_bring_their_texts(convert):
    frames(convert.removeprefix("to_").replace("arrow", "pyarrow"))
    frame = getattr(rm.Ranking([("a", 1.0, DOCUMENT), ("b", 0.5, None)]), convert)()
    assert list(frame.to_dict() if convert != "to_arrow" else frame.column_names)[:2] == ["id", "score"]
    assert "body" in str(frame)
    assert len(frame) == 2


def test_dicts_with_documents_are_strict_json():
    (one,) = rm.Ranking([("a", 1.0, DOCUMENT)]).to_dicts()
    back = json.loads(json.dumps(one, allow_nan=False))
    assert (back["id"], back["score"]) == ("a", 1.0)
    assert back["document"]["text"] == "body"
    assert back["document"]["metadata"] == {"project": "p", "page": 3}
    assert back["document"]["tier"] == "semantic"
    assert dt.datetime.fromisoformat(back["document"]["created_at"]) == DOCUMENT.created_at


def test_frames_and_series_are_no_rankings_by_themselves():
    pandas = pytest.importorskip("pandas", reason="needs pandas")
    frame = rm.rrf([["a", "b"]]).to_pandas()
    with pytest.raises(TypeError, match=r"rankings\[0\] is a DataFrame, .* a tuple \(ids, scores\)"):
        rm.rrf([frame])
    with pytest.raises(TypeError, match=r"rankings\[0\] is a Series, .* \.to_dict\(\)"):
        rm.rrf([pandas.Series({"a": 0.1, "b": 0.9})])
    both = (frame["id"].to_numpy(), frame["score"].to_numpy())
    assert rm.rrf([both]).ids == ["a", "b"]
    assert rm.rrf([pandas.Series({"a": 0.1, "b": 0.9}).to_dict()]).ids == ["b", "a"]


def test_a_polars_frame_is_no_ranking_by_itself():
    polars = pytest.importorskip("polars", reason="needs polars")
    with pytest.raises(TypeError, match=r"rankings\[0\] is a DataFrame"):
        rm.rrf([polars.DataFrame({"id": ["a"], "score": [0.5]})])
    assert rm.rrf([polars.Series(["a", "b"])]).ids == ["a", "b"]


def test_pandas_keeps_ids_of_several_kinds_as_they_are():
    pytest.importorskip("pandas", reason="needs pandas")
    for ids in ([2**53 + 1, 2.5], [None, 7], [True, 2], ["a", 1], [2**70, 1]):
        found = rm.rrf([ids]).to_pandas()["id"].tolist()
        assert found == ids
        assert [type(id_) for id_ in found] == [type(id_) for id_ in ids]


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_a_frame_is_no_list_of_texts(kind):
    frames = pytest.importorskip(kind, reason=f"needs {kind}")
    frame = frames.DataFrame({"text": ["a word", "words"]})
    ending = 'pass one of its columns, as list(frame["text"])'
    for call, text in (
        (
            lambda texts: rm.bm25_scores("word", texts),
            f"texts must be a list of str, not a DataFrame; {ending}",
        ),
        (
            lambda texts: rm.bm25_scores("word", texts, tokenizer=str.split),
            f"texts must be a list of str, not a DataFrame; {ending}",
        ),
        (
            lambda texts: rm.lexical_maxsim_many("word", texts),
            f"documents must be a list of texts or token lists, not a DataFrame; {ending}",
        ),
        (
            rm.CorpusStats,
            'texts must be an iterable of str, not a DataFrame; pass one of its columns, as frame["text"]',
        ),
    ):
        with pytest.raises(TypeError) as refused:
            call(frame)
        assert str(refused.value) == text
        call(frame["text"])
