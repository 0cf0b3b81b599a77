"""Documents of every kind, for the properties."""

from __future__ import annotations

import datetime as dt
from zoneinfo import ZoneInfo

from hypothesis import strategies as st

import rankmeld as rm

#: The clocks of this zone go forward on 31 March 2024, and back on 27 October.
BERLIN = ZoneInfo("Europe/Berlin")
NOW = dt.datetime(2024, 4, 1, 12, tzinfo=BERLIN)


def days_ago(days: float) -> dt.datetime:
    """So many times 86,400 seconds before `NOW`, whatever clocks were changed."""
    return NOW.astimezone(dt.UTC) - dt.timedelta(days=days)


zones = st.sampled_from([dt.UTC, BERLIN, ZoneInfo("Pacific/Apia"), dt.timezone(dt.timedelta(hours=-11))])
moments = st.one_of(
    st.none(),
    st.datetimes(dt.datetime(2023, 12, 1), dt.datetime(2024, 5, 1), timezones=zones),
    st.datetimes(dt.datetime(2, 1, 1), dt.datetime(9998, 1, 1), timezones=zones),
)
unit = st.one_of(st.none(), st.floats(-0.5, 1.5))
tiers = st.sampled_from([None, *rm.Tier])
counts = st.one_of(st.just(0), st.integers(0, 100), st.just(10**30))

documents = st.builds(
    rm.Document,
    st.just("d"),
    created_at=moments,
    updated_at=moments,
    valid_from=moments,
    last_accessed_at=moments,
    access_count=counts,
    importance=unit,
    assessed_importance=unit,
    confidence=unit,
    tier=tiers,
    evergreen=st.booleans(),
)

models = st.fixed_dictionaries(
    {},
    optional={
        "half_life_days": st.floats(1e-3, 1e5),
        "stability": st.floats(0, 5),
        "confidence_decay": st.floats(0, 1),
        "grace_weeks": st.floats(0, 5),
        "confidence_floor": st.floats(0, 1),
        "undated": st.floats(0, 1),
        "tier_weights": st.dictionaries(
            st.sampled_from(["working", "episodic", "semantic", "procedural", None]), st.floats(0, 3)
        ),
    },
)


@st.composite
def hits(draw: st.DrawFn) -> list[tuple[str, float, rm.Document | None]]:
    """Triples, some without a document."""
    ids = draw(st.lists(st.sampled_from("abcdefgh"), max_size=8))
    scores = st.one_of(st.floats(0, 30), st.floats(-10, 10), st.sampled_from([0.0, -0.0, 1.0]))
    extreme = st.floats(allow_nan=False, allow_infinity=False)
    draws = draw(st.sampled_from([scores, scores, extreme]))
    some = st.one_of(documents, documents, st.none())
    return [(id, draw(draws), draw(some)) for id in ids]
