//! What stands next to what: in an order, within its group.

/// Items in an order, each in a group; the groups may be mixed.
#[derive(Debug, Clone)]
pub struct Adjacency {
    /// The items, group by group, each group in its order.
    sorted: Vec<u32>,
    /// For each item its place in `sorted`.
    places: Vec<u32>,
    /// Where each group begins in `sorted`, and where the last one ends.
    begins: Vec<u32>,
    /// For each item the number of its group.
    groups: Vec<u32>,
}

impl Adjacency {
    /// Items of which each is in the group with this number; `count` is how many groups there are, all
    /// numbers are below it.
    #[must_use]
    pub fn new(groups: Vec<u32>, count: usize) -> Self {
        let mut begins = vec![0_u32; count + 1];
        for &group in &groups {
            begins[group as usize + 1] += 1;
        }
        for group in 0..count {
            begins[group + 1] += begins[group];
        }
        let mut free = begins.clone();
        let mut sorted = vec![0; groups.len()];
        let mut places = Vec::with_capacity(groups.len());
        for (item, &group) in (0..).zip(&groups) {
            let place = &mut free[group as usize];
            sorted[*place as usize] = item;
            places.push(*place);
            *place += 1;
        }
        Self { sorted, places, begins, groups }
    }

    /// The items within the window of `item`, the nearest first, of two that are as near the later first;
    /// with each whether it comes later.
    pub fn near(&self, item: usize, window: usize) -> impl Iterator<Item = (usize, bool)> {
        let group = self.groups[item] as usize;
        let (begin, end) = (self.begins[group] as usize, self.begins[group + 1] as usize);
        let place = self.places[item] as usize;
        let reach = window.min(end - begin);
        (1..=reach).flat_map(move |distance| {
            let later = Some(place + distance).filter(|&at| at < end).map(|at| (at, true));
            let earlier = place.checked_sub(distance).filter(|&at| at >= begin);
            let both = later.into_iter().chain(earlier.map(|at| (at, false)));
            both.map(|(at, is_later)| (self.sorted[at] as usize, is_later))
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn nearest_first_and_never_across_groups() {
        let one = Adjacency::new(vec![0; 5], 1);
        let near: Vec<_> = one.near(1, 2).collect();
        assert_eq!(near, [(2, true), (0, false), (3, true)]);
        let mixed = Adjacency::new(vec![0, 1, 0, 1, 0], 2);
        assert_eq!(mixed.near(2, 1).collect::<Vec<_>>(), [(4, true), (0, false)]);
        assert_eq!(mixed.near(1, 9).collect::<Vec<_>>(), [(3, true)]);
        assert_eq!(mixed.near(1, 0).count(), 0);
    }

    proptest! {
        #[test]
        fn as_defined(groups in prop::collection::vec(0..4_u32, 1..30), window in 0..6_usize) {
            let adjacency = Adjacency::new(groups.clone(), 4);
            for item in 0..groups.len() {
                let row: Vec<usize> = (0..groups.len()).filter(|&at| groups[at] == groups[item]).collect();
                let rank = row.iter().position(|&at| at == item).expect("it is there");
                let mut expected: Vec<(usize, bool)> = row
                    .iter()
                    .enumerate()
                    .filter(|&(other, _)| other != rank && other.abs_diff(rank) <= window)
                    .map(|(other, &at)| (at, other > rank))
                    .collect();
                let mut found: Vec<_> = adjacency.near(item, window).collect();
                found.sort_unstable();
                expected.sort_unstable();
                prop_assert_eq!(found, expected);
            }
        }
    }
}
