//! Sharing work out between threads that live for one call.
//!
//! There is no pool: nothing global, nothing that a `fork` could leave without its threads. Each
//! part's result comes back in its place, so the number of threads shows in no result.

use std::convert::Infallible;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::{Builder, scope};
use std::time::Duration;

use crate::{Error, Watch};

/// How often the calling thread asks the watch while it waits for the others.
const BETWEEN_QUESTIONS: Duration = Duration::from_millis(10);

/// Cuts `0..items` into at most `threads` parts of nearly equal size, works on them at the same
/// time and gives the results in order.
///
/// The calling thread works on the first part, and only it asks `watch`: signals are for the main
/// thread. It goes on asking while the others are at work. If it is told to stop, they are told by
/// the watch that they got. Parts that the system has no thread for are worked on by the calling one.
///
/// # Errors
/// The first error in the order of the parts; an interruption only if no part failed otherwise.
pub fn in_parts<T: Send>(
    items: usize,
    threads: usize,
    watch: Watch<'_>,
    work: impl Fn(Range<usize>, Watch<'_>) -> Result<T, Error> + Sync,
) -> Result<Vec<T>, Error> {
    let parts = threads.clamp(1, items.max(1));
    if parts == 1 {
        return Ok(vec![work(0..items, watch)?]);
    }
    let bound = |part: usize| items / parts * part + (items % parts).min(part);
    let stopped = AtomicBool::new(false);
    let work = &work;
    let results: Vec<Result<T, Error>> = scope(|scope| {
        let stopped = &stopped;
        // Nothing is sent: the channel ends when the last thread has let go of its end.
        let (at_work, finished) = channel::<Infallible>();
        let others: Vec<_> = (1..parts)
            .map(|part| {
                let at_work = at_work.clone();
                let other = move || {
                    let _at_work = at_work;
                    let go_on = || !stopped.load(Ordering::Relaxed);
                    work(bound(part)..bound(part + 1), Watch::new(&go_on))
                };
                Builder::new().spawn_scoped(scope, other).map_err(|_| part)
            })
            .collect();
        drop(at_work);
        let go_on = || {
            let go_on = !stopped.load(Ordering::Relaxed) && watch.check().is_ok();
            if !go_on {
                stopped.store(true, Ordering::Relaxed);
            }
            go_on
        };
        let here = |part: usize| {
            let result = work(bound(part)..bound(part + 1), Watch::new(&go_on));
            if result.is_err() {
                stopped.store(true, Ordering::Relaxed);
            }
            result
        };
        let mut results = vec![here(0)];
        let others: Vec<_> = others.into_iter().map(|other| other.map_err(here)).collect();
        while finished.recv_timeout(BETWEEN_QUESTIONS) == Err(RecvTimeoutError::Timeout) {
            go_on();
        }
        results.extend(others.into_iter().map(|other| match other {
            Ok(other) => other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(result) => result,
        }));
        results
    });
    let failed = |result: &&Result<T, Error>| matches!(result, Err(e) if *e != Error::Interrupted);
    if let Some(Err(error)) = results.iter().find(failed) {
        return Err(*error);
    }
    results.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_everything_once_and_in_order() {
        for items in [0, 1, 2, 7, 100] {
            for threads in [0, 1, 2, 3, 8] {
                let parts = in_parts(items, threads, Watch::never(), |range, _| Ok(range));
                let all: Vec<usize> = parts.expect("nothing fails").into_iter().flatten().collect();
                assert_eq!(all, (0..items).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn a_stop_reaches_every_thread() {
        let watch = Watch::new(&|| false);
        let spin = |range: Range<usize>, watch: Watch<'_>| {
            loop {
                watch.check()?;
                std::hint::black_box(&range);
            }
        };
        let result: Result<Vec<()>, Error> = in_parts(8, 3, watch, spin);
        assert_eq!(result, Err(Error::Interrupted));
    }

    #[test]
    fn a_stop_is_heard_while_other_threads_work() {
        let watch = Watch::new(&|| false);
        let wait = |range: Range<usize>, watch: Watch<'_>| {
            if range.start == 0 {
                return Ok(());
            }
            loop {
                watch.check()?;
            }
        };
        assert_eq!(in_parts(8, 3, watch, wait), Err(Error::Interrupted));
    }

    #[test]
    fn a_failure_is_told_rather_than_the_stop_that_it_caused() {
        let fail = |range: Range<usize>, watch: Watch<'_>| -> Result<(), Error> {
            if range.start == 0 {
                return Err(Error::TooManyCandidates);
            }
            loop {
                watch.check()?;
            }
        };
        assert_eq!(in_parts(4, 4, Watch::never(), fail), Err(Error::TooManyCandidates));
    }
}
