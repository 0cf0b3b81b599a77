//! From entries in any order to one ranking per query.

use super::Columns;
use crate::{Error, Watch, order};

/// Entries of many queries as they came: where those of another query begin, with its code.
pub type Blocks = [(u32, usize)];

/// Puts the entries of each query together, in the order in which they came.
///
/// Gives the columns and, unless all lay in their places already, for each hit the entry it was.
///
/// # Errors
/// [`Error::Interrupted`] if the watch says so.
pub fn grouped(
    blocks: &Blocks,
    queries: usize,
    codes: Vec<u32>,
    scores: Vec<f64>,
    watch: Watch<'_>,
) -> Result<(Columns, Option<Vec<usize>>), Error> {
    let mut offsets = vec![0; queries + 1];
    let ends = blocks.iter().skip(1).map(|&(_, start)| start).chain([codes.len()]);
    let spans = || {
        blocks.iter().zip(ends.clone()).map(|(&(query, start), end)| (query as usize, start, end))
    };
    for (query, start, end) in spans() {
        offsets[query + 1] += end - start;
    }
    for query in 0..queries {
        offsets[query + 1] += offsets[query];
    }
    if spans().all(|(query, start, _)| offsets[query] == start) && blocks.len() == queries {
        return Ok((Columns { offsets, codes, scores }, None));
    }
    let mut next = offsets.clone();
    let mut origins = vec![0; codes.len()];
    for (query, start, end) in spans() {
        watch.check_at(start)?;
        let place = &mut next[query];
        for (origin, entry) in origins[*place..].iter_mut().zip(start..end) {
            *origin = entry;
        }
        *place += end - start;
    }
    watch.check()?;
    let columns = Columns {
        offsets,
        codes: origins.iter().map(|&entry| codes[entry]).collect(),
        scores: origins.iter().map(|&entry| scores[entry]).collect(),
    };
    Ok((columns, Some(origins)))
}

/// Where rows of another query begin, of the query of each row.
#[must_use]
pub fn blocks_of(queries: &[u32]) -> Vec<(u32, usize)> {
    let mut blocks: Vec<(u32, usize)> = Vec::new();
    for (row, &query) in queries.iter().enumerate() {
        if blocks.last().is_none_or(|&(last, _)| last != query) {
            blocks.push((query, row));
        }
    }
    blocks
}

/// Orders the hits of each query by score, equal ones as they stand.
///
/// # Errors
/// [`Error::Interrupted`] if the watch says so.
pub fn by_score(columns: &Columns, watch: Watch<'_>) -> Result<Columns, Error> {
    let mut out = Columns { offsets: columns.offsets.clone(), ..Columns::default() };
    for query in 0..columns.queries() {
        let hits = columns.hits(query);
        watch.check_at(hits.start)?;
        let (codes, scores) = (&columns.codes[hits.clone()], &columns.scores[hits]);
        let order = order::top(scores, usize::MAX, watch)?;
        out.codes.extend(order.iter().map(|&place| codes[place as usize]));
        out.scores.extend(order.iter().map(|&place| scores[place as usize]));
    }
    Ok(out)
}
