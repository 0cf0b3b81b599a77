//! Searches against scoring everything: the same hits, order and bits, after any history.

use std::sync::Arc;

use proptest::prelude::*;
use rankmeld_core::Watch;
use rankmeld_core::bm25::{
    Builder, Found, Parameters, Place, Scoring, Snapshot, Wanted, scores_of_tokens,
};

const ORDINARY: Parameters = Parameters { k1: 1.5, b: 0.75 };

type Document = Vec<String>;

fn with(snapshot: &Snapshot, builder: Builder, order: Vec<u64>) -> Snapshot {
    let segment = builder.finish(Watch::never()).expect("nobody stops");
    snapshot.with(Arc::new(segment), order, Watch::never()).expect("nobody stops").0
}

/// An index beside the documents that it should hold, in the order of insertion.
struct Pair {
    snapshot: Snapshot,
    documents: Vec<(Place, Document)>,
    next: u64,
}

impl Pair {
    fn new(parameters: Parameters) -> Self {
        Self { snapshot: Snapshot::empty(parameters), documents: Vec::new(), next: 0 }
    }

    fn add(&mut self, documents: Vec<Document>) {
        let mut builder = Builder::new();
        for document in &documents {
            builder.push_tokens(document.iter().map(String::as_str));
        }
        let part = self.snapshot.sizes().len() as u32;
        let order = (self.next..).take(documents.len()).collect();
        self.next += documents.len() as u64;
        self.snapshot = with(&self.snapshot, builder, order);
        let place = |document| Place { part, document };
        self.documents.extend((0..).map(place).zip(documents));
    }

    fn remove(&mut self, numbers: &[usize]) {
        let mut gone: Vec<usize> =
            numbers.iter().filter_map(|n| n.checked_rem(self.documents.len())).collect();
        gone.sort_unstable();
        gone.dedup();
        let places: Vec<Place> = gone.iter().map(|&n| self.documents[n].0).collect();
        self.snapshot = self.snapshot.without(&places, Watch::never()).expect("nobody stops");
        for n in gone.into_iter().rev() {
            self.documents.remove(n);
        }
    }

    fn merge(&mut self, first: usize) {
        let (snapshot, places) = self.snapshot.merged(first, Watch::never()).expect("nobody stops");
        for (document, old) in (0..).zip(places) {
            let known = self.documents.iter_mut().find(|(place, _)| *place == old);
            known.expect("living").0 = Place { part: u32::MAX, document };
        }
        let last = (snapshot.sizes().len() as u32).saturating_sub(1);
        for (place, _) in &mut self.documents {
            if place.part == u32::MAX {
                place.part = last;
            }
        }
        self.snapshot = snapshot;
    }

    fn store(&mut self) {
        let (bytes, places) = self.snapshot.to_bytes(Watch::never()).expect("nobody stops");
        let stored: Vec<Place> = self.documents.iter().map(|(place, _)| *place).collect();
        assert_eq!(places, stored);
        self.snapshot = Snapshot::from_bytes(self.snapshot.parameters(), &bytes).expect("whole");
        for (document, (place, _)) in (0..).zip(&mut self.documents) {
            *place = Place { part: 0, document };
        }
        self.next = self.documents.len() as u64;
    }

    /// All hits by scoring every document.
    fn expected(&self, query: &[&str]) -> Vec<Found> {
        let documents: Vec<Vec<&str>> =
            self.documents.iter().map(|(_, d)| d.iter().map(String::as_str).collect()).collect();
        let parameters = self.snapshot.parameters();
        let scoring = Scoring { parameters, given: None, normalized: false };
        let scores = scores_of_tokens(query, &documents, scoring);
        let hits = self.documents.iter().zip(scores).filter(|(_, score)| *score > 0.0);
        let mut hits: Vec<Found> =
            hits.map(|((place, _), score)| Found { place: *place, score }).collect();
        hits.sort_by(|a, b| b.score.total_cmp(&a.score));
        hits
    }

