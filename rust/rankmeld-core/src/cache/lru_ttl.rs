//! The cache: a hash table into a slab, and two chains through it, by use and by age.
//!
//! Every entry lives equally long, so the chain by age ends in what expires first; a full cache looks
//! there before it gives up what was used least recently. Everything but a purge is amortized
//! O(1), as long as the clock is not set back.

use std::hash::BuildHasher;
use std::ops::Range;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use super::chain::Chain;
use super::clock::Clock;
use super::steady::Steady;

/// Slots are numbered with 32 bits, one number being no slot's.
const MOST: usize = u32::MAX as usize - 1;

/// The golden ratio's digits: an odd number without a pattern.
const ODD: u64 = 0x9E37_79B9_7F4A_7C15;

/// What a caller can say at once about two keys of one hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Same {
    /// They are equal.
    Yes,
    /// They differ.
    No,
    /// Only asking them would tell, which cannot be done here.
    Unsure,
}

/// Where an entry is, until the cache changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place(u32);

/// An entry's place and number: tells later whether it is still there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Handle {
    place: Place,
    serial: u64,
}

/// What [`LruTtl::lookup`] found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lookup {
    /// The key's entry, living or not.
    Here(Place),
    /// No entry of this key.
    Absent,
    /// The caller was unsure about some key and sure about no other.
    Unsure,
}

/// What a read gives.
#[derive(Debug, PartialEq, Eq)]
pub enum Read<'a, K, V> {
    /// The value.
    Living(&'a V),
    /// It had expired, and was taken out: for the caller to drop.
    Expired(K, V),
    /// There was nothing.
    Absent,
}

/// What has happened so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Reads that found a living entry.
    pub hits: u64,
    /// Reads that did not.
    pub misses: u64,
    /// Living entries that went because the cache was full.
    pub evictions: u64,
    /// Entries that were taken out because their time was over.
    pub expirations: u64,
}

/// One line of a processor's cache for keys and values of a word or two: a hit reads one.
#[derive(Debug)]
#[repr(align(64))]
struct Entry<K, V> {
    hash: u64,
    key: K,
    value: V,
    /// When it was set.
    since: f64,
    size: u64,
    serial: u64,
}

/// A cache of a fixed capacity whose entries expire.
///
/// Whatever goes out is handed to the caller, never dropped here: the caller may hold a lock that a
/// destructor must not run under.
#[derive(Debug)]
pub struct LruTtl<K, V> {
    capacity: usize,
    ttl: f64,
    time: Steady,
    seed: u64,
    table: HashTable<u32>,
    entries: Vec<Option<Entry<K, V>>>,
    free: Vec<u32>,
    by_use: Chain,
    by_age: Chain,
    serial: u64,
    bytes: u64,
    counts: Counts,
}

impl<K, V> LruTtl<K, V> {
    /// An empty cache; `ttl` in seconds, infinite for entries that never expire.
    #[must_use]
    pub fn new(capacity: usize, ttl: f64) -> Self {
        Self {
            capacity: capacity.clamp(1, MOST),
            ttl,
            time: Steady::new(),
            seed: RandomState::default().hash_one(0),
            table: HashTable::new(),
            entries: Vec::new(),
            free: Vec::new(),
            by_use: Chain::new(),
            by_age: Chain::new(),
            serial: 0,
            bytes: 0,
            counts: Counts::default(),
        }
    }

    /// Finds the entry of a key by its hash; `same` is asked about keys of that hash alone.
    #[inline]
    pub fn lookup(&self, hash: u64, mut same: impl FnMut(&K) -> Same) -> Lookup {
        let hash = self.mixed(hash);
        let mut unsure = false;
        let found = self.table.find(hash, |&slot| match &self.entries[slot as usize] {
            Some(entry) if entry.hash == hash => match same(&entry.key) {
                Same::Yes => true,
                Same::No => false,
                Same::Unsure => {
                    unsure = true;
                    false
                }
            },
            _ => false,
        });
        match found {
            Some(&slot) => Lookup::Here(Place(slot)),
            None if unsure => Lookup::Unsure,
            None => Lookup::Absent,
        }
    }

