"""Known failures of weighing by age elsewhere: forms of dates, units, and signals that swamp relevance."""

from __future__ import annotations

import datetime as dt
import math

import pytest

import rankmeld as rm

NOW = "2025-06-18T00:00:00Z"
MONTH = rm.QualityModel(half_life_days=30)
FORMS = {
    "iso_z": "2025-05-19T00:00:00Z",
    "iso_offset": "2025-05-19T02:00:00+02:00",
    "date_only": "2025-05-19",
    "epoch_s": 1747612800,
    "epoch_float": 1747612800.0,
}
ZERO = rm.RerankWeights(relevance=1.0, recency=0.0, importance=0.0, quality=0.0)


@pytest.mark.parametrize("form", FORMS)
def test_c124_every_form_of_an_instant_is_as_old(form):
    document = rm.Document(form, created_at=FORMS[form])
    assert MONTH.recency(document, now=NOW) == 0.5
    assert rm.time_decay([(form, 1.0, document)], half_life_days=30, now=NOW)[0].score == 0.5
    only = rm.RerankWeights(0, 1, 0, 0)
    assert rm.rerank([(form, 1.0, document)], now=NOW, weights=only, quality=MONTH)[0].score == 0.5
    assert rm.temporal_proximity(FORMS[form], "2025-05-19", 0) == 1.0


@pytest.mark.parametrize(
    "call",
    [
        lambda moment: rm.Document("ms", created_at=moment),
        lambda moment: rm.rerank([], now=moment),
        lambda moment: rm.temporal_proximity(moment, NOW, 3),
        lambda moment: rm.TemporalReranker(now=moment),
    ],
)
def test_c125_milliseconds_are_refused_not_taken_for_the_future(call):
    with pytest.raises(rm.InvalidArgumentError, match="milliseconds must be divided by 1000"):
        call(1747612800000)


def test_c128_weights_of_zero_are_relevance_alone():
    ages, scores = {"a": 1000, "b": 1, "c": 0}, {"a": 0.9, "b": 0.9, "c": 0.1}
    now = dt.datetime(2025, 6, 18, tzinfo=dt.UTC)
    hits = [
        (id, score, rm.Document(id, created_at=now - dt.timedelta(days=ages[id]), importance=ages[id] / 10))
        for id, score in scores.items()
    ]
    found = rm.rerank(hits, now=now, weights=ZERO)
    assert found == rm.Ranking([(id, score / 0.9, hits["abc".index(id)][2]) for id, score in scores.items()])
    assert found.ids == ["a", "b", "c"]
    last = rm.rerank(hits, now=now, weights=ZERO, ties="id_desc")
    assert last.ids == ["b", "a", "c"]
    assert rm.rerank_temporal(hits, "yesterday", now=now, weights=ZERO, boost=0.0) == found


def test_c129_no_decay_and_nothing_but_decay():
    now = dt.datetime(2025, 6, 18, tzinfo=dt.UTC)
    documents = [rm.Document("d", created_at=now - dt.timedelta(hours=hours)) for hours in (0, 1, -1)]
    for half_life, expected in ((math.inf, [1.0, 1.0, 1.0]), (5e-324, [1.0, 0.0, 1.0])):
        model = rm.QualityModel(half_life_days=half_life)
        assert [model.recency(document, now=now) for document in documents] == expected
        decayed = [
            rm.time_decay([("d", 1.0, document)], half_life_days=half_life, now=now)[0].score
            for document in documents
        ]
        assert decayed == expected


def test_c130_use_does_not_swamp_relevance():
    fresh = ("fresh", 0.9, rm.Document("fresh"))
    popular = ("popular", 0.5, rm.Document("popular", access_count=100_000))
    assert rm.rerank([popular, fresh], now=NOW).ids == ["fresh", "popular"]
