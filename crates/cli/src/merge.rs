//! How contents are put together and compared. Pure functions over JSON; no server, no terminal.
//!
//! - `three_way`: a file onto what is there, taking back only what the file said before
//! - `replay`: an edit of an earlier revision onto a later one
//! - `differences`: what changed between two contents, field by field
//! - `render`: differences for people
//!
//! A list is one value, unless all its items are objects that a unique `name` or `key` tells apart:
//! then it is taken item by item, and a path names an item as `[name=web]`.

mod differences;
mod keyed;
mod paths;
pub(crate) mod render;
mod replay;
mod three_way;

pub(crate) use differences::{ContentChange, differences};
pub(crate) use paths::declared;
pub(crate) use replay::replay;
pub(crate) use three_way::{MergeBase, MergeConflict, three_way};

#[cfg(test)]
mod laws;
