//! Scores that are lifted where a name stands in the query.

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use rankmeld_core::matches::{boosted, standing_in};

use crate::arrays;
use crate::detach::detached;
use crate::entries::check_signals;
use crate::errors::{Label, shown, to_python};
use crate::texts::{Text, borrowed};

/// New scores, and for each hit the place of the first of its names that stands in the query.
type Boosted<'py> = (Bound<'py, PyArray1<f64>>, Vec<Option<usize>>);

/// Multiplies the scores of hits of which a name stands in the query; `names` has for each hit a
/// string, `None`, or a list of strings.
#[pyfunction]
pub fn boost_matches<'py>(
    scores: &Bound<'py, PyAny>,
    ids: &Bound<'py, PyAny>,
    query: &Bound<'py, PyAny>,
    names: &Bound<'py, PyList>,
    factor: f64,
) -> PyResult<Boosted<'py>> {
    let py = scores.py();
    let query = Text::of(query, || "query".to_owned())?;
    let column = arrays::numbers(scores, 1, "scores")?;
    let column = arrays::floats(&column, "scores")?;
    let scores = arrays::elements(&column)?;
    let mut texts: Vec<Text<'py>> = Vec::with_capacity(names.len());
    // How many names the hits up to this one have.
    let mut ends = Vec::with_capacity(names.len());
    for (place, of_hit) in names.iter().enumerate() {
        check_signals(py, place)?;
        let name = || format!("names[{place}]");
        if of_hit.is_instance_of::<PyString>() {
            texts.push(Text::of(&of_hit, name)?);
        } else if !of_hit.is_none() {
            for one in of_hit.try_iter()? {
                texts.push(Text::of(&one?, name)?);
            }
        }
        ends.push(texts.len());
    }
    let texts = borrowed(&texts);
    let query = query.as_str();
    let work = texts.iter().map(|text| text.len()).sum();
    let outcome = detached(py, work, |watch| {
        let found = standing_in(query, &texts, watch)?;
        let begins = [0].into_iter().chain(ends.iter().copied());
        let matched: Vec<Option<usize>> = begins
            .zip(&ends)
            .map(|(begin, &end)| found.get(begin..end)?.iter().position(|&found| found))
            .collect();
        let chosen: Vec<bool> = matched.iter().map(Option::is_some).collect();
        Ok((boosted(scores, &chosen, factor)?, matched))
    })?;
    let (new, matched) = outcome.map_err(|error| {
        let id =
            |place: usize| ids.get_item(place).map_or_else(|_| "?".to_owned(), |id| shown(&id));
        to_python(py, error, &Label::Argument("ranking"), |_, at| id(at), |code| id(code as usize))
    })?;
    Ok((new.into_pyarray(py), matched))
}
