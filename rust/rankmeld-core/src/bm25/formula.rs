//! The formula, in the one order of operations that every way of scoring keeps to.
//!
//! Okapi BM25 (Robertson and Walker) with the [`idf`] that never turns negative, as in Lucene.

use crate::corpus_stats::idf;

/// Beyond this, a larger `k1` changes no bit of a score, and nothing overflows below it.
const LARGEST_K1: f64 = 1.340_780_792_994_259_7e154; // 2^512

/// What a user may set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameters {
    /// How fast repetitions of a term stop to count; finite, not negative.
    pub k1: f64,
    /// How much the length of a document counts, within 0..1.
    pub b: f64,
}

/// What is known of the collection that scores are relative to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Statistics {
    /// How many documents there are.
    pub count: u64,
    /// Tokens in a document on average.
    pub average_length: f64,
}

impl Statistics {
    /// Of `count` documents with `tokens` tokens in all.
    #[must_use]
    pub fn of(count: u64, tokens: u64) -> Self {
        let average_length = if count == 0 { 0.0 } else { tokens as f64 / count as f64 };
        Self { count, average_length }
    }
}

/// Parameters and statistics together: all that a score needs beside its term and document.
#[derive(Debug, Clone, Copy)]
pub struct Formula {
    k1: f64,
    b: f64,
    statistics: Statistics,
    average_length: f64,
}

impl Formula {
    /// For one collection.
    #[must_use]
    pub fn new(parameters: Parameters, statistics: Statistics) -> Self {
        Self {
            k1: parameters.k1.min(LARGEST_K1),
            b: parameters.b,
            statistics,
            average_length: statistics.average_length.max(1.0),
        }
    }

    /// What a term is worth that `holding` documents have.
    #[must_use]
    pub fn weight(&self, holding: u64) -> f64 {
        idf(self.statistics.count, holding) * (self.k1 + 1.0)
    }

    /// What is set against the frequency of a term in a document of this many tokens.
    #[must_use]
    pub fn norm(&self, length: u32) -> f64 {
        self.k1 * ((1.0 - self.b) + self.b * (f64::from(length) / self.average_length))
    }
}

/// What a term of this weight adds to a document that holds it `frequency` times.
///
/// The quotient comes first: where only presence counts it is 1 to the last bit, whatever the frequency.
#[inline]
#[must_use]
pub fn credit(weight: f64, frequency: f64, norm: f64) -> f64 {
    weight * (frequency / (frequency + norm))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn formula(k1: f64, b: f64, count: u64, average_length: f64) -> Formula {
        Formula::new(Parameters { k1, b }, Statistics { count, average_length })
    }

    proptest! {
        #[test]
        fn more_occurrences_never_count_less_and_length_never_helps(
            k1 in 0.0..10.0, b in 0.0..=1.0, average in 0.0..1e4,
            frequency in 1..1000_u32, length in 1..100_000_u32, holding in 0..100_u64,
        ) {
            let formula = formula(k1, b, 100, average);
            let weight = formula.weight(holding);
            let at = |frequency, length| credit(weight, f64::from(frequency), formula.norm(length));
            // As numbers, up to the last bit.
            prop_assert!(at(frequency + 1, length) >= at(frequency, length) * (1.0 - 1e-15));
            prop_assert!(at(frequency, length + 1) <= at(frequency, length) * (1.0 + 1e-15));
            prop_assert!(at(frequency, length) > 0.0);
        }
    }

    #[test]
    fn parameters_of_any_size_give_a_score() {
        for k1 in [0.0, f64::MIN_POSITIVE, 1.5, 1e200, f64::MAX] {
            let formula = formula(k1, 1.0, 1_000_000, 120.0);
            let score = credit(formula.weight(3), f64::from(u32::MAX), formula.norm(u32::MAX));
            assert!(score.is_finite() && score > 0.0, "k1 = {k1}: {score}");
        }
        // Without bound, the frequency counts in full against the length.
        let linear = formula(f64::MAX, 0.0, 100, 10.0);
        let score = credit(linear.weight(5), 7.0, linear.norm(3));
        assert_eq!(score, idf(100, 5) * 7.0);
    }
}
