//! The greedy choice is that of comparing all candidates with all picks, ties included.

#![no_main]

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use rankmeld_core::Watch;
use rankmeld_core::mmr::{Matrix, Request, Scale, mmr};

#[derive(Arbitrary, Debug)]
struct Given {
    /// Few distinct values, so that ties are the rule.
    scores: Vec<i8>,
    similarities: Vec<i8>,
    lambda: u8,
    limit: u8,
}

fuzz_target!(|given: Given| {
    let count = given.scores.len().min(24);
    let scores: Vec<f64> =
        given.scores[..count].iter().map(|&score| f64::from(score / 16)).collect();
    let value = |place: usize| given.similarities.get(place).map_or(0.0, |&s| f64::from(s / 16));
    let matrix: Vec<f64> = (0..count * count).map(value).collect();
    let lambda = f64::from(given.lambda) / 255.0;
    let limit = usize::from(given.limit);
    let mut similarities = Matrix::new(&matrix, count, Watch::never()).expect("finite");
    let request = Request { lambda, limit, scale: Scale::Raw };
    let picks = mmr(&scores, &request, &mut similarities, Watch::never()).expect("finite");

    let mut left: Vec<usize> = (0..count).collect();
    let mut chosen: Vec<usize> = Vec::new();
    while chosen.len() < limit && !left.is_empty() {
        let worth = |candidate: usize| {
            let highest =
                chosen.iter().map(|&pick| matrix[candidate * count + pick]).reduce(f64::max);
            highest.map_or(scores[candidate], |highest| {
                lambda * scores[candidate] - (1.0 - lambda) * highest
            })
        };
        let mut best = 0;
        for place in 1..left.len() {
            if worth(left[place]) > worth(left[best]) {
                best = place;
            }
        }
        chosen.push(left.remove(best));
    }
    assert!(picks.iter().map(|pick| pick.candidate as usize).eq(chosen));
});
