//! What a watch tells, the generic one and those of packages: their messages are the same but for
//! the resource, which is encoded once however many watch.
//!
//! **Promises.** Messages come in the order of the store's commits, and all changes of one atomic write in
//! one message. Each message has the sequence up to which everything was told: who resumes from it
//! misses nothing.
//!
//! **How.** A watch is the engine's cursor and no more. The next event is read when the client has taken
//! the message before, so that HTTP/2's flow control is the only queue. A resource is encoded by the
//! first watcher who needs it in a form, and the engine keeps the bytes for the others; so the messages
//! here hold bytes where those of the `.proto` files hold messages. On the wire the two are the same.
//!
//! **Ends.** A watch ends when the server drains, when its connection is given up for its age, at the
//! caller's deadline, and with an error. Clients resume from their last sequence in each case, on
//! whatever server.

use crate::api::GrpcState;
use crate::header::quarantined;
use crate::proto::header::v1 as header;
use crate::status;
use bytes::Bytes;
use coeval_api::methods::MethodError;
use coeval_engine::{Resource, TypeKey, WatchStream, Watched, WatchedChange};
use coeval_server::ConnectionEnd;
use futures::StreamExt;
use futures::stream::BoxStream;
use prost::Message;
use std::sync::Arc;
use tonic::Status;

/// What a watch tells at a time. (On the wire an embedded message and its bytes are the same.)
#[derive(Clone, PartialEq, Message)]
pub struct WatchResponse {
    /// Up to here everything was told.
    #[prost(string, tag = "1")]
    pub sequence: String,
    /// What this is.
    #[prost(enumeration = "header::WatchKind", tag = "2")]
    pub kind: i32,
    /// What one atomic write did.
    #[prost(message, repeated, tag = "3")]
    pub changes: Vec<EncodedChange>,
}

/// What happened to one resource.
#[derive(Clone, PartialEq, Message)]
pub struct EncodedChange {
    /// What.
    #[prost(oneof = "EncodedOutcome", tags = "1, 2, 3, 4")]
    pub change: Option<EncodedOutcome>,
}

/// What happened to it.
#[derive(Clone, PartialEq, prost::Oneof)]
pub enum EncodedOutcome {
    /// It is there, or was changed: its message.
    #[prost(bytes = "bytes", tag = "1")]
    Put(Bytes),
    /// It is gone.
    #[prost(message, tag = "2")]
    Deleted(header::Deleted),
    /// It no longer matches, or may no longer be seen.
    #[prost(message, tag = "3")]
    Left(header::Left),
    /// It can't be shown.
    #[prost(message, tag = "4")]
    Quarantined(header::Quarantined),
}

/// One message after the other.
pub(crate) type WatchResponses = BoxStream<'static, Result<WatchResponse, Status>>;

/// How resources are encoded.
pub(crate) trait ResourceEncoder: Send + Sync + 'static {
    /// The message of a resource.
    fn encoded(
        &self,
        resource: &Resource,
    ) -> impl Future<Output = Result<Bytes, MethodError>> + Send;
}

/// Tells the events of a watch. It reads the next one when the client has taken the one before:
/// there is no queue, so a client that does not read takes no memory.
pub(crate) fn told(
    api: &Arc<GrpcState>,
    of: &TypeKey,
    events: WatchStream,
    encodes: impl ResourceEncoder,
) -> WatchResponses {
    let shared = Arc::new((of.clone(), encodes));
    let lifecycle = api.settings.lifecycle.clone();
    let told = events.then(move |event| {
        let shared = Arc::clone(&shared);
        async move {
            let (of, encodes) = &*shared;
            let response = response(of, encodes, event.map_err(status::of)?).await;
            response.map_err(status::of)
        }
    });
    // A server that stops ends its watches; they go on elsewhere from their last sequence.
    told.take_until(async move { lifecycle.draining().await })
        .boxed()
}

/// A watch also ends where its connection is given up for its age, and goes on elsewhere in the same
/// way. Its connection ends with it: hyper's clients notice only then that no call may follow there.
pub(crate) fn until_moved(told: WatchResponses, connection: ConnectionEnd) -> WatchResponses {
    told.take_until(async move { connection.moving().await })
        .boxed()
}

async fn response(
    of: &TypeKey,
    encodes: &impl ResourceEncoder,
    event: Watched,
) -> Result<WatchResponse, MethodError> {
    let (token, what, all) = match event {
        Watched::Live(token) => (token, header::WatchKind::Live, Vec::new()),
        Watched::Bookmark(token) => (token, header::WatchKind::Bookmark, Vec::new()),
        Watched::Changes(token, all) => (token, header::WatchKind::Changes, all),
    };
    let urn = |id| format!("urn:vcloud:entity:{of}:{id}");
    // All changes of one atomic write in one message: who resumes at its sequence has seen all or none.
    let mut changes = Vec::with_capacity(all.len());
    for change in all {
        let change = match change {
            WatchedChange::Put(resource) => EncodedOutcome::Put(encodes.encoded(&resource).await?),
            WatchedChange::Deleted { id, revision } => {
                let revision = revision.map(|revision| revision.to_string());
                EncodedOutcome::Deleted(header::Deleted {
                    id: urn(id),
                    revision: revision.unwrap_or_default(),
                })
            }
            WatchedChange::Left { id } => EncodedOutcome::Left(header::Left { id: urn(id) }),
            WatchedChange::Quarantined(one) => EncodedOutcome::Quarantined(quarantined(&one)),
        };
        let change = Some(change);
        changes.push(EncodedChange { change });
    }
    Ok(WatchResponse {
        sequence: token.to_string(),
        kind: what.into(),
        changes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::resources::v1 as pb;

    #[test]
    fn clients_of_the_generic_watch_read_what_is_told() {
        let resource = pb::Resource {
            kind: "app".to_owned(),
            spec: "{}".into(),
            ..pb::Resource::default()
        };
        let left = header::Left { id: "b".to_owned() };
        let deleted = header::Deleted {
            id: "c".to_owned(),
            revision: "d".to_owned(),
        };
        let bad = header::Quarantined {
            id: "e".to_owned(),
            ..header::Quarantined::default()
        };
        let told = [
            EncodedOutcome::Put(resource.encode_to_vec().into()),
            EncodedOutcome::Left(left.clone()),
            EncodedOutcome::Deleted(deleted.clone()),
            EncodedOutcome::Quarantined(bad.clone()),
        ];
        use pb::resource_change::Change as Read;
        let read = [
            Read::Put(resource),
            Read::Left(left),
            Read::Deleted(deleted),
            Read::Quarantined(bad),
        ];
        let kind = header::WatchKind::Changes.into();
        let response = WatchResponse {
            sequence: "a".to_owned(),
            kind,
            changes: told.map(|one| EncodedChange { change: Some(one) }).into(),
        };
        let expected = pb::WatchResourcesResponse {
            sequence: "a".to_owned(),
            kind,
            changes: read
                .map(|one| pb::ResourceChange { change: Some(one) })
                .into(),
        };
        let bytes = response.encode_to_vec();
        assert_eq!(
            pb::WatchResourcesResponse::decode(&*bytes).unwrap(),
            expected
        );
    }
}