    fn search(&self, query: &[&str], limit: usize, ties: bool) -> Vec<Found> {
        let query = self.snapshot.query(query.iter().copied());
        let wanted = Wanted { limit, ties, allowed: None };
        self.snapshot.search(&query, wanted, Watch::never()).expect("nobody stops")
    }

    fn check(&self, query: &[&str], limits: impl IntoIterator<Item = usize>) {
        let expected = self.expected(query);
        for limit in limits {
            let best = &expected[..limit.min(expected.len())];
            assert_eq!(self.search(query, limit, false), best, "limit {limit} of {query:?}");
            let tied = |hit: &&Found| best.last().is_some_and(|last| hit.score >= last.score);
            let with_ties: Vec<Found> = expected.iter().take_while(tied).copied().collect();
            assert_eq!(self.search(query, limit, true), with_ties, "ties at {limit} of {query:?}");
        }
    }
}

fn words(numbers: &[u8]) -> Document {
    numbers.iter().map(|n| format!("w{n}")).collect()
}

/// Words by a law like Zipf's, from a generator that is the same everywhere.
struct Zipf(u64);

impl Zipf {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn word(&mut self, vocabulary: u64) -> String {
        let limit = 1 + self.below(vocabulary);
        format!("w{}", self.below(limit))
    }

    fn documents(&mut self, count: usize, longest: u64, vocabulary: u64) -> Vec<Document> {
        (0..count)
            .map(|_| (0..self.below(longest)).map(|_| self.word(vocabulary)).collect())
            .collect()
    }
}

#[derive(Debug, Clone)]
enum Act {
    Add(Vec<Vec<u8>>),
    Remove(Vec<usize>),
    Merge(usize),
    Store,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    use proptest::collection::vec;
    let document = || vec(0..12_u8, 0..8);
    let act = prop_oneof![
        3 => vec(document(), 0..12).prop_map(Act::Add),
        2 => vec(any::<usize>(), 0..6).prop_map(Act::Remove),
        1 => (0..4_usize).prop_map(Act::Merge),
        1 => Just(Act::Store),
    ];
    vec(act, 1..10)
}

proptest! {
    #[test]
    fn any_history_answers_as_a_fresh_index(
        acts in acts(),
        query in proptest::collection::vec(0..14_u8, 0..20),
        k1 in prop_oneof![Just(0.0), 0.1..3.0],
        b in prop_oneof![Just(0.0), Just(1.0), 0.0..1.0],
    ) {
        let mut pair = Pair::new(Parameters { k1, b });
        for act in acts {
            match act {
                Act::Add(documents) => pair.add(documents.iter().map(|d| words(d)).collect()),
                Act::Remove(numbers) => pair.remove(&numbers),
                Act::Merge(first) => pair.merge(first),
                Act::Store => pair.store(),
            }
            let query = words(&query);
            let query: Vec<&str> = query.iter().map(String::as_str).collect();
            pair.check(&query, [0, 1, 2, 3, 5, 100]);
        }
    }
}

#[test]
fn skipping_changes_no_bit_of_a_large_collection() {
    let mut zipf = Zipf(7);
    for (longest, k1, b) in [(60, 1.5, 0.75), (6, 1.5, 0.75), (60, 0.0, 0.5), (40, 1.2, 0.0)] {
        let mut pair = Pair::new(Parameters { k1, b });
        pair.add(zipf.documents(7_000, longest, 3_000));
        pair.add(zipf.documents(700, longest, 3_000));
        pair.add(zipf.documents(70, longest, 3_000));
        let gone: Vec<usize> = (0..500).map(|_| zipf.below(7_000) as usize).collect();
        pair.remove(&gone);
        for terms in [1, 2, 3, 4, 8, 16, 17, 40] {
            let query: Vec<String> = (0..terms).map(|_| zipf.word(3_000)).collect();
            let query: Vec<&str> = query.iter().map(String::as_str).collect();
            pair.check(&query, [1, 2, 10, 100, 1_000, 10_000]);
        }
    }
}

