//! Texts as sets of shingles.
//!
//! A shingle is kept as the 64-bit XXH3 of its bytes. Two different ones of a comparison share a
//! hash with a probability below 1 in 10^11 even for texts of ten thousand shingles each, so counts
//! of hashes are counts of shingles.

use std::num::NonZeroUsize;

use unicode_script::{Script, UnicodeScript};
use xxhash_rust::xxh3::xxh3_64;

use crate::text::{TokenBuffer, is_spaceless};
use crate::{Error, Watch};

/// What of a text is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shingling {
    /// Words of three characters or more (two with Hangul), and bigrams of neighbouring characters
    /// of scripts without spaces.
    Words,
    /// Every run of so many tokens; a shorter text is one shingle.
    Runs(NonZeroUsize),
}

/// The distinct shingles of one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShingleSet {
    /// Ascending.
    hashes: Box<[u64]>,
    /// One bit for each hash, at the place that its upper byte says.
    bits: [u64; 4],
}

impl ShingleSet {
    /// The set of hashes that ascend strictly; `None` if they do not.
    #[must_use]
    pub fn of_ascending(hashes: Box<[u64]>) -> Option<Self> {
        let mut bits = [0; 4];
        for &hash in &hashes {
            bits[(hash >> 62) as usize] |= 1 << (hash >> 56 & 63);
        }
        hashes.is_sorted_by(|a, b| a < b).then_some(Self { hashes, bits })
    }

    /// The hashes, ascending.
    #[must_use]
    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// Whether the text has no token.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// Jaccard similarity; of empty sets 0.
    #[must_use]
    pub fn jaccard(&self, other: &Self) -> f64 {
        share(shared(&self.hashes, &other.hashes), self, other)
    }

    /// Whether the Jaccard similarity is this high.
    ///
    /// Most sets that are far apart are told so by their sizes and bits alone: bits that only one
    /// of two sets has are shingles that the other lacks (Sandes, Teodoro and Melo, "Bitmap filter:
    /// speeding up exact set similarity joins with bitwise operations", 2020).
    #[must_use]
    pub fn reaches(&self, other: &Self, threshold: f64) -> bool {
        let differing: u32 =
            self.bits.iter().zip(&other.bits).map(|(a, b)| (a ^ b).count_ones()).sum();
        let (a, b) = (self.hashes.len(), other.hashes.len());
        let most = ((a + b - differing as usize) / 2).min(a).min(b);
        share(most, self, other) >= threshold && self.jaccard(other) >= threshold
    }
}

/// So many shared shingles over all.
fn share(shared: usize, one: &ShingleSet, other: &ShingleSet) -> f64 {
    if shared == 0 {
        return 0.0;
    }
    shared as f64 / (one.hashes.len() + other.hashes.len() - shared) as f64
}

/// How many numbers two ascending lists share.
fn shared(one: &[u64], other: &[u64]) -> usize {
    let (mut i, mut j, mut count) = (0, 0, 0);
    // Which list goes on cannot be predicted, so nothing branches on it.
    while i < one.len() && j < other.len() {
        let (a, b) = (one[i], other[j]);
        i += usize::from(a <= b);
        j += usize::from(b <= a);
        count += usize::from(a == b);
    }
    count
}

/// Makes sets of texts, in memory that is used again for the next one.
#[derive(Debug)]
pub struct Shingler {
    shingling: Shingling,
    tokens: TokenBuffer,
    hashes: Vec<u64>,
    bytes: Vec<u8>,
}

impl Shingler {
    /// One that has read nothing yet.
    #[must_use]
    pub fn new(shingling: Shingling) -> Self {
        let (hashes, bytes) = (Vec::new(), Vec::new());
        Self { shingling, tokens: TokenBuffer::new(), hashes, bytes }
    }

    /// The shingles of a text.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the watch says so.
    pub fn of_text(&mut self, text: &str, watch: Watch<'_>) -> Result<ShingleSet, Error> {
        self.tokens.tokenize_watched(text, watch)?;
        self.hashes.clear();
        match self.shingling {
            Shingling::Words => self.words_and_bigrams(),
            Shingling::Runs(length) => {
                self.hashes.extend(self.tokens.iter().map(|token| xxh3_64(token.as_bytes())));
                self.join_runs(length);
            }
        }
        Ok(self.set())
    }

