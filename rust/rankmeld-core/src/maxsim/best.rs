//! The largest similarity of each query vector so far, and the signs that a document needs more care.

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
    /// Below this numbers lose digits, and then vanish.
    const NORMAL: f64;

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
    const NORMAL: f64 = f32::MIN_POSITIVE as f64;

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
    const NORMAL: f64 = f64::MIN_POSITIVE;

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
    /// Whether no sum is NaN or infinite, nor becomes it by a factor within the range allowed.
    const ALWAYS_FINITE: bool;

    /// As that.
    fn value(self) -> Self::Value;
}

impl Sum for f32 {
    type Value = f32;
    const ALWAYS_FINITE: bool = false;
    #[inline(always)]
    fn value(self) -> f32 {
        self
    }
}

impl Sum for f64 {
    type Value = f64;
    const ALWAYS_FINITE: bool = false;
    #[inline(always)]
    fn value(self) -> f64 {
        self
    }
}

impl Sum for i32 {
    type Value = f64;
    const ALWAYS_FINITE: bool = true;
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
        let before = self.values[block];
        let (mut values, mut spoiled) = (before, self.spoiled);
        // Plain counting: iterators side by side keep their state in memory here.
        for place in 0..sums.len() {
            for lane in 0..LANES {
                let value = sums[place].0[lane].value().times(factors[place]);
                values.0[lane] = if value > values.0[lane] { value } else { values.0[lane] };
                if !S::ALWAYS_FINITE {
                    spoiled.0[lane] = value.spoil(spoiled.0[lane]);
                }
            }
        }
        (self.values[block], self.spoiled) = (values, spoiled);
        if PLACES && (0..LANES).any(|lane| values.0[lane] > before.0[lane]) {
            self.find(block, row, sums, factors, &before);
        }
    }

    /// Notes which of some vectors gave the lanes that have got better their similarity.
    fn find<S: Sum<Value = V>>(
        &mut self,
        block: usize,
        row: usize,
        sums: &[Lanes<S>],
        factors: &[V; ROWS],
        before: &Lanes<V>,
    ) {
        for lane in 0..LANES {
            let value = self.values[block].0[lane];
            if value > before.0[lane] {
                let similarity =
                    |place: &usize| sums[*place].0[lane].value().times(factors[*place]);
                let found = (0..sums.len()).find(|place| similarity(place) == value);
                self.places[block].0[lane] = (row + found.unwrap_or(0)) as u32;
            }
        }
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
