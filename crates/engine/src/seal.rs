//! Stub.

/// Keys.
#[derive(Debug)]
pub struct Keyring;
