//! Several walks side by side: an edge is read once for all of them.

use std::sync::{Mutex, PoisonError};

use super::pull::{Arcs, Columns, Step, Sums};
use super::weights::Weight;
use super::{Graph, Seeds, Weights};
use crate::parallel::in_parts;
use crate::{Error, Watch};

/// Blocks between two questions whether to go on: some milliseconds.
const BLOCKS_AT_ONCE: usize = 32;

/// Scores of `K` walks, node by node.
pub(super) struct Lanes<'a, const K: usize> {
    graph: &'a Graph,
    scores: Vec<[f64; K]>,
    /// What each node sends over an edge of weight 1, and room for that of the next step.
    sent: Vec<[f64; K]>,
    next: Vec<[f64; K]>,
    seeds: Vec<(u32, [f64; K])>,
    /// The share of every node where every node is a seed.
    uniform: [f64; K],
    stuck: [f64; K],
}

impl<'a, const K: usize> Lanes<'a, K> {
    /// Walks from these seeds that begin with these scores, at most `K` of them.
    pub fn new(graph: &'a Graph, seeds: &[&Seeds], starts: &[Vec<f64>]) -> Self {
        let nodes = graph.nodes();
        let mut scores = vec![[0.0; K]; nodes];
        let mut stuck = [0.0; K];
        for (lane, start) in starts.iter().enumerate() {
            for (node, (scores, &score)) in scores.iter_mut().zip(start).enumerate() {
                scores[lane] = score;
                stuck[lane] += if graph.inverse[node] == 0.0 { score } else { 0.0 };
            }
        }
        let sent: Vec<[f64; K]> = scores
            .iter()
            .zip(&graph.inverse)
            .map(|(scores, inverse)| scores.map(|score| score * inverse))
            .collect();
        let mut uniform = [0.0; K];
        let mut joined: Vec<(u32, [f64; K])> = Vec::new();
        for (lane, seeds) in seeds.iter().enumerate() {
            match &seeds.shares {
                None => uniform[lane] = 1.0 / nodes as f64,
                Some(shares) => joined.extend(shares.iter().map(|&(node, share)| {
                    let mut shares = [0.0; K];
                    shares[lane] = share;
                    (node, shares)
                })),
            }
        }
        joined.sort_by_key(|&(node, _)| node);
        joined.dedup_by(|(node, shares), (kept, known)| {
            let same = node == kept;
            if same {
                known.iter_mut().zip(shares).for_each(|(known, share)| *known += *share);
            }
            same
        });
        Self { graph, next: sent.clone(), scores, sent, seeds: joined, uniform, stuck }
    }

    /// One step; for each walk how much its scores changed, absolutely and in sum.
    pub fn step(
        &mut self,
        damping: f64,
        threads: usize,
        watch: Watch<'_>,
    ) -> Result<[f64; K], Error> {
        let again = self.stuck.map(|stuck| (1.0 - damping) + damping * stuck);
        let everywhere = std::array::from_fn(|lane| again[lane] * self.uniform[lane]);
        let seeds = std::mem::take(&mut self.seeds);
        let step = Step { damping, everywhere, seeds: &seeds, again };
        let sums = match &self.graph.weights {
            Weights::Equal(weights) => self.over(weights, &step, threads, watch),
            Weights::Single(weights) => self.over(weights, &step, threads, watch),
            Weights::Double(weights) => self.over(weights, &step, threads, watch),
        }?;
        self.seeds = seeds;
        std::mem::swap(&mut self.sent, &mut self.next);
        self.stuck = sums.stuck;
        Ok(sums.change)
    }

    fn over<W: Weight>(
        &mut self,
        weights: &[W],
        step: &Step<'_, K>,
        threads: usize,
        watch: Watch<'_>,
    ) -> Result<Sums<K>, Error> {
        let graph = self.graph;
        let arcs = Arcs {
            offsets: &graph.offsets,
            sources: &graph.sources,
            weights,
            inverse: &graph.inverse,
        };
        let sent = self.sent.as_slice();
        let (mut scores, mut next) = (self.scores.as_mut_slice(), self.next.as_mut_slice());
        // A lock for each block, which only the thread that works on it ever takes.
        let blocks: Vec<Mutex<Columns<'_, K>>> = (0..graph.blocks.len() - 1)
            .map(|block| {
                let rows = graph.block(block);
                let (here, rest) = std::mem::take(&mut scores).split_at_mut(rows.len());
                let (sends, room) = std::mem::take(&mut next).split_at_mut(rows.len());
                (scores, next) = (rest, room);
                Mutex::new(Columns { first: rows.start, scores: here, sent: sends })
            })
            .collect();
        let parts = in_parts(blocks.len(), threads, watch, |range, watch| {
            let first = range.start;
            range
                .map(|block| {
                    if block != first && (block - first).is_multiple_of(BLOCKS_AT_ONCE) {
                        watch.check()?;
                    }
                    let mut columns = blocks[block].lock().unwrap_or_else(PoisonError::into_inner);
                    Ok(arcs.step(graph.block(block), step, sent, &mut columns))
                })
                .collect::<Result<Vec<_>, Error>>()
        })?;
        let mut total = Sums::ZERO;
        parts.iter().flatten().for_each(|sums| total.add(sums));
        Ok(total)
    }

    /// The scores of one walk.
    pub fn scores(&self, lane: usize) -> Vec<f64> {
        self.scores.iter().map(|scores| scores[lane]).collect()
    }
}
