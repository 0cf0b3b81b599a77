//! The query, brought into the forms that tiles read.

use std::sync::OnceLock;

use half::bf16;

use super::documents::Vectors;
use super::tile::{LANES, Lanes, Packed};
use crate::Error;
use crate::power_of_two::{exponent, times_power};

/// The least that holds every element of the query without rounding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Signed bytes.
    Bytes,
    /// bfloat16.
    Bf16,
    /// Single precision.
    Singles,
    /// Double precision.
    Doubles,
}

/// Beyond these powers of two a factor could cost digits of what it is multiplied with.
const FACTORS: std::ops::Range<i32> = -900..900;

/// Query vectors, each times a power of two that makes its largest element about 1.
///
/// Such a product is exact, and the factors undo it at the end; so the size of the query can make
/// nothing overflow or vanish.
#[derive(Debug)]
pub struct Query {
    kind: Kind,
    width: usize,
    rows: Vec<f64>,
    powers: Vec<i32>,
    scales: Vec<f64>,
    /// What the best similarity of each query vector is multiplied by.
    factors: Vec<f64>,
    extreme: bool,
    faintest: f64,
    singles: OnceLock<Packed<f32, f32>>,
    swapped: OnceLock<Packed<f32, f32>>,
    doubles: OnceLock<Packed<f64, f64>>,
    pairs: OnceLock<Packed<[u16; 2], f32>>,
    bytes: [OnceLock<Packed<[i8; 4], i32>>; 2],
    words: OnceLock<Packed<[i16; 2], i32>>,
}

impl Query {
    /// Reads `count` query vectors; with `normalize` each is divided by its length.
    ///
    /// # Errors
    /// [`Error::QueryNotFinite`].
    pub fn new(
        vectors: &Vectors<'_>,
        count: usize,
        width: usize,
        normalize: bool,
    ) -> Result<Self, Error> {
        let kind = match vectors {
            Vectors::Bytes(..) => Kind::Bytes,
            Vectors::Bf16(_) => Kind::Bf16,
            Vectors::Singles(_) | Vectors::Halves(_) => Kind::Singles,
            Vectors::Doubles(_) => Kind::Doubles,
        };
        let mut rows = Vec::with_capacity(count * width);
        let mut powers = Vec::with_capacity(count);
        let scales = (0..count).map(|row| vectors.scale(row)).collect();
        let mut factors = Vec::with_capacity(count);
        let (mut extreme, mut faintest) = (false, f64::INFINITY);
        for row in 0..count {
            let begin = rows.len();
            for column in 0..width {
                let value = vectors.element(row * width + column);
                if !value.is_finite() {
                    return Err(Error::QueryNotFinite { row, column, value });
                }
                rows.push(value);
            }
            let values = &mut rows[begin..];
            let largest = values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
            // Bytes are multiplied as the integers they are.
            let keep = largest == 0.0 || kind == Kind::Bytes;
            let power = if keep { 0 } else { exponent(largest) };
            let scale_down = times_power(1.0, -power);
            for value in values.iter_mut() {
                *value *= scale_down;
            }
            let sizes = values.iter().map(|value| value.abs()).filter(|&size| size > 0.0);
            faintest = sizes.fold(faintest, f64::min);
            let scale = vectors.scale(row);
            let factor = if !normalize {
                times_power(scale, power)
            } else if largest == 0.0 || scale == 0.0 {
                0.0
            } else {
                values.iter().map(|value| value * value).sum::<f64>().sqrt().recip()
            };
            extreme |= factor != 0.0 && !FACTORS.contains(&exponent(factor));
            extreme |= factor == 0.0 && scale != 0.0 && largest != 0.0;
            powers.push(power);
            factors.push(factor);
        }
        Ok(Self {
            kind,
            width,
            rows,
            powers,
            scales,
            factors,
            extreme,
            faintest,
            singles: OnceLock::new(),
            swapped: OnceLock::new(),
            doubles: OnceLock::new(),
            pairs: OnceLock::new(),
            bytes: [OnceLock::new(), OnceLock::new()],
            words: OnceLock::new(),
        })
    }

