//! Checks of the repository itself. Most are tests, under `tests/repo/`; what measures the shape of
//! the code is here, because `cargo run -p coeval-repo-checks --bin shape` prints it as well.

pub mod shape;
