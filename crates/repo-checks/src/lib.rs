//! Checks of the repository itself; all of them are tests, under `tests/repo/`.
