//! Groups of texts that are linked, directly or through others.

use std::ops::Range;

use super::connected::Connected;
use super::sketch::{Pause, Sketch};
use crate::parallel::in_parts;
use crate::{Error, Watch};

/// Bands that are read in one pass over the sketches, which lie all over the memory.
const TOGETHER: usize = 4;

/// For each text the first one of its cluster: itself, if it is alone.
///
/// Only texts that share the key of some band are compared, and of texts that are the same only
/// the first. Pairs that are connected already are passed over; that changes no cluster, so the
/// answer is the same whichever thread is where.
///
/// # Errors
/// [`Error::Interrupted`] if the watch says so.
pub fn clusters<T: AsRef<Sketch> + Sync>(
    texts: &[T],
    bands: usize,
    threshold: f64,
    threads: usize,
    watch: Watch<'_>,
) -> Result<Vec<u32>, Error> {
    let connected = Connected::new(texts.len());
    let different = link_same(texts, &connected, watch)?;
    let work = |range: Range<usize>, watch: Watch<'_>| {
        let mut buckets = Buckets { texts, threshold, connected: &connected, groups: Vec::new() };
        let mut pause = Pause::new(watch);
        for start in range.clone().step_by(TOGETHER) {
            let bands = start..range.end.min(start + TOGETHER);
            buckets.link_bands(bands, &different, &mut pause)?;
        }
        Ok(())
    };
    in_parts(bands, threads, watch, work)?;
    Ok(connected.into_firsts())
}

/// For each text the first one that it is linked to, comparing all pairs.
///
/// # Errors
/// [`Error::Interrupted`] if the watch says so.
pub fn clusters_pair_by_pair<T: AsRef<Sketch> + Sync>(
    texts: &[T],
    threshold: f64,
    watch: Watch<'_>,
) -> Result<Vec<u32>, Error> {
    let connected = Connected::new(texts.len());
    let different = link_same(texts, &connected, watch)?;
    let mut buckets = Buckets { texts, threshold, connected: &connected, groups: Vec::new() };
    buckets.link_bucket(different.into_iter(), &mut Pause::new(watch))?;
    Ok(connected.into_firsts())
}

/// For each text of a bucket the first one that it is linked to, where some are known to be linked.
///
/// `known` has a number for each text, the same for those that are. No two of these are compared.
///
/// # Errors
/// [`Error::Interrupted`] if the watch says so.
pub fn clusters_in_bucket<T: AsRef<Sketch> + Sync>(
    texts: &[T],
    known: &[i64],
    threshold: f64,
    watch: Watch<'_>,
) -> Result<Vec<u32>, Error> {
    let connected = Connected::new(texts.len());
    let mut numbered: Vec<(i64, u32)> = known.iter().copied().zip(0..texts.len() as u32).collect();
    numbered.sort_unstable();
    for known in numbered.chunk_by(|a, b| a.0 == b.0) {
        known[1..].iter().for_each(|&(_, place)| connected.link(known[0].1, place));
    }
    let mut buckets = Buckets { texts, threshold, connected: &connected, groups: Vec::new() };
    buckets.link_bucket(0..texts.len() as u32, &mut Pause::new(watch))?;
    Ok(connected.into_firsts())
}

/// Links texts that are the same; gives the first of each, but for blank ones.
fn link_same<T: AsRef<Sketch>>(
    texts: &[T],
    connected: &Connected,
    watch: Watch<'_>,
) -> Result<Vec<u32>, Error> {
    let mut pause = Pause::new(watch);
    let mut digests = Vec::with_capacity(texts.len());
    for (place, text) in (0_u32..).zip(texts) {
        let text = text.as_ref();
        pause.after(text.size())?;
        if !text.is_blank() {
            digests.push((text.digest(), place));
        }
    }
    digests.sort_unstable();
    let mut different = Vec::with_capacity(digests.len());
    for same in digests.chunk_by(|a, b| a.0 == b.0) {
        let (_, first) = same[0];
        different.push(first);
        for &(_, place) in &same[1..] {
            let (one, other) = (texts[first as usize].as_ref(), texts[place as usize].as_ref());
            pause.after(other.size())?;
            if one.evidence() == other.evidence() {
                connected.link(first, place);
            } else {
                different.push(place);
            }
        }
    }
    different.sort_unstable();
    Ok(different)
}

