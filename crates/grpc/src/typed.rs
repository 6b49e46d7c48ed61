//! Typed services: calls of the methods of packages that were made at run time from types.
//!
//! - `dispatch`: which method of which package a call means
//! - `envelope`: what is known of a request around its content
//! - `messages`: what methods take and answer; `body`: resources in them
//! - `calls`, `watch`: the standard methods
//! - `visible`: which packages a caller sees

mod body;
mod calls;
pub(crate) mod dispatch;
mod envelope;
mod messages;
#[cfg(test)]
mod tests;
mod visible;
mod watch;
