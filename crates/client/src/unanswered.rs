//! A call that no server answered.

use std::sync::Arc;

/// What came of a call that was not answered, and where it was sent.
#[derive(Debug, thiserror::Error)]
#[error("{url} can't be reached")]
pub struct UnansweredCall {
    pub(crate) url: Arc<str>,
    #[source]
    pub(crate) why: tonic::transport::Error,
}
