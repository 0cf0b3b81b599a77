//! `MaxSim` without an interpreter: 32 query vectors against 1,000 documents of 180 x 128, in every kind of
//! numbers and on every kind of processor.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rankmeld_core::maxsim::{Documents, Options, Query, Scales, Scores, Vectors, scores};
use rankmeld_core::{Processor, Watch};

const QUERY: usize = 32;
const COUNT: usize = 1_000;
const LENGTH: usize = 180;
const WIDTH: usize = 128;

fn numbers(count: usize) -> Vec<f32> {
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut next = || {
        state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        (state >> 40) as f32 / 8_388_608.0 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

fn scored(query: Vectors<'_>, vectors: Vectors<'_>, processor: Processor) -> Scores {
    let query = Query::new(&query, QUERY, WIDTH, false).expect("finite");
    let documents = Documents::Padded { vectors, count: COUNT, length: LENGTH, mask: None };
    let options = Options { normalize: false, explain: false, threads: 1, processor };
    scores(&query, &documents, options, Watch::never()).expect("finite")
}

fn kinds(criterion: &mut Criterion) {
    let (query, rows) = (numbers(QUERY * WIDTH), numbers(COUNT * LENGTH * WIDTH));
    let short = |values: &[f32]| values.iter().map(|x| (x.to_bits() >> 16) as u16).collect();
    let small = |values: &[f32]| values.iter().map(|x| (x * 127.0) as i8).collect();
    let (short_query, short_rows): (Vec<u16>, Vec<u16>) = (short(&query), short(&rows));
    let (small_query, small_rows): (Vec<i8>, Vec<i8>) = (small(&query), small(&rows));
    let one = Scales::One(1.0);
    let kinds = [
        ("single", Vectors::Singles(&query), Vectors::Singles(&rows)),
        ("bfloat16", Vectors::Bf16(&short_query), Vectors::Bf16(&short_rows)),
        ("single_bfloat16", Vectors::Singles(&query), Vectors::Bf16(&short_rows)),
        ("int8", Vectors::Bytes(&small_query, one), Vectors::Bytes(&small_rows, one)),
    ];
    let mut group = criterion.benchmark_group("maxsim");
    group.throughput(Throughput::Elements((QUERY * COUNT * LENGTH * WIDTH) as u64));
    for (name, query, rows) in kinds {
        let best = scored(query, rows, Processor::best());
        for &processor in Processor::available().iter().filter(|&&p| p != Processor::Portable) {
            assert_eq!(scored(query, rows, processor), best, "the same bits");
            group.bench_function(BenchmarkId::new(name, format!("{processor:?}")), |bencher| {
                bencher.iter(|| scored(black_box(query), black_box(rows), processor));
            });
        }
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2));
    targets = kinds
}
criterion_main!(benches);
