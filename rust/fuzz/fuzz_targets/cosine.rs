//! Cosines have the same bits on all processors, stay within -1..=1, and a vector that is not zero
//! is as near to itself as can be; what is not finite is refused.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rankmeld_core::{Error, Processor, Watch, cosine};

fuzz_target!(|given: (u8, Vec<f32>)| {
    let width = usize::from(given.0).max(1);
    let rows = &given.1[..given.1.len() / width * width];
    let Some(query) = rows.get(..width).filter(|row| row.iter().all(|value| value.is_finite()))
    else {
        return;
    };
    let wide: Vec<f64> = query.iter().map(|&value| f64::from(value)).collect();
    let doubles: Vec<f64> = rows.iter().map(|&value| f64::from(value)).collect();
    let portable = cosine::scores(&wide, rows, Processor::Portable, Watch::never());
    for &processor in Processor::available() {
        match (&portable, cosine::scores(&wide, rows, processor, Watch::never())) {
            (Ok(expected), Ok(found)) => assert_eq!(*expected, found),
            (Err(Error::VectorNotFinite { row, .. }), Err(found)) => {
                assert!(
                    matches!(found, Error::VectorNotFinite { row: other, .. } if other == *row)
                );
            }
            (expected, found) => panic!("{expected:?} on one processor, {found:?} on another"),
        }
    }
    let finite = rows.iter().all(|value| value.is_finite());
    assert_eq!(portable.is_ok(), finite);
    let Ok(cosines) = portable else { return };
    assert!(cosines.iter().all(|cosine| (-1.0..=1.0).contains(cosine)));
    assert_eq!(cosines[0], if query.iter().any(|&value| value != 0.0) { 1.0 } else { 0.0 });
    assert_eq!(cosine::scores(&wide, &doubles, Processor::best(), Watch::never()), Ok(cosines));
});
