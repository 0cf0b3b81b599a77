//! Several walks side by side: an edge is read once for all of them.

use std::sync::{Mutex, PoisonError};

use super::pull::{Arcs, Columns, Step, Sums};
use super::slices::{WIDE, WINDOW};
use super::weights::Laid;
use super::weights::Weight;
use super::{Graph, Seeds};
use crate::parallel::in_parts;
use crate::{Error, Watch};

/// Windows between two questions whether to go on: some milliseconds.
const WINDOWS_AT_ONCE: usize = 32;

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
        // One more, for places of slices that have no edge: nothing comes from there.
        let mut sent = vec![[0.0; K]; nodes + 1];
        for (sent, (scores, inverse)) in sent.iter_mut().zip(scores.iter().zip(&graph.inverse)) {
            *sent = scores.map(|score| score * inverse);
        }
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
            Laid::Equal(weights) => self.over(weights, &step, threads, watch),
            Laid::Single(weights) => self.over(weights, &step, threads, watch),
            Laid::Double(weights) => self.over(weights, &step, threads, watch),
        }?;
        self.seeds = seeds;
        std::mem::swap(&mut self.sent, &mut self.next);
        self.stuck = sums.stuck;
        Ok(sums.change)
    }

    fn over<W: Weight>(
        &mut self,
        weights: &[[W; WIDE]],
        step: &Step<'_, K>,
        threads: usize,
        watch: Watch<'_>,
    ) -> Result<Sums<K>, Error> {
        let graph = self.graph;
        let arcs = Arcs {
            slices: &graph.slices,
            sources: &graph.sources,
            weights,
            inverse: &graph.inverse,
        };
        let sent = self.sent.as_slice();
        let next = &mut self.next[..graph.nodes()];
        // A lock for each window, which only the thread that works on it ever takes.
        let columns: Vec<Mutex<Columns<'_, K>>> = self
            .scores
            .chunks_mut(WINDOW)
            .zip(next.chunks_mut(WINDOW))
            .map(|(scores, sent)| Mutex::new(Columns { scores, sent }))
            .collect();
        let work = |part: usize, watch: Watch<'_>| {
            let mut room = vec![[0.0; K]; WINDOW.min(graph.nodes())];
            let windows = graph.slices.part(part, threads);
            let first = windows.start;
            windows
                .map(|window| {
                    if window != first && (window - first).is_multiple_of(WINDOWS_AT_ONCE) {
                        watch.check()?;
                    }
                    let mut columns =
                        columns[window].lock().unwrap_or_else(PoisonError::into_inner);
                    Ok(arcs.step(window, step, sent, &mut columns, &mut room))
                })
                .collect::<Result<Vec<_>, Error>>()
        };
        let parts = in_parts(threads, threads, watch, |parts, watch| {
            parts.map(|part| work(part, watch)).collect::<Result<Vec<_>, Error>>()
        })?;
        let mut total = Sums::ZERO;
        for sums in parts.iter().flatten().flatten() {
            total.add(sums);
        }
        Ok(total)
    }

    /// The scores of one walk.
    pub fn scores(&self, lane: usize) -> Vec<f64> {
        self.scores.iter().map(|scores| scores[lane]).collect()
    }
}
