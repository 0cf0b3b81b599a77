//! The one place that releases the interpreter, and where a panic of a kernel ends.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::prelude::*;

use crate::errors::RankmeldError;

/// Work units (entries, or multiplications) from which detaching pays: about 20 microseconds of
/// work, against well under one for giving the interpreter up and taking it back.
const DETACH_FROM: usize = 16_384;

/// Runs `kernel`, without the interpreter if there is enough `work` to make that worthwhile.
///
/// A kernel that panics has a bug; people get an exception that says so, never a panic.
pub fn detached<T: Send>(
    py: Python<'_>,
    work: usize,
    kernel: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    // Nothing that a kernel could leave half-changed outlives it.
    let guarded =
        AssertUnwindSafe(|| if work < DETACH_FROM { kernel() } else { py.detach(kernel) });
    catch_unwind(guarded).map_err(|panic| {
        let what = panic.downcast_ref::<String>().map(String::as_str);
        let what = what.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("unknown");
        RankmeldError::new_err(format!(
            "internal error: {what}; this is a bug in rankmeld, please report the call that caused it"
        ))
    })
}
