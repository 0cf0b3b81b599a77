//! The cache of Python objects: `rankmeld_core::cache` behind a lock.
//!
//! The lock is held for the table's own work alone. Keys are hashed, and compared where that runs
//! code, before it is taken; what goes out is dropped after it is released. So no destructor,
//! comparison or collection ever finds it held by its own thread.

#![expect(
    clippy::inline_always,
    reason = "an operation takes a few dozen nanoseconds, and calls are dear"
)]

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyString, PyTuple};
use pyo3::{PyTraverseError, PyVisit};
use rankmeld_core::cache::{Handle, Lookup, LruTtl, Place, Read};

use crate::cache_clock::TimeSource;
use crate::cache_keys::{Key, Probe};
use crate::errors::{InvalidArgumentError, kind};

type Table = LruTtl<Key, Py<PyAny>>;
type Gone = (Key, Py<PyAny>);

/// How many slots a purge goes over before others get a turn.
const PURGED_AT_ONCE: usize = 16_384;

/// The cache under `rankmeld.ScopedCache`, which documents it.
#[pyclass(frozen, subclass, module = "rankmeld._core")]
pub struct Cache {
    table: Mutex<Table>,
    clock: TimeSource,
    sizer: Option<Py<PyAny>>,
}

#[pymethods]
impl Cache {
    /// Without a clock the time is that of `time.monotonic`.
    #[new]
    fn new(capacity: usize, ttl: f64, clock: Option<Py<PyAny>>, sizer: Option<Py<PyAny>>) -> Self {
        let clock = TimeSource::new(clock);
        Self { table: Mutex::new(LruTtl::new(capacity, ttl)), clock, sizer }
    }

    /// The value of a key; counts a hit or a miss.
    #[pyo3(signature = (key, default=None))]
    fn get<'py>(
        &self,
        key: &Bound<'py, PyAny>,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = key.py();
        let probe = Probe::of(key)?;
        let time = self.clock.time(py)?;
        let (mut table, place) = self.locate(&probe)?;
        let gone = match table.get(place, &time) {
            Read::Living(value) => return Ok(Some(value.clone_ref(py).into_bound(py))),
            Read::Expired(key, value) => Some((key, value)),
            Read::Absent => None,
        };
        drop(table);
        release(py, gone);
        Ok(default)
    }

    /// The value of a key; neither counted nor a use.
    #[pyo3(signature = (key, default=None))]
    fn peek<'py>(
        &self,
        key: &Bound<'py, PyAny>,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = key.py();
        let probe = Probe::of(key)?;
        let time = self.clock.time(py)?;
        let (mut table, place) = self.locate(&probe)?;
        let value = table.peek(place, &time);
        Ok(value.map(|value| value.clone_ref(py).into_bound(py)).or(default))
    }

    /// Sets a value; the most recently used one, and as young as can be.
    fn set(&self, key: &Bound<'_, PyAny>, value: Bound<'_, PyAny>) -> PyResult<()> {
        let py = key.py();
        let size = self.size(&value)?;
        let probe = Probe::of(key)?;
        let entry = (probe.key(), value.unbind());
        let time = self.clock.time(py)?;
        let (mut table, place) = self.locate(&probe)?;
        let gone = table.set(place, probe.hash, entry, size, &time);
        drop(table);
        release(py, gone);
        Ok(())
    }

    /// Takes a key out; whether it was there.
    fn delete(&self, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        let py = key.py();
        let probe = Probe::of(key)?;
        let time = self.clock.time(py)?;
        let (mut table, place) = self.locate(&probe)?;
        let living = table.peek(place, &time).is_some();
        let gone = place.and_then(|place| table.remove(place));
        drop(table);
        release(py, gone);
        Ok(living)
    }

    /// Takes out what a prefix begins; how many living entries that were.
    fn purge_prefix(&self, prefix: &Bound<'_, PyAny>) -> PyResult<usize> {
        let py = prefix.py();
        let Ok(prefix) = prefix.cast::<PyString>() else {
            return Err(PyTypeError::new_err(format!(
                "prefix must be a str, not {}",
                kind(prefix)
            )));
        };
        drop(self.swept(py)?);
        let text = prefix.to_str().ok();
        let (mut purged, mut start) = (0, 0);
        while start < self.lock(py).slots() {
            let slots = start..start + PURGED_AT_ONCE;
            let mut unsure: Vec<(Handle, Py<PyAny>)> = Vec::new();
            let gone = self.lock(py).purge(slots.clone(), |handle, key| {
                match (key.text(py), text) {
                    (Some(key), Some(prefix)) => return key.starts_with(prefix),
                    (Some(_), None) => {} // half a character more than any text
                    (None, _) => unsure.push((handle, key.object().clone_ref(py))),
                }
                false
            });
            purged += gone.len();
            release(py, gone);
            for (handle, key) in unsure {
                let key = key.into_bound(py);
                purged += usize::from(begins(&key, prefix)? && self.removed(py, handle));
            }
            py.check_signals()?;
            start = slots.end;
        }
        Ok(purged)
    }

    /// Takes everything out.
    fn clear(&self, py: Python<'_>) {
        let gone = self.lock(py).clear();
        release(py, gone);
    }

    /// Keys and values as they are now, the least recently used first.
    fn items<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let table = self.swept(py)?;
        let items: Vec<_> = table
            .iter()
            .map(|(key, value)| (key.object().clone_ref(py), value.clone_ref(py)))
            .collect();
        drop(table);
        items.into_iter().map(|item| item.into_pyobject(py)).collect()
    }

    /// Hits, misses, evictions, expirations, entries and bytes.
    fn counts(&self, py: Python<'_>) -> PyResult<(u64, u64, u64, u64, usize, Option<u64>)> {
        let table = self.swept(py)?;
        let counts = table.counts();
        let bytes = self.sizer.is_some().then(|| table.bytes());
        let (hits, misses) = (counts.hits, counts.misses);
        Ok((hits, misses, counts.evictions, counts.expirations, table.len(), bytes))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.swept(py)?.len())
    }

    fn __contains__(&self, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        let probe = Probe::of(key)?;
        let time = self.clock.time(key.py())?;
        let (mut table, place) = self.locate(&probe)?;
        Ok(table.peek(place, &time).is_some())
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.clock.traverse(&visit)?;
        visit.call(&self.sizer)?;
        // The collector waits for nobody: what cannot be looked at now is alive.
        let Ok(table) = self.table.try_lock() else { return Ok(()) };
        table.scan().try_for_each(|(key, value)| {
            key.traverse(&visit)?;
            visit.call(value)
        })
    }

    fn __clear__(&self) {
        let gone = self.table.try_lock().map(|mut table| table.clear());
        drop(gone);
    }
}

