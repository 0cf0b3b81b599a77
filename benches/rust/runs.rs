//! Runs: many queries fused at once, and lines read and written.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rankmeld_benches::SplitMix;
use rankmeld_core::Watch;
use rankmeld_core::fusion::rank_credits::RankCredit;
use rankmeld_core::fusion::{Combination, Duplicates, Method, Request};
use rankmeld_core::run::{
    Batch, Columns, Layout, Leg, Reader, Repeats, Table, Ties, View, Wanted, Writer, fuse_queries,
};

const QUERIES: usize = 200;
const HITS: usize = 1_000;
const DOCUMENTS: u32 = 100_000;

/// For each query 1,000 documents of a pool of its own of twice as many, by descending score.
fn columns(leg: u64) -> Columns {
    let mut made = Columns { offsets: vec![0], ..Columns::default() };
    for query in 0..QUERIES {
        let first = query as u32 * 379 % (DOCUMENTS - 2 * HITS as u32);
        let mut pool: Vec<u32> = (first..first + 2 * HITS as u32).collect();
        SplitMix(leg << 32 | query as u64).shuffle(&mut pool);
        made.codes.extend_from_slice(&pool[..HITS]);
        made.scores.extend((0..HITS).map(|place| 30.0 - place as f64 / 37.0));
        made.offsets.push(made.codes.len());
    }
    made
}

fn offsets(columns: &Columns) -> Vec<i64> {
    columns.offsets.iter().map(|&at| at as i64).collect()
}

fn fusing(criterion: &mut Criterion) {
    let runs: Vec<Columns> = (0..3).map(columns).collect();
    let offsets: Vec<Vec<i64>> = runs.iter().map(offsets).collect();
    let queries: Vec<i64> = (0..QUERIES as i64).collect();
    let leg = |(run, offsets)| {
        let Columns { codes, scores, .. }: &Columns = run;
        Leg { view: View { offsets, codes, scores }, shared: None, queries: &queries }
    };
    let offsets = offsets.iter().map(Vec::as_slice);
    let legs: Vec<Leg<'_>> = runs.iter().zip(offsets).map(leg).collect();
    let batch = Batch { legs: &legs, queries: QUERIES, documents: DOCUMENTS as usize };
    let request = Request {
        method: Method::Ranks(RankCredit::Reciprocal { k: 60.0, rank_base: 1 }),
        combination: Combination::Sum,
        duplicates: Duplicates::First,
        weights: vec![1.0; 3],
    };
    let fuse = |limit, threads| {
        let wanted = Wanted { limit, whole_ties: false };
        fuse_queries(batch, &request, wanted, threads, Watch::never())
            .expect("nobody stops it")
            .expect("finite")
    };
    assert_eq!(fuse(None, 1), fuse(None, 2), "threads show in no bit");
    let mut group = criterion.benchmark_group("fuse_queries");
    group.throughput(Throughput::Elements((3 * QUERIES * HITS) as u64));
    for (limit, threads) in [(None, 1), (None, 2), (Some(10), 1)] {
        let id = BenchmarkId::new(format!("{threads} thread(s)"), format!("limit {limit:?}"));
        group.bench_function(id, |bencher| bencher.iter(|| fuse(black_box(limit), threads)));
    }
    group.finish();
}

fn read(lines: &str) -> Table {
    let mut reader = Reader::new(Layout::Run);
    reader.feed(lines.as_bytes(), Watch::never()).expect("nobody stops it");
    reader
        .finish(Ties::First, Repeats::Refused, Watch::never())
        .expect("nobody stops it")
        .expect("no bad line")
}

fn lines(criterion: &mut Criterion) {
    let run = columns(7);
    let queries: Vec<String> = (0..QUERIES).map(|query| format!("q{query}")).collect();
    let documents: Vec<String> =
        (0..DOCUMENTS).map(|code| format!("{code:08x}-{:027x}", code * 7)).collect();
    let (queries, documents): (Vec<&str>, Vec<&str>) = (
        queries.iter().map(String::as_str).collect(),
        documents.iter().map(String::as_str).collect(),
    );
    let offsets = offsets(&run);
    let writer = Writer {
        view: View { offsets: &offsets, codes: &run.codes, scores: &run.scores },
        queries: &queries,
        documents: &documents,
        tag: "bench",
        rank_base: 1,
        strict: false,
    };
    let write = || writer.lines(0..QUERIES, Watch::never()).expect("nobody stops it");
    let text = write();
    assert_eq!(read(&text).columns.scores, run.scores);
    let mut group = criterion.benchmark_group("lines");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("read", |bencher| bencher.iter(|| read(black_box(&text))));
    group.bench_function("write", |bencher| bencher.iter(write));
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    targets = fusing, lines
}
criterion_main!(benches);
