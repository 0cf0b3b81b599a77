//! The hits kept so far, and what a document must score to come among them.

use std::collections::BinaryHeap;

use super::index::Place;
use crate::order::descending_key;

/// A hit as it is compared: the key of its score, its rank of insertion, and where it stands.
type Entry = (u64, u64, (u32, u32), u64);

/// The best hits by descending score, equal scores by rank of insertion.
#[derive(Debug)]
pub(super) struct Best {
    kept: Kept,
    /// A lower score is of no use.
    threshold: f64,
    /// Nor is one that equals the threshold, of this rank of insertion or a later one.
    last: u64,
}

#[derive(Debug)]
enum Kept {
    Few { limit: usize, heap: BinaryHeap<Entry> },
    All(Vec<Entry>),
}

impl Best {
    /// The best `limit` of at most `candidates` hits above 0; a limit of one or more.
    pub fn of(limit: usize, candidates: usize) -> Self {
        let kept = if limit < candidates {
            Kept::Few { limit, heap: BinaryHeap::with_capacity(limit) }
        } else {
            Kept::All(Vec::new())
        };
        Self { kept, threshold: 0.0, last: 0 }
    }

    /// All hits of this score, which is above 0, or a better one.
    pub fn at_least(score: f64) -> Self {
        Self { kept: Kept::All(Vec::new()), threshold: score, last: u64::MAX }
    }

    /// What a score has to reach.
    #[inline]
    pub fn threshold(&self) -> f64 {
        self.threshold
    }

    /// Whether a hit comes among those kept.
    #[inline]
    pub fn admits(&self, score: f64, order: u64) -> bool {
        score > self.threshold || (score == self.threshold && order < self.last)
    }

    /// Keeps a hit that [`Best::admits`].
    pub fn keep(&mut self, score: f64, order: u64, place: Place) {
        let entry = (descending_key(score), order, (place.part, place.document), score.to_bits());
        match &mut self.kept {
            Kept::All(entries) => entries.push(entry),
            Kept::Few { limit, heap } if heap.len() < *limit => {
                heap.push(entry);
                if heap.len() == *limit {
                    self.raise();
                }
            }
            Kept::Few { heap, .. } => {
                if let Some(mut worst) = heap.peek_mut() {
                    *worst = entry;
                }
                self.raise();
            }
        }
    }

    fn raise(&mut self) {
        if let Kept::Few { heap, .. } = &self.kept
            && let Some(&(_, order, _, bits)) = heap.peek()
        {
            (self.threshold, self.last) = (f64::from_bits(bits), order);
        }
    }

    /// The hits, best first.
    pub fn into_sorted(self) -> impl Iterator<Item = (Place, f64)> {
        let entries = match self.kept {
            Kept::Few { heap, .. } => heap.into_sorted_vec(),
            Kept::All(mut entries) => {
                entries.sort_unstable();
                entries
            }
        };
        entries
            .into_iter()
            .map(|(_, _, (part, document), bits)| (Place { part, document }, f64::from_bits(bits)))
    }
}
