//! The binary, with a script in place of `coeval`: it serves what a folder says.

mod bless;
mod check;
mod fake;
