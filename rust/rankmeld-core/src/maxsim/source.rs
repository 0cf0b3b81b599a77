//! Rows of a document as a tile reads them: where they lie, or widened into a buffer that stays in
//! the nearest cache.

use std::ops::Range;

use half::slice::{HalfBitsSliceExt, HalfFloatSliceExt};
use half::{bf16, f16};

use super::documents::Vectors;
use super::tile::{ROWS, single};

/// The vectors of a document, for tiles that take this kind of elements.
pub trait Source<E> {
    /// The elements of these vectors, each padded to whole steps of the tile.
    fn rows<'a>(&'a self, rows: Range<usize>, buffer: &'a mut Vec<E>) -> &'a [E];
}

/// Elements that are read where they lie.
pub struct Direct<'a, E> {
    /// The vectors.
    pub values: &'a [E],
    /// Elements of each.
    pub width: usize,
}

impl<E> Source<E> for Direct<'_, E> {
    #[inline(always)]
    fn rows<'a>(&'a self, rows: Range<usize>, _: &'a mut Vec<E>) -> &'a [E] {
        &self.values[rows.start * self.width..rows.end * self.width]
    }
}

/// Elements of any kind in single or double precision, converted a few rows at a time.
pub struct Widened<'a> {
    /// The vectors.
    pub vectors: Vectors<'a>,
    /// Elements of each.
    pub width: usize,
}

impl Source<f32> for Widened<'_> {
    #[inline(always)]
    fn rows<'a>(&'a self, rows: Range<usize>, buffer: &'a mut Vec<f32>) -> &'a [f32] {
        let places = rows.start * self.width..rows.end * self.width;
        buffer.resize(ROWS * self.width, 0.0);
        let made = &mut buffer[..places.len()];
        match self.vectors {
            Vectors::Halves(bits) => {
                bits[places].reinterpret_cast::<f16>().convert_to_f32_slice(made);
            }
            Vectors::Bf16(bits) => convert(&bits[places], made, widened),
            Vectors::Bytes(bytes, _) => convert(&bytes[places], made, f32::from),
            Vectors::Singles(values) => made.copy_from_slice(&values[places]),
            Vectors::Doubles(values) => convert(&values[places], made, |value| value as f32),
        }
        made
    }
}

impl Source<f64> for Widened<'_> {
    #[inline(always)]
    fn rows<'a>(&'a self, rows: Range<usize>, buffer: &'a mut Vec<f64>) -> &'a [f64] {
        let places = rows.start * self.width..rows.end * self.width;
        buffer.resize(ROWS * self.width, 0.0);
        let made = &mut buffer[..places.len()];
        match self.vectors {
            Vectors::Halves(bits) => {
                bits[places].reinterpret_cast::<f16>().convert_to_f64_slice(made);
            }
            Vectors::Bf16(bits) => convert(&bits[places], made, |bits| f64::from(widened(bits))),
            Vectors::Bytes(bytes, _) => convert(&bytes[places], made, f64::from),
            Vectors::Singles(values) => convert(&values[places], made, f64::from),
            Vectors::Doubles(values) => made.copy_from_slice(&values[places]),
        }
        made
    }
}

/// Elements brought into the steps of a tile, row by row; what is beyond the width is zero.
pub struct Stepped<'a, T, F> {
    /// The vectors.
    pub values: &'a [T],
    /// Elements of each.
    pub width: usize,
    /// Elements of each that the tile reads.
    pub padded: usize,
    /// Converts one vector.
    pub convert: F,
}

impl<T, E: Copy + Default, F: Fn(&[T], &mut [E])> Source<E> for Stepped<'_, T, F> {
    #[inline(always)]
    fn rows<'a>(&'a self, rows: Range<usize>, buffer: &'a mut Vec<E>) -> &'a [E] {
        let count = rows.len();
        buffer.resize(ROWS * self.padded, E::default());
        let values = &self.values[rows.start * self.width..rows.end * self.width];
        for (to, from) in buffer.chunks_exact_mut(self.padded).zip(values.chunks_exact(self.width))
        {
            to[self.width..].fill(E::default());
            (self.convert)(from, to);
        }
        &buffer[..count * self.padded]
    }
}

#[inline(always)]
fn convert<T: Copy, E>(values: &[T], made: &mut [E], to: impl Fn(T) -> E) {
    for (made, &value) in made.iter_mut().zip(values) {
        *made = to(value);
    }
}

/// The elements as they are.
#[inline(always)]
pub fn copied<T: Copy>(values: &[T], made: &mut [T]) {
    made[..values.len()].copy_from_slice(values);
}

/// Bytes as 16-bit integers.
#[inline(always)]
pub fn words(bytes: &[i8], made: &mut [i16]) {
    convert(bytes, made, i16::from);
}

/// bfloat16 in single precision, the elements of each pair swapped and subnormal ones zero.
#[inline(always)]
pub fn swapped(bits: &[u16], made: &mut [f32]) {
    for (into, bits) in made.chunks_exact_mut(2).zip(bits.chunks(2)) {
        into[1] = single(bits[0]);
        into[0] = bits.get(1).map_or(0.0, |&bits| single(bits));
    }
}

#[inline(always)]
fn widened(bits: u16) -> f32 {
    bf16::from_bits(bits).to_f32()
}

/// Sum of the squares of a vector's elements, without its scale.
#[inline(always)]
pub fn squares(vectors: &Vectors<'_>, row: usize, width: usize) -> f64 {
    let places = row * width..(row + 1) * width;
    match vectors {
        Vectors::Singles(values) => sum_of_squares(&values[places], f64::from),
        Vectors::Doubles(values) => sum_of_squares(&values[places], |x| x),
        Vectors::Halves(values) => sum_of_squares(&values[places], |x| f16::from_bits(x).to_f64()),
        Vectors::Bf16(values) => sum_of_squares(&values[places], |x| f64::from(widened(x))),
        Vectors::Bytes(values, _) => sum_of_squares(&values[places], f64::from),
    }
}

/// Sums that run side by side: the order of additions is part of the result.
const SUMS: usize = 16;

#[inline(always)]
fn sum_of_squares<T: Copy>(values: &[T], wide: impl Fn(T) -> f64) -> f64 {
    let mut sums = [0.0_f64; SUMS];
    let (chunks, rest) = values.as_chunks::<SUMS>();
    for chunk in chunks {
        for place in 0..SUMS {
            let value = wide(chunk[place]);
            sums[place] = value.mul_add(value, sums[place]);
        }
    }
    for place in 0..rest.len() {
        let value = wide(rest[place]);
        sums[place] = value.mul_add(value, sums[place]);
    }
    // In pairs, so that additions do not wait for each other.
    let four =
        |first: usize| (sums[first] + sums[first + 8]) + (sums[first + 4] + sums[first + 12]);
    (four(0) + four(2)) + (four(1) + four(3))
}
