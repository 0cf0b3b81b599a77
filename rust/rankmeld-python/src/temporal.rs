//! The time that a query names.

use pyo3::prelude::*;
use rankmeld_core::temporal::{self, Hemisphere, Now};

use crate::detach::detached;
use crate::errors::{Label, refused, unknown_word};
use crate::texts::Text;

/// Days, tolerance, the phrase, and the days it names with the one after them, as ordinals.
type Found = (i64, f64, String, Option<(i64, i64)>);

/// The anchor of a query that is asked on the day `today` (an ordinal, as of `date.toordinal`).
#[pyfunction]
pub fn time_anchor(
    query: &Bound<'_, PyAny>,
    today: i64,
    after_midnight: bool,
    hemisphere: &str,
) -> PyResult<Option<Found>> {
    let hemisphere = match hemisphere {
        "north" => Hemisphere::North,
        "south" => Hemisphere::South,
        other => return Err(unknown_word("hemisphere", other)),
    };
    let text = Text::of(query, || "query".to_owned())?;
    let text = text.as_str();
    let now = Now { today, after_midnight };
    let found =
        detached(query.py(), text.len(), |watch| temporal::anchor(text, now, hemisphere, watch))?
            .map_err(|error| refused(query.py(), error, &Label::Argument("query")))?;
    Ok(found.map(|anchor| {
        let phrase = text.get(anchor.text).unwrap_or_default().to_owned();
        let interval = anchor.interval.map(|days| (days.start, days.end));
        (anchor.days, anchor.tolerance, phrase, interval)
    }))
}
