//! Documents whose numbers are too large or too small for the fast way.
//!
//! Every vector is scaled by a power of two so that its largest element is about 1, and similarities
//! are kept as a significand and a power until the end: only a score that is no double is refused.

use super::documents::Document;
use super::query::Query;
use super::reduce::Pace;
use crate::Error;
use crate::power_of_two::{exponent, times_power};

/// What it takes to scale an element, in multiplications of the tiles: it is that much slower.
const COST_OF_SCALING: usize = 1 << 11;

/// What it takes to multiply one into a sum.
const COST_OF_PRODUCT: usize = 1 << 8;

/// A number times a power of two.
#[derive(Debug, Clone, Copy)]
struct Wide {
    significand: f64,
    power: i64,
}

impl Wide {
    fn new(value: f64, power: i64) -> Self {
        if value == 0.0 {
            return Self { significand: 0.0, power: 0 };
        }
        let own = exponent(value);
        Self { significand: times_power(value, -own), power: power + i64::from(own) }
    }

    fn is_above(self, other: Self) -> bool {
        let sign = |wide: Self| wide.significand.partial_cmp(&0.0);
        if sign(self) != sign(other) || self.power == other.power || self.significand == 0.0 {
            return self.significand > other.significand;
        }
        (self.power > other.power) == (self.significand > 0.0)
    }

    /// As a double, divided by another power of two.
    fn over(self, power: i64) -> f64 {
        let power = (self.power - power).clamp(-2046, 2046) as i32;
        times_power(self.significand, power)
    }
}

/// What came of one document.
pub struct Scored {
    /// Its score, perhaps no finite number.
    pub score: f64,
    /// For each query vector the largest similarity and the vector that has it.
    pub best: Vec<(f64, usize)>,
}

/// Scores one document; `normalize` makes similarities cosines.
///
/// # Errors
/// [`Error::Interrupted`].
pub fn score(
    query: &Query,
    document: &Document<'_>,
    normalize: bool,
    pace: &mut Pace<'_>,
) -> Result<Scored, Error> {
    let width = query.width();
    let mut best: Vec<Option<(Wide, usize)>> = vec![None; query.len()];
    let mut scaled = vec![0.0; width];
    for row in document.runs().flatten() {
        pace.count(width * (COST_OF_SCALING + COST_OF_PRODUCT * query.len()))?;
        let elements =
            (row * width..(row + 1) * width).map(|place| document.vectors.element(place));
        for (to, element) in scaled.iter_mut().zip(elements) {
            *to = element;
        }
        let largest = scaled.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
        let power = if largest == 0.0 { 0 } else { exponent(largest) };
        for value in &mut scaled {
            *value = times_power(*value, -power);
        }
        let scale = document.vectors.scale(row);
        let length = scaled.iter().map(|value| value * value).sum::<f64>().sqrt();
        for (number, best) in best.iter_mut().enumerate() {
            let dot =
                query.row(number).iter().zip(&scaled).fold(0.0, |sum, (&q, &x)| q.mul_add(x, sum));
            let similarity = if !normalize {
                let scale = Wide::new(scale, 0);
                Wide::new(dot * scale.significand, scale.power + i64::from(power))
            } else if length == 0.0 || scale == 0.0 {
                Wide::new(0.0, 0)
            } else {
                Wide::new(dot / length, 0)
            };
            if best.is_none_or(|(than, _)| similarity.is_above(than)) {
                *best = Some((similarity, row));
            }
        }
    }
    Ok(finished(query, &best, normalize))
}

fn finished(query: &Query, best: &[Option<(Wide, usize)>], normalize: bool) -> Scored {
    let similarities: Vec<(Wide, usize)> = (best.iter().flatten().enumerate())
        .map(|(number, &(similarity, row))| {
            let (factor, power) = if normalize {
                (query.factors()[number], 0)
            } else {
                (query.scales()[number], query.powers()[number])
            };
            let factor = Wide::new(factor, i64::from(power));
            let product = similarity.significand * factor.significand;
            (Wide::new(product, similarity.power + factor.power), row)
        })
        .collect();
    let above = similarities.iter().filter(|(wide, _)| wide.significand != 0.0);
    let power = above.map(|(wide, _)| wide.power).max().unwrap_or(0);
    let sum: f64 = similarities.iter().map(|(wide, _)| wide.over(power)).sum();
    Scored {
        score: Wide::new(sum, power).over(0),
        best: similarities.into_iter().map(|(wide, row)| (wide.over(0), row)).collect(),
    }
}
