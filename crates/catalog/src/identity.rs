//! What the identity of callers is made of: names, passwords, tokens, the contents of users, roles,
//! organizations and bundles, and the record that every change of one rewrites. They are read and
//! written as resources, a layer above.

pub mod content;
pub mod credentials;
pub mod names;
pub mod password;
pub mod seen;
pub mod session_kind;
pub mod token;
