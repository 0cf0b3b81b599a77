//! The smallest and the largest of a column.

/// How many extremes run side by side, so that none has to wait for the one before.
const LANES: usize = 8;

/// Smallest and largest of finite numbers; `None` of none.
#[must_use]
pub fn range(values: &[f64]) -> Option<(f64, f64)> {
    let first = *values.first()?;
    let (mut low, mut high) = ([first; LANES], [first; LANES]);
    let (chunks, rest) = values.as_chunks::<LANES>();
    for chunk in chunks {
        for lane in 0..LANES {
            low[lane] = smaller(chunk[lane], low[lane]);
            high[lane] = larger(chunk[lane], high[lane]);
        }
    }
    let all = |lanes: [f64; LANES]| lanes.into_iter().chain(rest.iter().copied());
    Some((all(low).fold(first, smaller), all(high).fold(first, larger)))
}

// Unlike `f64::min` and `f64::max` these say nothing of NaN, and are one instruction each.
fn smaller(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn equals_the_ends_of_a_sort(values in proptest::collection::vec(-1e9..1e9_f64, 0..40)) {
            let mut sorted = values.clone();
            sorted.sort_by(f64::total_cmp);
            let ends = sorted.first().copied().zip(sorted.last().copied());
            prop_assert_eq!(range(&values), ends);
        }
    }
}
