//! How many values of a signature stand together as one key, chosen so that few pairs are missed.

use xxhash_rust::xxh3::xxh3_64;

use crate::Error;

/// The share of pairs at the threshold that share a key of some band, at the least.
pub const RECALL: f64 = 0.99;

/// A signature cut into bands of equally many rows (Indyk and Motwani, "Approximate nearest
/// neighbors", 1998; Leskovec, Rajaraman and Ullman, "Mining of massive datasets", chapter 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Banding {
    bands: usize,
    rows: usize,
}

impl Banding {
    /// The longest bands with which pairs at `threshold` are found with a probability of at least
    /// [`RECALL`]: the longer they are, the fewer other pairs have to be looked at.
    ///
    /// # Errors
    /// [`Error::ThresholdTooLow`] if even bands of one value find too few.
    pub fn for_threshold(threshold: f64, values: usize) -> Result<Self, Error> {
        (1..=values)
            .rev()
            .map(|rows| Self { bands: values / rows, rows })
            .find(|banding| banding.recall(threshold) >= RECALL)
            .ok_or_else(|| Error::ThresholdTooLow { least: least_threshold(values) })
    }

    /// How many bands there are.
    #[must_use]
    pub fn bands(self) -> usize {
        self.bands
    }

    /// How many values of the signature are one key.
    #[must_use]
    pub fn rows(self) -> usize {
        self.rows
    }

    /// The probability that a pair of this similarity shares the key of some band.
    #[must_use]
    pub fn recall(self, similarity: f64) -> f64 {
        1.0 - power(1.0 - power(similarity, self.rows), self.bands)
    }

    /// The key of each band, the same on every platform.
    #[must_use]
    pub fn keys(self, signature: &[u32]) -> impl ExactSizeIterator<Item = u64> {
        let mut bytes = Vec::with_capacity(4 * self.rows);
        signature.chunks_exact(self.rows).take(self.bands).map(move |band| {
            bytes.clear();
            bytes.extend(band.iter().flat_map(|value| value.to_le_bytes()));
            xxh3_64(&bytes)
        })
    }
}

/// The lowest threshold, in ten-thousandths, that bands of one value serve.
fn least_threshold(values: usize) -> f64 {
    let banding = Banding { bands: values, rows: 1 };
    let mut steps = (1_u32..=10_000).map(|step| f64::from(step) / 10_000.0);
    steps.find(|&threshold| banding.recall(threshold) >= RECALL).unwrap_or(1.0)
}

/// `base` to a whole power by multiplication alone, which has the same bits everywhere.
fn power(mut base: f64, mut exponent: usize) -> f64 {
    let mut product = 1.0;
    while exponent > 0 {
        if exponent % 2 == 1 {
            product *= base;
        }
        base *= base;
        exponent /= 2;
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_are_as_long_as_the_recall_allows() {
        for values in [16, 17, 64, 128, 256, 1000] {
            for step in 1..=100 {
                let threshold = f64::from(step) / 100.0;
                let Ok(chosen) = Banding::for_threshold(threshold, values) else {
                    assert!(Banding { bands: values, rows: 1 }.recall(threshold) < RECALL);
                    continue;
                };
                assert!(chosen.recall(threshold) >= RECALL);
                assert!(chosen.bands * chosen.rows <= values);
                let longer = Banding { bands: values / (chosen.rows + 1), rows: chosen.rows + 1 };
                assert!(longer.bands == 0 || longer.recall(threshold) < RECALL);
            }
        }
        assert_eq!(Banding::for_threshold(0.85, 128), Ok(Banding { bands: 16, rows: 8 }));
        assert_eq!(Banding::for_threshold(1.0, 128), Ok(Banding { bands: 1, rows: 128 }));
    }

    #[test]
    fn the_least_threshold_that_is_named_works_and_the_step_below_does_not() {
        for values in [16, 100, 128, 4096] {
            let Err(Error::ThresholdTooLow { least }) = Banding::for_threshold(1e-9, values) else {
                panic!("so low a threshold cannot be served")
            };
            assert!(Banding::for_threshold(least, values).is_ok());
            assert!(Banding::for_threshold(least - 1e-4, values).is_err());
        }
    }

    #[test]
    fn keys_are_those_of_every_platform() {
        let signature: Vec<u32> = (0..16).map(|n| n * 0x0101_0101).collect();
        let banding = Banding { bands: 2, rows: 8 };
        let keys: Vec<u64> = banding.keys(&signature).collect();
        let bytes: Vec<u8> = (0..8_u8).flat_map(|n| [n; 4]).collect();
        assert_eq!(keys.len(), 2);
        assert_eq!(keys[0], xxh3_64(&bytes));
        assert_ne!(keys[0], keys[1]);
    }
}
