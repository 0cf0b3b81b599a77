//! What is kept of a text: the set of its shingles or its signature, and the keys of its bands.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::banding::Banding;
use super::minhash::Permutations;
use super::shingle::{ShingleSet, Shingler, Shingling};
use crate::parallel::in_parts;
use crate::{Error, Processor, Watch};

/// How texts are compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// From which similarity on two texts are near-duplicates; above 0, at most 1.
    pub threshold: f64,
    /// How many values a signature has.
    pub values: usize,
    /// What of a text is compared.
    pub shingling: Shingling,
    /// Whether similarities are exact; else they are estimated from signatures.
    pub verify: bool,
}

/// What a similarity is worked out from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Evidence {
    /// The shingles themselves.
    Exact(ShingleSet),
    /// A signature; empty for a text without tokens.
    Estimate(Box<[u32]>),
}

impl Evidence {
    /// Adds it to `bytes`, little-endian.
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Exact(set) => bytes.extend(set.hashes().iter().flat_map(|n| n.to_le_bytes())),
            Self::Estimate(values) => bytes.extend(values.iter().flat_map(|n| n.to_le_bytes())),
        }
    }
}

/// One text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sketch {
    evidence: Evidence,
    /// The lower halves of the bands' keys; none for a text without tokens, or where no bands are
    /// needed. That keys of different bands coincide brings up a pair too many, which is looked at.
    keys: Box<[u32]>,
}

impl AsRef<Self> for Sketch {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl Sketch {
    /// One that is compared, but not found by its bands.
    pub(super) fn without_keys(evidence: Evidence) -> Self {
        Self { evidence, keys: Box::default() }
    }

    /// What the similarity is worked out from.
    #[must_use]
    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// The key of each band.
    #[must_use]
    pub fn keys(&self) -> &[u32] {
        &self.keys
    }

    /// Whether the text has no token, and so is nobody's duplicate.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        match &self.evidence {
            Evidence::Exact(set) => set.is_empty(),
            Evidence::Estimate(signature) => signature.is_empty(),
        }
    }

    /// The similarity of two texts, exact or estimated.
    #[must_use]
    pub fn similarity(&self, other: &Self) -> f64 {
        match (&self.evidence, &other.evidence) {
            (Evidence::Exact(one), Evidence::Exact(other)) => one.jaccard(other),
            (Evidence::Estimate(one), Evidence::Estimate(other)) => {
                let equal = one.iter().zip(other).filter(|(a, b)| a == b).count();
                if equal == 0 { 0.0 } else { equal as f64 / one.len() as f64 }
            }
            _ => 0.0,
        }
    }

    /// Whether two texts are that similar.
    #[must_use]
    pub fn reaches(&self, other: &Self, threshold: f64) -> bool {
        match (&self.evidence, &other.evidence) {
            (Evidence::Exact(one), Evidence::Exact(other)) => one.reaches(other, threshold),
            _ => self.similarity(other) >= threshold,
        }
    }

    /// One number for everything that is compared: equal for texts that are the same.
    pub(super) fn digest(&self) -> u64 {
        let mut bytes = Vec::with_capacity(8 * self.size());
        self.evidence.write(&mut bytes);
        xxh3_64(&bytes)
    }

    /// How much work a comparison with it is, in elements.
    pub(super) fn size(&self) -> usize {
        match &self.evidence {
            Evidence::Exact(set) => set.hashes().len(),
            Evidence::Estimate(signature) => signature.len(),
        }
    }
}

/// Makes sketches, all with the same settings.
#[derive(Debug, Clone)]
pub struct Sketcher {
    settings: Settings,
    permutations: Permutations,
    banding: Option<Banding>,
    processor: Processor,
}

impl Sketcher {
    /// For texts that are found by their bands.
    ///
    /// # Errors
    /// [`Error::ThresholdTooLow`] if no bands find enough.
    pub fn with_bands(settings: Settings, processor: Processor) -> Result<Self, Error> {
        let banding = Banding::for_threshold(settings.threshold, settings.values)?;
        Ok(Self { banding: Some(banding), ..Self::without_bands(settings, processor) })
    }

    /// For texts that are compared pair by pair.
    #[must_use]
    pub fn without_bands(settings: Settings, processor: Processor) -> Self {
        let permutations = Permutations::new(settings.values);
        Self { settings, permutations, banding: None, processor }
    }

    /// How texts are compared.
    #[must_use]
    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// How many bands there are.
    #[must_use]
    pub fn bands(&self) -> usize {
        self.banding.map_or(0, Banding::bands)
    }

