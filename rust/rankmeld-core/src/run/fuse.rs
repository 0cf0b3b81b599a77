//! Fusing the rankings that several runs have for each of many queries.

use std::ops::Range;

use super::{Columns, View};
use crate::fusion::{Rankings, Request, fuse};
use crate::parallel::in_parts;
use crate::watch::CHUNK;
use crate::{Error, Watch, order};

/// One of the runs that are fused.
#[derive(Debug, Clone, Copy)]
pub struct Leg<'a> {
    /// Its columns, with codes of its own table.
    pub view: View<'a>,
    /// From its own codes to those that all runs share; `None` where they are the same.
    pub shared: Option<&'a [u32]>,
    /// For each query of the result the one of this run, below zero where it has none.
    pub queries: &'a [i64],
}

/// What was fused, or the first query that could not be.
pub type FusedQueries = Result<Columns, QueryError>;

/// Why the rankings of one query could not be fused.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QueryError {
    /// The query of the result.
    pub query: usize,
    /// The refusal; candidates bear shared codes.
    pub error: Error,
}

/// The rankings that are fused, query by query.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    /// The runs.
    pub legs: &'a [Leg<'a>],
    /// How many queries the result has.
    pub queries: usize,
    /// How many codes the runs share.
    pub documents: usize,
}

/// How much of each fused ranking is given.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// The best so many; `None`: all.
    pub limit: Option<usize>,
    /// Whether to give hits that tie with the last one as well.
    pub whole_ties: bool,
}

/// Fuses the rankings of each query as [`fuse`] does, and orders what comes out.
///
/// A run without a query counts as one with an empty ranking for it.
///
/// # Errors
/// [`Error::Interrupted`] if the watch says so.
pub fn fuse_queries(
    batch: Batch<'_>,
    request: &Request,
    wanted: Wanted,
    threads: usize,
    watch: Watch<'_>,
) -> Result<FusedQueries, Error> {
    let parts = in_parts(batch.queries, threads, watch, |range, watch| {
        let mut part = Part::new(batch, request, watch);
        part.reserve(range.clone(), wanted.limit);
        for query in range {
            match part.fuse(query, wanted) {
                Ok(()) => {}
                Err(Error::Interrupted) => return Err(Error::Interrupted),
                Err(error) => return Ok(Err(QueryError { query, error: part.shared(error) })),
            }
        }
        Ok(Ok(part.out))
    })?;
    // A part ends at the first query that it cannot fuse, so the first of all comes first here.
    Ok(parts.into_iter().collect::<Result<Vec<_>, _>>().map(joined))
}

/// The parts one behind the other; the first is not copied.
fn joined(parts: Vec<Columns>) -> Columns {
    let more = |count: fn(&Columns) -> usize| parts.iter().skip(1).map(count).sum();
    let (queries, hits) = (more(Columns::queries), more(|part| part.codes.len()));
    let mut parts = parts.into_iter();
    let Some(mut out) = parts.next() else { return Columns::default() };
    out.offsets.reserve_exact(queries);
    out.codes.reserve_exact(hits);
    out.scores.reserve_exact(hits);
    for part in parts {
        let before = out.codes.len();
        out.offsets.extend(part.offsets.iter().skip(1).map(|end| before + end));
        out.codes.extend_from_slice(&part.codes);
        out.scores.extend_from_slice(&part.scores);
    }
    // The room that was made for the worst case goes back; it has never been touched.
    out.codes.shrink_to_fit();
    out.scores.shrink_to_fit();
    out
}

/// Queries that one thread fuses, one after the other.
struct Part<'a> {
    legs: &'a [Leg<'a>],
    request: &'a Request,
    watch: Watch<'a>,
    /// For each shared code, how many candidates of queries came before its last one, from 1.
    numbers: Vec<u32>,
    /// What the first candidate of the next query gets there: what is below is of an earlier one.
    next: u32,
    rankings: Rankings,
    /// Shared codes by those of the query; behind them is room.
    candidates: Vec<u32>,
    /// Entries since the watch was last asked.
    entries: usize,
    out: Columns,
}