    /// The shingles of a list of tokens, all of which count.
    pub fn of_tokens<'a>(&mut self, tokens: impl IntoIterator<Item = &'a str>) -> ShingleSet {
        self.hashes.clear();
        self.hashes.extend(tokens.into_iter().map(|token| xxh3_64(token.as_bytes())));
        if let Shingling::Runs(length) = self.shingling {
            self.join_runs(length);
        }
        self.set()
    }

    fn words_and_bigrams(&mut self) {
        let tokens = &self.tokens;
        for (place, token) in tokens.iter().enumerate() {
            if !is_character(token) {
                if is_long(token) {
                    self.hashes.push(xxh3_64(token.as_bytes()));
                }
            } else if tokens.touches_next(place) && is_character(tokens.get(place + 1)) {
                self.bytes.clear();
                self.bytes.extend_from_slice(token.as_bytes());
                self.bytes.extend_from_slice(tokens.get(place + 1).as_bytes());
                self.hashes.push(xxh3_64(&self.bytes));
            }
        }
    }

    /// In place of the hashes of tokens, those of runs of tokens: hashes of hashes.
    fn join_runs(&mut self, length: NonZeroUsize) {
        let tokens = self.hashes.len();
        let length = length.get().min(tokens);
        if length < 2 {
            return;
        }
        self.bytes.clear();
        self.bytes.extend(self.hashes.iter().flat_map(|hash| hash.to_le_bytes()));
        self.hashes.clear();
        self.hashes.extend(self.bytes.windows(8 * length).step_by(8).map(xxh3_64));
    }

    fn set(&mut self) -> ShingleSet {
        self.hashes.sort_unstable();
        self.hashes.dedup();
        let hashes = Box::from(self.hashes.as_slice());
        ShingleSet::of_ascending(hashes).expect("they were sorted and differ")
    }
}

/// Whether a token is one character of a script without spaces.
fn is_character(token: &str) -> bool {
    token.chars().next().is_some_and(is_spaceless)
}

/// Whether a word counts: shorter ones are in every text.
fn is_long(word: &str) -> bool {
    let mut characters = word.chars();
    match (characters.nth(1), characters.next()) {
        (_, Some(_)) => true,
        (Some(_), None) => word.chars().any(|c| c.script() == Script::Hangul),
        (None, _) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn runs(length: usize) -> Shingling {
        Shingling::Runs(NonZeroUsize::new(length).expect("above zero"))
    }

    fn of(text: &str, shingling: Shingling) -> ShingleSet {
        Shingler::new(shingling).of_text(text, Watch::never()).expect("not stopped")
    }

    fn words(words: &[&str]) -> ShingleSet {
        Shingler::new(Shingling::Words).of_tokens(words.iter().copied())
    }

    #[test]
    fn words_that_are_too_short_do_not_count() {
        assert_eq!(of("The ox is red, red!", Shingling::Words), words(&["the", "red"]));
        assert_eq!(of("가 나라 abc", Shingling::Words), words(&["나라", "abc"]));
        assert!(of("👍 !!! a ox", Shingling::Words).is_empty());
    }

    #[test]
    fn characters_count_with_their_neighbours() {
        assert_eq!(of("検索の", Shingling::Words), words(&["検索", "索の"]));
        assert_eq!(of("検 索", Shingling::Words), words(&[]));
        assert_eq!(of("検、索 ABC検", Shingling::Words), words(&["abc"]));
        assert_eq!(of("カ\u{3099}キ", Shingling::Words), words(&["ガキ"]));
    }

    #[test]
    fn runs_take_all_tokens_and_short_texts_whole() {
        let tokens = of("a red ox is a fox", runs(1));
        assert_eq!(tokens.hashes().len(), 4);
        assert_eq!(of("red ox is", runs(3)).hashes().len(), 1);
        assert_eq!(of("red ox is red ox is", runs(3)).hashes().len(), 3);
        assert_eq!(of("red ox", runs(3)), of("red ox", runs(9)));
        assert_ne!(of("red ox", runs(3)), of("red ox is", runs(3)));
        assert!(of("a ! b", runs(3)).is_empty());
    }

    proptest! {
        #[test]
        fn counts_are_those_of_sets(
            left in proptest::collection::btree_set(0..400_u64, 0..200),
            right in proptest::collection::btree_set(0..400_u64, 0..200),
            threshold in 0.0..1.0_f64,
        ) {
            let spread = |set: &BTreeSet<u64>| {
                let mut hashes: Vec<u64> =
                    set.iter().map(|n| n.wrapping_mul(0x9E37_79B9_7F4A_7C15)).collect();
                hashes.sort_unstable();
                ShingleSet::of_ascending(hashes.into()).expect("ascending")
            };
            let (shared, all) = (left.intersection(&right).count(), left.union(&right).count());
            let expected = if shared == 0 { 0.0 } else { shared as f64 / all as f64 };
            let (left, right) = (spread(&left), spread(&right));
            prop_assert_eq!(left.jaccard(&right), expected);
            for threshold in [threshold, expected, f64::from_bits(expected.to_bits() + 1)] {
                prop_assert_eq!(left.reaches(&right, threshold), expected >= threshold);
            }
        }
    }

    #[test]
    fn hashes_that_do_not_ascend_are_no_set() {
        assert!(ShingleSet::of_ascending(Box::from([1, 1])).is_none());
        assert!(ShingleSet::of_ascending(Box::from([2, 1])).is_none());
    }
}
