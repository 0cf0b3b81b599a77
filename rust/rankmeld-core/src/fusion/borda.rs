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
