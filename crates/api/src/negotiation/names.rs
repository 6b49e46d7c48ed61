//! The names of Coeval's own headers.

/// The newest versions that the client understands: `acme:app=1.1, role=6`.
pub const ACCEPT: &str = "coeval-accept";
/// The client's release.
pub const RELEASE: &str = "version";
/// `true`: the caller insists.
pub const FORCE: &str = "coeval-force";
/// A sequence token that the caller has seen.
pub const AT_LEAST: &str = "coeval-at-least";
/// Fields and parameters of the request that a server may ignore if it does not know them.
pub const IGNORABLE: &str = "coeval-ignorable";
/// In answers: the sequence token of what was written or read.
pub const SEQUENCE: &str = "coeval-sequence";
/// In answers: pointers to what a write left alone.
pub const KEPT: &str = "coeval-kept";
/// In answers: pointers to what went with deleted items.
pub const DROPPED: &str = "coeval-dropped";
/// In answers: what should be looked at.
pub const WARNING: &str = "coeval-warning";
/// In answers: the server's release.
pub const SERVER_RELEASE: &str = "coeval-release";
