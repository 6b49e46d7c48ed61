//! Clients that go on when a server is gone: writers, and a watcher that checks what it is told.

use crate::servers::Addresses;
use coeval_grpc::proto::header::v1::Metadata;
use coeval_grpc::proto::resources::v1 as pb;
use pb::resource_change::Change;
use pb::resource_service_client::ResourceServiceClient;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Status};

/// Revisions of writes that were answered.
pub(crate) type Acknowledged = Arc<Mutex<BTreeSet<String>>>;

/// What the watcher was told.
#[derive(Default)]
pub(crate) struct Seen {
    /// Id, then revision and number.
    pub(crate) have: BTreeMap<String, (String, u64)>,
    pub(crate) delivered: BTreeSet<String>,
    pub(crate) wrong: Vec<String>,
    pub(crate) connections: usize,
    sequence: Option<String>,
}

/// Somebody who calls one server.
pub(crate) struct Call {
    client: ResourceServiceClient<Channel>,
    token: String,
}

/// To one server, connected when it is needed.
pub(crate) fn call(address: &str, token: &str) -> Call {
    let endpoint = Endpoint::from_shared(address.to_owned()).unwrap();
    let endpoint = endpoint.connect_timeout(Duration::from_secs(2));
    Call {
        client: ResourceServiceClient::new(endpoint.connect_lazy()),
        token: format!("Bearer {token}"),
    }
}

fn any(addresses: &Addresses, token: &str, draw: &mut fastrand::Rng) -> Call {
    let addresses = addresses.lock().unwrap();
    call(&addresses[draw.usize(..addresses.len())], token)
}

impl Call {
    fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        let token = self.token.parse().unwrap();
        request.metadata_mut().insert("authorization", token);
        request
    }

    /// All resources: their sequence, and the revision of each.
    pub(crate) async fn list(mut self) -> Result<(String, BTreeMap<String, String>), Status> {
        let (mut all, mut sequence) = (BTreeMap::new(), String::new());
        let mut page_token = String::new();
        loop {
            let request = self.request(pb::ListResourcesRequest {
                kind: "app".to_owned(),
                page_size: 1_000,
                page_token,
                ..Default::default()
            });
            let page = self.client.list_resources(request).await?.into_inner();
            if sequence.is_empty() {
                sequence = page.sequence;
            }
            let metadata = page.resources.into_iter().filter_map(|one| one.metadata);
            all.extend(metadata.map(|one| (one.id, one.revision)));
            page_token = page.next_page_token;
            if page_token.is_empty() {
                return Ok((sequence, all));
            }
        }
    }

    async fn upsert(&mut self, name: &str, number: u64) -> Result<String, Status> {
        let resource = pb::Resource {
            kind: "app".to_owned(),
            version: "v1".to_owned(),
            metadata: Some(Metadata {
                name: name.to_owned(),
                ..Default::default()
            }),
            spec: format!("{{\"number\":{number}}}").into(),
            ..Default::default()
        };
        let mut request = self.request(pb::UpsertResourceRequest {
            resource: Some(resource),
            ..Default::default()
        });
        request.set_timeout(Duration::from_secs(5));
        let answer = self.client.upsert_resource(request).await?.into_inner();
        Ok(answer.resource.unwrap().metadata.unwrap().revision)
    }

    async fn delete(&mut self, name: &str) -> Result<(), Status> {
        let mut request = self.request(pb::DeleteResourceRequest {
            kind: "app".to_owned(),
            name: name.to_owned(),
            ..Default::default()
        });
        request.set_timeout(Duration::from_secs(5));
        self.client.delete_resource(request).await.map(|_| ())
    }
}