#[test]
fn large_frequencies_are_kept() {
    let mut pair = Pair::new(ORDINARY);
    let lengths = [1, 254, 255, 256, 70_000, 300];
    pair.add(lengths.iter().map(|&n| vec!["again".to_owned(); n]).collect());
    pair.add(vec![vec!["again".to_owned(); 1_000]]);
    pair.check(&["again"], [1, 3, 10]);
    pair.merge(0);
    pair.check(&["again"], [1, 3, 10]);
    pair.store();
    pair.check(&["again"], [1, 3, 10]);
}

#[test]
fn replaced_documents_keep_their_place_among_equals() {
    let mut pair = Pair::new(ORDINARY);
    pair.add(vec![words(&[1]), words(&[1]), words(&[1])]);
    let mut builder = Builder::new();
    builder.push_tokens(std::iter::once("w1"));
    let middle = Place { part: 0, document: 1 };
    let order = vec![pair.snapshot.order_of(middle)];
    let snapshot = pair.snapshot.without(&[middle], Watch::never()).expect("nobody stops");
    let snapshot = with(&snapshot, builder, order);
    let again = Place { part: 1, document: 0 };
    let expected = [Place { part: 0, document: 0 }, again, Place { part: 0, document: 2 }];
    for limit in 1..4 {
        let query = snapshot.query(std::iter::once("w1"));
        let wanted = Wanted { limit, ties: false, allowed: None };
        let found = snapshot.search(&query, wanted, Watch::never()).expect("nobody stops");
        let found: Vec<Place> = found.into_iter().map(|hit| hit.place).collect();
        assert_eq!(found, expected[..limit]);
    }
    let (merged, places) = snapshot.merged(0, Watch::never()).expect("nobody stops");
    assert_eq!(places, expected);
    // What is read back is checked: lists are in order.
    let (bytes, _) = merged.to_bytes(Watch::never()).expect("nobody stops");
    assert!(Snapshot::from_bytes(ORDINARY, &bytes).is_ok());
}

#[test]
fn only_allowed_documents_are_found_and_statistics_stay_those_of_all() {
    let mut pair = Pair::new(ORDINARY);
    pair.add(vec![words(&[1, 2]), words(&[1]), words(&[1, 1]), words(&[2])]);
    let query = pair.snapshot.query(["w1"].into_iter());
    let allowed: &[bool] = &[true, false, true, true];
    let wanted = Wanted { limit: 1, ties: false, allowed: Some(&[allowed]) };
    let found = pair.snapshot.search(&query, wanted, Watch::never()).expect("nobody stops");
    let best = pair.expected(&["w1"]).into_iter().find(|hit| hit.place.document != 1);
    assert_eq!(found.first().copied(), best);
}

#[test]
fn damaged_bytes_are_refused_or_give_an_index_but_never_a_panic() {
    let mut pair = Pair::new(ORDINARY);
    let mut documents = Zipf(3).documents(30, 12, 20);
    documents.push(vec!["often".to_owned(); 300]);
    pair.add(documents);
    let (bytes, _) = pair.snapshot.to_bytes(Watch::never()).expect("nobody stops");
    for at in 0..bytes.len() {
        assert!(Snapshot::from_bytes(ORDINARY, &bytes[..at]).is_err());
        for bit in [0, 3, 7] {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << bit;
            if let Ok(snapshot) = Snapshot::from_bytes(ORDINARY, &changed) {
                let query = snapshot.query(["w1", "often"].into_iter());
                let wanted = Wanted { limit: 3, ties: true, allowed: None };
                assert!(snapshot.search(&query, wanted, Watch::never()).is_ok());
            }
        }
    }
}
