//! Credits that depend on the position alone.

/// What a position is worth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RankCredit {
    /// `w / (k + (position + rank_base))`: reciprocal rank fusion (Cormack, Clarke and Büttcher,
    /// SIGIR 2009).
    Reciprocal {
        /// Flattens the curve; `k + rank_base` is above zero.
        k: f64,
        /// The rank of the first position.
        rank_base: i64,
    },
    /// `w / rank^2`, ranks from 1: inverse square rank (Mourão, Martins and Magalhães, 2013).
    InverseSquare,
    /// `w (1 - phi) phi^(rank - 1)`: rank-biased centroids (Bailey, Moffat, Scholer and Thomas,
    /// SIGIR 2017).
    RankBiased {
        /// Persistence, within 0..1.
        phi: f64,
    },
}

impl RankCredit {
    /// The credits of the first `length` positions of a list with this weight.
    #[must_use]
    pub fn credits(self, weight: f64, length: usize) -> Vec<f64> {
        let positions = (0_i64..).take(length);
        match self {
            // The integers first, then one addition and one division: this order is the contract.
            Self::Reciprocal { k, rank_base } => {
                positions.map(|p| weight / (k + (p + rank_base) as f64)).collect()
            }
            Self::InverseSquare => positions
                .map(|p| {
                    let rank = (p + 1) as f64;
                    weight / (rank * rank)
                })
                .collect(),
            Self::RankBiased { phi } => {
                positions.map(|p| weight * ((1.0 - phi) * phi.powf(p as f64))).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_positions() {
        let reciprocal = RankCredit::Reciprocal { k: 60.0, rank_base: 1 };
        assert_eq!(reciprocal.credits(1.0, 2), [1.0 / 61.0, 1.0 / 62.0]);
        assert_eq!(RankCredit::InverseSquare.credits(2.0, 2), [2.0, 0.5]);
        assert_eq!(RankCredit::RankBiased { phi: 0.5 }.credits(1.0, 3), [0.5, 0.25, 0.125]);
        assert_eq!(RankCredit::RankBiased { phi: 0.0 }.credits(1.0, 2), [1.0, 0.0]);
    }
}