impl Cache {
    #[inline(always)]
    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, Table> {
        if let Ok(table) = self.table.try_lock() {
            return table;
        }
        self.table.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    /// The table, locked, and where a key is in it.
    #[inline(always)]
    fn locate(&self, probe: &Probe<'_, '_>) -> PyResult<(MutexGuard<'_, Table>, Option<Place>)> {
        let table = self.lock(probe.object.py());
        match table.lookup(probe.hash, |key| probe.same(key)) {
            Lookup::Here(place) => Ok((table, Some(place))),
            Lookup::Absent => Ok((table, None)),
            Lookup::Unsure => self.locate_by_asking(table, probe),
        }
    }

    /// Compares keys in their own code, unlocked, until an answer still holds with the lock taken.
    #[cold]
    fn locate_by_asking<'a>(
        &'a self,
        mut table: MutexGuard<'a, Table>,
        probe: &Probe<'_, '_>,
    ) -> PyResult<(MutexGuard<'a, Table>, Option<Place>)> {
        let py = probe.object.py();
        loop {
            let arrivals = table.arrivals();
            let alike: Vec<_> = table
                .alike(probe.hash)
                .into_iter()
                .map(|(handle, key)| (handle, key.object().clone_ref(py)))
                .collect();
            drop(table);
            let mut equal = None;
            for (handle, key) in alike {
                let key = key.into_bound(py);
                if equal.is_none() && (key.is(probe.object) || key.eq(probe.object)?) {
                    equal = Some(handle);
                }
            }
            table = self.lock(py);
            match equal.map(|handle| table.still(handle)) {
                Some(Some(place)) => return Ok((table, Some(place))),
                None if !table.came_since(probe.hash, arrivals) => return Ok((table, None)),
                _ => {} // it went, or another one came that may be equal
            }
        }
    }

    /// The table, locked, without expired entries.
    fn swept(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, Table>> {
        loop {
            let time = self.clock.time(py)?;
            let mut table = self.lock(py);
            let gone = table.sweep(&time);
            if gone.is_empty() {
                return Ok(table);
            }
            drop(table);
            release(py, gone);
        }
    }

    fn removed(&self, py: Python<'_>, handle: Handle) -> bool {
        let mut table = self.lock(py);
        let gone = table.still(handle).and_then(|place| table.remove(place));
        drop(table);
        let removed = gone.is_some();
        release(py, gone);
        removed
    }

    /// How many bytes a value counts for.
    #[inline(always)]
    fn size(&self, value: &Bound<'_, PyAny>) -> PyResult<u64> {
        let Some(sizer) = &self.sizer else { return Ok(0) };
        let given = sizer.bind(value.py()).call1((value,))?;
        given.extract().map_err(|_| {
            InvalidArgumentError::new_err(format!(
                "sizer gave {}; it must give the bytes of a value, an integer that is not negative",
                crate::errors::shown(&given)
            ))
        })
    }
}

/// Whether a key that is no plain text is a `str` that begins so, by the rules of `str`.
fn begins(key: &Bound<'_, PyAny>, prefix: &Bound<'_, PyString>) -> PyResult<bool> {
    if !key.is_instance_of::<PyString>() {
        return Ok(false);
    }
    let begins = key.py().get_type::<PyString>().getattr("startswith")?;
    begins.call1((key, prefix))?.extract()
}

/// Drops what went out. Destructors run here, and never under the lock.
#[inline]
fn release(py: Python<'_>, gone: impl IntoIterator<Item = Gone>) {
    for (key, value) in gone {
        match key {
            Key::Text(text) => text.drop_ref(py),
            Key::Other(object) => object.drop_ref(py),
        }
        value.drop_ref(py);
    }
}
