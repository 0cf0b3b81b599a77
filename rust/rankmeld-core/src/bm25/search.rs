//! Top-k search that passes over what cannot come among the best: `MaxScore` (Turtle and Flood) over
//! windows of documents, with bounds for blocks of postings.
//!
//! Terms whose bounds together do not reach the worst hit kept are only looked up for documents that
//! other terms bring. Bounds are compared with room for rounding, and scores are summed in the
//! order of the query, so hits, order and bits are those of scoring every document.

use std::ops::Range;

use hashbrown::HashSet;

use super::best::Best;
use super::cursor::{Cursor, Lengths, Room, WINDOW};
use super::index::{Part, Place, Snapshot};
use crate::watch::CHUNK;
use crate::{Error, Watch};

/// Queries of more terms are summed throughout: looking many terms up costs more than it saves.
const MOST_LOOKED_UP: usize = 16;

/// No such term in this part.
const ABSENT: u32 = u32::MAX;

/// Which hits are asked for.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// How many at the most.
    pub limit: usize,
    /// Also those that tie with the last one: what a tie rule has to choose from.
    pub ties: bool,
    /// For each part which of its documents may be found; `None`: all.
    pub allowed: Option<&'a [&'a [bool]]>,
}

/// A hit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Found {
    /// Which document.
    pub place: Place,
    /// Its score, above 0.
    pub score: f64,
}

/// The terms of a query that a snapshot knows.
#[derive(Debug)]
pub struct Query {
    weights: Vec<f64>,
    /// For each term its number in each part.
    numbers: Vec<u32>,
    postings: usize,
}

impl Query {
    /// Postings that there are to look at, at the most.
    #[must_use]
    pub fn postings(&self) -> usize {
        self.postings
    }
}

impl Snapshot {
    /// Looks the distinct tokens of a query up.
    pub fn query<'a>(&self, tokens: impl Iterator<Item = &'a str>) -> Query {
        let mut seen = HashSet::with_hasher(foldhash::fast::RandomState::default());
        let mut query = Query { weights: Vec::new(), numbers: Vec::new(), postings: 0 };
        for token in tokens.filter(|&token| seen.insert(token)) {
            let from = query.numbers.len();
            let mut holding = 0;
            for part in self.parts() {
                let number = part.segment.vocabulary().find(token);
                query.numbers.push(number.unwrap_or(ABSENT));
                if let Some(term) = number {
                    let postings = part.segment.postings(term).documents.len();
                    query.postings += postings;
                    holding += postings - part.removal.postings(term);
                }
            }
            if holding == 0 {
                query.numbers.truncate(from);
            } else {
                query.weights.push(self.formula().weight(holding as u64));
            }
        }
        query
    }

    /// The documents that score above 0, best first, equal scores in the order of insertion.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the watch says so.
    pub fn search(
        &self,
        query: &Query,
        wanted: Wanted<'_>,
        watch: Watch<'_>,
    ) -> Result<Vec<Found>, Error> {
        let limit = wanted.limit;
        if limit == 0 || query.weights.is_empty() {
            return Ok(Vec::new());
        }
        let best = Best::of(limit, self.statistics().count as usize);
        let found = self.fill(best, query, wanted, watch)?;
        match found.last() {
            Some(last) if wanted.ties && found.len() == limit => {
                self.fill(Best::at_least(last.score), query, wanted, watch)
            }
            _ => Ok(found),
        }
    }

    fn fill(
        &self,
        mut best: Best,
        query: &Query,
        wanted: Wanted<'_>,
        watch: Watch<'_>,
    ) -> Result<Vec<Found>, Error> {
        let mut room = Room::new();
        for (number, part) in self.parts().iter().enumerate() {
            let lengths = Lengths::new(&part.segment, part.norms(self.formula()));
            let terms = query.numbers.chunks_exact(self.parts().len());
            let cursors: Vec<Cursor<'_>> = terms
                .zip(&query.weights)
                .filter(|(numbers, _)| numbers[number] != ABSENT)
                .map(|(numbers, &weight)| {
                    Cursor::new(part.segment.postings(numbers[number]), lengths, weight)
                })
                .collect();
            let allowed = wanted.allowed.map(|allowed| allowed[number]);
            PartSearch::new(cursors, part, number as u32, allowed)
                .run(&mut best, &mut room, watch)?;
        }
        Ok(best.into_sorted().map(|(place, score)| Found { place, score }).collect())
    }
}

/// The search through one part.
struct PartSearch<'a> {
    /// In the order of the query.
    cursors: Vec<Cursor<'a>>,
    part: &'a Part,
    number: u32,
    allowed: Option<&'a [bool]>,
    /// Numbers of the cursors by ascending bound.
    ascending: Vec<usize>,
    /// Bounds of the first so many of these together.
    together: Vec<f64>,
    /// How many of these are only looked up.
    looked_up: usize,
    /// By what a sum of credits may be off, as a factor: they are added in another order.
    slack: f64,
}

