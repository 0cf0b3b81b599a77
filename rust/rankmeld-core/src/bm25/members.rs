//! Which documents a frequent term is in, as bits: most look-ups miss, and a miss is one load.

/// Lists that hold at least one document in this many have bits beside them: these then take less
/// room than the list itself.
const FREQUENT: usize = 32;

/// Shorter lists are quick to search.
const SHORTEST: usize = 256;

/// Words of bits counted together.
const WORDS: usize = 8;

/// A set of documents that knows which of its members comes how far behind the first.
#[derive(Debug)]
pub(super) struct Members {
    words: Vec<u64>,
    /// Members before each group of words.
    before: Vec<u32>,
}

impl Members {
    /// Of a list, if it is long enough among so many documents.
    pub fn of(list: &[u32], documents: usize) -> Option<Self> {
        if list.len() < SHORTEST || list.len() * FREQUENT < documents {
            return None;
        }
        let mut words = vec![0_u64; documents.div_ceil(64)];
        for &document in list {
            words[document as usize / 64] |= 1 << (document % 64);
        }
        let mut members = 0;
        let counted = |group: &[u64]| {
            let before = members;
            members += group.iter().map(|word| word.count_ones()).sum::<u32>();
            before
        };
        let before = words.chunks(WORDS).map(counted).collect();
        Some(Self { words, before })
    }

    /// The position of a document in the list, if it is there.
    #[inline]
    pub fn position(&self, document: u32) -> Option<usize> {
        let place = document as usize / 64;
        let (word, bit) = (self.words[place], 1 << (document % 64));
        if word & bit == 0 {
            return None;
        }
        let group = place / WORDS;
        let earlier = self.words[group * WORDS..place].iter().map(|word| word.count_ones());
        Some((self.before[group] + earlier.sum::<u32>() + (word & (bit - 1)).count_ones()) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_those_of_the_list() {
        for step in [1, 2, 3, 31] {
            let list: Vec<u32> = (0..SHORTEST as u32 * 3).map(|n| n * step + 1).collect();
            let documents = SHORTEST * 3 * step as usize + 1;
            let members = Members::of(&list, documents).expect("frequent");
            for document in 0..documents as u32 {
                let expected = list.binary_search(&document).ok();
                assert_eq!(members.position(document), expected, "{document} of {step}");
            }
        }
    }

    #[test]
    fn rare_and_short_lists_have_none() {
        let list: Vec<u32> = (0..SHORTEST as u32).collect();
        assert!(Members::of(&list, SHORTEST * FREQUENT).is_some());
        assert!(Members::of(&list, SHORTEST * FREQUENT + 1).is_none());
        assert!(Members::of(&list[1..], SHORTEST).is_none());
    }
}
