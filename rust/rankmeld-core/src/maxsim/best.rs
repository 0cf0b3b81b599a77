//! The largest similarity of each query vector so far, and the signs that a document needs more care.

#![expect(clippy::needless_range_loop, reason = "the lanes of several registers side by side")]

use super::tile::{LANES, Lanes, ROWS};

/// A number that similarities are compared in.
pub trait Value: Copy + Default + PartialOrd {
    /// Less than any similarity.
    const LEAST: Self;
    /// Factors within these powers of two cost no digit.
    const FACTORS: std::ops::RangeInclusive<f64>;
    /// Below this a similarity may be what is left after products vanished.
    const TINY: f64;
    /// Vectors with no element of this size may have products that vanish.
    const FAINT: f64;

    /// From a factor, rounded.
    fn factor(factor: f64) -> Self;
    /// As a double.
    fn wide(self) -> f64;
    /// The product.
    fn times(self, factor: Self) -> Self;
    /// Zero if finite, else NaN, added to what was there: nothing can hide what was seen once.
    fn spoil(self, seen: Self) -> Self;
}

impl Value for f32 {
    const LEAST: Self = f32::NEG_INFINITY;
    const FACTORS: std::ops::RangeInclusive<f64> = TWO_TO_MINUS_60..=1.0 / TWO_TO_MINUS_60;
    const TINY: f64 = 1.0 / (1_u64 << 40) as f64;
    const FAINT: f64 = TWO_TO_MINUS_60 / (1_u64 << 30) as f64;

    #[inline(always)]
    fn factor(factor: f64) -> Self {
        factor as f32
    }
    #[inline(always)]
    fn wide(self) -> f64 {
        f64::from(self)
    }
    #[inline(always)]
    fn times(self, factor: Self) -> Self {
        self * factor
    }
    #[inline(always)]
    fn spoil(self, seen: Self) -> Self {
        self * 0.0 + seen
    }
}

const TWO_TO_MINUS_60: f64 = 1.0 / (1_u64 << 60) as f64;

impl Value for f64 {
    const LEAST: Self = f64::NEG_INFINITY;
    const FACTORS: std::ops::RangeInclusive<f64> = 1e-150..=1e150;
    const TINY: f64 = 1e-250;
    const FAINT: f64 = 1e-270;

    #[inline(always)]
    fn factor(factor: f64) -> Self {
        factor
    }
    #[inline(always)]
    fn wide(self) -> f64 {
        self
    }
    #[inline(always)]
    fn times(self, factor: Self) -> Self {
        self * factor
    }
    #[inline(always)]
    fn spoil(self, seen: Self) -> Self {
        self * 0.0 + seen
    }
}

/// A sum of a tile.
pub trait Sum: Copy + Default {
    /// What it is compared as.
    type Value: Value;

    /// As that.
    fn value(self) -> Self::Value;
}

impl Sum for f32 {
    type Value = f32;
    #[inline(always)]
    fn value(self) -> f32 {
        self
    }
}

impl Sum for f64 {
    type Value = f64;
    #[inline(always)]
    fn value(self) -> f64 {
        self
    }
}

impl Sum for i32 {
    type Value = f64;
    #[inline(always)]
    fn value(self) -> f64 {
        f64::from(self)
    }
}

/// For each query vector the largest similarity and where it was.
#[derive(Debug, Default)]
pub struct Best<V: Value> {
    values: Vec<Lanes<V>>,
    places: Vec<Lanes<u32>>,
    spoiled: Lanes<V>,
}

impl<V: Value> Best<V> {
    /// Forgets everything, for so many blocks of sixteen query vectors.
    #[inline(always)]
    pub fn begin(&mut self, blocks: usize) {
        self.values.clear();
        self.values.resize(blocks, Lanes([V::LEAST; LANES]));
        self.places.clear();
        self.places.resize(blocks, Lanes([0; LANES]));
        self.spoiled = Lanes::default();
    }

    /// Takes the similarities of vectors from `row` on with one block of the query.
    #[inline(always)]
    pub fn take<S: Sum<Value = V>, const PLACES: bool>(
        &mut self,
        block: usize,
        row: usize,
        sums: &[Lanes<S>],
        factors: &[V; ROWS],
    ) {
        let best = &mut self.values[block];
        let places = &mut self.places[block];
        let (mut values, mut spoiled) = (*best, self.spoiled);
        for ((place, sums), &factor) in (row..).zip(sums).zip(factors) {
            let new: [V; LANES] = sums.0.map(|sum| sum.value().times(factor));
            for lane in 0..LANES {
                spoiled.0[lane] = new[lane].spoil(spoiled.0[lane]);
            }
            if PLACES {
                for lane in 0..LANES {
                    let better = new[lane] > values.0[lane];
                    places.0[lane] = if better { place as u32 } else { places.0[lane] };
                }
            }
            for lane in 0..LANES {
                values.0[lane] =
                    if new[lane] > values.0[lane] { new[lane] } else { values.0[lane] };
            }
        }
        (*best, self.spoiled) = (values, spoiled);
    }

    /// Whether every similarity was finite.
    #[inline(always)]
    pub fn is_sound(&self) -> bool {
        self.spoiled.0.iter().all(|&seen| seen == V::default())
    }

    /// The largest similarity of each query vector.
    #[inline(always)]
    pub fn values(&self) -> impl Iterator<Item = f64> + Clone {
        self.values.iter().flat_map(|lanes| lanes.0).map(Value::wide)
    }

    /// Which vector had it: the first of equal ones.
    pub fn places(&self) -> impl Iterator<Item = u32> {
        self.places.iter().flat_map(|lanes| lanes.0)
    }
}
