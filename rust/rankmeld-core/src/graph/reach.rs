//! Which nodes a walk from the seeds can come to.

use super::{Graph, Seeds};
use crate::{Error, Watch};

impl Graph {
    /// For each node whether a way leads there from a seed. O(nodes + edges), with the edges once
    /// more by their sources.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    pub(super) fn reached(&self, seeds: &Seeds, watch: Watch<'_>) -> Result<Vec<bool>, Error> {
        let Some(shares) = &seeds.shares else { return Ok(vec![true; self.nodes()]) };
        let (offsets, targets) = self.by_source(watch)?;
        let mut reached = vec![false; self.nodes()];
        let mut left: Vec<u32> = shares.iter().map(|&(node, _)| node).collect();
        for &node in &left {
            reached[node as usize] = true;
        }
        let mut seen = 0;
        while let Some(node) = left.pop() {
            watch.check_at(seen)?;
            seen += 1;
            for &target in &targets[offsets[node as usize]..offsets[node as usize + 1]] {
                if !std::mem::replace(&mut reached[target as usize], true) {
                    left.push(target);
                }
            }
        }
        Ok(reached)
    }

    /// Where the edges that begin at each node begin, and their targets.
    fn by_source(&self, watch: Watch<'_>) -> Result<(Vec<usize>, Vec<u32>), Error> {
        let (begins, sources, _) = self.parts(watch)?;
        let mut offsets = vec![0; self.nodes() + 1];
        for &source in &sources {
            offsets[source as usize + 1] += 1;
        }
        for node in 0..self.nodes() {
            offsets[node + 1] += offsets[node];
        }
        let mut next = offsets.clone();
        let mut targets = vec![0; self.edges()];
        for (target, edges) in begins.windows(2).enumerate() {
            watch.check_at(target)?;
            for &source in &sources[edges[0]..edges[1]] {
                targets[next[source as usize]] = target as u32;
                next[source as usize] += 1;
            }
        }
        Ok((offsets, targets))
    }
}
