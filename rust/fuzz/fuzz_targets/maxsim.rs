//! MaxSim has the same bits on all processors, with any number of threads and whatever the
//! layout, is near the sum of largest products in double precision, and refuses what is not finite.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rankmeld_core::maxsim::{Documents, Options, Query, Vectors, scores};
use rankmeld_core::{Processor, Watch};

fuzz_target!(|given: (u8, u8, u8, Vec<f32>)| {
    let (width, length, asked, values) = given;
    let (width, length) = (usize::from(width % 40).max(1), usize::from(length % 20).max(1));
    let rows = values.len() / width;
    let asked = usize::from(asked % 36).min(rows);
    let (query, rest) = values.split_at(asked * width);
    let count = (rows - asked) / length;
    let rest = &rest[..count * length * width];
    let Ok(made) = Query::new(&Vectors::Singles(query), asked, width, false) else {
        assert!(query.iter().any(|value| !value.is_finite()));
        return;
    };
    let vectors = Vectors::Singles(rest);
    let offsets: Vec<usize> = (0..=count).map(|document| document * length).collect();
    let padded = Documents::Padded { vectors, count, length, mask: None };
    let flat = Documents::Flat { vectors, offsets: &offsets };
    let options =
        |threads, processor| Options { normalize: false, explain: false, threads, processor };
    let portable = scores(&made, &padded, options(1, Processor::Portable), Watch::never());
    for &processor in Processor::available() {
        let found = scores(&made, &flat, options(2, processor), Watch::never());
        match (&portable, found) {
            (Ok(expected), Ok(found)) => assert_eq!(expected.scores, found.scores),
            (Err(_), Err(_)) => {}
            (expected, found) => panic!("{expected:?} on one processor, {found:?} on another"),
        }
    }
    let finite = rest.iter().all(|value| value.is_finite());
    assert!(finite || asked == 0 || portable.is_err());
    let Ok(found) = portable else { return };
    for (document, score) in rest.chunks_exact(length * width).zip(found.scores) {
        let product = |a: &[f32], b: &[f32]| -> (f64, f64) {
            let terms = a.iter().zip(b).map(|(&x, &y)| f64::from(x) * f64::from(y));
            terms.fold((0.0, 0.0), |(sum, size), term| (sum + term, size + term.abs()))
        };
        let best = query.chunks_exact(width).map(|one| {
            document
                .chunks_exact(width)
                .map(|other| product(one, other))
                .fold((f64::NEG_INFINITY, 0.0), |(best, size): (f64, f64), (sum, terms)| {
                    (best.max(sum), size.max(terms))
                })
        });
        let (expected, size) =
            best.fold((0.0, 0.0), |(sum, all), (best, size)| (sum + best, all + size));
        assert!((score - expected).abs() <= 1e-4 * size + 1e-30, "{score} is not {expected}");
    }
});