impl<'a> PartSearch<'a> {
    fn new(
        cursors: Vec<Cursor<'a>>,
        part: &'a Part,
        number: u32,
        allowed: Option<&'a [bool]>,
    ) -> Self {
        let mut ascending: Vec<usize> = (0..cursors.len()).collect();
        ascending.sort_by(|&a, &b| cursors[a].bound.total_cmp(&cursors[b].bound));
        let mut together = vec![0.0];
        for &cursor in &ascending {
            together.push(together[together.len() - 1] + cursors[cursor].bound);
        }
        let slack = 1.0 + (cursors.len() + 4) as f64 * 4.0 * f64::EPSILON;
        Self { cursors, part, number, allowed, ascending, together, looked_up: 0, slack }
    }

    fn run(&mut self, best: &mut Best, room: &mut Room, watch: Watch<'_>) -> Result<(), Error> {
        let mut passed = 0;
        while self.divide(best.threshold()) {
            let summed = &self.ascending[self.looked_up..];
            let next = summed.iter().filter_map(|&cursor| self.cursors[cursor].document());
            let Some(start) = next.min() else { break };
            let window = start..start.saturating_add(WINDOW as u32);
            passed += self.sum(window, best.threshold(), room);
            self.sift(start, best, room);
            if passed >= CHUNK {
                watch.check()?;
                passed = 0;
            }
        }
        Ok(())
    }

    /// Settles which terms are only looked up; false if no document can come among the best.
    fn divide(&mut self, threshold: f64) -> bool {
        let reaches = |bounds: f64| bounds * self.slack >= threshold;
        if self.cursors.len() > MOST_LOOKED_UP {
            return self.together.last().copied().is_some_and(reaches);
        }
        while self.looked_up < self.cursors.len() {
            if reaches(self.together[self.looked_up + 1]) {
                return true;
            }
            self.looked_up += 1;
        }
        false
    }

    /// Sums the credits of the other terms over a window; gives how many postings were passed.
    fn sum(&mut self, window: Range<u32>, threshold: f64, room: &mut Room) -> usize {
        let all = self.together[self.cursors.len()] * self.slack;
        let mut passed = 1;
        for number in 0..self.cursors.len() {
            if self.ascending[..self.looked_up].contains(&number) {
                continue;
            }
            let cursor = &mut self.cursors[number];
            // What a block has to reach, if all other terms gave the most they can.
            let needed = threshold - (all - cursor.bound);
            passed += cursor.add(window.clone(), needed, room);
        }
        passed
    }

    /// Takes the sums of a window, and keeps the documents that come among the best.
    fn sift(&mut self, start: u32, best: &mut Best, room: &mut Room) {
        let rest = self.together[self.looked_up];
        let all_live = self.part.removal.len() == 0 && self.allowed.is_none();
        let mut needed = best.threshold() / self.slack - rest;
        for (word, touched) in room.touched.iter_mut().enumerate() {
            let mut bits = std::mem::take(touched);
            while bits != 0 {
                let place = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let sum = std::mem::take(&mut room.sums[place]);
                if sum < needed {
                    continue;
                }
                let document = start + place as u32;
                if !(all_live || self.is_allowed(document)) {
                    continue;
                }
                let Some(score) = self.completed(document, sum, best.threshold()) else { continue };
                let order = self.part.order[document as usize];
                if best.admits(score, order) {
                    best.keep(score, order, Place { part: self.number, document });
                    needed = best.threshold() / self.slack - rest;
                }
            }
        }
    }

    fn is_allowed(&self, document: u32) -> bool {
        !self.part.removal.contains(document)
            && self.allowed.is_none_or(|allowed| allowed[document as usize])
    }

    /// The score of a document whose summed terms give `sum`; `None` if it is below the threshold.
    fn completed(&mut self, document: u32, sum: f64, threshold: f64) -> Option<f64> {
        if self.looked_up == 0 {
            return Some(sum); // the terms were added in the order of the query
        }
        let mut credits = [0.0; MOST_LOOKED_UP];
        let mut known = sum;
        for place in (0..self.looked_up).rev() {
            if (known + self.together[place + 1]) * self.slack < threshold {
                return None;
            }
            let cursor = self.ascending[place];
            credits[cursor] = self.cursors[cursor].look_up(document);
            known += credits[cursor];
        }
        if known * self.slack < threshold {
            return None;
        }
        for &cursor in &self.ascending[self.looked_up..] {
            credits[cursor] = self.cursors[cursor].look_back(document);
        }
        Some(credits[..self.cursors.len()].iter().sum())
    }
}