impl<'a> Part<'a> {
    fn new(batch: Batch<'a>, request: &'a Request, watch: Watch<'a>) -> Self {
        let Batch { legs, documents, .. } = batch;
        Self {
            legs,
            request,
            watch,
            numbers: vec![0; documents],
            next: 1,
            rankings: Rankings { lists: vec![Vec::new(); legs.len()], candidates: 0 },
            candidates: Vec::new(),
            entries: 0,
            out: Columns { offsets: vec![0], ..Columns::default() },
        }
    }

    /// Makes room for what these queries can give; what is not needed is never touched.
    fn reserve(&mut self, queries: Range<usize>, limit: Option<usize>) {
        let hits = |query| self.legs.iter().map(move |leg| leg.hits(query).len()).sum::<usize>();
        let most = queries.clone().map(|query| hits(query).min(limit.unwrap_or(usize::MAX))).sum();
        self.out.offsets.reserve_exact(queries.len());
        self.out.codes.reserve_exact(most);
        self.out.scores.reserve_exact(most);
    }

    fn fuse(&mut self, query: usize, wanted: Wanted) -> Result<(), Error> {
        let spans: Vec<_> = self.legs.iter().map(|leg| leg.hits(query)).collect();
        self.number(&spans);
        self.entries += self.rankings.entries();
        if self.entries > CHUNK {
            self.entries = 0;
            self.watch.check()?;
        }
        let columns: Vec<&[f64]> = self
            .legs
            .iter()
            .zip(&spans)
            .map(|(leg, span)| &leg.view.scores[span.clone()])
            .collect();
        let fused = fuse(&self.rankings, &columns, self.request, self.watch)?;
        let limit = wanted.limit.unwrap_or(fused.scores.len());
        let order = if wanted.whole_ties {
            order::top_and_ties(&fused.scores, limit, self.watch)?
        } else {
            order::top(&fused.scores, limit, self.watch)?
        };
        self.out.codes.extend(order.iter().map(|&code| self.candidates[code as usize]));
        self.out.scores.extend(order.iter().map(|&code| fused.scores[code as usize]));
        self.out.offsets.push(self.out.codes.len());
        Ok(())
    }

    /// Numbers the documents of a query in first-seen order.
    ///
    /// Whether one is fresh cannot be predicted, so nothing branches on it.
    fn number(&mut self, spans: &[Range<usize>]) {
        let Self { numbers, next, candidates, rankings, legs, .. } = self;
        let most = spans.iter().map(Range::len).sum::<usize>().min(numbers.len()) as u32;
        if u32::MAX - *next < most {
            numbers.fill(0);
            *next = 1;
        }
        let (first, mut count) = (*next, 0);
        // One slot more than there can be candidates: it is written to once all have been seen.
        candidates.resize(candidates.len().max(most as usize + 1), 0);
        for ((leg, span), list) in legs.iter().zip(spans).zip(&mut rankings.lists) {
            let codes = &leg.view.codes[span.clone()];
            let mut number = |code: u32| {
                let slot = &mut numbers[code as usize];
                let fresh = *slot < first;
                let number = if fresh { count } else { slot.wrapping_sub(first) };
                *slot = first + number;
                candidates[count as usize] = code;
                count += u32::from(fresh);
                number
            };
            list.clear();
            match leg.shared {
                None => list.extend(codes.iter().map(|&code| number(code))),
                Some(shared) => {
                    list.extend(codes.iter().map(|&code| number(shared[code as usize])));
                }
            }
        }
        *next = first + count;
        rankings.candidates = count as usize;
    }

    /// An error about a candidate of the query at hand as one about a document of the runs.
    fn shared(&self, error: Error) -> Error {
        let shared = |code: u32| self.candidates.get(code as usize).copied().unwrap_or(code);
        match error {
            Error::ResultNotFinite { candidate } => {
                Error::ResultNotFinite { candidate: shared(candidate) }
            }
            Error::DuplicateId { list, candidate, first, second } => {
                Error::DuplicateId { list, candidate: shared(candidate), first, second }
            }
            other => other,
        }
    }
}

impl Leg<'_> {
    /// Where its hits for a query of the result lie; nowhere if it has none.
    #[must_use]
    pub fn hits(&self, query: usize) -> Range<usize> {
        let Ok(row) = usize::try_from(self.queries[query]) else { return 0..0 };
        self.view.hits(row)
    }
}
