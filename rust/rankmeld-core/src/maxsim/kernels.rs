//! Which tiles a processor has, and how work gets compiled for its instructions.

use super::tile::{Bf16Pairs, ByteFours, Doubles, Singles, Tile, WordPairs};
#[cfg(target_arch = "x86_64")]
use super::x86;
use crate::Processor;

/// The tiles of one kind of processor.
pub trait Kernels {
    /// For single precision.
    type Singles: Tile<Element = f32, Lane = f32, Sum = f32>;
    /// For double precision.
    type Doubles: Tile<Element = f64, Lane = f64, Sum = f64>;
    /// For pairs of bfloat16.
    type Pairs: Tile<Element = u16, Lane = [u16; 2], Sum = f32>;
    /// For fours of bytes.
    type Bytes: Tile<Element = i8, Lane = [i8; 4], Sum = i32>;
    /// For pairs of 16-bit integers.
    type Words: Tile<Element = i16, Lane = [i16; 2], Sum = i32>;
    /// Whether `Pairs` may be used; else bfloat16 is widened to single precision.
    const PAIRS: bool;
    /// Whether `Bytes` may be used; else bytes are widened to 16 bits.
    const BYTES: bool;
}

/// The definitions themselves.
pub struct Portable;

impl Kernels for Portable {
    type Singles = Singles;
    type Doubles = Doubles;
    type Pairs = Bf16Pairs;
    type Bytes = ByteFours;
    type Words = WordPairs;
    const PAIRS: bool = true;
    const BYTES: bool = true;
}

/// Something to do with the tiles of a processor.
///
/// Implementations are inlined, so that the plain code around the tiles is compiled for the same
/// instructions.
pub trait Work {
    /// What comes of it.
    type Output;

    /// Does it.
    fn run<K: Kernels>(self) -> Self::Output;
}

/// Does the work for a processor of this kind.
///
/// # Panics
/// If the processor here is of a lesser kind.
pub fn run_on<W: Work>(processor: Processor, work: W) -> W::Output {
    match processor {
        #[cfg(target_arch = "x86_64")]
        Processor::Avx512 => x86::with_avx512(work),
        #[cfg(target_arch = "x86_64")]
        Processor::Avx2 => x86::with_avx2(work),
        _ => work.run::<Portable>(),
    }
}
