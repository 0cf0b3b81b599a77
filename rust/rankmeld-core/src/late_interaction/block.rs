//! A few query tokens side by side, compared with one document token in one walk over its bigrams.
//!
//! Each bigram that any of them has carries a mask with a one in the lane of each that has it. The
//! masks of a document token's distinct bigrams, added up, are what it shares with each lane.

use memchr::memmem;

use super::lexicon::{ASCII_CODES, Lexicon, Profile};
use super::token_similarity::{dice, ratio};

/// How many query tokens are compared at once.
pub const LANES: usize = 16;

/// A similarity for each lane; 0 in lanes that no query token takes.
pub type Row = [f64; LANES];

/// Up to this many distinct bigrams on one side, a byte counts what both share.
const COUNTED_BY_A_BYTE: usize = u8::MAX as usize;

/// The tables of one block; made once, filled anew for each block.
pub struct Block {
    /// By a bigram's code the place of its mask; 0 where no lane has it.
    places: Vec<u32>,
    masks: Vec<[u8; LANES]>,
    /// Number of the token in the first lane; the others follow.
    first: usize,
    lanes: usize,
    profiles: [Profile; LANES],
    /// How many distinct bigrams each lane's token has; more than any in a free lane.
    sizes: [u32; LANES],
    small_sizes: [u8; LANES],
}

impl Block {
    /// A block without tokens.
    pub fn new() -> Self {
        let nothing = Profile::default();
        Self {
            places: vec![0; ASCII_CODES],
            masks: vec![[0; LANES]],
            first: 0,
            lanes: 0,
            profiles: [nothing; LANES],
            sizes: [0; LANES],
            small_sizes: [0; LANES],
        }
    }

    /// Takes the query tokens numbered from `first` on into its lanes, as many as there are up to
    /// `end`.
    pub fn fill(&mut self, lexicon: &Lexicon, first: usize, end: usize) {
        self.places.clear();
        self.places.resize(lexicon.codes(), 0);
        self.masks.truncate(1);
        (self.first, self.lanes) = (first, LANES.min(end - first));
        self.sizes = [0; LANES];
        for lane in 0..self.lanes {
            let bigrams = lexicon.bigrams(first + lane);
            self.profiles[lane] = lexicon.profile(first + lane);
            self.sizes[lane] = bigrams.len() as u32;
            for &code in bigrams {
                let place = &mut self.places[code as usize];
                if *place == 0 {
                    *place = self.masks.len() as u32;
                    self.masks.push([0; LANES]);
                }
                self.masks[*place as usize][lane] = 1;
            }
        }
        self.small_sizes = self.sizes.map(|size| size.min(255) as u8);
    }

    /// The similarity of each lane's token with one of the lexicon.
    #[inline]
    pub fn row(&self, lexicon: &Lexicon, number: usize) -> Row {
        let bigrams = lexicon.bigrams(number);
        if bigrams.len() > COUNTED_BY_A_BYTE {
            return self.row_of_long(lexicon, number);
        }
        // A lane may pass 255 only where both sides do.
        let mut shared = [0_u8; LANES];
        for &code in bigrams {
            let mask = &self.masks[self.places[code as usize] as usize];
            for (sum, one) in shared.iter_mut().zip(mask) {
                *sum += one;
            }
        }
        let size = bigrams.len() as u8;
        let mut row = [0.0; LANES];
        let mut contained = 0_u32;
        for lane in 0..LANES {
            let both = f64::from(shared[lane]);
            let of_each = f64::from(u32::from(size) + self.sizes[lane]);
            row[lane] = (both + both) / of_each.max(1.0);
            let all = shared[lane] == size.min(self.small_sizes[lane]);
            contained |= u32::from(all) << lane;
        }
        self.look_closer(contained, lexicon, number, &mut row);
        row
    }

    fn row_of_long(&self, lexicon: &Lexicon, number: usize) -> Row {
        let bigrams = lexicon.bigrams(number);
        let mut shared = [0_usize; LANES];
        for &code in bigrams {
            let mask = &self.masks[self.places[code as usize] as usize];
            for (sum, &one) in shared.iter_mut().zip(mask) {
                *sum += usize::from(one);
            }
        }
        let mut row = [0.0; LANES];
        let mut contained = 0;
        for lane in 0..LANES {
            let size = self.sizes[lane] as usize;
            row[lane] = dice(shared[lane], bigrams.len() + size);
            contained |= u32::from(shared[lane] == bigrams.len().min(size)) << lane;
        }
        self.look_closer(contained, lexicon, number, &mut row);
        row
    }

    /// Decides equality and containment in the lanes that share all the bigrams of one side, which
    /// neither is possible without.
    #[inline]
    fn look_closer(&self, lanes: u32, lexicon: &Lexicon, number: usize, row: &mut Row) {
        let mut lanes = lanes & ((1 << self.lanes) - 1);
        while lanes != 0 {
            let lane = lanes.trailing_zeros() as usize;
            lanes &= lanes - 1;
            if let Some(similarity) = self.equal_or_contained(lane, lexicon, number) {
                row[lane] = similarity;
            }
        }
    }

    fn equal_or_contained(&self, lane: usize, lexicon: &Lexicon, number: usize) -> Option<f64> {
        if number == self.first + lane {
            return Some(1.0);
        }
        let (asked, there) = (self.profiles[lane], lexicon.profile(number));
        // Different tokens of one length cannot contain each other, and nothing is like an empty one.
        let (short, long) = if asked.characters < there.characters {
            ((asked, self.first + lane), (there, number))
        } else {
            ((there, number), (asked, self.first + lane))
        };
        let possible = short.0.characters < long.0.characters
            && short.0.characters > 0
            && short.0.signature & !long.0.signature == 0;
        let (part, whole) = (lexicon.token(short.1), lexicon.token(long.1));
        (possible && memmem::find(whole.as_bytes(), part.as_bytes()).is_some())
            .then(|| ratio(short.0.characters, long.0.characters))
    }
}
