//! Counts as bytes and back.
//!
//! Little endian: the number of texts, their length, and the number of tokens (u64 each); then for
//! each token, in the order of their bytes, its frequency (u64), its size in bytes (u32) and its
//! bytes. Equal counts give equal bytes. Whoever keeps them adds a checksum.

use super::CorpusStats;

impl CorpusStats {
    /// The counts as bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut counts: Vec<(&str, u64)> = self.counts().collect();
        counts.sort_unstable();
        let mut bytes = Vec::with_capacity(24 + counts.len() * 24);
        for number in [self.texts, self.length, counts.len() as u64] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        for (token, held) in counts {
            bytes.extend_from_slice(&held.to_le_bytes());
            bytes.extend_from_slice(&(token.len() as u32).to_le_bytes());
            bytes.extend_from_slice(token.as_bytes());
        }
        bytes
    }

    /// The counts that gave these bytes; `None` for bytes that no counts give.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut left = bytes;
        let (texts, length, distinct) =
            (number(&mut left)?, number(&mut left)?, number(&mut left)?);
        let mut stats = Self { texts, length, ..Self::default() };
        let mut before: Option<&str> = None;
        for _ in 0..distinct {
            let held = number(&mut left)?;
            let size = u32::from_le_bytes(take(&mut left, 4)?.try_into().ok()?);
            let token = std::str::from_utf8(take(&mut left, size as usize)?).ok()?;
            if held == 0 || held > texts || before.is_some_and(|before| before >= token) {
                return None;
            }
            before = Some(token);
            stats.vocabulary.intern(token);
            stats.frequencies.push(held);
            stats.most = stats.most.max(held);
            stats.distinct_in_texts = stats.distinct_in_texts.checked_add(held)?;
        }
        let lengths_fit = stats.length >= stats.distinct_in_texts
            && (stats.length == 0) == (stats.distinct_in_texts == 0);
        (left.is_empty() && lengths_fit).then_some(stats)
    }
}

fn number(left: &mut &[u8]) -> Option<u64> {
    Some(u64::from_le_bytes(take(left, 8)?.try_into().ok()?))
}

fn take<'a>(left: &mut &'a [u8], size: usize) -> Option<&'a [u8]> {
    let (taken, rest) = left.split_at_checked(size)?;
    *left = rest;
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::super::Counter;
    use super::*;
    use crate::Watch;

    #[test]
    fn bytes_of_no_counts_are_refused() {
        let mut counter = Counter::default();
        counter.count(["b", "a", "b", "b"].into_iter(), Watch::never()).expect("goes on");
        counter.count(["c"].into_iter(), Watch::never()).expect("goes on");
        let bytes = counter.finish().to_bytes();
        assert!(CorpusStats::from_bytes(&bytes).is_some());
        for cut in 0..bytes.len() {
            assert_eq!(CorpusStats::from_bytes(&bytes[..cut]), None);
        }
        assert_eq!(CorpusStats::from_bytes(&[&bytes[..], b"x"].concat()), None);
        let changed = |at: usize, byte: u8| {
            let mut changed = bytes.clone();
            changed[at] = byte;
            CorpusStats::from_bytes(&changed)
        };
        assert_eq!(changed(24, 3), None, "in more texts than there are");
        assert_eq!(changed(24, 0), None, "in no text");
        assert_eq!(changed(8, 1), None, "fewer tokens than distinct ones");
        assert_eq!(changed(36, b'z'), None, "out of order");
    }
}
