//! Edges by target, laid out so that eight sums are made at a time.
//!
//! A loop over the few edges of one node ends where no processor foresees it, and it waits for each
//! addition. So nodes are taken eight at a time, those of a window of nodes in the order of how many
//! edges they have, and their edges lie side by side: sliced ELLPACK (A. Monakov, A. Lokhmotov,
//! A. Avetisyan, 2010; M. Kreutzer and others, "SELL-C-sigma", 2014). A node with many edges has
//! slices of its own, to whose eight places its edges are dealt out.

use std::ops::Range;

use super::weights::Weight;
use crate::{Error, Watch};

/// Sums that are made at a time.
pub(super) const WIDE: usize = 8;

/// Nodes of a window: few enough for their sums to stay in the nearest cache.
pub(super) const WINDOW: usize = 2048;

/// Nodes with more edges have slices of their own, of so many rows at most.
const LONG: usize = 256;
const RUN: usize = 128;

/// Where the edges of each node lie.
#[derive(Debug, Clone, Default)]
pub(super) struct Slices {
    /// The nodes, window by window, of each window those with most edges first.
    order: Vec<u32>,
    /// How many edges each of them has.
    lengths: Vec<usize>,
    /// The rows of sources at which windows begin, and the end.
    windows: Vec<usize>,
}

impl Slices {
    /// Of nodes whose edges would begin at these places if they stood one after another.
    pub fn of(offsets: &[usize]) -> Self {
        let nodes = offsets.len() - 1;
        let length = |node: u32| offsets[node as usize + 1] - offsets[node as usize];
        let mut order: Vec<u32> = (0..nodes as u32).collect();
        for window in order.chunks_mut(WINDOW) {
            window.sort_by_key(|&node| std::cmp::Reverse(length(node)));
        }
        let lengths = order.iter().map(|&node| length(node)).collect();
        let mut slices = Self { order, lengths, windows: vec![0] };
        let mut rows = 0;
        for window in 0..nodes.div_ceil(WINDOW) {
            slices.each(window, rows, |_, slice| rows = slice.end);
            slices.windows.push(rows);
        }
        slices
    }

    /// How many windows there are.
    pub fn windows(&self) -> usize {
        self.windows.len() - 1
    }

    /// The nodes of a window.
    pub fn nodes(&self, window: usize) -> Range<usize> {
        window * WINDOW..((window + 1) * WINDOW).min(self.order.len())
    }

    /// The windows of one of several parts of about the same work.
    pub fn part(&self, part: usize, parts: usize) -> Range<usize> {
        let work = |window: usize| self.windows[window] + window * WINDOW / WIDE;
        let bound = |part: usize| {
            let wanted = work(self.windows()) as u128 * part as u128 / parts as u128;
            (0..self.windows()).find(|&window| work(window) as u128 >= wanted)
        };
        let end = self.windows();
        bound(part).unwrap_or(end)..bound(part + 1).unwrap_or(end)
    }

    /// The slices of a window that begins at a row, each with the nodes whose edges it has.
    fn each(&self, window: usize, begin: usize, mut act: impl FnMut(&[u32], Range<usize>)) {
        let places = self.nodes(window);
        let (order, lengths) = (&self.order[places.clone()], &self.lengths[places]);
        let long = lengths.partition_point(|&length| length > LONG);
        let mut row = begin;
        for (node, &length) in order.iter().zip(lengths).take(long) {
            let end = row + length.div_ceil(WIDE);
            while row < end {
                let next = end.min(row + RUN);
                act(std::slice::from_ref(node), row..next);
                row = next;
            }
        }
        for (nodes, lengths) in order[long..].chunks(WIDE).zip(lengths[long..].chunks(WIDE)) {
            // A node that is left alone has all places for its edges.
            let end = row + lengths[0].div_ceil(if nodes.len() == 1 { WIDE } else { 1 });
            act(nodes, row..end);
            row = end;
        }
    }

    /// What comes over the edges of each node of a window.
    pub fn pull<W: Weight, const K: usize>(
        &self,
        window: usize,
        sources: &[[u32; WIDE]],
        weights: &[[W; WIDE]],
        sent: &[[f64; K]],
        pulled: &mut [[f64; K]],
    ) {
        let first = window * WINDOW;
        pulled.fill([0.0; K]);
        self.each(window, self.windows[window], |nodes, rows| {
            let sums = sums(&sources[rows.clone()], &weights[rows], sent);
            if let &[node] = nodes {
                let total = &mut pulled[node as usize - first];
                for lane in 0..K {
                    for sum in &sums {
                        total[lane] += sum[lane];
                    }
                }
            } else {
                for (&node, sum) in nodes.iter().zip(sums) {
                    pulled[node as usize - first] = sum;
                }
            }
        });
    }

    /// Calls for every edge with its place among edges one after another by node, which begin at
    /// `offsets`, and its place among the slices.
    pub fn places(
        &self,
        offsets: &[usize],
        watch: Watch<'_>,
        mut act: impl FnMut(usize, (usize, usize)),
    ) -> Result<(), Error> {
        let mut done = vec![0; if self.order.is_empty() { 0 } else { WINDOW }];
        for window in 0..self.windows() {
            watch.check_at(window * WINDOW)?;
            done.fill(0);
            self.each(window, self.windows[window], |nodes, rows| {
                for (place, &node) in nodes.iter().enumerate() {
                    let done = &mut done[node as usize % WINDOW];
                    let edges = offsets[node as usize] + *done..offsets[node as usize + 1];
                    let dealt = nodes.len() == 1;
                    let most = rows.len() * if dealt { WIDE } else { 1 };
                    for (number, edge) in edges.take(most).enumerate() {
                        let at = if dealt {
                            (rows.start + number / WIDE, number % WIDE)
                        } else {
                            (rows.start + number, place)
                        };
                        act(edge, at);
                        *done += 1;
                    }
                }
            });
        }
        Ok(())
    }

    /// Where the edges of each node would begin if they stood one after another.
    pub fn offsets(&self) -> Vec<usize> {
        let mut offsets = vec![0; self.order.len() + 1];
        for (&node, &length) in self.order.iter().zip(&self.lengths) {
            offsets[node as usize + 1] = length;
        }
        for node in 0..self.order.len() {
            offsets[node + 1] += offsets[node];
        }
        offsets
    }

    /// Rows of sources and weights.
    pub fn rows(&self) -> usize {
        self.windows[self.windows()]
    }
}

/// Sums over the places of a slice, each in the order of its rows.
#[inline]
fn sums<W: Weight, const K: usize>(
    sources: &[[u32; WIDE]],
    weights: &[[W; WIDE]],
    sent: &[[f64; K]],
) -> [[f64; K]; WIDE] {
    let mut sums = [[0.0; K]; WIDE];
    if K == 1 {
        // Row by row: eight additions that wait for none of each other.
        for (sources, weights) in sources.iter().zip(weights) {
            let mut found = [0.0; WIDE];
            for place in 0..WIDE {
                found[place] = sent[sources[place] as usize][0];
            }
            for place in 0..WIDE {
                sums[place][0] += weights[place].times(found[place]);
            }
        }
    } else {
        for place in 0..WIDE {
            let mut sum = [0.0; K];
            for (sources, weights) in sources.iter().zip(weights) {
                let found = &sent[sources[place] as usize];
                for lane in 0..K {
                    sum[lane] += weights[place].times(found[lane]);
                }
            }
            sums[place] = sum;
        }
    }
    sums
}
