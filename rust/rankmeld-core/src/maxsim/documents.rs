//! What is compared: vectors of several kinds of numbers, and documents made of them.

use std::ops::Range;

use half::{bf16, f16};

/// What each vector of bytes is multiplied by.
#[derive(Debug, Clone, Copy)]
pub enum Scales<'a> {
    /// The same for all.
    One(f64),
    /// One for each vector.
    Each(&'a [f64]),
}

/// Vectors of one width, row by row.
#[derive(Debug, Clone, Copy)]
pub enum Vectors<'a> {
    /// Single precision.
    Singles(&'a [f32]),
    /// Double precision.
    Doubles(&'a [f64]),
    /// Bits of half precision.
    Halves(&'a [u16]),
    /// Bits of bfloat16.
    Bf16(&'a [u16]),
    /// Signed bytes, each vector with a scale.
    Bytes(&'a [i8], Scales<'a>),
}

impl<'a> Vectors<'a> {
    /// The element at a place, without the scale.
    #[must_use]
    pub fn element(&self, place: usize) -> f64 {
        match self {
            Self::Singles(values) => f64::from(values[place]),
            Self::Doubles(values) => values[place],
            Self::Halves(values) => f16::from_bits(values[place]).to_f64(),
            Self::Bf16(values) => bf16::from_bits(values[place]).to_f64(),
            Self::Bytes(values, _) => f64::from(values[place]),
        }
    }

    /// What the vector in this row is multiplied by.
    #[must_use]
    pub fn scale(&self, row: usize) -> f64 {
        match self {
            Self::Bytes(_, Scales::One(scale)) => *scale,
            Self::Bytes(_, Scales::Each(scales)) => scales[row],
            _ => 1.0,
        }
    }

    /// Whether no vector has a scale of its own.
    #[must_use]
    pub fn has_one_scale(&self) -> bool {
        !matches!(self, Self::Bytes(_, Scales::Each(_)))
    }

    /// Whether all elements of a vector are zero.
    #[must_use]
    pub fn is_zero(&self, row: usize, width: usize) -> bool {
        (row * width..(row + 1) * width).all(|place| self.element(place) == 0.0)
    }

    /// The largest size of an element of a vector, without the scale.
    #[must_use]
    pub fn largest(&self, row: usize, width: usize) -> f64 {
        let places = row * width..(row + 1) * width;
        if let Self::Singles(values) = self {
            // Bits of numbers without their sign are in the order of the numbers, and quickly compared.
            let sizes = values[places].iter().map(|value| value.to_bits() & !(1 << 31));
            return f64::from(f32::from_bits(sizes.fold(0, u32::max)));
        }
        places.fold(0.0, |largest, place| self.element(place).abs().max(largest))
    }

    /// Some of the vectors.
    #[must_use]
    pub fn rows(&self, rows: Range<usize>, width: usize) -> Vectors<'a> {
        let places = rows.start * width..rows.end * width;
        match *self {
            Self::Singles(values) => Self::Singles(&values[places]),
            Self::Doubles(values) => Self::Doubles(&values[places]),
            Self::Halves(values) => Self::Halves(&values[places]),
            Self::Bf16(values) => Self::Bf16(&values[places]),
            Self::Bytes(values, Scales::Each(scales)) => {
                Self::Bytes(&values[places], Scales::Each(&scales[rows]))
            }
            Self::Bytes(values, one) => Self::Bytes(&values[places], one),
        }
    }
}

/// One document.
#[derive(Debug, Clone, Copy)]
pub struct Document<'a> {
    /// Its vectors.
    pub vectors: Vectors<'a>,
    /// How many there are.
    pub count: usize,
    /// Which of them count; all, if there is no mask.
    pub keep: Option<&'a [bool]>,
}

impl Document<'_> {
    /// The runs of vectors that count.
    pub fn runs(&self) -> impl Iterator<Item = Range<usize>> {
        let mut next = 0;
        std::iter::from_fn(move || {
            let Some(keep) = self.keep else {
                let all = next..self.count;
                next = self.count;
                return (!all.is_empty()).then_some(all);
            };
            let start = next + keep[next..].iter().position(|&keep| keep)?;
            let length = keep[start..].iter().position(|&keep| !keep);
            next = length.map_or(self.count, |length| start + length);
            Some(start..next)
        })
    }
}

/// All documents of a call.
#[derive(Debug)]
pub enum Documents<'a> {
    /// Each on its own: vectors and their number.
    Separate {
        /// The documents.
        documents: Vec<(Vectors<'a>, usize)>,
        /// For each document the vectors and documents before it; see [`Documents::separate`].
        before: Vec<usize>,
    },
    /// One behind the other.
    Flat {
        /// The vectors of all.
        vectors: Vectors<'a>,
        /// Where each document begins; the last entry is where the last one ends.
        offsets: &'a [usize],
    },
    /// All of one length.
    Padded {
        /// The vectors of all.
        vectors: Vectors<'a>,
        /// How many documents there are.
        count: usize,
        /// Vectors of each.
        length: usize,
        /// Which vectors count.
        mask: Option<&'a [bool]>,
    },
}

impl<'a> Documents<'a> {
    /// Documents that lie each on their own.
    #[must_use]
    pub fn separate(documents: Vec<(Vectors<'a>, usize)>) -> Self {
        let mut total = 0;
        let count = |(_, count): &(Vectors<'_>, usize)| {
            let before = total;
            total += count + 1;
            before
        };
        let before = documents.iter().map(count).collect();
        Self::Separate { documents, before }
    }

    /// How many documents there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Separate { documents, .. } => documents.len(),
            Self::Flat { offsets, .. } => offsets.len().saturating_sub(1),
            Self::Padded { count, .. } => *count,
        }
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One of them.
    #[must_use]
    pub fn get(&self, index: usize, width: usize) -> Document<'a> {
        match self {
            Self::Separate { documents, .. } => {
                let (vectors, count) = documents[index];
                Document { vectors, count, keep: None }
            }
            Self::Flat { vectors, offsets } => {
                let rows = offsets[index]..offsets[index + 1];
                Document { count: rows.len(), vectors: vectors.rows(rows, width), keep: None }
            }
            Self::Padded { vectors, length, mask, .. } => {
                let rows = index * length..(index + 1) * length;
                Document {
                    vectors: vectors.rows(rows.clone(), width),
                    count: *length,
                    keep: mask.map(|mask| &mask[rows]),
                }
            }
        }
    }

    /// Vectors and documents before this document, by which work is shared out: a document without
    /// vectors is some work too.
    #[must_use]
    pub fn before(&self, index: usize) -> usize {
        match self {
            Self::Separate { documents, before } => {
                before.get(index).copied().unwrap_or_else(|| {
                    let (last, end) = (documents.last(), before.last());
                    last.zip(end).map_or(0, |((_, count), before)| before + count + 1)
                })
            }
            Self::Flat { offsets, .. } => offsets[index] - offsets[0] + index,
            Self::Padded { length, .. } => index * (length + 1),
        }
    }

    /// The first document that begins at or after so many vectors and documents.
    #[must_use]
    pub fn first_from(&self, position: usize) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.before(middle) < position { low = middle + 1 } else { high = middle }
        }
        low
    }
}