    /// Sketches of texts, in order.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the watch says so.
    pub fn of_texts(
        &self,
        texts: &[&str],
        threads: usize,
        watch: Watch<'_>,
    ) -> Result<Vec<Sketch>, Error> {
        let size = |text: &&str| text.len();
        self.sketched(texts, threads, watch, size, |shingler, text, watch| {
            shingler.of_text(text, watch)
        })
    }

    /// Sketches of texts that come as tokens.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the watch says so.
    pub fn of_tokens(
        &self,
        texts: &[Vec<&str>],
        threads: usize,
        watch: Watch<'_>,
    ) -> Result<Vec<Sketch>, Error> {
        let set = |shingler: &mut Shingler, tokens: &Vec<&str>, _: Watch<'_>| {
            Ok(shingler.of_tokens(tokens.iter().copied()))
        };
        self.sketched(texts, threads, watch, Vec::len, set)
    }

    /// The signatures of texts one after the other, and the keys of their bands, those of a text
    /// without tokens all ones.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the watch says so.
    pub fn sign(&self, texts: &[&str], watch: Watch<'_>) -> Result<(Vec<u32>, Vec<u64>), Error> {
        let mut shingler = Shingler::new(self.settings.shingling);
        let mut pause = Pause::new(watch);
        let (mut signatures, mut keys, mut signature) = (Vec::new(), Vec::new(), Vec::new());
        for text in texts {
            pause.after(text.len())?;
            let set = shingler.of_text(text, watch)?;
            self.permutations.sign(set.hashes(), self.processor, &mut signature);
            signatures.extend_from_slice(&signature);
            if let Some(banding) = self.banding {
                keys.extend(
                    banding.keys(&signature).map(|k| if set.is_empty() { u64::MAX } else { k }),
                );
            }
        }
        Ok((signatures, keys))
    }

    /// How many values of a signature make up the key of a band.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.banding.map_or(0, Banding::rows)
    }

    /// The sketch of a set of shingles.
    pub(super) fn of_set(&self, set: ShingleSet, signature: &mut Vec<u32>) -> Sketch {
        if set.is_empty() || (self.banding.is_none() && self.settings.verify) {
            signature.clear();
        } else {
            self.permutations.sign(set.hashes(), self.processor, signature);
        }
        let keys = self.keys(signature);
        let evidence = if self.settings.verify {
            Evidence::Exact(set)
        } else {
            Evidence::Estimate(Box::from(signature.as_slice()))
        };
        Sketch { evidence, keys }
    }

    /// The sketch of a signature, which is empty for a text without tokens.
    pub(super) fn of_signature(&self, signature: Box<[u32]>) -> Sketch {
        let keys = self.keys(&signature);
        Sketch { evidence: Evidence::Estimate(signature), keys }
    }

    fn keys(&self, signature: &[u32]) -> Box<[u32]> {
        match self.banding {
            Some(banding) if !signature.is_empty() => {
                banding.keys(signature).map(|key| key as u32).collect()
            }
            _ => Box::default(),
        }
    }

    fn sketched<T: Sync>(
        &self,
        texts: &[T],
        threads: usize,
        watch: Watch<'_>,
        size: impl Fn(&T) -> usize + Sync,
        set: impl Fn(&mut Shingler, &T, Watch<'_>) -> Result<ShingleSet, Error> + Sync,
    ) -> Result<Vec<Sketch>, Error> {
        let work = |range: Range<usize>, watch: Watch<'_>| {
            let mut shingler = Shingler::new(self.settings.shingling);
            let mut pause = Pause::new(watch);
            let mut signature = Vec::new();
            let sketch = |text: &T| {
                pause.after(size(text))?;
                let set = set(&mut shingler, text, watch)?;
                Ok(self.of_set(set, &mut signature))
            };
            texts[range].iter().map(sketch).collect::<Result<Vec<_>, Error>>()
        };
        let mut parts = in_parts(texts.len(), threads, watch, work)?.into_iter();
        let mut all = parts.next().unwrap_or_default();
        all.extend(parts.flatten());
        Ok(all)
    }
}

/// Asks a watch after every few milliseconds of work.
pub(super) struct Pause<'a> {
    watch: Watch<'a>,
    done: usize,
}

impl<'a> Pause<'a> {
    /// Elements (bytes read, hashes compared) between two questions.
    const WORK: usize = 1 << 20;

    pub(super) fn new(watch: Watch<'a>) -> Self {
        Self { watch, done: 0 }
    }

    /// Counts so much work, and asks if it has become enough.
    #[inline]
    pub(super) fn after(&mut self, work: usize) -> Result<(), Error> {
        self.done += work;
        if self.done < Self::WORK {
            return Ok(());
        }
        self.done = 0;
        self.watch.check()
    }
}
