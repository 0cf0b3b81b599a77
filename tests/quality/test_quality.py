"""`QualityModel` against the oracle, and each of its rules by hand."""

from __future__ import annotations

import copy
import datetime as dt
import math
import pickle
from dataclasses import dataclass

import pytest
from hypothesis import given

import rankmeld as rm
from quality.strategies import BERLIN, NOW, documents, models
from reference import quality as oracle

TIMED = ("recency", "effective_confidence", "quality")
NAMES = (*TIMED, "effective_importance", "salience", "usage")


def found(model: rm.QualityModel, document: rm.Document) -> dict[str, float]:
    return {name: getattr(model, name)(document, **({"now": NOW} if name in TIMED else {})) for name in NAMES}


@given(documents, models)
def test_equals_the_oracle(document, options):
    expected = oracle.terms(document, NOW, **options)
    for name, value in found(rm.QualityModel(**options), document).items():
        assert math.isclose(value, expected[name], rel_tol=1e-9, abs_tol=1e-12), name


@given(documents)
def test_shifting_now_and_all_dates_together_changes_nothing(document):
    shift = dt.timedelta(days=17, microseconds=123_457)
    dates = ("created_at", "updated_at", "valid_from", "last_accessed_at")
    fields = document.to_dict()
    later = {
        name: None if getattr(document, name) is None else getattr(document, name).astimezone(dt.UTC) + shift
        for name in dates
    }
    moved, model = rm.Document(**{**fields, **later}), rm.QualityModel(stability=1.0)
    for name in TIMED:
        term = getattr(model, name)
        assert term(document, now=NOW) == term(moved, now=NOW.astimezone(dt.UTC) + shift)


@pytest.mark.parametrize("name", ["created_at", "updated_at", "last_accessed_at"])
def test_age_is_time_that_passed_where_clocks_were_changed(name):
    # Between these two the clocks went forward by an hour: 23 hours passed.
    before, after = dt.datetime(2024, 3, 30, 12, tzinfo=BERLIN), dt.datetime(2024, 3, 31, 12, tzinfo=BERLIN)
    document = rm.Document("d", **{name: before})
    assert rm.QualityModel(half_life_days=23 / 24).recency(document, now=after) == 0.5


def test_the_last_access_counts_before_the_update_before_the_creation():
    dates = {"created_at": "2024-03-01", "updated_at": "2024-03-08", "last_accessed_at": "2024-03-15"}
    expected = {1: 0.125, 2: 0.25, 3: 0.5}
    for count, recency in expected.items():
        document = rm.Document("d", **dict(list(dates.items())[:count]))
        assert rm.QualityModel().recency(document, now="2024-03-22") == recency


@pytest.mark.parametrize(
    ("tier", "salience"),
    [("procedural", 0.95), ("semantic", 0.90), ("episodic", 0.55), ("working", 0.30), (None, 0.5)],
)
def test_salience_goes_by_tier(tier, salience):
    assert rm.QualityModel().salience(rm.Document("d", tier=tier, importance=1.0)) == salience
    assert rm.QualityModel().salience(rm.Document("d", tier=tier, importance=0.0)) == salience / 2


def test_weights_of_tiers_that_are_not_given_stay():
    model = rm.QualityModel(tier_weights={"Working": 1.0, rm.Tier.EPISODIC: 0.8, None: 0.1})
    assert model.tier_weights == {
        None: 0.1,
        rm.Tier.WORKING: 1.0,
        rm.Tier.EPISODIC: 0.8,
        rm.Tier.SEMANTIC: 0.9,
        rm.Tier.PROCEDURAL: 0.95,
    }


def test_it_is_a_value():
    model = rm.QualityModel(half_life_days=30, tier_weights={"working": 0.4})
    assert model == rm.QualityModel(half_life_days=30.0, tier_weights={rm.Tier.WORKING: 0.4})
    assert model != rm.QualityModel(half_life_days=30)
    assert len({model, pickle.loads(pickle.dumps(model)), copy.deepcopy(model)}) == 1
    assert repr(model) == "QualityModel(half_life_days=30.0, tier_weights={<Tier.WORKING: 'working'>: 0.4})"
    assert repr(rm.QualityModel()) == "QualityModel()"
    with pytest.raises(TypeError):
        model.tier_weights[None] = 1.0


