//! The server's side of the resource service, whose watch answers bytes that were encoded once.
#![allow(
    missing_debug_implementations,
    unreachable_pub,
    rust_2018_idioms,
    clippy::all,
    reason = "generated"
)]

include!(concat!(env!("OUT_DIR"), "/server/coeval.resources.v1.rs"));
