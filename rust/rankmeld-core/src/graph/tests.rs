//! Graphs and walks against the plain definition.

use proptest::prelude::*;

use super::*;
use crate::{Error, Watch};

/// Power iteration over a dense matrix.
fn obvious(nodes: usize, edges: &[(usize, usize, f64)], seed: usize, steps: usize) -> Vec<f64> {
    let leaving = |node: usize| edges.iter().filter(|e| e.0 == node).map(|e| e.2).sum::<f64>();
    let totals: Vec<f64> = (0..nodes).map(leaving).collect();
    let mut scores = vec![0.0; nodes];
    scores[seed] = 1.0;
    for _ in 0..steps {
        let stuck: f64 = (0..nodes).filter(|&n| totals[n] == 0.0).map(|n| scores[n]).sum();
        let mut fresh = vec![0.0; nodes];
        for &(source, target, weight) in edges.iter().filter(|e| e.2 > 0.0) {
            fresh[target] += 0.85 * scores[source] * weight / totals[source];
        }
        fresh[seed] += 0.15 + 0.85 * stuck;
        scores = fresh;
    }
    scores
}

fn graph(nodes: usize, edges: &[(usize, usize, f64)]) -> Graph {
    let number = |node: usize| i64::try_from(node).expect("few");
    let sources: Vec<i64> = edges.iter().map(|e| number(e.0)).collect();
    let targets: Vec<i64> = edges.iter().map(|e| number(e.1)).collect();
    let weights: Vec<f64> = edges.iter().map(|e| e.2).collect();
    let edges =
        Edges { sources: &sources, targets: &targets, weights: Some(&weights), directed: true };
    Graph::new(nodes, edges, Watch::never()).expect("edges of the graph")
}

fn walked(graph: &Graph, seeds: &[Seeds], threads: usize) -> Vec<Solution> {
    let request = Request { damping: 0.85, max_iterations: 7, tolerance: 0.0, threads };
    let questions: Vec<_> = seeds.iter().map(|seeds| Question { seeds, start: None }).collect();
    pagerank(graph, &questions, &request, Watch::never()).expect("nobody stops it")
}

proptest! {
    #[test]
    fn a_walk_is_that_of_the_definition(
        nodes in 1..3000_usize,
        raw in proptest::collection::vec((0..9000_usize, 0..9000_usize, 0..4_u8), 0..900),
        hub in 0..2000_usize,
        seed in 0..3000_usize,
    ) {
        let seed = seed % nodes;
        let mut edges: Vec<_> =
            raw.iter().map(|&(s, t, w)| (s % nodes, t % nodes, f64::from(w) / 3.0)).collect();
        edges.extend((0..hub).map(|source| (source % nodes, 0, 0.7)));
        let graph = graph(nodes, &edges);
        let seeds = [Seeds::new([(seed as u32, 3.0)]), Seeds::new([]), Seeds::new([(0, 1.0)])];
        let found = walked(&graph, &seeds, 1);
        for (score, expected) in found[0].scores.iter().zip(obvious(nodes, &edges, seed, 7)) {
            prop_assert!((score - expected).abs() < 1e-13, "{score} {expected}");
        }
        prop_assert_eq!(&found, &walked(&graph, &seeds, 3));
        prop_assert_eq!(&found[..1], &walked(&graph, &seeds[..1], 2)[..]);
        let (offsets, sources, weights) = graph.parts(Watch::never()).expect("nobody stops it");
        let again = Graph::from_parts(&offsets, sources, weights, Watch::never()).expect("its parts");
        prop_assert_eq!(&found, &walked(&again, &seeds, 1));
    }

    #[test]
    fn parts_of_the_work_cover_all_of_it(lengths in proptest::collection::vec(0..40_usize, 0..9000), parts in 1..9_usize) {
        let mut offsets = vec![0];
        for length in lengths {
            offsets.push(offsets[offsets.len() - 1] + length);
        }
        let slices = slices::Slices::of(&offsets);
        let covered: Vec<usize> = (0..parts).flat_map(|part| slices.part(part, parts)).collect();
        prop_assert_eq!(covered, (0..slices.windows()).collect::<Vec<_>>());
        prop_assert_eq!(slices.offsets(), offsets);
    }
}

#[test]
fn edges_that_are_none_are_named() {
    let new = |sources: &[i64], targets: &[i64], weights: &[f64]| {
        let edges = Edges { sources, targets, weights: Some(weights), directed: true };
        Graph::new(2, edges, Watch::never()).map(|graph| graph.edges())
    };
    assert_eq!(new(&[0, 1], &[1, 0], &[1.0, 0.0]), Ok(1));
    assert_eq!(
        new(&[0, 2], &[1, 0], &[1.0; 2]),
        Err(Error::EdgeOutside { edge: 1, node: 2, nodes: 2 })
    );
    assert_eq!(new(&[0], &[1], &[-1.0]), Err(Error::EdgeWeight { edge: 0, value: -1.0 }));
    let damaged = Graph::from_parts(&[0, 1], vec![1], Weights::Equal(vec![()]), Watch::never());
    assert!(matches!(damaged, Err(Error::Damaged(_))));
}

#[test]
fn a_stop_is_heard() {
    let graph = graph(4, &[(0, 1, 1.0), (1, 0, 1.0)]);
    let seeds = Seeds::new([(0, 1.0)]);
    let request = Request { damping: 0.85, max_iterations: usize::MAX, tolerance: 0.0, threads: 1 };
    let question = Question { seeds: &seeds, start: None };
    let stopped = pagerank(&graph, &[question], &request, Watch::new(&|| false));
    assert_eq!(stopped, Err(Error::Interrupted));
}
