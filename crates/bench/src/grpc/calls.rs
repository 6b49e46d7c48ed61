//! Connections over gRPC, and calls.

use bytes::Bytes;
use coeval_grpc::proto::header::v1::Metadata;
use coeval_grpc::proto::resources::v1 as pb;
use coeval_grpc::raw::RawCodec;
use prost::Message as _;
use tonic::client::Grpc;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Streaming};

/// A connection of somebody who is logged in.
#[derive(Clone)]
pub(crate) struct GrpcCaller {
    grpc: Grpc<Channel>,
    token: MetadataValue<Ascii>,
}

impl GrpcCaller {
    /// A connection of its own.
    pub(crate) async fn connect(url: &str, token: &str) -> Self {
        let endpoint = Endpoint::from_shared(url.to_owned()).unwrap();
        let channel = endpoint.tcp_nodelay(true).connect().await.unwrap();
        Self {
            grpc: Grpc::new(channel).max_decoding_message_size(64 << 20),
            token: format!("Bearer {token}").parse().unwrap(),
        }
    }

    fn request(&self, message: Bytes) -> Request<Bytes> {
        let mut request = Request::new(message);
        let token = self.token.clone();
        request.metadata_mut().insert("authorization", token);
        request
    }

    /// One call.
    pub(crate) async fn call(&mut self, path: &'static str, message: Bytes) -> Bytes {
        self.grpc.ready().await.unwrap();
        let path = http::uri::PathAndQuery::from_static(path);
        let request = self.request(message);
        let answer = self.grpc.unary(request, path, RawCodec).await;
        answer.unwrap().into_inner()
    }

    /// A stream.
    pub(crate) async fn stream(&mut self, path: &'static str, message: Bytes) -> Streaming<Bytes> {
        self.grpc.ready().await.unwrap();
        let path = http::uri::PathAndQuery::from_static(path);
        let request = self.request(message);
        let answer = self.grpc.server_streaming(request, path, RawCodec).await;
        answer.unwrap().into_inner()
    }
}

/// A write of a thing of about 2 KiB.
pub(crate) fn upsert(name: &str, number: u64) -> Bytes {
    let text = "x".repeat(1_900);
    let spec = format!(r#"{{"image":"nginx","number":{number},"text":"{text}"}}"#);
    let resource = pb::Resource {
        kind: "thing".to_owned(),
        version: "v1".to_owned(),
        metadata: Some(Metadata {
            name: name.to_owned(),
            ..Metadata::default()
        }),
        spec: spec.into(),
        ..pb::Resource::default()
    };
    let request = pb::UpsertResourceRequest {
        resource: Some(resource),
        ..pb::UpsertResourceRequest::default()
    };
    request.encode_to_vec().into()
}

pub(crate) const UPSERT: &str = "/coeval.resources.v1.ResourceService/UpsertResource";
pub(crate) const GET: &str = "/coeval.resources.v1.ResourceService/GetResource";
pub(crate) const GET_TYPED: &str = "/acme.thing.v1.ThingService/GetThing";
pub(crate) const WATCH: &str = "/coeval.resources.v1.ResourceService/WatchResources";
