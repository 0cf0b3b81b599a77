//! The one place that releases the interpreter, and where a panic of a kernel ends.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use rankmeld_core::{Error, Watch};

use crate::errors::RankmeldError;

/// Work units (entries, or multiplications) from which detaching pays: about 20 microseconds of
/// work, against well under one for giving the interpreter up and taking it back.
const DETACH_FROM: usize = 16_384;

/// Runs `kernel`, without the interpreter if there is enough `work` to make that worthwhile.
///
/// The watch that the kernel gets asks for signals; what a signal's handler raises comes out of
/// here. A kernel that panics has a bug: people get an exception that says so, never a panic.
pub fn detached<T: Send>(
    py: Python<'_>,
    work: usize,
    kernel: impl FnOnce(Watch<'_>) -> Result<T, Error> + Send,
) -> PyResult<Result<T, Error>> {
    let raised = Mutex::new(None);
    #[expect(clippy::redundant_closure_for_method_calls, reason = "a path is not general enough")]
    let go_on = || match Python::attach(|py| py.check_signals()) {
        Ok(()) => true,
        Err(error) => {
            raised.lock().unwrap_or_else(PoisonError::into_inner).replace(error);
            false
        }
    };
    let watch = Watch::new(&go_on);
    let run = || {
        if work < DETACH_FROM { kernel(watch) } else { py.detach(|| kernel(watch)) }
    };
    // Nothing that a kernel could leave half-changed outlives it.
    let outcome = catch_unwind(AssertUnwindSafe(run));
    if let Some(raised) = raised.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(raised);
    }
    outcome.map_err(|panic| {
        let what = panic.downcast_ref::<String>().map(String::as_str);
        let what = what.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("unknown");
        RankmeldError::new_err(format!(
            "internal error: {what}; this is a bug in rankmeld, please report the call that caused \
             it"
        ))
    })
}
