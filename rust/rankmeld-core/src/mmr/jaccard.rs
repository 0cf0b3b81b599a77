//! Jaccard similarity of sets: what two have in common, over all that either has.
//!
//! A token that one set alone holds is in no intersection, so it only counts. Of the others those
//! that many sets hold are bits, one row of bits for each set; the rare ones would make the rows
//! long, so they are listed, and each remembers the picks that hold it.

use std::ops::Range;

use super::Similarities;
use super::overlaps::overlaps;
use crate::text::{TokenBuffer, Vocabulary};
use crate::{Error, Processor, Watch};

/// A token that at least one set in so many holds is a bit. The bits of all sets then take at most
/// this many for each token of each set.
const BIT_FROM: usize = 128;

/// How much text is read between two questions whether to go on: some milliseconds.
const BYTES: usize = 1 << 18;

/// About how much text brings a token that was not seen before; a guess that saves growing tables.
const BYTES_PER_DISTINCT_TOKEN: usize = 24;

/// Sets of tokens, and those that were picked.
pub struct Jaccard {
    sizes: Vec<u32>,
    /// How many words a row of bits has.
    words: usize,
    bits: Vec<u64>,
    /// The rare tokens of each set, one set after the other.
    rare: Vec<u32>,
    rare_ends: Vec<usize>,
    picks: Vec<usize>,
    picked_bits: Vec<u64>,
    /// The numbers of the picks that hold a rare token, ascending.
    picks_with: Vec<Vec<u32>>,
    shared: Vec<u32>,
    processor: Processor,
}

/// Sets of tokens as they are read, one after the other.
#[derive(Default)]
pub struct Sets {
    tokens: Vec<u32>,
    ends: Vec<usize>,
    known: Vec<Known>,
}

/// What is known of a token.
#[derive(Clone, Copy)]
struct Known {
    sets: u32,
    last: u32,
}

impl Sets {
    /// No sets.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The sets of tokens of texts.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the watch says so.
    pub fn of_texts(texts: &[&str], watch: Watch<'_>) -> Result<Self, Error> {
        let bytes: usize = texts.iter().map(|text| text.len()).sum();
        let mut vocabulary = Vocabulary::with_capacity(bytes / BYTES_PER_DISTINCT_TOKEN);
        let (mut sets, mut tokens, mut numbers) = (Self::new(), TokenBuffer::new(), Vec::new());
        let mut read = 0;
        for text in texts {
            read += text.len();
            if read > BYTES {
                watch.check()?;
                read = 0;
            }
            tokens.tokenize_watched(text, watch)?;
            numbers.clear();
            vocabulary.intern_all(&tokens, &mut numbers, watch)?;
            for &token in &numbers {
                sets.add(token);
            }
            sets.end();
        }
        Ok(sets)
    }

    /// Adds a token to the set that is being read; a repeat changes nothing.
    ///
    /// Tokens are numbered in the order in which they are first seen.
    #[inline]
    pub fn add(&mut self, token: u32) {
        let set = self.ends.len() as u32;
        if token as usize == self.known.len() {
            self.known.push(Known { sets: 0, last: u32::MAX });
        }
        let known = &mut self.known[token as usize];
        if known.last != set {
            *known = Known { sets: known.sets + 1, last: set };
            self.tokens.push(token);
        }
    }

    /// Ends a set, and begins the next.
    pub fn end(&mut self) {
        self.ends.push(self.tokens.len());
    }
}

/// Where a token is looked for.
#[derive(Clone, Copy)]
enum Place {
    /// In one set alone.
    Nowhere,
    Bit(u32),
    Rare(u32),
}

impl Jaccard {
    /// Of sets, in the order of the candidates.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the watch says so.
    pub fn new(sets: &Sets, processor: Processor, watch: Watch<'_>) -> Result<Self, Error> {
        let count = sets.ends.len();
        let (mut bit, mut rare) = (0, 0);
        let next = |number: &mut u32| {
            *number += 1;
            *number - 1
        };
        let place = |known: &Known| match known.sets {
            ..2 => Place::Nowhere,
            sets if sets as usize * BIT_FROM >= count => Place::Bit(next(&mut bit)),
            _ => Place::Rare(next(&mut rare)),
        };
        let places: Vec<Place> = sets.known.iter().map(place).collect();
        let words = (bit as usize).div_ceil(64);
        let mut jaccard = Self {
            sizes: Vec::with_capacity(count),
            words,
            bits: vec![0; words * count],
            rare: Vec::new(),
            rare_ends: Vec::with_capacity(count),
            picks: Vec::new(),
            picked_bits: Vec::new(),
            picks_with: vec![Vec::new(); rare as usize],
            shared: Vec::new(),
            processor,
        };
        let mut start = 0;
        for (set, &end) in sets.ends.iter().enumerate() {
            watch.check_at(set)?;
            let bits = &mut jaccard.bits[set * words..][..words];
            for &token in &sets.tokens[start..end] {
                match places[token as usize] {
                    Place::Nowhere => {}
                    Place::Bit(bit) => bits[bit as usize / 64] |= 1 << (bit % 64),
                    Place::Rare(token) => jaccard.rare.push(token),
                }
            }
            jaccard.sizes.push((end - start) as u32);
            jaccard.rare_ends.push(jaccard.rare.len());
            start = end;
        }
        Ok(jaccard)
    }

