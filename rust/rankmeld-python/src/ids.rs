//! Codes for ids of any kind, told apart as a dict tells its keys apart.

use pyo3::prelude::*;
use rankmeld_core::intern::Interner;

use crate::errors::{Label, refused};

/// Distinct ids, numbered in first-seen order.
pub struct IdTable<'py> {
    interner: Interner,
    ids: Vec<Bound<'py, PyAny>>,
}

impl<'py> IdTable<'py> {
    /// A table that takes `expected` ids before it grows.
    pub fn with_capacity(expected: usize) -> Self {
        Self { interner: Interner::with_capacity(expected), ids: Vec::with_capacity(expected) }
    }

    /// The code of an id, which is a new one if the id is.
    pub fn intern(
        &mut self,
        id: &Bound<'py, PyAny>,
        hash: i64,
        label: &Label<'_, 'py>,
    ) -> PyResult<u32> {
        let Self { interner, ids } = self;
        let mut raised = None;
        let found = interner.intern(hash.cast_unsigned(), |code| same(ids, code, id, &mut raised));
        if let Some(error) = raised {
            return Err(error);
        }
        let found = found.map_err(|error| refused(id.py(), error, label))?;
        if found.fresh {
            ids.push(id.clone());
        }
        Ok(found.code)
    }

    /// The code of an id, if it has one.
    pub fn find(&self, id: &Bound<'py, PyAny>, hash: i64) -> PyResult<Option<u32>> {
        let mut raised = None;
        let found =
            self.interner.find(hash.cast_unsigned(), |code| same(&self.ids, code, id, &mut raised));
        raised.map_or(Ok(found), Err)
    }

    /// The ids by code.
    pub fn into_ids(self) -> Vec<Bound<'py, PyAny>> {
        self.ids
    }
}

/// Whether a code is that of an id; what their comparison raises ends the search.
fn same<'py>(
    ids: &[Bound<'py, PyAny>],
    code: u32,
    id: &Bound<'py, PyAny>,
    raised: &mut Option<PyErr>,
) -> bool {
    let equal = |known: &Bound<'py, PyAny>| Ok(known.is(id) || known.eq(id)?);
    ids.get(code as usize).map_or(Ok(false), equal).unwrap_or_else(|error| {
        *raised = Some(error);
        true
    })
}
