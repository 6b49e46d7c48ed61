//! The shape of the code as figures, and the goals that it is on its way to.
//!
//! Every source file of the workspace is parsed, so that a figure counts what the compiler sees:
//! a `match` in a string or a comment is none. Definitions, where somebody could count otherwise:
//!
//! - *Product code* is what is under `src`, without items that are compiled for tests only, of the
//!   crates that are shipped ([`crates::is_product`]).
//! - A *cycle of modules* is a set of sibling modules that all reach each other by paths
//!   (`use crate::…`, `super::…`, and paths in expressions). What is inside of a module counts as
//!   the module. A path to a re-export leads to the module that it comes from. Cycles are looked
//!   for among the top-level modules of a crate and, likewise, among the children of every module.
//! - *Types* are structs, enums, unions, traits and aliases of product code. A name is one word if
//!   it has one hump; it is shared if another type of the workspace has it too.
//! - *Comments inside of functions* are lines with a `//` comment between the braces of a function,
//!   as a share of all lines of product code.
//! - A *doctest* is a block of Rust in the documentation of a public item that is executed.

pub mod crates;
mod cycles;
mod doctests;
mod figures;
pub mod goals;
mod lines;
mod modules;
mod names;
mod patterns;
mod print;
mod sources;

pub use cycles::ModuleCycle;
pub use figures::{CrateFigures, WorkspaceFigures, measure};
pub use print::print_figures;

use std::path::PathBuf;

/// Why the shape can't be measured.
#[derive(Debug, thiserror::Error)]
pub enum ShapeError {
    /// A file or folder can't be read.
    #[error("{}: {error}", path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// A file is not Rust.
    #[error("{}: {reason}", path.display())]
    Syntax {
        /// Which.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}
