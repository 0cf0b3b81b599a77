//! Which items are connected, however the links come in and from however many threads.

use std::sync::atomic::{AtomicU32, Ordering};

/// Disjoint sets, each known by its smallest member (Tarjan, "Efficiency of a good but not linear
/// set union algorithm", 1975; without locks as Anderson and Woll, 1991).
///
/// A parent is never larger than its child, so the outcome does not depend on the order of links.
#[derive(Debug)]
pub struct Connected(Vec<AtomicU32>);

impl Connected {
    /// So many items, none connected.
    #[must_use]
    pub fn new(items: usize) -> Self {
        Self((0..items as u32).map(AtomicU32::new).collect())
    }

    /// The smallest item that is connected to this one.
    #[must_use]
    pub fn first(&self, item: u32) -> u32 {
        let mut item = item;
        loop {
            let parent = self.parent(item);
            if parent == item {
                return item;
            }
            let above = self.parent(parent);
            // Shortens the way for the next; whoever else wrote there wrote something as good.
            self.0[item as usize].fetch_min(above, Ordering::Relaxed);
            item = parent;
        }
    }

    /// Connects two items.
    pub fn link(&self, one: u32, other: u32) {
        let (mut low, mut high) = (self.first(one), self.first(other));
        while low != high {
            if low > high {
                std::mem::swap(&mut low, &mut high);
            }
            let root = &self.0[high as usize];
            if root.compare_exchange(high, low, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
                return;
            }
            (low, high) = (self.first(low), self.first(high));
        }
    }

    /// The smallest connected item of each.
    #[must_use]
    pub fn into_firsts(self) -> Vec<u32> {
        (0..self.0.len() as u32).map(|item| self.first(item)).collect()
    }

    fn parent(&self, item: u32) -> u32 {
        self.0[item as usize].load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Watch;
    use crate::parallel::in_parts;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn equals_spreading_the_smallest_number_along_links(
            links in proptest::collection::vec((0..40_u32, 0..40_u32), 0..60), threads in 1..4_usize
        ) {
            let connected = Connected::new(40);
            let link = |range: std::ops::Range<usize>, _: Watch<'_>| {
                links[range].iter().for_each(|&(a, b)| connected.link(a, b));
                Ok(())
            };
            in_parts(links.len(), threads, Watch::never(), link).expect("nothing fails");
            let mut firsts: Vec<u32> = (0..40).collect();
            for _ in 0..40 {
                for &(a, b) in &links {
                    let least = firsts[a as usize].min(firsts[b as usize]);
                    firsts[a as usize] = least;
                    firsts[b as usize] = least;
                }
            }
            prop_assert_eq!(connected.into_firsts(), firsts);
        }
    }
}
