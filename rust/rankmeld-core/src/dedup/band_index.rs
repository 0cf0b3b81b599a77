//! Sketches that come and go, found by the keys of their bands.

use std::sync::Arc;

use hashbrown::{HashMap, HashTable};

use super::sketch::{Pause, Sketch};
use crate::{Error, Watch};

/// No row.
const NONE: u32 = u32::MAX;

/// As many removed rows are kept before they are cleared away, if there are no more living ones.
const FEW: usize = 1_024;

/// Sketches under the caller's numbers.
///
/// Rows that share a key of a band form a chain, whose first row stands in the band's table. What
/// is removed stays in its chains, passed over, until as many rows are gone as are there.
#[derive(Debug)]
pub struct BandIndex {
    rows: Vec<Row>,
    /// For each row and band the row after it in its chain.
    next: Vec<u32>,
    tables: Vec<HashTable<u32>>,
    places: HashMap<u64, u32, foldhash::fast::RandomState>,
}

#[derive(Debug)]
struct Row {
    number: u64,
    sketch: Arc<Sketch>,
    gone: bool,
}

impl BandIndex {
    /// An empty index of sketches with so many bands.
    #[must_use]
    pub fn new(bands: usize) -> Self {
        let tables = (0..bands).map(|_| HashTable::new()).collect();
        Self { rows: Vec::new(), next: Vec::new(), tables, places: HashMap::default() }
    }

    /// How many sketches there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Keeps a sketch under a number, in place of the one that was there.
    ///
    /// # Errors
    /// [`Error::TooManyCandidates`].
    pub fn put(&mut self, number: u64, sketch: Arc<Sketch>) -> Result<(), Error> {
        self.clear_away();
        let row = u32::try_from(self.rows.len()).ok().filter(|&row| row != NONE);
        let row = row.ok_or(Error::TooManyCandidates)?;
        let rows = &self.rows;
        self.next.resize(self.next.len() + self.tables.len(), NONE);
        let bands = self.tables.len();
        for (band, &key) in sketch.keys().iter().enumerate() {
            let key_of = |&row: &u32| rows[row as usize].sketch.keys()[band];
            let same = |row: &u32| key_of(row) == key;
            match self.tables[band].entry(spread(key), same, |row| spread(key_of(row))) {
                hashbrown::hash_table::Entry::Occupied(mut first) => {
                    self.next[row as usize * bands + band] = *first.get();
                    *first.get_mut() = row;
                }
                hashbrown::hash_table::Entry::Vacant(place) => {
                    place.insert(row);
                }
            }
            // A table that grows asks for the keys of the rows that are in it, not of this one.
        }
        self.rows.push(Row { number, sketch, gone: false });
        if let Some(old) = self.places.insert(number, row) {
            self.rows[old as usize].gone = true;
        }
        Ok(())
    }

    /// Removes the sketch under a number; whether there was one.
    pub fn remove(&mut self, number: u64) -> bool {
        let Some(row) = self.places.remove(&number) else { return false };
        self.rows[row as usize].gone = true;
        true
    }

    /// The sketches that share a key with this one, by number.
    #[must_use]
    pub fn candidates(&self, sketch: &Sketch) -> Vec<(u64, Arc<Sketch>)> {
        let bands = self.tables.len();
        let mut found: Vec<u32> = Vec::new();
        for (band, &key) in sketch.keys().iter().enumerate() {
            let same = |&row: &u32| self.rows[row as usize].sketch.keys()[band] == key;
            let mut row = self.tables[band].find(spread(key), same).copied().unwrap_or(NONE);
            while row != NONE {
                found.push(row);
                row = self.next[row as usize * bands + band];
            }
        }
        found.sort_unstable();
        found.dedup();
        Self::living(found.into_iter().map(|row| &self.rows[row as usize]))
    }

    /// All sketches, by number.
    #[must_use]
    pub fn all(&self) -> Vec<(u64, Arc<Sketch>)> {
        Self::living(self.rows.iter())
    }

