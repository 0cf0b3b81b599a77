//! Nothing but benchmarks lives in this member.
