//! Recorded histories.