/// Writes to names of its own, with numbers that grow.
pub(crate) async fn write(
    writer: usize,
    addresses: Addresses,
    token: String,
    over: Arc<AtomicBool>,
    acknowledged: Acknowledged,
    mut draw: fastrand::Rng,
) {
    let mut number = 0;
    let mut client = any(&addresses, &token, &mut draw);
    while !over.load(Ordering::Relaxed) {
        number += 1;
        let name = format!("r{writer}-{}", draw.u8(..6));
        let done = match draw.u8(..10) {
            0 => client.delete(&name).await,
            _ => client.upsert(&name, number).await.map(|revision| {
                acknowledged.lock().unwrap().insert(revision);
            }),
        };
        if let Err(status) = done
            && status.code() != tonic::Code::NotFound
        {
            tokio::time::sleep(Duration::from_millis(50)).await;
            client = any(&addresses, &token, &mut draw);
        }
        tokio::time::sleep(Duration::from_millis(draw.u64(..5))).await;
    }
}

/// Watches, resumes from the last sequence on any server, and checks, until it has come to the end.
pub(crate) async fn follow(
    addresses: Addresses,
    token: String,
    seen: Arc<Mutex<Seen>>,
    end: tokio::sync::watch::Receiver<Option<String>>,
    mut draw: fastrand::Rng,
) {
    loop {
        let client = any(&addresses, &token, &mut draw);
        match connected(client, &seen, &end).await {
            Ok(()) => return,
            Err(status) => {
                // A server that is gone is no answer; a refusal would be one.
                let details = String::from_utf8_lossy(status.details()).into_owned();
                if details.contains("COEVAL-60") || details.contains("COEVAL-50") {
                    seen.lock().unwrap().wrong.push(format!("{status:?}"));
                    return;
                }
                tokio::time::sleep(Duration::from_millis(30)).await;
            }
        }
    }
}

async fn connected(
    client: Call,
    seen: &Mutex<Seen>,
    end: &tokio::sync::watch::Receiver<Option<String>>,
) -> Result<(), Status> {
    let mut client = client;
    let from = seen.lock().unwrap().sequence.clone();
    let request = client.request(pb::WatchResourcesRequest {
        kind: "app".to_owned(),
        from: from.unwrap_or_default(),
        ..Default::default()
    });
    let mut stream = client.client.watch_resources(request).await?.into_inner();
    seen.lock().unwrap().connections += 1;
    loop {
        // Sequences of one history have the order of their texts.
        let there = |sequence: &String| {
            let end = end.borrow();
            end.as_ref().is_some_and(|end| sequence >= end)
        };
        if seen.lock().unwrap().sequence.as_ref().is_some_and(there) {
            return Ok(());
        }
        let next = tokio::time::timeout(Duration::from_secs(20), stream.message()).await;
        let next = match next {
            Ok(next) => next?,
            Err(_) => return Err(Status::deadline_exceeded("nothing for 20 s")),
        };
        let Some(event) = next else {
            return Err(Status::unavailable("the stream ended"));
        };
        seen.lock().unwrap().take(event);
    }
}

impl Seen {
    /// Whether it knows from where to resume.
    pub(crate) const fn has_begun(&self) -> bool {
        self.sequence.is_some()
    }

    fn take(&mut self, event: pb::WatchResourcesResponse) {
        if self
            .sequence
            .as_ref()
            .is_some_and(|before| *before > event.sequence)
        {
            self.wrong.push(format!("back to {}", event.sequence));
        }
        self.sequence = Some(event.sequence);
        for change in event.changes {
            match change.change.unwrap() {
                Change::Put(resource) => self.put(&resource),
                Change::Deleted(deleted) => {
                    self.have.remove(&deleted.id);
                }
                other => self.wrong.push(format!("{other:?}")),
            }
        }
    }

    fn put(&mut self, resource: &pb::Resource) {
        let metadata = resource.metadata.as_ref().unwrap();
        let spec: serde_json::Value = serde_json::from_slice(&resource.spec).unwrap();
        let number = spec["number"].as_u64().unwrap();
        let (id, revision) = (metadata.id.clone(), metadata.revision.clone());
        if !self.delivered.insert(revision.clone()) {
            self.wrong.push(format!("{revision} of {id} twice"));
        }
        let before = self.have.insert(id, (revision, number));
        if let Some((_, before)) = before
            && before >= number
        {
            self.wrong.push(format!("{number} after {before}"));
        }
    }
}
