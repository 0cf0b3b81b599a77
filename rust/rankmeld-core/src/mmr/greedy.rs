//! The greedy choice, with as few similarities as its result allows.
//!
//! A candidate's value only falls as picks are added: the maximum over them only grows. So a value
//! that was computed some picks ago is a bound. Candidates wait in a heap by their bounds; only the
//! one on top is compared with the picks that it has not met, and it is chosen once it has met all
//! of them and is still on top. That is exact, ties included: among equal bounds the earlier
//! candidate is looked at first, so a later one is chosen only when all earlier ones fell behind.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::ops::Range;

use crate::order::descending_key;
use crate::{Error, Watch};

/// How much work is done between two questions whether to go on: about a millisecond.
const STEP: usize = 1 << 20;

/// How many picks a candidate meets before it is seen whether it is still on top: few, as the
/// first ones often tell, but enough to be worth a look.
const AT_ONCE: usize = 4;

/// How similar candidates are to those that were picked.
pub trait Similarities {
    /// Adds a pick.
    fn pick(&mut self, candidate: usize);

    /// The candidate's greatest similarity to the picks of these numbers, of which there is at
    /// least one, and the number of the first pick that it is to. No candidate is compared with
    /// itself.
    fn greatest(&mut self, candidate: usize, picks: Range<usize>) -> (usize, f64);

    /// What one similarity costs, in additions.
    fn cost(&self) -> usize;
}

/// The pick that a candidate is most similar to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearest {
    /// The pick, as a candidate; the first of equally similar ones.
    pub pick: u32,
    /// How similar they are.
    pub similarity: f64,
}

/// A candidate that was chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pick {
    /// Which.
    pub candidate: u32,
    /// Its relevance.
    pub relevance: f64,
    /// What it was held against; nothing for the first pick.
    pub nearest: Option<Nearest>,
}

impl Pick {
    /// What the candidate was chosen for.
    #[must_use]
    pub fn value(&self, lambda: f64) -> f64 {
        let similarity = self.nearest.map_or(0.0, |nearest| nearest.similarity);
        value(self.relevance, similarity, lambda)
    }
}

fn value(relevance: f64, similarity: f64, lambda: f64) -> f64 {
    lambda * relevance - (1.0 - lambda) * similarity
}

/// A candidate by its bound: best first, equal ones in order.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    key: u64,
    candidate: u32,
    /// How many picks it has met.
    met: u32,
}

/// Picks up to `limit` candidates, `first` before all others.
///
/// # Errors
/// [`Error::Interrupted`] if the watch says so.
pub fn greedy(
    relevance: &[f64],
    first: usize,
    lambda: f64,
    limit: usize,
    similarities: &mut impl Similarities,
    watch: Watch<'_>,
) -> Result<Vec<Pick>, Error> {
    let limit = limit.min(relevance.len());
    let mut picks: Vec<Pick> = Vec::with_capacity(limit);
    if limit == 0 {
        return Ok(picks);
    }
    let chosen = |candidate: usize, nearest| Pick {
        candidate: candidate as u32,
        relevance: relevance[candidate],
        nearest,
    };
    picks.push(chosen(first, None));
    if limit == 1 {
        return Ok(picks);
    }
    similarities.pick(first);
    let mut work = 0;
    let mut pace = |similarities: usize, cost: usize| {
        work += similarities * cost;
        if work < STEP {
            return Ok(());
        }
        work = 0;
        watch.check()
    };
    let mut nearest =
        vec![Nearest { pick: first as u32, similarity: f64::NEG_INFINITY }; relevance.len()];
    let mut waiting = Vec::with_capacity(relevance.len());
    for (candidate, nearest) in nearest.iter_mut().enumerate() {
        if candidate != first {
            pace(1, similarities.cost())?;
            (_, nearest.similarity) = similarities.greatest(candidate, 0..1);
            let key = descending_key(value(relevance[candidate], nearest.similarity, lambda));
            waiting.push(Reverse(Waiting { key, candidate: candidate as u32, met: 1 }));
        }
    }
    let mut waiting = BinaryHeap::from(waiting);
    while picks.len() < limit
        && let Some(mut top) = waiting.peek_mut()
    {
        let candidate = top.0.candidate as usize;
        let met = top.0.met as usize;
        let nearest = &mut nearest[candidate];
        if met == picks.len() {
            PeekMut::pop(top);
            picks.push(chosen(candidate, Some(*nearest)));
            similarities.pick(candidate);
            continue;
        }
        let meets = met..picks.len().min(met + AT_ONCE);
        pace(meets.len(), similarities.cost())?;
        top.0.met = meets.end as u32;
        let (number, similarity) = similarities.greatest(candidate, meets);
        if similarity > nearest.similarity {
            *nearest = Nearest { pick: picks[number].candidate, similarity };
            top.0.key = descending_key(value(relevance[candidate], similarity, lambda));
        }
    }
    Ok(picks)
}
