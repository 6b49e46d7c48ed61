//! Tests that do to a server what the others would not forgive: each starts its own.

mod faults;
mod histories;
mod tls;
