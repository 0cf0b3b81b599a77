//! From the entries of a file to rankings.

use super::flaw::{BadLine, Flaw, shown};
use super::{Columns, Layout, Reader, grouped};
use crate::text::Vocabulary;
use crate::watch::CHUNK;
use crate::{Error, Watch, order};

/// What decides between equal scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ties {
    /// The order of the file.
    First,
    /// The smaller id, byte by byte.
    IdAscending,
    /// The larger id, byte by byte.
    IdDescending,
}

/// What the same document twice for one query means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeats {
    /// A bad line.
    Refused,
    /// Only the best one counts.
    Best,
    /// A bad line, unless it says the same.
    Agreeing,
}

/// What a file holds.
#[derive(Debug)]
pub struct Table {
    /// Query ids by their places in the columns.
    pub queries: Vocabulary,
    /// Document ids by code.
    pub documents: Vocabulary,
    /// The rankings.
    pub columns: Columns,
    /// The tag of the first line.
    pub tag: String,
    /// How many repeats were left out.
    pub left_out: usize,
}

impl Reader {
    /// Makes rankings of what was read: hits by descending score, judgements as they came.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the watch says so; within, the first bad line.
    pub fn finish(
        mut self,
        ties: Ties,
        repeats: Repeats,
        watch: Watch<'_>,
    ) -> Result<Result<Table, BadLine>, Error> {
        self.end(watch)?;
        if let Some(flaw) = self.flaw() {
            return Ok(Err(flaw.clone()));
        }
        let (codes, values) = (std::mem::take(&mut self.codes), std::mem::take(&mut self.values));
        let (columns, origins) = grouped(&self.blocks, self.queries.len(), codes, values, watch)?;
        if repeats != Repeats::Best
            && let Some(repeat) =
                first_repeat(&columns, &self.documents, origins.as_deref(), repeats, watch)?
        {
            return Ok(Err(self.bad_repeat(&columns, origins.as_deref(), repeat)));
        }
        let ordering = (self.layout == Layout::Run).then_some(ties);
        let before = columns.codes.len();
        let columns = settled(&columns, &self.documents, ordering, watch)?;
        let left_out = before - columns.codes.len();
        let Self { queries, documents, tag, .. } = self;
        Ok(Ok(Table { queries, documents, columns, tag, left_out }))
    }

    fn bad_repeat(&self, columns: &Columns, origins: Option<&[usize]>, repeat: Repeat) -> BadLine {
        let line = |hit: usize| self.line_of(origins.map_or(hit, |origins| origins[hit]));
        let query = columns.offsets.partition_point(|&begin| begin <= repeat.second) - 1;
        BadLine {
            line: line(repeat.second),
            flaw: Flaw::Repeat {
                query: shown(self.queries.token(query as u32)),
                document: shown(self.documents.token(columns.codes[repeat.second])),
                first: line(repeat.first),
                layout: self.layout,
            },
        }
    }
}

/// Two hits of one query for one document.
#[derive(Debug, Clone, Copy)]
struct Repeat {
    first: usize,
    second: usize,
}

/// The repeat whose line comes first in the file.
fn first_repeat(
    columns: &Columns,
    documents: &Vocabulary,
    origins: Option<&[usize]>,
    repeats: Repeats,
    watch: Watch<'_>,
) -> Result<Option<Repeat>, Error> {
    let mut seen = Seen::new(documents.len());
    let mut found: Option<(usize, Repeat)> = None;
    for query in 0..columns.queries() {
        for second in columns.hits(query) {
            watch.check_at(second)?;
            let Some(first) = seen.before(columns.codes[second], query, second) else { continue };
            if repeats == Repeats::Agreeing && columns.scores[first] == columns.scores[second] {
                continue;
            }
            let entry = origins.map_or(second, |origins| origins[second]);
            if found.is_none_or(|(earliest, _)| entry < earliest) {
                found = Some((entry, Repeat { first, second }));
            }
            break;
        }
    }
    Ok(found.map(|(_, repeat)| repeat))
}

/// Orders each query's hits, if asked to, and leaves out all but the first of a document.
fn settled(
    columns: &Columns,
    documents: &Vocabulary,
    ties: Option<Ties>,
    watch: Watch<'_>,
) -> Result<Columns, Error> {
    let mut seen = Seen::new(documents.len());
    let mut out = Columns {
        offsets: Vec::with_capacity(columns.offsets.len()),
        codes: Vec::with_capacity(columns.codes.len()),
        scores: Vec::with_capacity(columns.codes.len()),
    };
    out.offsets.push(0);
    let mut asked = 0;
    for query in 0..columns.queries() {
        let hits = columns.hits(query);
        let (codes, scores) = (&columns.codes[hits.clone()], &columns.scores[hits.clone()]);
        let mut keep = |position: usize| {
            if seen.before(codes[position], query, position).is_none() {
                out.codes.push(codes[position]);
                out.scores.push(scores[position]);
            }
        };
        match ties {
            None => (0..codes.len()).for_each(&mut keep),
            // Files are mostly in order already.
            Some(Ties::First) if scores.is_sorted_by(|a, b| a >= b) => {
                (0..codes.len()).for_each(&mut keep);
            }
            Some(ties) => {
                let name = |position: u32| documents.token(codes[position as usize]);
                for position in ordered(scores, ties, name, watch)? {
                    keep(position as usize);
                }
            }
        }
        out.offsets.push(out.codes.len());
        if hits.end - asked > CHUNK {
            asked = hits.end;
            watch.check()?;
        }
    }
    Ok(out)
}

fn ordered<'a>(
    scores: &[f64],
    ties: Ties,
    name: impl Fn(u32) -> &'a str,
    watch: Watch<'_>,
) -> Result<Vec<u32>, Error> {
    let order = order::top(scores, usize::MAX, watch)?;
    match ties {
        Ties::First => Ok(order),
        Ties::IdAscending => {
            order::break_ties(order, scores, usize::MAX, |a, b| Ok(name(a).cmp(name(b))))
        }
        Ties::IdDescending => {
            order::break_ties(order, scores, usize::MAX, |a, b| Ok(name(b).cmp(name(a))))
        }
    }
}

/// For each document the last query that had it, and where first.
struct Seen(Vec<(usize, usize)>);

impl Seen {
    fn new(documents: usize) -> Self {
        Self(vec![(usize::MAX, 0); documents])
    }

    /// Where the query had the document before; notes the place if it had not.
    fn before(&mut self, code: u32, query: usize, place: usize) -> Option<usize> {
        let seen = &mut self.0[code as usize];
        if seen.0 == query {
            return Some(seen.1);
        }
        *seen = (query, place);
        None
    }
}
