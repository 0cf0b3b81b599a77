//! A few query tokens side by side, compared with one document token in one walk over its bigrams.
//!
//! Each bigram that any of them has carries a mask with a one in the lane of each that has it. The
//! masks of a document token's distinct bigrams, added up, are what it shares with each lane.

use memchr::memmem;

use super::lexicon::Lexicon;
use super::token_similarity::{dice, ratio};

/// How many query tokens are compared at once.
pub const LANES: usize = 16;

/// Similarities of four lanes; 0 in lanes that no query token takes. A row is as many of these as
/// there are lanes taken, rounded up.
pub type Quad = [f64; 4];

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
    /// How many characters each lane's token has.
    characters: [usize; LANES],
    /// How many distinct bigrams each lane's token has; more than any in a free lane.
    sizes: [u32; LANES],
    small_sizes: [u8; LANES],
}

impl Block {
    /// A block without tokens.
    pub fn new() -> Self {
        Self {
            places: Vec::new(),
            masks: vec![[0; LANES]],
            first: 0,
            lanes: 0,
            characters: [0; LANES],
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
            self.characters[lane] = lexicon.token(first + lane).chars().count();
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

    /// How many quads make up a row.
    pub fn quads(&self) -> usize {
        self.lanes.div_ceil(4)
    }

    /// The similarity of each lane's token with one of the lexicon; `Q` is [`Block::quads`].
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "compiled with the caller's instructions")]
    pub fn row<const Q: usize>(&self, lexicon: &Lexicon, number: usize) -> [Quad; Q] {
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
        let mut all = 0_u32;
        for (lane, (&shared, &asked)) in shared.iter().zip(&self.small_sizes).enumerate() {
            all |= u32::from(shared == size.min(asked)) << lane;
        }
        let mut row = [[0.0; 4]; Q];
        for (quad, row) in row.iter_mut().enumerate() {
            for (lane, similarity) in (quad * 4..quad * 4 + 4).zip(row) {
                let both = f64::from(shared[lane]);
                let of_each = f64::from(u32::from(size) + self.sizes[lane]);
                *similarity = (both + both) / of_each.max(1.0);
            }
        }
        self.look_closer(all, lexicon, number, &mut row);
        row
    }

    #[cold]
    fn row_of_long<const Q: usize>(&self, lexicon: &Lexicon, number: usize) -> [Quad; Q] {
        let bigrams = lexicon.bigrams(number);
        let mut shared = [0_usize; LANES];
        for &code in bigrams {
            let mask = &self.masks[self.places[code as usize] as usize];
            for (sum, &one) in shared.iter_mut().zip(mask) {
                *sum += usize::from(one);
            }
        }
        let mut row = [[0.0; 4]; Q];
        let mut all = 0;
        for lane in 0..self.lanes {
            let size = self.sizes[lane] as usize;
            row[lane / 4][lane % 4] = dice(shared[lane], bigrams.len() + size);
            all |= u32::from(shared[lane] == bigrams.len().min(size)) << lane;
        }
        self.look_closer(all, lexicon, number, &mut row);
        row
    }

    /// Decides equality and containment in the lanes that share all the bigrams of one side, which
    /// neither is possible without.
    #[inline]
    fn look_closer(&self, lanes: u32, lexicon: &Lexicon, number: usize, row: &mut [Quad]) {
        let mut lanes = lanes & ((1 << self.lanes) - 1);
        while lanes != 0 {
            let lane = lanes.trailing_zeros() as usize;
            lanes &= lanes - 1;
            if let Some(similarity) = self.equal_or_contained(lane, lexicon, number) {
                row[lane / 4][lane % 4] = similarity;
            }
        }
    }

    fn equal_or_contained(&self, lane: usize, lexicon: &Lexicon, number: usize) -> Option<f64> {
        if number == self.first + lane {
            return Some(1.0);
        }
        let asked = self.first + lane;
        let characters = || lexicon.token(number).chars().count();
        // Nothing is like an empty token, and different ones of one length contain not each other.
        let (part, whole) = if lexicon.token(number).len() < lexicon.token(asked).len() {
            (number, asked)
        } else {
            (asked, number)
        };
        if !lexicon.may_contain(whole, part) {
            return None;
        }
        let (part, whole) = (lexicon.token(part), lexicon.token(whole));
        let contained =
            !part.is_empty() && memmem::find(whole.as_bytes(), part.as_bytes()).is_some();
        contained.then(|| {
            let (one, other) = (self.characters[lane], characters());
            ratio(one.min(other), one.max(other))
        })
    }
}
