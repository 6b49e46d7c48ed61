//! etcd's watches, with its traps covered.
//!
//! At the compacted revision itself etcd 3.4 drops deletes without a word, and a compaction may
//! come at any moment. So a watch for what follows `after` is begun *at* `after`, and what it
//! brings of that revision is passed over: if the history was compacted above `after` the watch
//! is refused, and if it was compacted at `after`, only what is passed over is incomplete.
//!
//! Large answers come in fragments. They need no putting together here: `m/head` is the last put
//! of each of our transactions, so its event closes the group, wherever an answer ends.

use crate::client::{DECODE_BYTES, EtcdClient};
use crate::fault::CallFault;
use crate::pb;
use bytes::Bytes;
use futures::StreamExt;
use pb::watch_client::WatchClient;
use pb::watch_request::RequestUnion;
use std::time::Duration;
use tonic::metadata::MetadataValue;
use tonic::{Request, Streaming};

const BEGIN: Duration = Duration::from_secs(8);

/// Events after a revision.
#[derive(Debug)]
pub(crate) struct EventSubscription {
    stream: Streaming<pb::WatchResponse>,
    after: i64,
    /// Who sends them.
    pub(crate) member: usize,
}

/// Some events, in order.
#[derive(Debug)]
pub(crate) struct ArrivedEvents {
    pub(crate) cluster: u64,
    pub(crate) events: Vec<pb::Event>,
}

/// Why there are no more events.
#[derive(Debug)]
pub(crate) enum WatchEnd {
    /// The history up to this revision is gone.
    Compacted(u64),
    /// The member does not answer.
    Lost(String),
}

impl From<CallFault> for WatchEnd {
    fn from(fault: CallFault) -> Self {
        Self::Lost(coeval_storage::StorageError::from(fault).to_string())
    }
}

impl EtcdClient {
    /// Everything after revision `after` in a range (or of one key, if its end is empty).
    pub(crate) async fn subscribe(
        &self,
        (start, end): (Bytes, Bytes),
        after: u64,
        prev_kv: bool,
    ) -> Result<EventSubscription, WatchEnd> {
        let member = self.current();
        // 0 would mean "from now on". No write of ours is at revision 1.
        let after = i64::try_from(after).unwrap_or(i64::MAX).max(1);
        let create = pb::WatchCreateRequest {
            key: start,
            range_end: end,
            start_revision: after,
            prev_kv,
            fragment: true,
        };
        let create = pb::WatchRequest {
            request_union: Some(RequestUnion::CreateRequest(create)),
        };
        // The request stays open: its end would be the watch's.
        let requests = futures::stream::iter([create]).chain(futures::stream::pending());
        let mut request = Request::new(requests);
        // A member that lost its cluster says so, instead of being silent.
        let yes = MetadataValue::from_static("true");
        request.metadata_mut().insert("hasleader", yes);
        let mut watch =
            WatchClient::new(self.channel(member)?).max_decoding_message_size(DECODE_BYTES);
        match tokio::time::timeout(BEGIN, watch.watch(request)).await {
            Ok(Ok(response)) => Ok(EventSubscription {
                stream: response.into_inner(),
                after,
                member,
            }),
            Ok(Err(status)) => {
                self.leave(member);
                Err(CallFault::of(&status, 0).into())
            }
            Err(_) => {
                self.leave(member);
                Err(WatchEnd::Lost("the watch did not begin in time".into()))
            }
        }
    }
}

impl EventSubscription {
    /// The next events, which may be none; waits no longer than `patience`.
    pub(crate) async fn next(&mut self, patience: Duration) -> Result<ArrivedEvents, WatchEnd> {
        let response = match tokio::time::timeout(patience, self.stream.message()).await {
            Ok(Ok(Some(response))) => response,
            Ok(Ok(None)) => return Err(WatchEnd::Lost("the watch ended".into())),
            Ok(Err(status)) => return Err(CallFault::of(&status, 0).into()),
            Err(_) => return Err(WatchEnd::Lost("the watch is silent".into())),
        };
        if response.compact_revision > 0 {
            let revision = u64::try_from(response.compact_revision).unwrap_or(0);
            return Err(WatchEnd::Compacted(revision));
        }
        if response.canceled {
            return Err(WatchEnd::Lost(response.cancel_reason));
        }
        // What stands at `after` itself was seen before; why it is asked for says the module.
        let after = self.after;
        let is_new = |event: &pb::Event| {
            let kv = event.kv.as_ref();
            kv.is_some_and(|kv| kv.mod_revision > after)
        };
        Ok(ArrivedEvents {
            cluster: response.header.unwrap_or_default().cluster_id,
            events: response.events.into_iter().filter(is_new).collect(),
        })
    }
}
