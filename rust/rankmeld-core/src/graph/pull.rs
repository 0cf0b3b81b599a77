//! One step of the walk over a window of nodes, for a few walks at a time.

use super::slices::{Slices, WIDE};
use super::weights::Weight;

/// Sums over nodes that are made side by side, as each addition waits for the one before.
const BESIDE: usize = 4;

/// The edges that a step reads.
pub(super) struct Arcs<'a, W> {
    pub slices: &'a Slices,
    pub sources: &'a [[u32; WIDE]],
    pub weights: &'a [[W; WIDE]],
    /// One over what leaves each node.
    pub inverse: &'a [f64],
}

/// What nodes get in a step.
pub(super) struct Step<'a, const K: usize> {
    /// The share of what comes over edges.
    pub damping: f64,
    /// What every node gets beside that.
    pub everywhere: [f64; K],
    /// Nodes that get something more, by node.
    pub seeds: &'a [(u32, [f64; K])],
    /// How much of the seeds' shares they get.
    pub again: [f64; K],
}

/// Scores of a window, and what each node of it sends over an edge of weight 1.
pub(super) struct Columns<'a, const K: usize> {
    pub scores: &'a mut [[f64; K]],
    pub sent: &'a mut [[f64; K]],
}

/// Sums over nodes.
#[derive(Clone, Copy)]
pub(super) struct Sums<const K: usize> {
    /// Absolute changes.
    pub change: [f64; K],
    /// Scores of nodes that no edge leaves.
    pub stuck: [f64; K],
}

impl<const K: usize> Sums<K> {
    pub const ZERO: Self = Self { change: [0.0; K], stuck: [0.0; K] };

    pub fn add(&mut self, other: &Self) {
        for lane in 0..K {
            self.change[lane] += other.change[lane];
            self.stuck[lane] += other.stuck[lane];
        }
    }
}

impl<W: Weight> Arcs<'_, W> {
    /// The new scores of a window, from what all nodes sent; `room` is for sums.
    pub fn step<const K: usize>(
        &self,
        window: usize,
        step: &Step<'_, K>,
        sent: &[[f64; K]],
        columns: &mut Columns<'_, K>,
        room: &mut [[f64; K]],
    ) -> Sums<K> {
        let nodes = self.slices.nodes(window);
        let fresh = &mut room[..nodes.len()];
        self.slices.pull(window, self.sources, self.weights, sent, fresh);
        for score in fresh.iter_mut() {
            for (score, everywhere) in score.iter_mut().zip(step.everywhere) {
                *score = step.damping * *score + everywhere;
            }
        }
        let from = |node: usize| step.seeds.partition_point(|&(seed, _)| (seed as usize) < node);
        for (seed, shares) in &step.seeds[from(nodes.start)..from(nodes.end)] {
            let score = &mut fresh[*seed as usize - nodes.start];
            for lane in 0..K {
                score[lane] += step.again[lane] * shares[lane];
            }
        }
        columns.replace(fresh, &self.inverse[nodes])
    }
}

impl<const K: usize> Columns<'_, K> {
    fn replace(&mut self, fresh: &[[f64; K]], inverse: &[f64]) -> Sums<K> {
        let mut beside = [Sums::ZERO; BESIDE];
        let (chunks, rest) = fresh.as_chunks::<BESIDE>();
        let (inverses, inverse) = inverse.as_chunks::<BESIDE>();
        let (scores, scores_rest) = self.scores.as_chunks_mut::<BESIDE>();
        let (sent, sent_rest) = self.sent.as_chunks_mut::<BESIDE>();
        for (((fresh, inverse), scores), sent) in chunks.iter().zip(inverses).zip(scores).zip(sent)
        {
            for place in 0..BESIDE {
                let sums = &mut beside[place];
                (scores[place], sent[place]) =
                    replaced(&fresh[place], &scores[place], inverse[place], sums);
            }
        }
        for (((fresh, &inverse), scores), sent) in
            rest.iter().zip(inverse).zip(scores_rest).zip(sent_rest)
        {
            (*scores, *sent) = replaced(fresh, scores, inverse, &mut beside[0]);
        }
        let mut total = beside[0];
        beside[1..].iter().for_each(|sums| total.add(sums));
        total
    }
}

/// A node's new score, and what it sends.
#[inline]
fn replaced<const K: usize>(
    fresh: &[f64; K],
    before: &[f64; K],
    inverse: f64,
    sums: &mut Sums<K>,
) -> ([f64; K], [f64; K]) {
    let mut sent = [0.0; K];
    for lane in 0..K {
        sums.change[lane] += (fresh[lane] - before[lane]).abs();
        sums.stuck[lane] += if inverse == 0.0 { fresh[lane] } else { 0.0 };
        sent[lane] = fresh[lane] * inverse;
    }
    (*fresh, sent)
}
