//! Numbers for ids: the hash table behind every fusion.
//!
//! Each distinct id gets the next code, in first-seen order. The table stores no ids, only a tag
//! of the hash beside the code, so one table serves integers, strings of an interpreter and bytes
//! of a file; equality is the caller's, and is asked only where the tags agree.

use crate::{Error, Watch};

/// How many integers are interned between two looks at the table's size; divides a watch's chunk.
const BLOCK: usize = 256;

/// From distinct hashes to codes, open addressing with linear probing.
///
/// A slot holds the upper half of the mixed hash as a tag and the code plus one; zero is free.
/// The place of an entry comes from its tag, so the table grows without asking for hashes again.
#[derive(Debug, Clone)]
pub struct Interner {
    slots: Vec<u64>,
    shift: u32,
    len: u32,
}

/// A key of a few machine words.
pub(crate) trait Key: Copy {
    /// Zero for equal keys alone.
    fn difference(self, other: Self) -> u64;
}

impl Key for i64 {
    fn difference(self, other: Self) -> u64 {
        (self ^ other).cast_unsigned()
    }
}

impl Key for u128 {
    fn difference(self, other: Self) -> u64 {
        let difference = self ^ other;
        (difference >> 64) as u64 | difference as u64
    }
}

/// What [`Interner::intern`] found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interned {
    /// The id's code.
    pub code: u32,
    /// Whether the id was not there before.
    pub fresh: bool,
}

impl Interner {
    /// A table that takes `expected` ids before it grows.
    #[must_use]
    pub fn with_capacity(expected: usize) -> Self {
        // At most half full; at most 2^31 slots, from where it grows like any other.
        let capacity = (expected.max(8) * 2).next_power_of_two().min(1 << 31);
        Self { slots: vec![0; capacity], shift: 32 - capacity.trailing_zeros(), len: 0 }
    }

    /// How many ids there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether there is no id yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The code of the id with this `hash` for which `same(code)` holds, or a new code.
    ///
    /// # Errors
    /// [`Error::TooManyCandidates`].
    #[inline]
    pub fn intern(
        &mut self,
        hash: u64,
        mut same: impl FnMut(u32) -> bool,
    ) -> Result<Interned, Error> {
        let tag = tag_of(hash);
        let mask = self.slots.len() - 1;
        let mut place = (tag >> self.shift) as usize;
        loop {
            // The mask keeps the place inside, and there is always a free slot.
            let slot = self.slots[place & mask];
            if slot == 0 {
                break;
            }
            if (slot >> 32) as u32 == tag {
                let code = slot as u32 - 1;
                if same(code) {
                    return Ok(Interned { code, fresh: false });
                }
            }
            place += 1;
        }
        let code = self.len;
        if code >= u32::MAX - 1 {
            return Err(Error::TooManyCandidates);
        }
        self.slots[place & mask] = (u64::from(tag) << 32) | u64::from(code + 1);
        self.len += 1;
        if self.len as usize * 2 > self.slots.len() {
            self.grow();
        }
        Ok(Interned { code, fresh: true })
    }

    /// The code of the id with this `hash` for which `same(code)` holds.
    #[inline]
    pub fn find(&self, hash: u64, mut same: impl FnMut(u32) -> bool) -> Option<u32> {
        let tag = tag_of(hash);
        let mask = self.slots.len() - 1;
        let mut place = (tag >> self.shift) as usize;
        loop {
            let slot = self.slots[place & mask];
            if slot == 0 {
                return None;
            }
            let code = (slot as u32).wrapping_sub(1);
            if (slot >> 32) as u32 == tag && same(code) {
                return Some(code);
            }
            place += 1;
        }
    }

    /// As [`Interner::intern`] for a block of keys with their hashes; `known` has room for all.
    ///
    /// Whether a key is fresh cannot be predicted, so nothing branches on it: slot and key are
    /// written in either case, with what is there already if it was.
    pub(crate) fn intern_block<K: Key>(
        &mut self,
        block: impl ExactSizeIterator<Item = (u64, K)>,
        known: &mut [K],
        codes: &mut Vec<u32>,
    ) -> Result<(), Error> {
        if self.len as usize + block.len() >= u32::MAX as usize {
            return Err(Error::TooManyCandidates);
        }
        while (self.len as usize + block.len()) * 2 > self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let (slots, shift, mut len) = (&mut self.slots[..=mask], self.shift, self.len);
        codes.extend(block.map(|(hash, key)| {
            let tag = tag_of(hash);
            let mut place = (tag >> shift) as usize;
            loop {
                let slot = &mut slots[place & mask];
                let free = *slot == 0;
                let code = if free { len } else { (*slot as u32).wrapping_sub(1) };
                let known = &mut known[code as usize];
                let differs = ((*slot >> 32) ^ u64::from(tag)) | known.difference(key);
                if free || differs == 0 {
                    *known = key;
                    *slot = (u64::from(tag) << 32) | u64::from(code + 1);
                    len += u32::from(free);
                    return code;
                }
                place += 1;
            }
        }));
        self.len = len;
        Ok(())
    }

