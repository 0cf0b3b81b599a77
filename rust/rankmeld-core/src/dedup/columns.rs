//! Sketches as columns, for engines that spread them over machines, and the two questions that
//! are asked about them there: which pairs are similar, and how a bucket falls into clusters.
//!
//! The evidence of each text is a run of little-endian bytes, empty for a text without tokens; the
//! settings travel beside it. Keys of bands are numbers of 64 bits, the band above and the key
//! below, so that one number names a bucket.

use super::shingle::ShingleSet;
use super::sketch::{Evidence, Pause, Settings, Sketch};
use crate::{Error, Watch};

const NO_EVIDENCE: Error = Error::Damaged("the bytes are no evidence of sketches");

/// Sketches, column by column.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// The evidence of one text after the other.
    pub evidence: Vec<u8>,
    /// Where in `evidence` each text begins, and where the last one ends.
    pub offsets: Vec<i64>,
    /// The buckets of one text after the other, one for each band; a text without tokens is in none.
    pub buckets: Vec<i64>,
}

impl Columns {
    /// The columns of some sketches.
    #[expect(clippy::cast_possible_wrap, reason = "no vector is longer than isize::MAX")]
    pub fn of<'a>(sketches: impl IntoIterator<Item = &'a Sketch>) -> Self {
        let mut columns = Self { offsets: vec![0], ..Self::default() };
        for sketch in sketches {
            sketch.evidence().write(&mut columns.evidence);
            columns.offsets.push(columns.evidence.len() as i64);
            let buckets = (0_i64..).zip(sketch.keys());
            columns.buckets.extend(buckets.map(|(band, &key)| band << 32 | i64::from(key)));
        }
        columns
    }
}

/// The sketches of a column of evidence, without keys.
///
/// # Errors
/// [`Error::Damaged`] for other bytes, and [`Error::Interrupted`] if the watch says so.
pub fn read(
    settings: Settings,
    evidence: &[u8],
    offsets: &[i64],
    watch: Watch<'_>,
) -> Result<Vec<Sketch>, Error> {
    let mut pause = Pause::new(watch);
    let mut sketches = Vec::with_capacity(offsets.len());
    for ends in offsets.windows(2) {
        let [start, end] = [ends[0], ends[1]].map(usize::try_from);
        let range = start.map_err(|_| NO_EVIDENCE)?..end.map_err(|_| NO_EVIDENCE)?;
        let bytes = evidence.get(range).ok_or(NO_EVIDENCE)?;
        pause.after(bytes.len())?;
        let evidence = if settings.verify {
            let hashes = numbers(bytes, u64::from_le_bytes)?;
            Evidence::Exact(ShingleSet::of_ascending(hashes).ok_or(NO_EVIDENCE)?)
        } else {
            Evidence::Estimate(numbers(bytes, u32::from_le_bytes)?)
        };
        sketches.push(Sketch::without_keys(evidence));
    }
    Ok(sketches)
}

/// For each pair whether it is as similar as the threshold says.
///
/// # Errors
/// [`Error::Interrupted`] if the watch says so.
pub fn reaching<'a>(
    pairs: impl Iterator<Item = (&'a Sketch, &'a Sketch)>,
    threshold: f64,
    watch: Watch<'_>,
) -> Result<Vec<bool>, Error> {
    let mut pause = Pause::new(watch);
    let reaches = |(one, other): (&Sketch, &Sketch)| {
        pause.after(16 + one.size())?;
        Ok(one.reaches(other, threshold))
    };
    pairs.map(reaches).collect()
}

fn numbers<const N: usize, T>(bytes: &[u8], number: fn([u8; N]) -> T) -> Result<Box<[T]>, Error> {
    let (numbers, rest) = bytes.as_chunks::<N>();
    if rest.is_empty() {
        Ok(numbers.iter().map(|&bytes| number(bytes)).collect())
    } else {
        Err(NO_EVIDENCE)
    }
}

#[cfg(test)]
mod tests {
    use super::super::shingle::Shingling;
    use super::super::sketch::Sketcher;
    use super::*;
    use crate::Processor;

    const TEXTS: [&str; 4] = ["one two three four", "", "drei vier fünf", "one two three four"];

    fn sketcher(verify: bool) -> Sketcher {
        let settings = Settings { threshold: 0.8, values: 32, shingling: Shingling::Words, verify };
        Sketcher::with_bands(settings, Processor::best()).expect("high enough")
    }

    fn sketches(sketcher: &Sketcher) -> Vec<Sketch> {
        sketcher.of_texts(&TEXTS, 1, Watch::never()).expect("not stopped")
    }

    #[test]
    fn evidence_comes_back() {
        for verify in [true, false] {
            let maker = sketcher(verify);
            let sketches = sketches(&maker);
            let columns = Columns::of(&sketches);
            let settings = maker.settings();
            let found = read(settings, &columns.evidence, &columns.offsets, Watch::never())
                .expect("as it was");
            assert_eq!(found.len(), sketches.len());
            for (found, sketch) in found.iter().zip(&sketches) {
                assert_eq!(found.evidence(), sketch.evidence());
            }
            let pairs =
                [(0, 3), (0, 2), (1, 1)].map(|(a, b): (usize, usize)| (&found[a], &found[b]));
            let near = reaching(pairs.into_iter(), 0.8, Watch::never());
            assert_eq!(near, Ok(vec![true, false, false]));
        }
    }

    #[test]
    fn a_bucket_is_a_band_and_its_key() {
        let maker = sketcher(true);
        let sketches = sketches(&maker);
        let buckets = Columns::of(&sketches).buckets;
        assert_eq!(buckets.len(), 3 * maker.bands());
        for ((band, &bucket), &key) in (0_i64..).zip(&buckets).zip(sketches[0].keys()) {
            assert_eq!((bucket / (1 << 32), bucket % (1 << 32)), (band, i64::from(key)));
        }
    }

    #[test]
    fn other_bytes_are_refused() {
        let settings = sketcher(true).settings();
        let refused = |bytes: &[u8], offsets: &[i64]| {
            assert_eq!(read(settings, bytes, offsets, Watch::never()).err(), Some(NO_EVIDENCE));
        };
        refused(&[0; 16], &[0, 16]); // twice the same shingle
        refused(&[0; 8], &[0, 7]);
        refused(&[0; 8], &[0, 16]);
        refused(&[0; 8], &[8, 0]);
        refused(&[0; 8], &[-8, 0]);
    }
}
