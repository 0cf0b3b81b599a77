//! Personalized `PageRank`: building a graph, and walks over it, alone and side by side.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rankmeld_benches::SplitMix;
use rankmeld_core::Watch;
use rankmeld_core::graph::{Edges, Graph, Question, Request, Seeds, Solution, pagerank};

struct Columns {
    sources: Vec<i64>,
    targets: Vec<i64>,
    weights: Vec<f64>,
}

/// Edges from anywhere, most of them to few nodes.
fn columns(nodes: usize, edges: usize) -> Columns {
    let mut random = SplitMix(nodes as u64);
    let mut made = Columns { sources: Vec::new(), targets: Vec::new(), weights: Vec::new() };
    for _ in 0..edges {
        made.sources.push((random.unit() * nodes as f64) as i64);
        made.targets.push((random.unit().powi(2) * nodes as f64) as i64);
        made.weights.push(0.1 + 0.9 * random.unit());
    }
    made
}

fn built(nodes: usize, columns: &Columns, weighted: bool) -> Graph {
    let edges = Edges {
        sources: &columns.sources,
        targets: &columns.targets,
        weights: weighted.then_some(&columns.weights),
        directed: true,
    };
    Graph::new(nodes, edges, Watch::never()).expect("edges of the graph")
}

fn walked(graph: &Graph, seeds: &[Seeds], threads: usize) -> Vec<Solution> {
    let request = Request { damping: 0.85, max_iterations: 20, tolerance: 0.0, threads };
    let questions: Vec<_> = seeds.iter().map(|seeds| Question { seeds, start: None }).collect();
    let found = pagerank(graph, &questions, &request, Watch::never()).expect("nobody stops it");
    for solution in &found {
        assert!((solution.scores.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    }
    found
}

fn building(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("graph_new");
    for (nodes, edges) in [(10_000, 80_000), (100_000, 800_000)] {
        let columns = columns(nodes, edges);
        group.throughput(Throughput::Elements(edges as u64));
        group.bench_function(BenchmarkId::from_parameter(nodes), |bencher| {
            bencher.iter(|| built(nodes, black_box(&columns), true));
        });
    }
    group.finish();
}

fn walking(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("pagerank");
    for (nodes, edges) in [(200, 800), (10_000, 80_000), (100_000, 800_000)] {
        let columns = columns(nodes, edges);
        for (name, weighted) in [("weights", true), ("equal", false)] {
            let graph = built(nodes, &columns, weighted);
            for sets in [1, 8] {
                let seeds: Vec<Seeds> = (0..sets).map(|node| Seeds::new([(node, 1.0)])).collect();
                assert_eq!(walked(&graph, &seeds, 2), walked(&graph, &seeds, 1));
                group.throughput(Throughput::Elements(20 * edges as u64 * u64::from(sets)));
                let id = BenchmarkId::new(format!("{name}, {sets} set(s)"), nodes);
                group.bench_function(id, |bencher| {
                    bencher.iter(|| walked(black_box(&graph), &seeds, 1));
                });
            }
        }
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    targets = building, walking
}
criterion_main!(benches);
