//! A thin client of etcd: one channel for each member, and which of them is in use.
//!
//! Channels connect when they are used and again after they break. A call that a member does not
//! answer moves everybody on to the next one.

use crate::address::{EtcdAddress, EtcdTlsFiles};
use crate::fault::CallFault;
use crate::pb;
use coeval_storage::StorageError;
use pb::kv_client::KvClient;
use pb::maintenance_client::MaintenanceClient;
use prost::Message;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::time::{Instant, timeout};
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity};
use tonic::{Response, Status};

/// One read may bring as many records as a read may name.
pub(crate) const DECODE_BYTES: usize = 128 * 1024 * 1024;
const CONNECT: Duration = Duration::from_secs(2);
/// Longer than etcd itself waits (5 s and two elections), so that its answer says why.
const REQUEST: Duration = Duration::from_secs(8);
/// All tries of one read together.
const READ: Duration = Duration::from_secs(12);
/// The first try of a read: a member that lost its leader waits much longer than an election
/// takes. Each further one may take twice as long, so that a large answer gets its time.
const FIRST_TRY: Duration = Duration::from_secs(2);
const BETWEEN_TRIES: Duration = Duration::from_millis(50);
const LONGEST_BETWEEN: Duration = Duration::from_millis(400);
/// Tries of one read for each member.
const TRIES: usize = 4;
/// etcd closes a connection that is pinged more often than every 5 s, or without a stream.
const PING: Duration = Duration::from_secs(10);
const PONG: Duration = Duration::from_secs(5);

/// The members of a cluster.
#[derive(Debug)]
pub(crate) struct EtcdClient {
    members: Vec<Channel>,
    current: AtomicUsize,
    cluster: AtomicU64,
    seen: AtomicU64,
}

/// A write without an answer, and the member that it was sent to.
#[derive(Debug)]
pub(crate) struct UnansweredWrite {
    pub(crate) member: usize,
    pub(crate) fault: CallFault,
}

impl EtcdClient {
    /// Connects to nobody yet.
    pub(crate) fn new(address: &EtcdAddress) -> Result<Self, StorageError> {
        let tls = address.tls.as_ref().map(tls_config).transpose()?;
        let members = address.members.iter();
        Ok(Self {
            members: members
                .map(|member| channel(member, tls.as_ref()))
                .collect::<Result<_, _>>()?,
            current: AtomicUsize::new(0),
            cluster: AtomicU64::new(0),
            seen: AtomicU64::new(0),
        })
    }

    /// The member in use.
    pub(crate) fn current(&self) -> usize {
        self.current.load(Ordering::Acquire)
    }

    /// Leaves a member, unless somebody did already.
    pub(crate) fn leave(&self, member: usize) {
        let next = (member + 1) % self.members.len().max(1);
        // Fails if another call did it: all callers of a member that died get here at once.
        let _ = self
            .current
            .compare_exchange(member, next, Ordering::AcqRel, Ordering::Acquire);
    }

    pub(crate) fn channel(&self, member: usize) -> Result<Channel, CallFault> {
        let channel = self.members.get(member).cloned();
        channel.ok_or_else(|| CallFault::NotSent("there is no such member".into()))
    }

    /// The highest revision in any answer of this cluster: what is sent later is above it.
    pub(crate) fn seen(&self) -> u64 {
        self.seen.load(Ordering::Acquire)
    }

    /// Notes what an answer says of the cluster.
    pub(crate) fn note(&self, header: Option<&pb::ResponseHeader>) {
        let Some(header) = header else { return };
        let revision = u64::try_from(header.revision).unwrap_or(0);
        // Of another cluster (a restored snapshot): its revisions begin lower.
        if self.cluster.swap(header.cluster_id, Ordering::AcqRel) == header.cluster_id {
            self.seen.fetch_max(revision, Ordering::AcqRel);
        } else {
            self.seen.store(revision, Ordering::Release);
        }
    }

    /// A transaction that changes nothing, by any member.
    pub(crate) async fn read(&self, txn: &pb::TxnRequest) -> Result<pb::TxnResponse, CallFault> {
        self.read_from(self.current(), txn).await
    }

    /// The same, `member` first.
    pub(crate) async fn read_from(
        &self,
        member: usize,
        txn: &pb::TxnRequest,
    ) -> Result<pb::TxnResponse, CallFault> {
        let end = Instant::now() + READ;
        let mut member = member;
        let mut patience = FIRST_TRY;
        let mut pause = BETWEEN_TRIES;
        let mut not_there = 0;
        let mut tries = TRIES * self.members.len();
        loop {
            tries = tries.saturating_sub(1);
            let try_end = end.min(Instant::now() + patience);
            match self.txn(member, txn.clone(), try_end).await {
                Err(fault) if fault.is_of_member() => {
                    tracing::debug!(member, ?fault, "a member of etcd did not answer");
                    self.leave(member);
                    // A refused connection answers at once and says nothing of how long an answer
                    // takes.
                    match fault {
                        CallFault::NotSent(_) => not_there += 1,
                        _ => patience = (patience * 2).min(READ),
                    }
                    // Each was tried, and none is there: that does not change soon.
                    let nobody = not_there > self.members.len();
                    if nobody || tries == 0 || Instant::now() + pause > end {
                        return Err(fault);
                    }
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(LONGEST_BETWEEN);
                    member = (member + 1) % self.members.len().max(1);
                }
                other => return other,
            }
        }
    }