struct Buckets<'a, T> {
    texts: &'a [T],
    threshold: f64,
    connected: &'a Connected,
    /// Texts of one bucket by what they are connected to; kept for its memory.
    groups: Vec<Vec<u32>>,
}

impl<T: AsRef<Sketch>> Buckets<'_, T> {
    /// Links texts that share the key of one of these bands.
    fn link_bands(
        &mut self,
        bands: Range<usize>,
        places: &[u32],
        pause: &mut Pause<'_>,
    ) -> Result<(), Error> {
        let mut keyed = vec![Vec::with_capacity(places.len()); bands.len()];
        for &place in places {
            let keys = &self.texts[place as usize].as_ref().keys()[bands.clone()];
            for (keyed, &key) in keyed.iter_mut().zip(keys) {
                keyed.push(u64::from(key) << 32 | u64::from(place));
            }
        }
        for mut keyed in keyed {
            keyed.sort_unstable();
            pause.after(64 * keyed.len())?;
            let buckets = keyed.chunk_by(|a, b| a >> 32 == b >> 32);
            for bucket in buckets.filter(|bucket| bucket.len() > 1) {
                self.link_bucket(bucket.iter().map(|&keyed| keyed as u32), pause)?;
            }
        }
        Ok(())
    }

    /// Links texts of a bucket, each pair of which may be similar.
    fn link_bucket(
        &mut self,
        bucket: impl Iterator<Item = u32>,
        pause: &mut Pause<'_>,
    ) -> Result<(), Error> {
        let mut members: Vec<(u32, u32)> =
            bucket.map(|place| (self.connected.first(place), place)).collect();
        members.sort_unstable();
        self.groups.clear();
        for group in members.chunk_by(|a, b| a.0 == b.0) {
            let mut group: Vec<u32> = group.iter().map(|&(_, place)| place).collect();
            let mut at = 0;
            while at < self.groups.len() {
                if self.joined(&self.groups[at], &group, pause)? {
                    let mut other = self.groups.swap_remove(at);
                    if other.len() > group.len() {
                        std::mem::swap(&mut other, &mut group);
                    }
                    group.extend(other);
                } else {
                    at += 1;
                }
            }
            self.groups.push(group);
        }
        Ok(())
    }

    /// Links two groups at the first pair that is similar enough.
    fn joined(&self, ones: &[u32], others: &[u32], pause: &mut Pause<'_>) -> Result<bool, Error> {
        for &one in ones {
            for &other in others {
                let (left, right) =
                    (self.texts[one as usize].as_ref(), self.texts[other as usize].as_ref());
                pause.after(16 + left.size())?;
                if left.reaches(right, self.threshold) {
                    self.connected.link(one, other);
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::super::shingle::Shingling;
    use super::super::sketch::{Settings, Sketcher};
    use super::*;
    use crate::Processor;
    use proptest::prelude::*;

    const NEVER: fn() -> Watch<'static> = Watch::never;

    fn sketches(texts: &[String], threshold: f64, verify: bool) -> (Vec<Sketch>, usize) {
        let shingling = Shingling::Words;
        let settings = Settings { threshold, values: 128, shingling, verify };
        let sketcher = Sketcher::with_bands(settings, Processor::best()).expect("high enough");
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        (sketcher.of_texts(&texts, 1, NEVER()).expect("not stopped"), sketcher.bands())
    }

    /// Spreads the smallest number along all links of all pairs.
    fn by_definition(texts: &[Sketch], threshold: f64) -> Vec<u32> {
        let mut firsts: Vec<u32> = (0..texts.len() as u32).collect();
        for _ in texts {
            for (a, one) in texts.iter().enumerate() {
                for (b, other) in texts.iter().enumerate() {
                    if one.similarity(other) >= threshold {
                        let least = firsts[a].min(firsts[b]);
                        (firsts[a], firsts[b]) = (least, least);
                    }
                }
            }
        }
        firsts
    }

    fn text(words: &[u8]) -> String {
        words.iter().map(|word| format!("word{word}")).collect::<Vec<_>>().join(" ")
    }

    proptest! {
        #[test]
        fn all_pairs_are_the_definition(
            texts in proptest::collection::vec(proptest::collection::vec(0..12_u8, 0..9), 0..20),
            threshold in 0.2..1.0_f64, verify: bool,
        ) {
            let texts: Vec<String> = texts.iter().map(|words| text(words)).collect();
            let (texts, _) = sketches(&texts, threshold, verify);
            let found = clusters_pair_by_pair(&texts, threshold, NEVER()).expect("not stopped");
            prop_assert_eq!(found, by_definition(&texts, threshold));
        }

        #[test]
        fn bands_find_what_is_close_and_link_nothing_else(
            texts in proptest::collection::vec((0..4_u8, proptest::option::of(0..40_u8)), 0..40),
            threads in 1..4_usize,
        ) {
            // Texts of one kind miss at most one of forty words; others share nothing.
            let made = |&(kind, missing): &(u8, Option<u8>)| {
                let words: Vec<u8> =
                    (0..40).filter(|&n| Some(n) != missing).map(|n| 40 * kind + n).collect();
                text(&words)
            };
            let texts: Vec<String> = texts.iter().map(made).collect();
            let (texts, bands) = sketches(&texts, 0.6, true);
            let found = clusters(&texts, bands, 0.6, threads, NEVER()).expect("not stopped");
            prop_assert_eq!(found, by_definition(&texts, 0.6));
        }
    }

    #[test]
    fn what_is_known_of_a_bucket_joins_its_clusters() {
        let words = |range: std::ops::Range<u8>| text(&range.collect::<Vec<u8>>());
        let texts = [words(0..10), words(50..60), words(1..11), words(51..61), words(90..99)];
        let (texts, _) = sketches(&texts, 0.8, true);
        let found = |known: [i64; 5]| clusters_in_bucket(&texts, &known, 0.8, NEVER());
        assert_eq!(found([0, 1, 2, 3, 4]), Ok(vec![0, 1, 0, 1, 4]));
        assert_eq!(found([7, 1, 2, 7, 4]), Ok(vec![0, 0, 0, 0, 4]));
        assert_eq!(found([5, 5, 2, 3, 5]), Ok(vec![0, 0, 0, 0, 0]));
    }

    #[test]
    fn a_cluster_of_nearly_everything_takes_no_pairs() {
        // Of 5,000 texts that are all alike, comparing pairs would take long.
        let common = text(&(0..60).collect::<Vec<u8>>());
        let texts: Vec<String> = (0..5_000_u32).map(|n| format!("{common} own{n}")).collect();
        let (texts, bands) = sketches(&texts, 0.85, true);
        let found = clusters(&texts, bands, 0.85, 2, NEVER()).expect("not stopped");
        assert!(found.iter().all(|&first| first == 0));
    }

    #[test]
    fn a_stop_is_obeyed() {
        let texts = vec!["one two three".repeat(2_000); 3];
        let (texts, bands) = sketches(&texts, 0.85, true);
        let many: Vec<Sketch> = texts.iter().cycle().take(400_000).cloned().collect();
        let stopped = clusters(&many, bands, 0.85, 1, Watch::new(&|| false));
        assert_eq!(stopped, Err(Error::Interrupted));
    }
}
