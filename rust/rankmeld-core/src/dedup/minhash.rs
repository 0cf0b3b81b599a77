//! Signatures of sets: for each of many orders of all shingles, the smallest one of the set.
//!
//! Two sets agree in such a value with a probability that is their Jaccard similarity (Broder, "On
//! the resemblance and containment of documents", 1997). The orders are `a * x + b` over the upper
//! 32 bits of a shingle's hash, with odd `a`, so that each is a permutation of all 32-bit numbers.
#![expect(unsafe_code, reason = "the same loop is compiled for wider registers")]

use crate::Processor;

/// Permutations that are taken side by side: four registers of 512 bits.
const LANES: usize = 64;

/// The permutations of a signature, the same in every process and on every platform.
#[derive(Debug, Clone)]
pub struct Permutations {
    multipliers: Vec<[u32; LANES]>,
    increments: Vec<[u32; LANES]>,
    values: usize,
}

impl Permutations {
    /// The first so many.
    #[must_use]
    pub fn new(values: usize) -> Self {
        let mut draws = Draws(0x7261_6E6B_6D65_6C64);
        let chunks = values.div_ceil(LANES);
        let mut made = Self {
            multipliers: vec![[1; LANES]; chunks],
            increments: vec![[0; LANES]; chunks],
            values,
        };
        for (a, b) in made.multipliers.iter_mut().zip(&mut made.increments) {
            for (a, b) in a.iter_mut().zip(b) {
                let word = draws.next();
                *a = (word >> 32) as u32 | 1;
                *b = word as u32;
            }
        }
        made
    }

    /// How many values a signature has.
    #[must_use]
    pub fn values(&self) -> usize {
        self.values
    }

    /// Writes the signature of a set of hashes, which is all ones for the empty set.
    pub fn sign(&self, hashes: &[u64], processor: Processor, signature: &mut Vec<u32>) {
        signature.clear();
        for (a, b) in self.multipliers.iter().zip(&self.increments) {
            signature.extend_from_slice(&smallest(hashes, a, b, processor));
        }
        signature.truncate(self.values);
    }
}

/// A fixed sequence of well-mixed numbers (Steele, Lea and Flood, "Fast splittable pseudorandom
/// number generators", 2014).
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}

type Lanes = [u32; LANES];

#[inline]
fn smallest(hashes: &[u64], a: &Lanes, b: &Lanes, processor: Processor) -> Lanes {
    match processor {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: such a processor has these instructions, or it would not be named.
        Processor::Avx512 => unsafe { smallest_avx512(hashes, a, b) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Processor::Avx2 => unsafe { smallest_avx2(hashes, a, b) },
        _ => smallest_portable(hashes, a, b),
    }
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "it is compiled anew for each width")]
fn smallest_portable(hashes: &[u64], a: &Lanes, b: &Lanes) -> Lanes {
    let mut least = [u32::MAX; LANES];
    for &hash in hashes {
        let x = (hash >> 32) as u32;
        for lane in 0..LANES {
            least[lane] = least[lane].min(a[lane].wrapping_mul(x).wrapping_add(b[lane]));
        }
    }
    least
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn smallest_avx2(hashes: &[u64], a: &Lanes, b: &Lanes) -> Lanes {
    smallest_portable(hashes, a, b)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn smallest_avx512(hashes: &[u64], a: &Lanes, b: &Lanes) -> Lanes {
    smallest_portable(hashes, a, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hashes(count: usize, seed: u64) -> Vec<u64> {
        let mut draws = Draws(seed);
        (0..count).map(|_| draws.next()).collect()
    }

    fn signature(values: usize, hashes: &[u64], processor: Processor) -> Vec<u32> {
        let mut signature = Vec::new();
        Permutations::new(values).sign(hashes, processor, &mut signature);
        signature
    }

    #[test]
    fn every_width_gives_the_same_bits() {
        for values in [16, 63, 64, 65, 128, 200] {
            for count in 0..20 {
                let hashes = hashes(count, 3);
                let expected: Vec<u32> = signature(values, &hashes, Processor::Portable);
                assert_eq!(expected.len(), values);
                for &processor in Processor::available() {
                    assert_eq!(signature(values, &hashes, processor), expected);
                }
            }
        }
    }

    #[test]
    fn signatures_are_those_of_every_platform_and_process() {
        let found =
            signature(16, &[0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210], Processor::best());
        let a_and_b: Vec<(u32, u32)> = {
            let mut draws = Draws(0x7261_6E6B_6D65_6C64);
            (0..16).map(|_| draws.next()).map(|d| ((d >> 32) as u32 | 1, d as u32)).collect()
        };
        let one = |x: u32, (a, b): (u32, u32)| a.wrapping_mul(x).wrapping_add(b);
        let expected: Vec<u32> = a_and_b
            .iter()
            .map(|&order| one(0x0123_4567, order).min(one(0xFEDC_BA98, order)))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn longer_signatures_begin_with_shorter_ones() {
        let hashes = hashes(50, 1);
        let long = signature(256, &hashes, Processor::best());
        assert_eq!(long[..100], signature(100, &hashes, Processor::best()));
    }

    #[test]
    fn the_share_of_equal_values_estimates_jaccard() {
        for (shared, own) in [(0, 60), (30, 30), (50, 25), (80, 10), (100, 0)] {
            let truth = shared as f64 / (shared + 2 * own) as f64;
            let mut sum = 0.0;
            for pair in 0..200 {
                let all = hashes(shared + 2 * own, 1000 + pair);
                let (left, right) = (&all[..shared + own], &all[own..]);
                let [left, right] = [left, right].map(|set| signature(256, set, Processor::best()));
                let equal = left.iter().zip(&right).filter(|(a, b)| a == b).count();
                let estimate = equal as f64 / 256.0;
                let spread = (truth * (1.0 - truth) / 256.0).sqrt();
                assert!(
                    (estimate - truth).abs() <= 6.0 * spread + 1.0 / 256.0,
                    "{estimate} {truth}"
                );
                sum += estimate;
            }
            assert!((sum / 200.0 - truth).abs() < 0.01, "{} {truth}", sum / 200.0);
        }
    }
}
