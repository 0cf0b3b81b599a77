//! Runs and judgements in files of TREC.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};
use rankmeld_core::run::{BadLine, Layout, Reader, Repeats, Table, Unwritable, Writer};

use crate::detach::detached;
use crate::errors::{
    FormatError, InvalidArgumentError, InvalidScoreError, Label, kind, refused, shown,
};
use crate::ordering::Ties;
use crate::runs::{Arrays, Held, as_arrays};
use crate::texts::strings;

/// Queries, ids, columns, tag, and how many repeats were left out.
type Read<'py> = (Bound<'py, PyList>, Bound<'py, PyTuple>, Arrays<'py>, String, usize);

/// Reads lines; `read` gives the next piece of the file as bytes, none of them at its end.
#[pyfunction]
pub fn read_lines<'py>(
    py: Python<'py>,
    read: &Bound<'py, PyAny>,
    judgements: bool,
    ties: &str,
    best: bool,
    path: Option<&Bound<'py, PyAny>>,
) -> PyResult<Read<'py>> {
    let (layout, repeats) = match (judgements, best) {
        (true, _) => (Layout::Judgements, Repeats::Agreeing),
        (false, true) => (Layout::Run, Repeats::Best),
        (false, false) => (Layout::Run, Repeats::Refused),
    };
    let ties = Ties::from_word(ties)?.core();
    let stopped = |error| refused(py, error, &Label::Argument("source"));
    let bad = |bad: &BadLine| {
        FormatError::new_err((bad.to_string(), path.map(|path| path.clone().unbind()), bad.line))
    };
    let mut reader = Reader::new(layout);
    loop {
        let piece = read.call0()?;
        let piece = piece.cast::<PyBytes>()?.as_bytes();
        if piece.is_empty() {
            break;
        }
        detached(py, piece.len(), |watch| reader.feed(piece, watch))?.map_err(stopped)?;
        if let Some(flaw) = reader.flaw() {
            return Err(bad(flaw));
        }
    }
    let table = detached(py, usize::MAX, move |watch| reader.finish(ties, repeats, watch))?;
    let Table { queries, documents, columns, tag, left_out } =
        table.map_err(stopped)?.map_err(|flaw| bad(&flaw))?;
    let names = |table: &rankmeld_core::text::Vocabulary| {
        strings(py, (0..table.len()).map(|code| table.token(code as u32)))
    };
    let ids = names(&documents)?.to_tuple();
    Ok((names(&queries)?, ids, as_arrays(py, columns), tag, left_out))
}

/// Bytes of lines that are handed over at a time, about.
const BLOCK: usize = 1 << 20;

/// Bytes of a line, about.
const LINE: usize = 64;

/// Writes a run: `write` gets some lines at a time, once all of it is known to be writable.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "a run is what its columns are")]
pub fn write_lines<'py>(
    py: Python<'py>,
    write: &Bound<'py, PyAny>,
    queries: &Bound<'py, PyList>,
    ids: &Bound<'py, PyTuple>,
    columns: &Bound<'py, PyTuple>,
    tag: &str,
    rank_base: i64,
    strict: bool,
) -> PyResult<()> {
    let held = Held::of(columns)?;
    let view = held.view()?;
    let queries: Vec<Bound<'py, PyAny>> = queries.iter().collect();
    let names =
        queries.iter().map(|query| name_of(query, "query")).collect::<PyResult<Vec<_>>>()?;
    let items: Vec<_> = ids.iter_borrowed().collect();
    let mut documents = vec![""; ids.len()];
    // Ids that no hit has may be of any kind.
    for &code in view.codes {
        let known = documents.get_mut(code as usize).zip(items.get(code as usize));
        if let Some((slot, id)) = known
            && slot.is_empty()
        {
            *slot = name_of(id, "document")?;
        }
    }
    let writer = Writer { view, queries: &names, documents: &documents, tag, rank_base, strict };
    let stopped = |error| refused(py, error, &Label::Argument("run"));
    let obstacle =
        detached(py, view.codes.len(), |watch| writer.obstacle(watch))?.map_err(stopped)?;
    if let Some(obstacle) = obstacle {
        return Err(unwritable(obstacle, &writer));
    }
    let (mut from, mut hits) = (0, 0);
    for query in 0..names.len() {
        hits += view.hits(query).len();
        if hits < BLOCK / LINE && query + 1 < names.len() {
            continue;
        }
        let lines = detached(py, hits, |watch| writer.lines(from..query + 1, watch))?;
        write.call1((PyBytes::new(py, lines.map_err(stopped)?.as_bytes()),))?;
        (from, hits) = (query + 1, 0);
    }
    Ok(())
}

/// An id as it stands in a line.
fn name_of<'a>(id: &'a Bound<'_, PyAny>, what: &str) -> PyResult<&'a str> {
    let Ok(text) = id.cast::<PyString>() else {
        return Err(pyo3::exceptions::PyTypeError::new_err(format!(
            "{what} {}: the id is a {}; lines hold text: make the run with str ids",
            shown(id),
            kind(id)
        )));
    };
    let text = text.to_str().ok().filter(|text| {
        let blank = |byte: u8| byte.is_ascii_whitespace() || byte == b'\x0b';
        !text.is_empty() && !text.bytes().any(blank) && !text.starts_with('\u{feff}')
    });
    text.ok_or_else(|| {
        InvalidArgumentError::new_err(format!(
            "{what} {}: the id cannot be written; lines are split at blanks, so an id is not empty and \
             holds no white space of ASCII, nor a lone surrogate or a byte-order mark in front",
            shown(id)
        ))
    })
}

fn unwritable(obstacle: Unwritable, writer: &Writer<'_>) -> PyErr {
    let place = |hit: usize| {
        let after =
            writer.view.offsets.partition_point(|&begin| begin.cast_unsigned() <= hit as u64);
        let query = writer.queries.get(after.saturating_sub(1)).copied().unwrap_or_default();
        let code = writer.view.codes.get(hit).copied().unwrap_or_default();
        let document = writer.documents.get(code as usize).copied().unwrap_or_default();
        format!("query {query:?}, document {document:?}")
    };
    match obstacle {
        Unwritable::NotFinite { hit } => {
            let score = writer.view.scores.get(hit).copied().unwrap_or(f64::NAN);
            let what =
                if score.is_nan() { "absent".to_owned() } else { crate::errors::float(score) };
            InvalidScoreError::new_err(format!(
                "{}: the score is {what}; lines need finite scores",
                place(hit)
            ))
        }
        Unwritable::OutOfOrder { hit } => InvalidArgumentError::new_err(format!(
            "{}: the score is above that of the hit before it, and readers order by score; strict=True \
             keeps the order and writes scores that decrease",
            place(hit)
        )),
        Unwritable::NoRoom { hit } => InvalidScoreError::new_err(format!(
            "{}: no float is below the score before it; scale the scores down",
            place(hit)
        )),
        Unwritable::Repeated { hit } => InvalidArgumentError::new_err(format!(
            "{}: the document stands for the query twice; remove one of the two hits",
            place(hit)
        )),
    }
}
