//! Dot products of a few document vectors with sixteen or thirty-two query vectors at once.
//!
//! A tile is the one hot loop of `MaxSim`. The query lies transposed, sixteen vectors side by side, so
//! each element of a document vector meets all of them in one multiplication and nothing of the
//! documents has to be packed. Sums of a tile never leave the registers before they are complete.
//!
//! The tiles in this file are the definition; the ones for particular processors give the same bits.

use half::bf16;

/// Query vectors side by side.
pub const LANES: usize = 16;

/// Document vectors of one tile at most.
pub const ROWS: usize = 12;

/// Blocks of query vectors that one tile can take: one block more would not fit the registers.
pub const BLOCKS: usize = 2;

/// One value for each of sixteen query vectors, aligned so that a register reads one cache line.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(64))]
pub struct Lanes<T>(pub [T; LANES]);

impl<T: Copy + Default> Default for Lanes<T> {
    fn default() -> Self {
        Self([T::default(); LANES])
    }
}

/// The sums of a tile: by block, then by document vector.
pub type Sums<S> = [[Lanes<S>; ROWS]; BLOCKS];

/// Query vectors laid out for a tile.
#[derive(Debug, Default)]
pub struct Packed<L, S> {
    /// Steps of one block: the width over the elements that a step takes.
    pub steps: usize,
    /// Block after block, step after step.
    pub lanes: Vec<Lanes<L>>,
    /// What the sums of each block begin with.
    pub start: Vec<Lanes<S>>,
}

impl<L, S> Packed<L, S> {
    /// The lanes and beginnings of so many blocks from this one on.
    fn blocks(&self, first: usize, count: usize) -> (&[Lanes<L>], &[Lanes<S>]) {
        let steps = first * self.steps..(first + count) * self.steps;
        (&self.lanes[steps], &self.start[first..first + count])
    }
}

/// A tile for one kind of numbers on one kind of processor.
pub trait Tile {
    /// What a document vector consists of.
    type Element: Copy + Default;
    /// What a query vector gives to one step.
    type Lane: Copy + Default;
    /// What is summed up.
    type Sum: Copy + Default;
    /// Elements of a document vector that one step takes.
    const STEP: usize;
    /// What it adds to each element of a document; the sums have to begin so much lower.
    const MOVED: i32 = 0;

    /// Sums for `rows` (1, 2, 4, 8 or 12 document vectors, each `lanes` long in steps) and as many
    /// blocks as `start` has.
    fn sums(
        rows: &[Self::Element],
        count: usize,
        lanes: &[Lanes<Self::Lane>],
        start: &[Lanes<Self::Sum>],
        sums: &mut Sums<Self::Sum>,
    );

    /// The same, for `count` blocks of a packed query from the `first` on.
    #[inline(always)]
    fn multiply(
        rows: &[Self::Element],
        count: usize,
        query: &Packed<Self::Lane, Self::Sum>,
        (first, blocks): (usize, usize),
        sums: &mut Sums<Self::Sum>,
    ) {
        let (lanes, start) = query.blocks(first, blocks);
        Self::sums(rows, count, lanes, start, sums);
    }
}

/// One step of a definition: an element, or a few of them, of both sides, and the sum so far.
trait Step: Tile {
    fn step(elements: &[Self::Element], lane: Self::Lane, sum: Self::Sum) -> Self::Sum;
}

#[inline(always)]
fn defined<T: Step>(
    rows: &[T::Element],
    count: usize,
    lanes: &[Lanes<T::Lane>],
    start: &[Lanes<T::Sum>],
    sums: &mut Sums<T::Sum>,
) {
    let steps = lanes.len() / start.len();
    for ((lanes, start), sums) in lanes.chunks_exact(steps).zip(start).zip(sums) {
        for (row, sum) in rows.chunks_exact(steps * T::STEP).zip(&mut sums[..count]) {
            let mut running = *start;
            for (elements, lanes) in row.chunks_exact(T::STEP).zip(lanes) {
                for (running, &lane) in running.0.iter_mut().zip(&lanes.0) {
                    *running = T::step(elements, lane, *running);
                }
            }
            *sum = running;
        }
    }
}

/// Declares a tile that is nothing but its definition.
macro_rules! definition {
    ($(#[$doc:meta])* $name:ident, $element:ty, $lane:ty, $sum:ty, $step:literal, $formula:expr) => {
        $(#[$doc])*
        pub struct $name;

        impl Step for $name {
            #[inline(always)]
            fn step(elements: &[$element], lane: $lane, sum: $sum) -> $sum {
                ($formula)(elements, lane, sum)
            }
        }

        impl Tile for $name {
            type Element = $element;
            type Lane = $lane;
            type Sum = $sum;
            const STEP: usize = $step;

            #[inline(always)]
            fn sums(
                rows: &[$element],
                count: usize,
                lanes: &[Lanes<$lane>],
                start: &[Lanes<$sum>],
                sums: &mut Sums<$sum>,
            ) {
                defined::<Self>(rows, count, lanes, start, sums);
            }
        }
    };
}

definition!(
    /// Single precision: one chain of fused multiply-adds in the order of the elements.
    Singles, f32, f32, f32, 1, |x: &[f32], q: f32, sum: f32| x[0].mul_add(q, sum)
);

definition!(
    /// Double precision, in the same way.
    Doubles, f64, f64, f64, 1, |x: &[f64], q: f64, sum: f64| x[0].mul_add(q, sum)
);

definition!(
    /// Pairs of bfloat16 into single precision: of each pair the second product is added first, and
    /// whatever is below the normal numbers counts as zero. So does the instruction `vdpbf16ps`.
    Bf16Pairs, u16, [u16; 2], f32, 2, |x: &[u16], q: [u16; 2], sum: f32| {
        let product = |i: usize, sum: f32| flushed(single(x[i]).mul_add(single(q[i]), flushed(sum)));
        product(0, product(1, sum))
    }
);

definition!(
    /// Fours of signed bytes, exactly.
    ByteFours, i8, [i8; 4], i32, 4, |x: &[i8], q: [i8; 4], sum: i32| {
        x.iter().zip(q).fold(sum, |sum, (&x, q)| sum + i32::from(x) * i32::from(q))
    }
);

definition!(
    /// Pairs of 16-bit integers that were bytes, exactly.
    WordPairs, i16, [i16; 2], i32, 2, |x: &[i16], q: [i16; 2], sum: i32| {
        x.iter().zip(q).fold(sum, |sum, (&x, q)| sum + i32::from(x) * i32::from(q))
    }
);

/// A bfloat16 as a single, subnormal ones as zero.
pub fn single(bits: u16) -> f32 {
    flushed(bf16::from_bits(bits).to_f32())
}

fn flushed(value: f32) -> f32 {
    if value.abs() < f32::MIN_POSITIVE { 0.0_f32.copysign(value) } else { value }
}
