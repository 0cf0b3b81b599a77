//! One step of the walk over a block of nodes, for a few walks at a time.

use std::ops::Range;

use super::weights::Weight;

/// Edges that are summed in one go: sums of many parts lose less than one long sum.
const RUN: usize = 512;

/// The edges that a step reads.
pub(super) struct Arcs<'a, W> {
    pub offsets: &'a [usize],
    pub sources: &'a [u32],
    pub weights: &'a [W],
    /// One over what leaves each node.
    pub inverse: &'a [f64],
}

/// What every node of a block gets.
pub(super) struct Step<'a, const K: usize> {
    pub damping: f64,
    /// What every node gets beside what comes over edges.
    pub everywhere: [f64; K],
    /// Nodes that get something more, by node.
    pub seeds: &'a [(u32, [f64; K])],
    /// How much of the seeds' shares they get.
    pub again: [f64; K],
}

/// Scores of a block, and what each node of it sends over an edge of weight 1.
pub(super) struct Columns<'a, const K: usize> {
    /// The first node of the block.
    pub first: usize,
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
    /// The new scores of a block of nodes, from what all nodes send.
    pub fn step<const K: usize>(
        &self,
        block: Range<usize>,
        step: &Step<'_, K>,
        sent: &[[f64; K]],
        columns: &mut Columns<'_, K>,
    ) -> Sums<K> {
        let seed_at = |node: usize| step.seeds.partition_point(|&(seed, _)| (seed as usize) < node);
        let mut sums = Sums::ZERO;
        let mut next = block.start;
        for (seed, share) in &step.seeds[seed_at(block.start)..seed_at(block.end)] {
            let seed = *seed as usize;
            self.rows(next..seed, step.damping, step.everywhere, sent, columns, &mut sums);
            let more = std::array::from_fn(|k| step.everywhere[k] + step.again[k] * share[k]);
            self.rows(seed..seed + 1, step.damping, more, sent, columns, &mut sums);
            next = seed + 1;
        }
        self.rows(next..block.end, step.damping, step.everywhere, sent, columns, &mut sums);
        sums
    }

    #[inline]
    fn rows<const K: usize>(
        &self,
        rows: Range<usize>,
        damping: f64,
        more: [f64; K],
        sent: &[[f64; K]],
        columns: &mut Columns<'_, K>,
        sums: &mut Sums<K>,
    ) {
        let mut begin = self.offsets[rows.start];
        for node in rows {
            let end = self.offsets[node + 1];
            let pulled = pulled(&self.sources[begin..end], &self.weights[begin..end], sent);
            begin = end;
            let inverse = self.inverse[node];
            let scores = &mut columns.scores[node - columns.first];
            let sends = &mut columns.sent[node - columns.first];
            for lane in 0..K {
                let score = damping * pulled[lane] + more[lane];
                sums.change[lane] += (score - scores[lane]).abs();
                sums.stuck[lane] += if inverse == 0.0 { score } else { 0.0 };
                scores[lane] = score;
                sends[lane] = score * inverse;
            }
        }
    }
}

/// What comes over these edges.
#[inline]
fn pulled<W: Weight, const K: usize>(
    sources: &[u32],
    weights: &[W],
    sent: &[[f64; K]],
) -> [f64; K] {
    if sources.len() <= RUN {
        return run(sources, weights, sent);
    }
    let mut total = [0.0; K];
    for (sources, weights) in sources.chunks(RUN).zip(weights.chunks(RUN)) {
        let part = run(sources, weights, sent);
        total.iter_mut().zip(part).for_each(|(total, part)| *total += part);
    }
    total
}

#[inline]
fn run<W: Weight, const K: usize>(sources: &[u32], weights: &[W], sent: &[[f64; K]]) -> [f64; K] {
    let mut sum = [0.0; K];
    for (&source, &weight) in sources.iter().zip(weights) {
        let sent = &sent[source as usize];
        for lane in 0..K {
            sum[lane] += weight.times(sent[lane]);
        }
    }
    sum
}
