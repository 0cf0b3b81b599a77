//! Where a walk begins, and where it begins anew.

use crate::exact_sum::sum;
use crate::power_of_two::{exponent, times_power};

/// Shares of the seeds, which sum to 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Seeds {
    /// Nodes and shares by node; `None`: every node has the same.
    pub(super) shares: Option<Vec<(u32, f64)>>,
}

impl Seeds {
    /// The seeds with these weights; those of one node add up, and those that are not positive do
    /// not count. Where nothing counts, every node is a seed.
    #[must_use]
    pub fn new(weights: impl IntoIterator<Item = (u32, f64)>) -> Self {
        let mut shares: Vec<_> = weights.into_iter().filter(|&(_, weight)| weight > 0.0).collect();
        let greatest = shares.iter().map(|&(_, weight)| weight).fold(0.0, f64::max);
        if greatest == 0.0 {
            return Self { shares: None };
        }
        // As shares of about the greatest, so that no sum of them leaves the range.
        let power = -exponent(greatest);
        for (_, weight) in &mut shares {
            *weight = times_power(*weight, power);
        }
        shares.sort_by_key(|&(node, _)| node);
        shares.dedup_by(|(node, weight), (kept, total)| {
            let same = node == kept;
            *total += if same { *weight } else { 0.0 };
            same
        });
        let total = sum(&shares.iter().map(|&(_, weight)| weight).collect::<Vec<_>>());
        for (_, weight) in &mut shares {
            *weight /= total;
        }
        Self { shares: Some(shares) }
    }

    /// Whether any seed counted.
    #[must_use]
    pub fn seeded(&self) -> bool {
        self.shares.is_some()
    }

    /// The share of each of so many nodes.
    pub(super) fn dense(&self, nodes: usize) -> Vec<f64> {
        match &self.shares {
            None => vec![1.0 / nodes as f64; nodes],
            Some(shares) => {
                let mut dense = vec![0.0; nodes];
                for &(node, share) in shares {
                    dense[node as usize] = share;
                }
                dense
            }
        }
    }
}
