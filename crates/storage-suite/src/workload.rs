//! Random concurrent operations.
