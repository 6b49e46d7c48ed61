//! What the APIs share, so that what one can do, all can, each in its own words.
//!
//! - [`negotiation`]: what headers say of versions, of what was seen and of what may be ignored.
//! - [`caller`]: who sends a request, and whether too often.
//! - [`methods`]: the standard methods on resources, and what programs are told of an error.
//! - [`rest`]: how the REST APIs read requests, and describe their operations.
//!
//! They are used in this order and never back; `rest` needs `negotiation` only. No rule about
//! versions, access or storage is here: those are the engine's.

pub mod caller;
pub mod methods;
pub mod negotiation;
pub mod rest;

mod sort_order;
