//! A doubly linked list over the slots of a slab: order without moving what is ordered.

/// The neighbours of a slot, as numbers that are one higher than the slot's; 0 is the ring's start.
#[derive(Debug, Clone, Copy, Default)]
struct Link {
    before: u32,
    after: u32,
}

/// Slots in an order, newest first. A slot is in the chain or it is not: the caller keeps count.
///
/// The list is a ring through a first link that stands for no slot, so neither end is a special
/// case. Links are apart from what they order: eight bytes each, they stay in the processor's caches.
#[derive(Debug)]
pub struct Chain {
    links: Vec<Link>,
}

impl Chain {
    /// A chain without slots.
    pub fn new() -> Self {
        Self { links: vec![Link::default()] }
    }

    /// Puts a slot that is not in the chain to the front.
    #[inline]
    pub fn push(&mut self, slot: u32) {
        let number = slot as usize + 1;
        if number >= self.links.len() {
            self.links.resize(number + 1, Link::default());
        }
        let after = self.links[0].after;
        self.links[number] = Link { before: 0, after };
        self.links[after as usize].before = number as u32;
        self.links[0].after = number as u32;
    }

    /// Takes a slot out.
    #[inline]
    pub fn remove(&mut self, slot: u32) {
        let Link { before, after } = self.links[slot as usize + 1];
        self.links[before as usize].after = after;
        self.links[after as usize].before = before;
    }

    /// Moves a slot of the chain to the front.
    #[inline]
    pub fn renew(&mut self, slot: u32) {
        if self.links[0].after != slot + 1 {
            self.remove(slot);
            self.push(slot);
        }
    }

    /// The slot that has waited longest.
    #[inline]
    pub fn last(&self) -> Option<u32> {
        self.links[0].before.checked_sub(1)
    }

    /// The slots, longest waiting first.
    pub fn oldest_first(&self) -> impl Iterator<Item = u32> {
        std::iter::successors(self.last(), |&slot| {
            self.links[slot as usize + 1].before.checked_sub(1)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn order(chain: &Chain) -> Vec<u32> {
        chain.oldest_first().collect()
    }

    proptest! {
        #[test]
        fn keeps_the_order_of_a_list(steps in proptest::collection::vec((0..12_u32, any::<bool>()), 0..200)) {
            let (mut chain, mut list) = (Chain::new(), Vec::<u32>::new());
            for (slot, stays) in steps {
                let there = list.contains(&slot);
                list.retain(|&other| other != slot);
                match (there, stays) {
                    (true, true) => chain.renew(slot),
                    (true, false) => chain.remove(slot),
                    (false, _) => chain.push(slot),
                }
                if stays || !there {
                    list.push(slot);
                }
                prop_assert_eq!(order(&chain), list.clone());
                prop_assert_eq!(chain.last(), list.first().copied());
            }
        }
    }
}
