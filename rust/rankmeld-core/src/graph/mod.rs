//! Directed graphs with weights, and personalized `PageRank` on them.
//!
//! L. Page, S. Brin, R. Motwani, T. Winograd, "The `PageRank` Citation Ranking", 1998; T. Haveliwala,
//! "Topic-Sensitive `PageRank`", WWW 2002.
//!
//! A step of the walk is a sum over the edges that *end* at a node, so the edges are kept by their
//! targets: every score is written by one thread, in one order of summation, and no number of threads
//! shows in any bit. Edges are not divided by what their source gives away; its score is, once a
//! step. So an edge costs four bytes for its source, and none for a weight that all have in common.

mod build;
mod lanes;
mod power;
mod pull;
mod reach;
mod seeds;
mod slices;
#[cfg(test)]
mod tests;
mod weights;

pub use build::{Edges, sources_by_row};
pub use power::{Question, Request, Solution, pagerank};
pub use seeds::Seeds;
pub use weights::Weights;

use slices::{Slices, WIDE};
use weights::Laid;

/// A graph, by the targets of its edges.
#[derive(Debug, Clone)]
pub struct Graph {
    /// Where the edges that end at each node lie.
    slices: Slices,
    /// The source of each edge; where there is no edge, one more than the last node.
    sources: Vec<[u32; WIDE]>,
    /// Its weight.
    weights: Laid,
    /// One over the sum of the weights of the edges that begin at a node; 0 if none does.
    inverse: Vec<f64>,
    edges: usize,
}

impl Graph {
    /// How many nodes there are.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.inverse.len()
    }

    /// How many edges carry something, one that goes both ways counted twice.
    #[must_use]
    pub fn edges(&self) -> usize {
        self.edges
    }

    /// What a step over the graph costs, in rows and edges.
    fn work(&self) -> usize {
        self.nodes() + self.edges()
    }
}
