//! One transaction: sent once, and found again if its answer got lost.

use crate::client::UnansweredWrite;
use crate::fault::CallFault;
use crate::meta::KnownHistory;
use crate::shared::{EtcdHandle, ViewAnswer, look};
use crate::subscription::WatchEnd;
use crate::{ops, pb};
use bytes::Bytes;
use coeval_storage::{Revision, StorageError, Token};
use std::time::Duration;

/// How long the history is searched for a lost write.
const SEARCH: Duration = Duration::from_secs(5);

/// What a transaction compares and does.
#[derive(Debug, Default)]
pub(crate) struct TxnPlan {
    pub(crate) compares: Vec<pb::Compare>,
    pub(crate) actions: Vec<pb::RequestOp>,
}

/// A transaction under way.
struct SentTxn {
    /// What it puts into `m/head`.
    id: Bytes,
    /// It can only stand above this revision.
    after: u64,
    /// The revision of its fresh puts.
    revision: Revision,
}

impl EtcdHandle {
    /// Carries out a plan, on the condition that the history is the one in `known`. `None`: a
    /// comparison failed, and nothing happened.
    pub(crate) async fn commit(
        &self,
        known: &KnownHistory,
        plan: TxnPlan,
        revision: Revision,
    ) -> Result<Option<Token>, StorageError> {
        let id = Bytes::copy_from_slice(Revision::draw()?.as_bytes());
        let mut compare = plan.compares;
        // Fences a handle that does not know the present history yet.
        compare.push(ops::value_is(&self.layout.store, &known.value));
        let mut success = plan.actions;
        // Last, so that in the history it closes the group.
        success.push(ops::put(&self.layout.head, id.clone()));
        let txn = pb::TxnRequest {
            compare,
            success,
            // If it is refused, the same round trip tells the history and the head as they are.
            failure: look(&self.layout, Vec::new(), false).success,
        };
        let sent = SentTxn {
            id,
            after: self.client.seen(),
            revision,
        };
        match self.client.write(&txn).await {
            Ok(response) if response.succeeded => {
                let header = response.header.unwrap_or_default();
                let sequence = u64::try_from(header.revision).unwrap_or(0);
                let known = KnownHistory {
                    cluster: header.cluster_id,
                    ..known.clone()
                };
                self.learn(&known, sequence);
                Ok(Some(known.token(sequence)))
            }
            Ok(response) => {
                let found = ViewAnswer::of(response)?;
                if let (Some(known), Some(head)) = (found.known, found.head) {
                    self.learn(&known, u64::try_from(head.mod_revision).unwrap_or(0));
                }
                Ok(None)
            }
            Err(UnansweredWrite { member, fault }) => match fault {
                CallFault::Lost(reason) => {
                    self.resolve(&sent, member, reason, None).await.map(Some)
                }
                // A write that meets the quota between etcd's two checks of it is carried out,
                // and answered with this error all the same.
                CallFault::Refused(full @ StorageError::Full { .. }) => {
                    let reason = full.to_string();
                    let resolved = self.resolve(&sent, member, reason, Some(full));
                    resolved.await.map(Some)
                }
                other => Err(other.into()),
            },
        }
    }

    /// Looks for a write that may have happened: if `m/head` holds its id, now or at any revision
    /// since, it did. The linearizable read goes through the same member first, behind which the
    /// old request can't be overtaken. `otherwise` is the answer if it is not found, for a
    /// request that can't still be on its way; without one that is unknown.
    async fn resolve(
        &self,
        sent: &SentTxn,
        member: usize,
        reason: String,
        otherwise: Option<StorageError>,
    ) -> Result<Token, StorageError> {
        tracing::warn!(reason, "a write may have happened; looking for it");
        let unknown = |seen: &str| {
            Err(StorageError::UnknownOutcome {
                revision: sent.revision,
                reason: format!("{reason}; {seen}"),
            })
        };
        let view = match self.view_from(member, Vec::new()).await {
            Ok(view) => view,
            Err(fault) => return unknown(&StorageError::from(fault).to_string()),
        };
        if view.head.value == sent.id {
            return Ok(view.known.token(view.sequence()));
        }
        let search = self.search(sent, view.sequence());
        match tokio::time::timeout(SEARCH, search).await {
            Ok(Ok(Some(sequence))) => Ok(view.known.token(sequence)),
            Ok(Ok(None)) => match otherwise {
                Some(error) => Err(error),
                None => unknown("it is not in the history yet"),
            },
            Ok(Err(_)) | Err(_) => unknown("the history could not be searched"),
        }
    }

    /// Every id that `m/head` had between what was seen before the write and `head`.
    async fn search(&self, sent: &SentTxn, head: u64) -> Result<Option<u64>, WatchEnd> {
        if head <= sent.after {
            return Ok(None);
        }
        let only_head = (self.layout.head.clone(), Bytes::new());
        let mut events = self.client.subscribe(only_head, sent.after, false).await?;
        loop {
            for event in events.next(SEARCH).await?.events {
                let Some(kv) = event.kv else { continue };
                let sequence = u64::try_from(kv.mod_revision).unwrap_or(0);
                if kv.value == sent.id {
                    return Ok(Some(sequence));
                }
                if sequence >= head {
                    return Ok(None);
                }
            }
        }
    }
}

/// A transaction beside the store's history: whether it happened does not matter much.
pub(crate) async fn send(
    shared: &EtcdHandle,
    compare: Vec<pb::Compare>,
    success: Vec<pb::RequestOp>,
) -> Result<bool, CallFault> {
    let txn = pb::TxnRequest {
        compare,
        success,
        failure: Vec::new(),
    };
    match shared.client.write(&txn).await {
        Ok(response) => Ok(response.succeeded),
        Err(unanswered) => Err(unanswered.fault),
    }
}