    fn grow(&mut self) {
        let capacity = self.slots.len() * 2;
        let old = std::mem::replace(&mut self.slots, vec![0; capacity]);
        // Beyond 2^32 slots the tag has no more bits to give; runs grow longer, answers stay right.
        self.shift = self.shift.saturating_sub(1);
        let mask = capacity - 1;
        for slot in old.into_iter().filter(|&slot| slot != 0) {
            let mut place = ((slot >> 32) as u32 >> self.shift) as usize;
            while self.slots[place & mask] != 0 {
                place += 1;
            }
            self.slots[place & mask] = slot;
        }
    }
}

/// Mixes a hash that may be an integer itself (as Python's are) into 32 well-spread bits.
#[inline]
fn tag_of(hash: u64) -> u32 {
    // The golden ratio, folded: every input bit reaches the upper bits that pick the place.
    let wide = u128::from(hash ^ 0x5851_F42D_4C95_7F2D) * 0x9E37_79B9_7F4A_7C15;
    (((wide >> 64) as u64 ^ wide as u64) >> 32) as u32
}

/// Interns integer ids, list by list.
///
/// # Errors
/// [`Error::TooManyCandidates`], and [`Error::Interrupted`] if the watch says so.
pub fn intern_integers(
    lists: &[&[i64]],
    watch: Watch<'_>,
) -> Result<(Vec<Vec<u32>>, Vec<i64>), Error> {
    let longest = lists.iter().map(|list| list.len()).max().unwrap_or(0);
    let entries: usize = lists.iter().map(|list| list.len()).sum();
    // Room for twice the longest list, which overlapping lists seldom pass, at a quarter full: a
    // second probe is a branch that nobody predicts.
    let mut interner = Interner::with_capacity(4 * longest);
    let mut ids = vec![0; entries + 1];
    let mut columns = Vec::with_capacity(lists.len());
    for list in lists {
        let mut column = Vec::with_capacity(list.len());
        for block in list.chunks(BLOCK) {
            watch.check_at(column.len())?;
            let block = block.iter().map(|&id| (id.cast_unsigned(), id));
            interner.intern_block(block, &mut ids, &mut column)?;
        }
        columns.push(column);
    }
    ids.truncate(interner.len());
    // Also gives the allocator its block back for what comes next, which is worth a twentieth.
    ids.shrink_to_fit();
    Ok((columns, ids))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn codes_count_distinct_ids_in_first_seen_order(
            lists in proptest::collection::vec(
                proptest::collection::vec(prop_oneof![-20..20_i64, any::<i64>()], 0..80), 0..5)
        ) {
            let slices: Vec<&[i64]> = lists.iter().map(Vec::as_slice).collect();
            let (codes, ids) = intern_integers(&slices, Watch::never()).expect("few ids");
            let mut seen: HashMap<i64, u32> = HashMap::new();
            for (list, column) in lists.iter().zip(&codes) {
                for (&id, &code) in list.iter().zip(column) {
                    let next = seen.len() as u32;
                    prop_assert_eq!(code, *seen.entry(id).or_insert(next));
                    prop_assert_eq!(ids[code as usize], id);
                }
            }
            prop_assert_eq!(ids.len(), seen.len());
        }

        #[test]
        fn equal_hashes_of_different_ids_stay_apart(ids in proptest::collection::vec(0..50_u8, 0..200)) {
            let mut interner = Interner::with_capacity(0);
            let mut known: Vec<u8> = Vec::new();
            for id in ids {
                let found = interner
                    .intern(7, |code| known[code as usize] == id)
                    .expect("few ids");
                if found.fresh {
                    known.push(id);
                }
                prop_assert_eq!(known[found.code as usize], id);
            }
            prop_assert_eq!(interner.len(), known.len());
        }
    }

    #[test]
    fn strided_integers_do_not_pile_up() {
        // Multiples of a large power of two share their lower bits; places must not.
        for shift in [0, 8, 16, 32, 40, 48] {
            let ids: Vec<i64> = (0..4096).map(|n| n << shift).collect();
            let tags: std::collections::BTreeSet<u32> =
                ids.iter().map(|&id| tag_of(id.cast_unsigned()) >> 16).collect();
            assert!(tags.len() > 3500, "{} places for 4096 ids at shift {shift}", tags.len());
        }
    }
}