def test_the_extremes():
    used = rm.Document("d", access_count=10**400)
    assert rm.QualityModel().usage(used) == pytest.approx(1 + 400 * math.log(10))
    old = rm.Document("d", created_at="0001-01-01")
    assert rm.QualityModel().recency(old, now="9999-12-31") == 0.0
    assert rm.QualityModel(half_life_days=math.inf).recency(old, now="9999-12-31") == 1.0
    assert rm.QualityModel(half_life_days=5e-324).recency(old, now="0001-01-01") == 1.0
    assert rm.QualityModel(half_life_days=5e-324).recency(old, now="0001-01-02") == 0.0


class Noted(rm.Document):
    """A document with something more."""

    note = "seen"


@dataclass(frozen=True, init=False)
class Paged(rm.Document):
    """One that sets its fields by itself, and checks none."""

    page: int = 0

    def __init__(self, id: str, page: int, **fields: object) -> None:
        given = rm.Document(id, **fields)
        for name in rm.Document.__dataclass_fields__:
            object.__setattr__(self, name, getattr(given, name))
        object.__setattr__(self, "page", page)


@pytest.mark.parametrize("make", [Noted, lambda id, **fields: Paged(id, 3, **fields)])
def test_documents_of_other_classes_count_alike(make):
    fields = {"tier": "semantic", "confidence": 0.8, "updated_at": "2024-01-01", "access_count": 3}
    document, plain = make("d", **fields), rm.Document("d", **fields)
    assert found(rm.QualityModel(), document) == found(rm.QualityModel(), plain)
    for stage in (rm.rerank, rm.time_decay):
        first, second = stage([("a", 1.0, document), ("b", 1.0, plain)], now=NOW).scores
        assert first == second


def test_what_documents_keep_at_hand_shows_nowhere():
    document = rm.Document("d", created_at="2024-01-01", importance=0.5)
    assert "_signals" not in repr(document)
    assert "_signals" not in document.to_dict()
    for other in (copy.copy(document), copy.deepcopy(document), pickle.loads(pickle.dumps(document))):
        assert other == document
        assert rm.QualityModel().quality(other, now=NOW) == rm.QualityModel().quality(document, now=NOW)


@pytest.mark.parametrize(
    ("fields", "left"),
    [
        ({"updated_at": "2024-03-01"}, 0.8),
        ({"updated_at": "2024-02-23"}, 0.8),
        ({"updated_at": "2024-02-16"}, 0.75),
        ({"updated_at": "2024-02-12T12:00:00"}, 0.725),
        ({"updated_at": "2024-01-05"}, 0.45),
        ({"updated_at": "2024-01-05", "last_accessed_at": "2024-02-16"}, 0.75),
        ({"updated_at": "2024-02-16", "last_accessed_at": "2024-01-05"}, 0.75),
        ({"created_at": "2024-01-05"}, 0.8),
        ({"updated_at": "2014-01-05"}, 0.05),
        ({"updated_at": "2024-01-05", "tier": "episodic"}, 1.0),
    ],
)
def test_confidence_fades_week_by_week(fields, left):
    document = rm.Document("d", **{"tier": "semantic", "confidence": 0.8, **fields})
    found = rm.QualityModel().effective_confidence(document, now="2024-03-01")
    assert found == pytest.approx(left, rel=1e-12)


def test_what_is_used_often_fades_more_slowly():
    document = rm.Document("d", created_at="2024-02-16", access_count=7)
    quick, slow = rm.QualityModel(), rm.QualityModel(stability=1.0)
    worth = 0.375 * (1 + math.log(8))
    assert quick.quality(document, now="2024-03-01") == pytest.approx(worth / 4, rel=1e-12)
    assert slow.quality(document, now="2024-03-01") == pytest.approx(
        worth * 2 ** -(2 / (1 + math.log(8))), rel=1e-12
    )