    fn living<'a>(rows: impl Iterator<Item = &'a Row>) -> Vec<(u64, Arc<Sketch>)> {
        let living = rows.filter(|row| !row.gone);
        let mut living: Vec<_> = living.map(|row| (row.number, row.sketch.clone())).collect();
        living.sort_unstable_by_key(|&(number, _)| number);
        living
    }

    /// Makes the index anew where more is gone than is there; so removing is quick on average.
    fn clear_away(&mut self) {
        if self.rows.len() - self.len() <= FEW.max(self.len()) {
            return;
        }
        let mut anew = Self::new(self.tables.len());
        for (number, sketch) in self.all() {
            // Fewer rows than fitted before.
            let _ = anew.put(number, sketch);
        }
        *self = anew;
    }
}

/// Of the candidates those that are similar enough, the most similar first, equal ones by number.
///
/// # Errors
/// [`Error::Interrupted`] if the watch says so.
pub fn similar(
    candidates: &[(u64, Arc<Sketch>)],
    sketch: &Sketch,
    threshold: f64,
    watch: Watch<'_>,
) -> Result<Vec<(u64, f64)>, Error> {
    let mut pause = Pause::new(watch);
    let mut found = Vec::new();
    for (number, candidate) in candidates {
        pause.after(16 + candidate.size())?;
        if candidate.reaches(sketch, threshold) {
            found.push((*number, candidate.similarity(sketch)));
        }
    }
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    Ok(found)
}

/// A key as the hash of a table; keys are hashes already, of 32 bits.
fn spread(key: u32) -> u64 {
    u64::from(key).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[cfg(test)]
mod tests {
    use super::super::shingle::Shingling;
    use super::super::sketch::{Settings, Sketcher};
    use super::*;
    use crate::Processor;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn sketcher() -> Sketcher {
        let shingling = Shingling::Words;
        let settings = Settings { threshold: 0.5, values: 64, shingling, verify: true };
        Sketcher::with_bands(settings, Processor::best()).expect("low enough")
    }

    fn sketch(sketcher: &Sketcher, text: u8) -> Arc<Sketch> {
        // Texts of the same ten are alike, others share nothing.
        let words: Vec<String> = (0..40)
            .filter(|word| word % 13 != text % 10)
            .map(|word| format!("word{}x{word}", text / 10))
            .collect();
        let text = words.join(" ");
        let texts = sketcher.of_texts(&[&text], 1, Watch::never()).expect("not stopped");
        Arc::new(texts.into_iter().next().expect("one text"))
    }

    proptest! {
        #[test]
        fn behaves_like_a_list_that_is_compared_in_full(
            steps in proptest::collection::vec((0..30_u64, 0..60_u8, 0..4_u8), 0..300)
        ) {
            let sketcher = sketcher();
            let texts: Vec<_> = (0..60).map(|text| sketch(&sketcher, text)).collect();
            let mut index = BandIndex::new(sketcher.bands());
            let mut known = BTreeMap::new();
            for (number, text, step) in steps {
                match step {
                    0 => prop_assert_eq!(index.remove(number), known.remove(&number).is_some()),
                    1 => {
                        let query = &texts[usize::from(text)];
                        let found = index.candidates(query);
                        let found = similar(&found, query, 0.5, Watch::never()).expect("not stopped");
                        let mut expected: Vec<(u64, f64)> = known
                            .iter()
                            .map(|(&number, &text)| (number, texts[usize::from(text)].similarity(query)))
                            .filter(|&(_, similarity)| similarity >= 0.5)
                            .collect();
                        expected.sort_by(|a, b| b.1.total_cmp(&a.1));
                        prop_assert_eq!(found, expected);
                    }
                    _ => {
                        index.put(number, texts[usize::from(text)].clone()).expect("few");
                        known.insert(number, text);
                    }
                }
                prop_assert_eq!(index.len(), known.len());
            }
            let numbers: Vec<u64> = index.all().iter().map(|&(number, _)| number).collect();
            prop_assert_eq!(numbers, known.keys().copied().collect::<Vec<_>>());
        }
    }

    #[test]
    fn what_is_gone_is_cleared_away() {
        let sketcher = sketcher();
        let text = sketch(&sketcher, 1);
        let mut index = BandIndex::new(sketcher.bands());
        for number in 0..10_000 {
            index.put(number % 7, text.clone()).expect("few");
        }
        assert!(index.rows.len() < 3_000);
        assert_eq!(index.candidates(&text).len(), 7);
    }
}