    /// All entries of a hash: what an unsure caller has to ask about.
    #[must_use]
    pub fn alike(&self, hash: u64) -> Vec<(Handle, &K)> {
        let hash = self.mixed(hash);
        let entries = self.table.iter_hash(hash).filter_map(|&slot| {
            let entry = self.entries[slot as usize].as_ref()?;
            let handle = Handle { place: Place(slot), serial: entry.serial };
            (entry.hash == hash).then_some((handle, &entry.key))
        });
        entries.collect()
    }

    /// The place of an entry that was seen before, if it is still the same one.
    #[must_use]
    pub fn still(&self, handle: Handle) -> Option<Place> {
        let entry = self.entries.get(handle.place.0 as usize)?.as_ref()?;
        (entry.serial == handle.serial).then_some(handle.place)
    }

    /// How many keys have come in so far.
    #[must_use]
    pub fn arrivals(&self) -> u64 {
        self.serial
    }

    /// Whether a key of this hash is there that came in after so many arrivals.
    #[must_use]
    pub fn came_since(&self, hash: u64, arrivals: u64) -> bool {
        self.alike(hash).iter().any(|(handle, _)| handle.serial > arrivals)
    }

    /// Reads an entry: counts a hit and makes it the most recently used one, or counts a miss.
    ///
    /// The clock is asked only where there is an entry.
    #[inline]
    pub fn get(&mut self, place: Option<Place>, clock: &impl Clock) -> Read<'_, K, V> {
        let Some(place) = place else {
            self.counts.misses += 1;
            return Read::Absent;
        };
        if self.expired(place, clock) {
            self.counts.misses += 1;
            return match self.expire(place) {
                Some((key, value)) => Read::Expired(key, value),
                None => Read::Absent,
            };
        }
        self.counts.hits += 1;
        self.by_use.renew(place.0);
        match &self.entries[place.0 as usize] {
            Some(entry) => Read::Living(&entry.value),
            None => Read::Absent,
        }
    }

    /// The value of a living entry; neither counted nor a use.
    pub fn peek(&mut self, place: Option<Place>, clock: &impl Clock) -> Option<&V> {
        let place = place.filter(|&place| !self.expired(place, clock))?;
        self.entries[place.0 as usize].as_ref().map(|entry| &entry.value)
    }

    /// Sets a value at the place of its key, or as a new entry.
    ///
    /// Gives what had to go: the old value with the key that was not needed, or an entry that made
    /// room, an expired one if there is any.
    #[inline]
    pub fn set(
        &mut self,
        place: Option<Place>,
        hash: u64,
        (key, value): (K, V),
        size: u64,
        clock: &impl Clock,
    ) -> Option<(K, V)> {
        let since = self.tell_time(clock.now());
        self.bytes = self.bytes.saturating_add(size);
        let there =
            place.and_then(|Place(slot)| Some((slot, self.entries[slot as usize].as_mut()?)));
        if let Some((slot, entry)) = there {
            self.by_use.renew(slot);
            self.by_age.renew(slot);
            self.bytes = self.bytes.saturating_sub(entry.size);
            (entry.since, entry.size) = (since, size);
            return Some((key, std::mem::replace(&mut entry.value, value)));
        }
        let gone = if self.table.len() < self.capacity { None } else { self.make_room() };
        let hash = self.mixed(hash);
        self.serial += 1;
        let entry = Some(Entry { hash, serial: self.serial, since, size, key, value });
        let slot = if let Some(slot) = self.free.pop() {
            self.entries[slot as usize] = entry;
            slot
        } else {
            self.entries.push(entry);
            self.entries.len() as u32 - 1
        };
        let entries = &self.entries;
        self.table.insert_unique(hash, slot, |&slot| hash_of(entries, slot));
        self.by_use.push(slot);
        self.by_age.push(slot);
        gone
    }

    /// Takes an entry out.
    pub fn remove(&mut self, Place(slot): Place) -> Option<(K, V)> {
        let entry = self.entries[slot as usize].take()?;
        if let Ok(found) = self.table.find_entry(entry.hash, |&other| other == slot) {
            found.remove();
        }
        self.by_use.remove(slot);
        self.by_age.remove(slot);
        self.free.push(slot);
        self.bytes = self.bytes.saturating_sub(entry.size);
        Some((entry.key, entry.value))
    }

    /// Takes every expired entry out; all that are left then are living.
    pub fn sweep(&mut self, clock: &impl Clock) -> Vec<(K, V)> {
        self.tell_time(clock.now());
        std::iter::from_fn(|| {
            let oldest = self.by_age.last().map(Place)?;
            if self.is_over(oldest) { self.expire(oldest) } else { None }
        })
        .collect()
    }

    /// Takes out the entries in a part of the slots whose key `goes`.
    pub fn purge(
        &mut self,
        slots: Range<usize>,
        mut goes: impl FnMut(Handle, &K) -> bool,
    ) -> Vec<(K, V)> {
        let places = slots.start..slots.end.min(self.entries.len());
        places
            .filter_map(|slot| {
                let entry = self.entries[slot].as_ref()?;
                let place = Place(slot as u32);
                let handle = Handle { place, serial: entry.serial };
                if goes(handle, &entry.key) { self.remove(place) } else { None }
            })
            .collect()
    }

    /// Takes everything out; what was counted stays counted.
    pub fn clear(&mut self) -> impl Iterator<Item = (K, V)> + use<K, V> {
        self.table = HashTable::new();
        self.free = Vec::new();
        self.by_use = Chain::new();
        self.by_age = Chain::new();
        self.bytes = 0;
        let entries = std::mem::take(&mut self.entries);
        entries.into_iter().flatten().map(|entry| (entry.key, entry.value))
    }

    /// Keys and values, the least recently used first; expired ones that were not swept too.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        let slots = self.by_use.oldest_first();
        slots.filter_map(|slot| {
            self.entries[slot as usize].as_ref().map(|entry| (&entry.key, &entry.value))
        })
    }

    /// Keys and values in the order in which they lie: the quickest way through all of them.
    pub fn scan(&self) -> impl Iterator<Item = (&K, &V)> {
        self.entries.iter().flatten().map(|entry| (&entry.key, &entry.value))
    }

    /// Slots in use or free: the range that [`Self::purge`] goes over.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.entries.len()
    }

    /// Entries, expired ones that were not swept too.
    #[must_use]
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Whether there is no entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// The sum of the sizes that entries were set with.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What has happened so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Hashes of callers may be as regular as the keys (integers are their own), or chosen to fall
    /// on few places of the table: both halves of a product that starts with a secret decide.
    #[inline]
    fn mixed(&self, hash: u64) -> u64 {
        let product = u128::from(hash ^ self.seed) * u128::from(ODD);
        (product as u64) ^ (product >> 64) as u64
    }

    #[inline]
    fn expired(&mut self, Place(slot): Place, clock: &impl Clock) -> bool {
        let Some(entry) = &self.entries[slot as usize] else { return false };
        if clock.not_before_now().is_some_and(|time| time - entry.since < self.ttl) {
            return false;
        }
        self.tell_time(clock.now());
        self.is_over(Place(slot))
    }

    /// Takes a reading of the clock; where it was set back, so are the entries.
    #[inline]
    fn tell_time(&mut self, reading: f64) -> f64 {
        if let Some(before) = self.time.read(reading) {
            for entry in self.entries.iter_mut().flatten() {
                entry.since = reading - (before - entry.since);
            }
        }
        self.time.now()
    }

    fn is_over(&self, Place(slot): Place) -> bool {
        let entry = self.entries[slot as usize].as_ref();
        entry.is_some_and(|entry| self.time.now() - entry.since >= self.ttl)
    }

    fn expire(&mut self, place: Place) -> Option<(K, V)> {
        self.counts.expirations += 1;
        self.remove(place)
    }

    fn make_room(&mut self) -> Option<(K, V)> {
        let oldest = self.by_age.last().map(Place)?;
        if self.is_over(oldest) {
            return self.expire(oldest);
        }
        self.counts.evictions += 1;
        self.by_use.last().and_then(|slot| self.remove(Place(slot)))
    }
}

fn hash_of<K, V>(entries: &[Option<Entry<K, V>>], slot: u32) -> u64 {
    entries[slot as usize].as_ref().map_or(0, |entry| entry.hash)
}
