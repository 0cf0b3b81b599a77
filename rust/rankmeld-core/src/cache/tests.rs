//! The cache against its definition as a list, and what a caller relies on.

use super::{Clock, Counts, Handle, Lookup, LruTtl, Place, Read, Same};
use proptest::prelude::*;

type Cache = LruTtl<u32, u64>;

/// Keys of few hashes, so that most lookups meet others.
fn hash(key: u32) -> u64 {
    u64::from(key % 3)
}

fn place(cache: &Cache, key: u32) -> Option<Place> {
    let same = |&other: &u32| if other == key { Same::Yes } else { Same::No };
    match cache.lookup(hash(key), same) {
        Lookup::Here(place) => Some(place),
        Lookup::Absent => None,
        Lookup::Unsure => panic!("nobody was unsure"),
    }
}

fn get(cache: &mut Cache, key: u32, now: f64) -> Option<u64> {
    let place = place(cache, key);
    match cache.get(place, &now) {
        Read::Living(&value) => Some(value),
        Read::Expired(..) | Read::Absent => None,
    }
}

fn set(cache: &mut Cache, key: u32, value: u64, now: f64) -> Option<(u32, u64)> {
    let place = place(cache, key);
    cache.set(place, hash(key), (key, value), value, &now)
}

fn keys(cache: &Cache) -> Vec<u32> {
    cache.iter().map(|(&key, _)| key).collect()
}

/// The definition: entries in a list, the least recently used first.
#[derive(Default)]
struct Naive {
    entries: Vec<(u32, u64, f64)>,
    counts: Counts,
}

impl Naive {
    const TTL: f64 = 10.0;

    fn take(&mut self, key: u32) -> Option<(u32, u64, f64)> {
        let at = self.entries.iter().position(|entry| entry.0 == key)?;
        Some(self.entries.remove(at))
    }

    fn get(&mut self, key: u32, now: f64) -> Option<u64> {
        let found = self.take(key);
        self.counts.expirations += u64::from(found.is_some_and(|e| now - e.2 >= Self::TTL));
        let Some(living) = found.filter(|entry| now - entry.2 < Self::TTL) else {
            self.counts.misses += 1;
            return None;
        };
        self.counts.hits += 1;
        self.entries.push(living);
        Some(living.1)
    }

    fn set(&mut self, capacity: usize, key: u32, value: u64, now: f64) {
        if self.take(key).is_none() && self.entries.len() == capacity {
            let ages = self.entries.iter().map(|entry| entry.2);
            let oldest = ages.fold(f64::INFINITY, f64::min);
            if now - oldest >= Self::TTL {
                let at = self.entries.iter().position(|entry| now - entry.2 >= Self::TTL);
                self.entries.remove(at.expect("there is one"));
                self.counts.expirations += 1;
            } else {
                self.entries.remove(0);
                self.counts.evictions += 1;
            }
        }
        self.entries.push((key, value, now));
    }

    fn sweep(&mut self, now: f64) {
        let before = self.entries.len();
        self.entries.retain(|entry| now - entry.2 < Self::TTL);
        self.counts.expirations += (before - self.entries.len()) as u64;
    }
}

proptest! {
    #[test]
    fn does_what_a_list_does(
        capacity in 1..6_usize,
        steps in proptest::collection::vec((0..5_u8, 0..9_u32, 0..4_u8), 0..120),
    ) {
        let (mut cache, mut naive) = (Cache::new(capacity, Naive::TTL), Naive::default());
        let mut now = 0.0;
        for (value, (step, key, passed)) in (1..).zip(steps) {
            // Distinct times, so that one entry only is the oldest.
            now += f64::from(passed) + 0.001;
            match step {
                0 | 1 => {
                    set(&mut cache, key, value, now);
                    naive.set(capacity, key, value, now);
                    // Which of several expired ones made room is the cache's own choice.
                    cache.sweep(&now);
                    naive.sweep(now);
                }
                2 => prop_assert_eq!(get(&mut cache, key, now), naive.get(key, now)),
                3 => {
                    let gone = place(&cache, key).and_then(|place| cache.remove(place));
                    prop_assert_eq!(gone, naive.take(key).map(|entry| (entry.0, entry.1)));
                }
                _ => {
                    let gone = cache.purge(0..cache.slots(), |_, &other| other % 2 == key % 2);
                    let before = naive.entries.len();
                    naive.entries.retain(|entry| entry.0 % 2 != key % 2);
                    prop_assert_eq!(gone.len(), before - naive.entries.len());
                }
            }
            let expected: Vec<u32> = naive.entries.iter().map(|entry| entry.0).collect();
            prop_assert_eq!(keys(&cache), expected);
            prop_assert_eq!(cache.len(), naive.entries.len());
            prop_assert_eq!(cache.bytes(), naive.entries.iter().map(|entry| entry.1).sum::<u64>());
            prop_assert_eq!(cache.counts(), naive.counts);
        }
    }
}

