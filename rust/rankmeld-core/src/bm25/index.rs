//! What an index holds at one moment: segments, what is gone of them, and the statistics.

use std::sync::{Arc, OnceLock};

use super::formula::{Formula, Parameters, Statistics};
use super::merge;
use super::removal::Removal;
use super::segment::Segment;
use crate::{Error, Watch};

/// Where a document stands: its part of the snapshot and its number there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Number of the part.
    pub part: u32,
    /// Number of the document in it.
    pub document: u32,
}

/// A segment as a snapshot sees it.
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub segment: Arc<Segment>,
    pub removal: Arc<Removal>,
    /// For each document its rank in the order of insertion, ascending.
    pub order: Arc<[u64]>,
    /// What is set against frequencies, for each number of a length; of this snapshot's statistics.
    norms: OnceLock<Vec<f64>>,
}

impl Part {
    pub fn new(segment: Arc<Segment>, removal: Arc<Removal>, order: Arc<[u64]>) -> Self {
        Self { segment, removal, order, norms: OnceLock::new() }
    }

    /// The same for a snapshot of other statistics.
    fn again(&self) -> Self {
        Self::new(self.segment.clone(), self.removal.clone(), self.order.clone())
    }

    pub fn living(&self) -> usize {
        self.segment.len() - self.removal.len()
    }

    pub fn norms(&self, formula: &Formula) -> &[f64] {
        let lengths = self.segment.lengths();
        self.norms.get_or_init(|| lengths.iter().map(|&length| formula.norm(length)).collect())
    }
}

/// All that a search reads. It never changes: adding and removing make another one, which shares
/// with it what stayed the same, so readers wait for nobody and see one moment.
#[derive(Debug)]
pub struct Snapshot {
    parts: Vec<Part>,
    statistics: Statistics,
    formula: Formula,
    parameters: Parameters,
}

impl Snapshot {
    /// Without documents.
    #[must_use]
    pub fn empty(parameters: Parameters) -> Self {
        Self::of(parameters, Vec::new())
    }

    fn of(parameters: Parameters, parts: Vec<Part>) -> Self {
        let living = parts.iter().map(|part| part.living() as u64).sum();
        let tokens = parts.iter().map(|part| part.segment.tokens() - part.removal.tokens()).sum();
        let statistics = Statistics::of(living, tokens);
        Self { parts, statistics, formula: Formula::new(parameters, statistics), parameters }
    }

    /// The living documents.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// What scores are computed with.
    #[must_use]
    pub fn parameters(&self) -> Parameters {
        self.parameters
    }

    pub(super) fn formula(&self) -> &Formula {
        &self.formula
    }

    pub(super) fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// For each part how many documents it has and how many of them live.
    #[must_use]
    pub fn sizes(&self) -> Vec<(usize, usize)> {
        self.parts.iter().map(|part| (part.segment.len(), part.living())).collect()
    }

    /// How many living documents hold a token.
    #[must_use]
    pub fn holding(&self, token: &str) -> u64 {
        let holding = |part: &Part| {
            part.segment.vocabulary().find(token).map_or(0, |term| {
                part.segment.postings(term).documents.len() - part.removal.postings(term)
            })
        };
        self.parts.iter().map(|part| holding(part) as u64).sum()
    }

    /// Whether the document at a place is there.
    #[must_use]
    pub fn lives(&self, place: Place) -> bool {
        self.parts.get(place.part as usize).is_some_and(|part| {
            (place.document as usize) < part.segment.len() && !part.removal.contains(place.document)
        })
    }

    /// The rank of a document in the order of insertion; of a place that there is.
    #[must_use]
    pub fn order_of(&self, place: Place) -> u64 {
        self.parts[place.part as usize].order[place.document as usize]
    }

    /// Without these documents.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the watch says so.
    pub fn without(&self, places: &[Place], watch: Watch<'_>) -> Result<Self, Error> {
        let mut parts: Vec<Part> = self.parts.iter().map(Part::again).collect();
        for (number, part) in parts.iter_mut().enumerate() {
            let here = |place: &&Place| place.part as usize == number;
            let gone: Vec<u32> = places.iter().filter(here).map(|place| place.document).collect();
            if !gone.is_empty() {
                part.removal = Arc::new(part.removal.and(&part.segment, &gone, watch)?);
            }
        }
        Ok(Self::of(self.parameters, parts))
    }

    /// With one more part, and where each of its documents stood in the segment.
    ///
    /// `order` has a rank for each document of the segment, which no other living document has.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the watch says so.
    pub fn with(
        &self,
        segment: Arc<Segment>,
        order: Vec<u64>,
        watch: Watch<'_>,
    ) -> Result<(Self, Vec<u32>), Error> {
        let mut parts: Vec<Part> = self.parts.iter().map(Part::again).collect();
        let sorted = order.is_sorted();
        let documents = 0..segment.len() as u32;
        let part = Part::new(segment, Arc::default(), order.into());
        if sorted {
            parts.push(part);
            return Ok((Self::of(self.parameters, parts), documents.collect()));
        }
        // Replaced documents have earlier ranks; searches go by ascending ones.
        let (part, places) = merge::merged(&[part], watch)?;
        parts.push(part);
        let stood = places.into_iter().map(|place| place.document).collect();
        Ok((Self::of(self.parameters, parts), stood))
    }

    /// With the parts from `first` on as one, and for each of its documents where it stood.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the watch says so.
    pub fn merged(&self, first: usize, watch: Watch<'_>) -> Result<(Self, Vec<Place>), Error> {
        let (kept, gathered) = self.parts.split_at(first.min(self.parts.len()));
        let mut parts: Vec<Part> = kept.iter().map(Part::again).collect();
        let (part, mut places) = merge::merged(gathered, watch)?;
        for place in &mut places {
            place.part += kept.len() as u32;
        }
        if !places.is_empty() {
            parts.push(part);
        }
        Ok((Self::of(self.parameters, parts), places))
    }
}
