//! Where a fused score comes from, worked out when somebody asks.

use super::duplicates::{Duplicates, Entry, visit};
use super::{Fused, Rankings};
use crate::{Error, Watch};

/// What one list gave a candidate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contribution {
    /// Index of the list.
    pub list: usize,
    /// Position in it; `None` where the list does not hold the candidate.
    pub position: Option<usize>,
    /// The value before the weight, for methods that have such.
    pub normalized: Option<f64>,
    /// What went into the combination.
    pub credit: f64,
}

/// Everything a fusion was made from: its columns are moved in, not copied.
#[derive(Debug)]
pub struct Trace {
    /// The rankings.
    pub rankings: Rankings,
    /// What repeats counted for.
    pub duplicates: Duplicates,
    /// The credits.
    pub fused: Fused,
    /// Codes of the output, best first.
    pub order: Vec<u32>,
}

impl Trace {
    /// The contributions to each of these distinct places of the output: one for every entry that
    /// counted and one for every list that does not hold the candidate, by list. Linear in the
    /// entries, but for a scan per place where repeats overwrite.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the watch says so.
    pub fn contributions(
        &self,
        places: &[usize],
        watch: Watch<'_>,
    ) -> Result<Vec<Vec<Contribution>>, Error> {
        const UNWANTED: usize = usize::MAX;
        let mut slots = vec![UNWANTED; self.rankings.candidates];
        let mut found: Vec<Vec<Contribution>> = vec![Vec::new(); places.len()];
        for (slot, &place) in places.iter().enumerate() {
            slots[self.order[place] as usize] = slot;
        }
        visit(&self.rankings, self.duplicates, watch, |entry| match entry {
            Entry::Void { code } => {
                if let Some(contributions) = found.get_mut(slots[code as usize]) {
                    contributions.clear();
                }
            }
            Entry::Counts { list, position, code } => {
                if let Some(contributions) = found.get_mut(slots[code as usize]) {
                    contributions.push(self.contribution(list, position));
                }
            }
        })?;
        for (contributions, &place) in found.iter_mut().zip(places) {
            contributions.sort_by_key(|contribution| (contribution.list, contribution.position));
            *contributions = self.with_absences(contributions, self.order[place]);
        }
        Ok(found)
    }

    /// Contributions ordered by list, with those of the lists that do not hold the candidate.
    fn with_absences(&self, held: &[Contribution], code: u32) -> Vec<Contribution> {
        let mut all = Vec::with_capacity(held.len().max(self.rankings.lists.len()));
        let mut held = held.iter().peekable();
        for (list, codes) in self.rankings.lists.iter().enumerate() {
            let before = all.len();
            while let Some(contribution) = held.next_if(|contribution| contribution.list == list) {
                all.push(*contribution);
            }
            // A list whose entries were overwritten holds the candidate, and gave nothing.
            let void = self.duplicates == Duplicates::Overwrite && codes.contains(&code);
            if all.len() == before && !void {
                all.push(self.absence(list));
            }
        }
        all
    }

    fn contribution(&self, list: usize, position: usize) -> Contribution {
        let value = |columns: &Vec<std::sync::Arc<Vec<f64>>>| {
            columns.get(list).and_then(|column| column.get(position)).copied()
        };
        Contribution {
            list,
            position: Some(position),
            normalized: self.fused.normalized.as_ref().and_then(value),
            credit: value(&self.fused.credits.lists).unwrap_or(0.0),
        }
    }

    fn absence(&self, list: usize) -> Contribution {
        let credit = self.fused.credits.absent.get(list).copied().unwrap_or(0.0);
        Contribution { list, position: None, normalized: None, credit }
    }
}