    /// How many query vectors there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.factors.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.factors.is_empty()
    }

    /// Elements of each vector.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// What holds its elements.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The elements of one vector, scaled to about 1.
    #[must_use]
    pub fn row(&self, row: usize) -> &[f64] {
        &self.rows[row * self.width..(row + 1) * self.width]
    }

    /// The powers of two that were taken out of each vector.
    #[must_use]
    pub fn powers(&self) -> &[i32] {
        &self.powers
    }

    /// The scales that came with the vectors.
    #[must_use]
    pub fn scales(&self) -> &[f64] {
        &self.scales
    }

    /// What the best similarity of each query vector is multiplied by.
    #[must_use]
    pub fn factors(&self) -> &[f64] {
        &self.factors
    }

    /// Whether a factor is so large or small that it could cost digits.
    #[must_use]
    pub fn is_extreme(&self) -> bool {
        self.extreme
    }

    /// The smallest element that is not zero, once vectors are scaled to about 1.
    #[must_use]
    pub fn faintest(&self) -> f64 {
        self.faintest
    }

    /// Blocks of sixteen query vectors; at least one, so that documents are looked at in any case.
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.len().div_ceil(LANES).max(1)
    }

    /// For tiles of single precision.
    pub fn singles(&self) -> &Packed<f32, f32> {
        self.singles
            .get_or_init(|| self.packed(self.width, |row, step| self.at(row, step) as f32, |_| 0.0))
    }

    /// For tiles of single precision, the elements of each pair swapped.
    pub fn swapped(&self) -> &Packed<f32, f32> {
        self.swapped.get_or_init(|| {
            let steps = self.width.next_multiple_of(2);
            self.packed(steps, |row, step| self.at(row, step ^ 1) as f32, |_| 0.0)
        })
    }

    /// For tiles of double precision.
    pub fn doubles(&self) -> &Packed<f64, f64> {
        self.doubles
            .get_or_init(|| self.packed(self.width, |row, step| self.at(row, step), |_| 0.0))
    }

    /// For tiles of bfloat16.
    pub fn pairs(&self) -> &Packed<[u16; 2], f32> {
        self.pairs.get_or_init(|| {
            let element = |row, place| bf16::from_f32(self.at(row, place) as f32).to_bits();
            let pair = |row, step: usize| [2 * step, 2 * step + 1].map(|place| element(row, place));
            self.packed(self.width.div_ceil(2), pair, |_| 0.0)
        })
    }

    /// For tiles of bytes that add so much to each of the document.
    pub fn bytes(&self, moved: i32) -> &Packed<[i8; 4], i32> {
        let [plain, lower] = &self.bytes;
        let form = if moved == 0 { plain } else { lower };
        form.get_or_init(|| {
            let four = |row, step: usize| std::array::from_fn(|i| self.byte(row, 4 * step + i));
            let sum =
                |row| (0..self.width).map(|place| i32::from(self.byte(row, place))).sum::<i32>();
            self.packed(self.width.div_ceil(4), four, |row| -moved * sum(row))
        })
    }

    /// For tiles of 16-bit integers.
    pub fn words(&self) -> &Packed<[i16; 2], i32> {
        self.words.get_or_init(|| {
            let pair = |row, step: usize| {
                [2 * step, 2 * step + 1].map(|place| i16::from(self.byte(row, place)))
            };
            self.packed(self.width.div_ceil(2), pair, |_| 0)
        })
    }

    /// An element; zero beyond the last vector or the last column.
    fn at(&self, row: usize, column: usize) -> f64 {
        if row < self.len() && column < self.width { self.row(row)[column] } else { 0.0 }
    }

    fn byte(&self, row: usize, column: usize) -> i8 {
        self.at(row, column) as i8
    }

    fn packed<L: Copy + Default, S: Copy + Default>(
        &self,
        steps: usize,
        lane: impl Fn(usize, usize) -> L,
        start: impl Fn(usize) -> S,
    ) -> Packed<L, S> {
        let blocks = 0..self.blocks();
        let sixteen = |block: usize| block * LANES;
        let lanes = blocks.clone().flat_map(|block| {
            let lane = &lane;
            (0..steps)
                .map(move |step| Lanes(std::array::from_fn(|i| lane(sixteen(block) + i, step))))
        });
        let starts =
            blocks.clone().map(|block| Lanes(std::array::from_fn(|i| start(sixteen(block) + i))));
        Packed { steps, lanes: lanes.collect(), start: starts.collect() }
    }
}
