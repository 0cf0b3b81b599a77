//! Sketches as bytes: how they compare, then the evidence of each text.
//!
//! Keys of bands follow from the evidence and are not stored. All numbers are little-endian. What
//! the bytes lie in (see [`crate::sealed`]) vouches for them.

use std::num::NonZeroUsize;

use super::shingle::{ShingleSet, Shingling};
use super::sketch::{Pause, Settings, Sketch, Sketcher};
use crate::{Error, Processor, Watch};

const NO_SKETCHES: Error = Error::Damaged("the bytes are no sketches");

/// More values than anybody needs; what asks for more was not written here.
const MOST_VALUES: usize = 1 << 20;

/// Sketches and the settings that they were made with.
#[must_use]
pub fn encode<'a>(
    settings: Settings,
    sketches: impl ExactSizeIterator<Item = &'a Sketch> + Clone,
) -> Vec<u8> {
    let size: usize = sketches.clone().map(|sketch| 8 + 8 * sketch.size()).sum();
    let mut bytes = Vec::with_capacity(64 + size);
    bytes.extend(settings.threshold.to_le_bytes());
    bytes.extend((settings.values as u64).to_le_bytes());
    bytes.extend(run_length(settings.shingling).to_le_bytes());
    bytes.push(u8::from(settings.verify));
    bytes.extend((sketches.len() as u64).to_le_bytes());
    for sketch in sketches {
        bytes.extend((sketch.size() as u64).to_le_bytes());
        sketch.evidence().write(&mut bytes);
    }
    bytes
}

/// What [`encode`] made, with what makes sketches that fit.
///
/// # Errors
/// [`Error::Damaged`] for other bytes, and [`Error::Interrupted`] if the watch says so.
pub fn decode(
    bytes: &[u8],
    processor: Processor,
    watch: Watch<'_>,
) -> Result<(Sketcher, Vec<Sketch>), Error> {
    let mut rest = Bytes(bytes);
    let threshold = f64::from_le_bytes(rest.array()?);
    let values = rest.count()?;
    let shingling = NonZeroUsize::new(rest.count()?).map_or(Shingling::Words, Shingling::Runs);
    let [verify] = rest.array()?;
    if !(threshold > 0.0 && threshold <= 1.0 && (1..=MOST_VALUES).contains(&values)) {
        return Err(NO_SKETCHES);
    }
    let settings = Settings { threshold, values, shingling, verify: verify != 0 };
    let sketcher = Sketcher::with_bands(settings, processor)?;
    let mut pause = Pause::new(watch);
    let (mut texts, mut signature) = (Vec::new(), Vec::new());
    for _ in 0..rest.count()? {
        let count = rest.count()?;
        let text = if settings.verify {
            let set = ShingleSet::of_ascending(rest.numbers(count, u64::from_le_bytes)?);
            sketcher.of_set(set.ok_or(NO_SKETCHES)?, &mut signature)
        } else {
            let signature = rest.numbers(count, u32::from_le_bytes)?;
            if count != 0 && count != values {
                return Err(NO_SKETCHES);
            }
            sketcher.of_signature(signature)
        };
        pause.after(8 * count)?;
        texts.push(text);
    }
    if rest.0.is_empty() { Ok((sketcher, texts)) } else { Err(NO_SKETCHES) }
}

/// The length of runs, 0 for words.
fn run_length(shingling: Shingling) -> u64 {
    match shingling {
        Shingling::Words => 0,
        Shingling::Runs(length) => length.get() as u64,
    }
}

/// What is left to read.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(NO_SKETCHES)?;
        self.0 = rest;
        Ok(*taken)
    }

    fn count(&mut self) -> Result<usize, Error> {
        usize::try_from(u64::from_le_bytes(self.array()?)).map_err(|_| NO_SKETCHES)
    }

    fn numbers<const N: usize, T>(
        &mut self,
        count: usize,
        number: fn([u8; N]) -> T,
    ) -> Result<Box<[T]>, Error> {
        let size = count.checked_mul(N).ok_or(NO_SKETCHES)?;
        let (taken, rest) = self.0.split_at_checked(size).ok_or(NO_SKETCHES)?;
        self.0 = rest;
        let (numbers, _) = taken.as_chunks::<N>();
        Ok(numbers.iter().map(|&bytes| number(bytes)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXTS: [&str; 4] = ["one two three four", "", "drei vier fünf", "one two three four"];

    fn settings(verify: bool, shingling: Shingling) -> Settings {
        Settings { threshold: 0.8, values: 32, shingling, verify }
    }

    fn sketches(settings: Settings) -> Vec<Sketch> {
        let maker = Sketcher::with_bands(settings, Processor::best()).expect("high enough");
        maker.of_texts(&TEXTS, 1, Watch::never()).expect("not stopped")
    }

    #[test]
    fn what_is_encoded_comes_back() {
        for verify in [true, false] {
            for shingling in [Shingling::Words, Shingling::Runs(NonZeroUsize::MIN)] {
                let settings = settings(verify, shingling);
                let texts = sketches(settings);
                let bytes = encode(settings, texts.iter());
                let (maker, found) =
                    decode(&bytes, Processor::best(), Watch::never()).expect("as it was");
                assert_eq!(found, texts);
                assert_eq!(maker.settings(), settings);
            }
        }
    }

    #[test]
    fn other_bytes_are_refused_and_never_believed() {
        let settings = settings(true, Shingling::Words);
        let bytes = encode(settings, sketches(settings).iter());
        for at in 0..bytes.len() {
            let cut = decode(&bytes[..at], Processor::best(), Watch::never());
            assert_eq!(cut.err(), Some(NO_SKETCHES), "cut at {at}");
        }
        for count in [0, 8, 25, 33] {
            let mut changed = bytes.clone();
            changed[count..count + 8].fill(0xFF);
            let found = decode(&changed, Processor::best(), Watch::never());
            assert_eq!(found.err(), Some(NO_SKETCHES), "count at {count}");
        }
    }

    #[test]
    fn signatures_have_all_values_or_none() {
        let settings = settings(false, Shingling::Words);
        let bytes = encode(settings, sketches(settings).iter());
        // The second text is blank; here the first one loses its last value.
        let mut shorter = bytes[..33].to_vec();
        shorter.extend(31_u64.to_le_bytes());
        shorter.extend(&bytes[41..41 + 4 * 31]);
        shorter.extend(&bytes[41 + 4 * 32..]);
        let found = decode(&shorter, Processor::best(), Watch::never());
        assert_eq!(found.err(), Some(NO_SKETCHES));
    }
}