#[test]
fn what_goes_out_is_handed_over() {
    let mut cache = Cache::new(1, 5.0);
    assert_eq!(set(&mut cache, 1, 10, 0.0), None);
    assert_eq!(set(&mut cache, 1, 11, 0.0), Some((1, 10)), "an overwrite");
    assert_eq!(set(&mut cache, 2, 20, 0.0), Some((1, 11)), "an eviction");
    assert_eq!(set(&mut cache, 3, 30, 5.0), Some((2, 20)), "an expiration");
    assert_eq!((cache.counts().evictions, cache.counts().expirations), (1, 1));
    let at = place(&cache, 3);
    assert_eq!(cache.get(at, &10.0), Read::Expired(3, 30));
    set(&mut cache, 4, 40, 10.0);
    assert_eq!(cache.clear().collect::<Vec<_>>(), [(4, 40)]);
    assert_eq!((cache.len(), cache.bytes(), cache.is_empty()), (0, 0, true));
}

#[test]
fn an_unsure_caller_learns_whom_to_ask_and_whether_that_still_holds() {
    let mut cache = Cache::new(3, f64::INFINITY);
    for key in [0, 3, 1] {
        set(&mut cache, key, 1, 0.0);
    }
    assert_eq!(cache.lookup(0, |_| Same::Unsure), Lookup::Unsure);
    assert_eq!(cache.lookup(0, |_| Same::No), Lookup::Absent);
    assert_eq!(cache.lookup(2, |_| Same::Unsure), Lookup::Absent);
    let alike: Vec<(Handle, u32)> = cache.alike(0).iter().map(|&(h, &key)| (h, key)).collect();
    assert_eq!(
        alike.iter().map(|&(_, key)| key).collect::<std::collections::BTreeSet<_>>(),
        [0, 3].into()
    );
    let handle = alike.iter().find(|&&(_, key)| key == 0).map(|&(handle, _)| handle);
    let handle = handle.expect("it is there");
    set(&mut cache, 0, 2, 0.0);
    assert_eq!(cache.still(handle), place(&cache, 0), "an overwrite is the same entry");
    let arrivals = cache.arrivals();
    place(&cache, 0).and_then(|place| cache.remove(place));
    assert_eq!((cache.still(handle), cache.arrivals()), (None, arrivals));
    set(&mut cache, 0, 3, 0.0);
    assert_eq!(cache.still(handle), None, "in the same slot, but another one");
    assert!(cache.arrivals() > arrivals);
}

#[test]
fn a_clock_that_tells_a_later_moment_cheaply_is_believed_for_hits_only() {
    struct Coarse(f64);
    impl Clock for Coarse {
        fn now(&self) -> f64 {
            self.0
        }
        fn not_before_now(&self) -> Option<f64> {
            Some(self.0 + 2.0)
        }
    }
    let mut cache = Cache::new(1, 10.0);
    set(&mut cache, 1, 1, 0.0);
    for now in [0.0, 7.9, 8.0, 9.999] {
        let at = place(&cache, 1);
        assert_eq!(cache.get(at, &Coarse(now)), Read::Living(&1), "at {now}");
    }
    let at = place(&cache, 1);
    assert_eq!(cache.get(at, &Coarse(10.0)), Read::Expired(1, 1));
}