    fn rare_of(&self, set: usize) -> Range<usize> {
        let start = if set == 0 { 0 } else { self.rare_ends[set - 1] };
        start..self.rare_ends[set]
    }
}

impl Similarities for Jaccard {
    fn pick(&mut self, candidate: usize) {
        let number = self.picks.len() as u32;
        self.picks.push(candidate);
        self.picked_bits.extend_from_slice(&self.bits[candidate * self.words..][..self.words]);
        for &token in &self.rare[self.rare_of(candidate)] {
            self.picks_with[token as usize].push(number);
        }
    }

    fn greatest(&mut self, candidate: usize, picks: Range<usize>) -> (usize, f64) {
        self.shared.clear();
        if self.words > 0 {
            let bits = &self.bits[candidate * self.words..][..self.words];
            let picked = &self.picked_bits[picks.start * self.words..picks.end * self.words];
            overlaps(bits, picked, self.processor, &mut self.shared);
        } else {
            self.shared.resize(picks.len(), 0);
        }
        for &token in &self.rare[self.rare_of(candidate)] {
            let newest_first = self.picks_with[token as usize].iter().rev();
            let among = newest_first.map(|&number| number as usize);
            let among = among.take_while(|&number| number >= picks.start);
            for number in among.filter(|&number| number < picks.end) {
                self.shared[number - picks.start] += 1;
            }
        }
        let size = self.sizes[candidate];
        let mut greatest = (picks.start, f64::NEG_INFINITY);
        for ((number, &shared), &pick) in picks.clone().zip(&self.shared).zip(&self.picks[picks]) {
            let either = size + self.sizes[pick] - shared;
            let similarity = if either == 0 { 0.0 } else { f64::from(shared) / f64::from(either) };
            if similarity > greatest.1 {
                greatest = (number, similarity);
            }
        }
        greatest
    }

    fn cost(&self) -> usize {
        16 + self.words + self.rare.len() / self.sizes.len().max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mmr::{Matrix, Request, Scale, mmr};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn read(sets: &[Vec<u32>]) -> Sets {
        let (mut numbers, mut read) = (Vec::new(), Sets::new());
        for set in sets {
            for &token in set {
                let known = numbers.iter().position(|&known| known == token);
                read.add(known.unwrap_or(numbers.len()) as u32);
                if known.is_none() {
                    numbers.push(token);
                }
            }
            read.end();
        }
        read
    }

    fn jaccard(a: &[u32], b: &[u32]) -> f64 {
        let (a, b): (BTreeSet<_>, BTreeSet<_>) = (a.iter().collect(), b.iter().collect());
        let either = a.union(&b).count();
        if either == 0 { 0.0 } else { a.intersection(&b).count() as f64 / either as f64 }
    }

    /// Few sets whose tokens are all bits, or so many that some of their tokens are rare.
    fn sets() -> impl Strategy<Value = Vec<Vec<u32>>> {
        prop_oneof![
            9 => proptest::collection::vec(proptest::collection::vec(0..90_u32, 0..12), 0..20),
            1 => proptest::collection::vec(
                proptest::collection::vec(prop_oneof![0..4_u32, 10..300_u32], 0..6),
                390..400
            ),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
        #[test]
        fn the_same_as_all_similarities_beforehand(sets in sets(), limit in 0..25_usize) {
            let scores: Vec<f64> = (0..sets.len()).map(|place| (place % 7) as f64).collect();
            let pairs = sets.iter().flat_map(|a| sets.iter().map(|b| jaccard(a, b)));
            let matrix: Vec<f64> = pairs.collect();
            let request = Request { lambda: 0.5, limit, scale: Scale::MinMax };
            let mut all = Matrix::new(&matrix, sets.len(), Watch::never()).expect("finite");
            let expected = mmr(&scores, &request, &mut all, Watch::never());
            for &processor in Processor::available() {
                let mut jaccard = Jaccard::new(&read(&sets), processor, Watch::never()).expect("nobody stops it");
                prop_assert_eq!(&mmr(&scores, &request, &mut jaccard, Watch::never()), &expected);
            }
        }
    }

    #[test]
    fn texts_are_sets_of_their_tokens() {
        let texts = ["One two, one TWO", "two three", "", "!"];
        let sets = Sets::of_texts(&texts, Watch::never()).expect("nobody stops it");
        let mut jaccard = Jaccard::new(&sets, Processor::best(), Watch::never()).expect("as above");
        jaccard.pick(0);
        assert_eq!(jaccard.greatest(1, 0..1), (0, 1.0 / 3.0));
        jaccard.pick(2);
        assert_eq!(jaccard.greatest(3, 1..2), (1, 0.0));
    }
}
