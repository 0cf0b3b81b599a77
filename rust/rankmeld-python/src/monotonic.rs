//! The clock of Python's `time.monotonic`, read without calling Python.

/// Seconds from the moment on that the system counts from.
#[derive(Debug, Clone, Copy)]
pub struct Monotonic {
    #[cfg(not(target_os = "linux"))]
    start: std::time::Instant,
}

#[cfg(target_os = "linux")]
mod system {
    use rankmeld_core::cache::Clock;
    use rustix::time::{ClockId, clock_gettime};

    use super::Monotonic;

    /// The coarse clock stands still between two ticks of the kernel, which are 1 to 10 ms apart.
    const LONGEST_TICK: f64 = 0.1;

    impl Monotonic {
        /// The system's clock.
        pub fn new() -> Self {
            Self {}
        }
    }

    impl Clock for Monotonic {
        #[inline]
        fn now(&self) -> f64 {
            seconds(ClockId::Monotonic)
        }

        #[inline]
        fn not_before_now(&self) -> Option<f64> {
            Some(seconds(ClockId::MonotonicCoarse) + LONGEST_TICK)
        }
    }

    #[inline]
    fn seconds(clock: ClockId) -> f64 {
        let time = clock_gettime(clock);
        time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use rankmeld_core::cache::Clock;

    use super::Monotonic;

    impl Monotonic {
        /// The system's clock, counted from now on.
        #[expect(clippy::disallowed_methods, reason = "here the clock is brought to the core")]
        pub fn new() -> Self {
            Self { start: std::time::Instant::now() }
        }
    }

    impl Clock for Monotonic {
        #[inline]
        fn now(&self) -> f64 {
            self.start.elapsed().as_secs_f64()
        }
    }
}
