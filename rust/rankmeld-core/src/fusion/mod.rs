//! Fusing several rankings into one.
//!
//! Every method here is the same two steps. Each list gives each of its positions a *credit*
//! ([`method`] says how), and a *combination* turns the credits of a candidate into its
//! fused score ([`combine`]). What a repeated id counts for is decided in [`duplicates`].

pub mod borda;
mod cell;
pub mod combine;
pub mod condorcet;
pub mod duplicates;
pub mod method;
pub mod normalize;
mod per_list;
pub mod rank_credits;
pub mod trace;

pub use combine::{Combination, Credits, combine};
pub use duplicates::Duplicates;
pub use method::{Fused, Method, Request, fuse};

/// Several rankings as codes: list by list, best first.
#[derive(Debug, Clone, Default)]
pub struct Rankings {
    /// For each list the codes of its entries.
    pub lists: Vec<Vec<u32>>,
    /// How many distinct ids there are; every code is below it.
    pub candidates: usize,
}

impl Rankings {
    /// How many entries all lists hold together.
    #[must_use]
    pub fn entries(&self) -> usize {
        self.lists.iter().map(Vec::len).sum()
    }
}