    /// A transaction that may change something: sent once. Another member is tried only if there
    /// was no connection at all.
    pub(crate) async fn write(
        &self,
        txn: &pb::TxnRequest,
    ) -> Result<pb::TxnResponse, UnansweredWrite> {
        let mut tries = self.members.len();
        loop {
            tries = tries.saturating_sub(1);
            let member = self.current();
            let end = Instant::now() + REQUEST;
            match self.txn(member, txn.clone(), end).await {
                Ok(response) => return Ok(response),
                Err(fault) => {
                    // The next request goes elsewhere, whether or not this one may.
                    if fault.is_of_member() {
                        self.leave(member);
                    }
                    if !matches!(fault, CallFault::NotSent(_)) || tries == 0 {
                        return Err(UnansweredWrite { member, fault });
                    }
                }
            }
        }
    }

    async fn txn(
        &self,
        member: usize,
        txn: pb::TxnRequest,
        end: Instant,
    ) -> Result<pb::TxnResponse, CallFault> {
        let size = txn.encoded_len();
        let mut kv = KvClient::new(self.channel(member)?)
            .max_decoding_message_size(DECODE_BYTES)
            .max_encoding_message_size(DECODE_BYTES);
        let end = end.min(Instant::now() + REQUEST);
        let response = answered(kv.txn(txn), end, size).await?;
        self.note(response.header.as_ref());
        Ok(response)
    }

    /// Forgets the history below `revision`. Repeating it does no harm.
    pub(crate) async fn compact(&self, revision: u64) -> Result<(), CallFault> {
        let revision = i64::try_from(revision).unwrap_or(i64::MAX);
        let member = self.current();
        let mut kv = KvClient::new(self.channel(member)?);
        let request = pb::CompactionRequest { revision };
        let end = Instant::now() + REQUEST;
        let response = answered(kv.compact(request), end, 0).await?;
        self.note(response.header.as_ref());
        Ok(())
    }

    /// How many bytes the member in use takes.
    pub(crate) async fn size(&self) -> Result<u64, CallFault> {
        let mut maintenance = MaintenanceClient::new(self.channel(self.current())?);
        let end = Instant::now() + REQUEST;
        let status = answered(maintenance.status(pb::StatusRequest {}), end, 0).await?;
        Ok(u64::try_from(status.db_size).unwrap_or(0))
    }
}

async fn answered<T>(
    call: impl Future<Output = Result<Response<T>, Status>>,
    end: Instant,
    size: usize,
) -> Result<T, CallFault> {
    let left = end.saturating_duration_since(Instant::now());
    match timeout(left, call).await {
        Ok(Ok(response)) => Ok(response.into_inner()),
        Ok(Err(status)) => Err(CallFault::of(&status, size)),
        // It may still be carried out: of a write, this is all that is known.
        Err(_) => Err(CallFault::Lost("no answer in time".into())),
    }
}

fn channel(member: &str, tls: Option<&ClientTlsConfig>) -> Result<Channel, StorageError> {
    let scheme = if tls.is_some() { "https" } else { "http" };
    let refuse = |e: tonic::transport::Error| StorageError::InvalidUrl {
        reason: format!("{member} can't be used: {e}"),
    };
    let endpoint = Endpoint::from_shared(format!("{scheme}://{member}")).map_err(refuse)?;
    let endpoint = match tls {
        Some(tls) => endpoint.tls_config(tls.clone()).map_err(refuse)?,
        None => endpoint,
    };
    Ok(endpoint
        .connect_timeout(CONNECT)
        .tcp_nodelay(true)
        // Finds out that a member vanished without closing its connections.
        .http2_keep_alive_interval(PING)
        .keep_alive_timeout(PONG)
        // Lazily: a member that is down must not keep the store from opening.
        .connect_lazy())
}

fn tls_config(files: &EtcdTlsFiles) -> Result<ClientTlsConfig, StorageError> {
    let read = |path: &std::path::Path| {
        std::fs::read(path).map_err(|e| StorageError::InvalidUrl {
            reason: format!("{} can't be read: {e}", path.display()),
        })
    };
    let mut tls = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(read(&files.ca)?));
    if let Some((cert, key)) = &files.identity {
        tls = tls.identity(Identity::from_pem(read(cert)?, read(key)?));
    }
    Ok(tls)
}
