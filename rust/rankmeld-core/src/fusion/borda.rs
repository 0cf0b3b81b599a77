//! Borda counts: points for each candidate that a list puts below.

/// The value of each position, and of a candidate that the list does not hold.
///
/// A held candidate gets `1 - position / N`, an absent one the mean of the places that are left,
/// `0.5 - (n - 1) / (2 N)`, for `n` entries among `N` candidates. An empty list gives nothing.
#[must_use]
pub fn values(length: usize, candidates: usize) -> (Vec<f64>, f64) {
    if length == 0 {
        return (Vec::new(), 0.0);
    }
    let all = candidates as f64;
    let held = (0..length).map(|position| 1.0 - position as f64 / all).collect();
    (held, 0.5 - (length as f64 - 1.0) / (2.0 * all))
}

/// The same in points, `N` times as large: `N - position`, and `(N - n + 1) / 2` for the absent.
#[must_use]
pub fn points(length: usize, candidates: usize) -> (Vec<f64>, f64) {
    if length == 0 {
        return (Vec::new(), 0.0);
    }
    // A list with repeats may be longer than there are candidates; points then fall below zero.
    let all = candidates as f64;
    let held = (0..length).map(|position| all - position as f64).collect();
    (held, 0.5 * (all - (length as f64 - 1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_places_that_are_left_are_shared() {
        // Of four candidates a list of two leaves the places worth 2 and 1 to the other two.
        assert_eq!(points(2, 4), (vec![4.0, 3.0], 1.5));
        assert_eq!(values(2, 4), (vec![1.0, 0.75], 0.375));
        assert_eq!(points(0, 4), (vec![], 0.0));
        assert_eq!(points(3, 1), (vec![1.0, 0.0, -1.0], -0.5));
    }
}
