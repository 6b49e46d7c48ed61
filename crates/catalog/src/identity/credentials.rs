//! What a caller showed to be known.

use coeval_core::version::Uuid;
use coeval_records::header::Time;

/// A session or token that was shown, and whose it is. A stream that lives longer than a request
/// asks with it whether they still hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credentials {
    pub hash: String,
    pub user: Uuid,
    pub expires: Option<Time>,
}
