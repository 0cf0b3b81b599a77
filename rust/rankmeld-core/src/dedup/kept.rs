//! Which hits of a ranking stay, and for which of them the others go.

use hashbrown::HashMap;

use super::clusters::{clusters, clusters_pair_by_pair};
use super::sketch::{Pause, Sketch};
use crate::{Error, Watch};

/// What a link between two hits means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Linkage {
    /// Of hits that are linked, directly or through others, the best stays.
    Chain,
    /// A hit goes if it is linked to a better one that stays.
    Star,
}

/// Up to so many hits are compared pair by pair: that misses nothing, and is as quick.
pub const ALL_PAIRS: usize = 1_000;

/// For each hit the one that stays in its place: itself, if it stays.
///
/// Hits are best first, and compared within the groups only, which have no hit in common. With
/// `bands` of 0, all pairs of a group are compared whatever its size.
///
/// # Errors
/// [`Error::Interrupted`] if the watch says so.
pub fn kept_in_groups<T: AsRef<Sketch> + Sync>(
    hits: &[T],
    groups: &[Vec<u32>],
    bands: usize,
    threshold: f64,
    linkage: Linkage,
    watch: Watch<'_>,
) -> Result<Vec<u32>, Error> {
    let mut all: Vec<u32> = (0..hits.len() as u32).collect();
    for group in groups {
        let members: Vec<&T> = group.iter().map(|&place| &hits[place as usize]).collect();
        let bands = if members.len() > ALL_PAIRS { bands } else { 0 };
        let found = kept(&members, bands, threshold, linkage, watch)?;
        for (&place, better) in group.iter().zip(found) {
            all[place as usize] = group[better as usize];
        }
    }
    Ok(all)
}

/// For each hit of a group, best first, the hit that stays in its place: itself, if it stays.
///
/// With `bands` of 0 all pairs are compared.
///
/// # Errors
/// [`Error::Interrupted`] if the watch says so.
fn kept<T: AsRef<Sketch> + Sync>(
    hits: &[T],
    bands: usize,
    threshold: f64,
    linkage: Linkage,
    watch: Watch<'_>,
) -> Result<Vec<u32>, Error> {
    match (linkage, bands) {
        (Linkage::Chain, 0) => clusters_pair_by_pair(hits, threshold, watch),
        (Linkage::Chain, _) => clusters(hits, bands, threshold, 1, watch),
        (Linkage::Star, 0) => star_pair_by_pair(hits, threshold, watch),
        (Linkage::Star, _) => star_by_bands(hits, threshold, watch),
    }
}

fn star_pair_by_pair<T: AsRef<Sketch>>(
    hits: &[T],
    threshold: f64,
    watch: Watch<'_>,
) -> Result<Vec<u32>, Error> {
    let mut pause = Pause::new(watch);
    let mut stay: Vec<u32> = Vec::new();
    let mut kept = Vec::with_capacity(hits.len());
    for (place, hit) in (0_u32..).zip(hits) {
        let better = first_linked(hits, hit.as_ref(), &stay, threshold, &mut pause)?;
        if better.is_none() && !hit.as_ref().is_blank() {
            stay.push(place);
        }
        kept.push(better.unwrap_or(place));
    }
    Ok(kept)
}

fn star_by_bands<T: AsRef<Sketch>>(
    hits: &[T],
    threshold: f64,
    watch: Watch<'_>,
) -> Result<Vec<u32>, Error> {
    let mut pause = Pause::new(watch);
    let mut stay: HashMap<(usize, u32), Vec<u32>, foldhash::fast::RandomState> = HashMap::default();
    let mut kept = Vec::with_capacity(hits.len());
    let mut candidates: Vec<u32> = Vec::new();
    for (place, hit) in (0_u32..).zip(hits) {
        let keys = hit.as_ref().keys();
        candidates.clear();
        candidates.extend(
            keys.iter().copied().enumerate().flat_map(|key| stay.get(&key).into_iter().flatten()),
        );
        candidates.sort_unstable();
        candidates.dedup();
        let better = first_linked(hits, hit.as_ref(), &candidates, threshold, &mut pause)?;
        if better.is_none() {
            for key in keys.iter().copied().enumerate() {
                stay.entry(key).or_default().push(place);
            }
        }
        kept.push(better.unwrap_or(place));
    }
    Ok(kept)
}

/// The best of these hits that is similar enough.
fn first_linked<T: AsRef<Sketch>>(
    hits: &[T],
    hit: &Sketch,
    better: &[u32],
    threshold: f64,
    pause: &mut Pause<'_>,
) -> Result<Option<u32>, Error> {
    for &place in better {
        pause.after(16 + hit.size())?;
        if hits[place as usize].as_ref().reaches(hit, threshold) {
            return Ok(Some(place));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::super::shingle::Shingling;
    use super::super::sketch::{Settings, Sketcher};
    use super::*;
    use crate::Processor;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn of_a_star_every_ray_is_linked_to_what_stays(
            texts in proptest::collection::vec(proptest::collection::vec(0..12_u8, 0..9), 0..20),
        ) {
            let shingling = Shingling::Words;
            let settings = Settings { threshold: 0.6, values: 256, shingling, verify: true };
            let sketcher = Sketcher::with_bands(settings, Processor::best()).expect("high enough");
            let texts: Vec<String> = texts
                .iter()
                .map(|words| words.iter().map(|word| format!("word{word}")).collect::<Vec<_>>())
                .map(|words| words.join(" "))
                .collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let hits = sketcher.of_texts(&texts, 1, Watch::never()).expect("not stopped");
            let star = |bands| kept(&hits, bands, 0.6, Linkage::Star, Watch::never());
            let mut stay: Vec<u32> = Vec::new();
            let mut expected = Vec::new();
            for (place, hit) in (0_u32..).zip(&hits) {
                let near = |&&other: &&u32| hits[other as usize].similarity(hit) >= 0.6;
                let better = stay.iter().find(near).copied();
                expected.push(better.unwrap_or(place));
                if better.is_none() {
                    stay.push(place);
                }
            }
            prop_assert_eq!(star(0).expect("not stopped"), expected);
            // Bands may miss a link, but what they give is a star as well.
            for (place, better) in (0_u32..).zip(star(sketcher.bands()).expect("not stopped")) {
                let (hit, better) = (&hits[place as usize], &hits[better as usize]);
                prop_assert!(std::ptr::eq(hit, better) || hit.similarity(better) >= 0.6);
            }
        }
    }
}
