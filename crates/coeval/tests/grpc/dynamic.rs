//! A client that knows nothing of a service but what reflection tells it: messages are JSON.

use crate::world::World;
use bytes::Bytes;
use coeval_grpc::raw::RawCodec;
use prost::Message as _;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor, SerializeOptions};
use serde_json::Value;
use std::collections::BTreeSet;
use std::time::Duration;
use tonic::metadata::{AsciiMetadataKey, MetadataMap};
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Response, Status, Streaming};
use tonic_reflection::pb::v1 as pb;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;

/// Somebody who calls.
pub(crate) struct Client {
    channel: Channel,
    metadata: Vec<(&'static str, String)>,
    pool: DescriptorPool,
}

impl World {
    /// A connection to the first server.
    pub(crate) fn channel_to_first(&self) -> Channel {
        let endpoint = Endpoint::from_shared(self.url().to_owned()).unwrap();
        endpoint.connect_lazy()
    }

    /// A client with this token, or with none; it knows of no service yet.
    pub(crate) fn client(&self, token: &str) -> Client {
        let endpoint = Endpoint::from_shared(self.next_url()).unwrap();
        let metadata = match token {
            "" => Vec::new(),
            token => vec![("authorization", format!("Bearer {token}"))],
        };
        Client {
            channel: endpoint.connect_lazy(),
            metadata,
            pool: DescriptorPool::global(),
        }
    }

    /// A client without credentials that knows a service of some other server.
    pub(crate) async fn client_at(&self, url: &str, service: &str) -> Client {
        let endpoint = Endpoint::from_shared(url.to_owned()).unwrap();
        let mut client = self.client("");
        client.channel = endpoint.connect_lazy();
        client.learn(service).await.unwrap();
        client
    }

    /// A client that knows a service.
    pub(crate) async fn client_of(&self, token: &str, service: &str) -> Client {
        let mut client = self.client(token);
        client.learn(service).await.unwrap();
        client
    }
}

impl Client {
    /// With one more entry of metadata.
    pub(crate) fn saying(mut self, name: &'static str, value: &str) -> Self {
        self.metadata.push((name, value.to_owned()));
        self
    }

    fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        for (name, value) in &self.metadata {
            let name = AsciiMetadataKey::from_static(name);
            request.metadata_mut().insert(name, value.parse().unwrap());
        }
        request
    }

    /// Asks reflection.
    pub(crate) async fn reflect(&self, asked: MessageRequest) -> Result<MessageResponse, Status> {
        let request = pb::ServerReflectionRequest {
            host: String::new(),
            message_request: Some(asked),
        };
        let mut client =
            pb::server_reflection_client::ServerReflectionClient::new(self.channel.clone());
        let asked = self.request(futures::stream::iter([request.clone()]));
        let mut answers = client.server_reflection_info(asked).await?.into_inner();
        let answer = answers.message().await?.unwrap();
        assert_eq!(answer.original_request, Some(request));
        Ok(answer.message_response.unwrap())
    }

    /// The names of all services.
    pub(crate) async fn services(&self) -> BTreeSet<String> {
        let listed = self
            .reflect(MessageRequest::ListServices(String::new()))
            .await;
        match listed.unwrap() {
            MessageResponse::ListServicesResponse(list) => {
                list.service.into_iter().map(|one| one.name).collect()
            }
            other => panic!("{other:?}"),
        }
    }

    /// Reads the descriptors of a service.
    pub(crate) async fn learn(&mut self, symbol: &str) -> Result<(), String> {
        let asked = MessageRequest::FileContainingSymbol(symbol.to_owned());
        match self.reflect(asked).await.unwrap() {
            MessageResponse::FileDescriptorResponse(files) => {
                let files = files.file_descriptor_proto.into_iter();
                let files = files.map(|bytes| {
                    prost_types::FileDescriptorProto::decode(bytes.as_slice()).unwrap()
                });
                let known = |file: &prost_types::FileDescriptorProto| {
                    self.pool.get_file_by_name(file.name()).is_none()
                };
                let new: Vec<_> = files.filter(known).collect();
                self.pool.add_file_descriptor_protos(new).unwrap();
                Ok(())
            }
            MessageResponse::ErrorResponse(error) => {
                assert_eq!(error.error_code, Code::NotFound as i32);
                Err(error.error_message)
            }
            other => panic!("{other:?}"),
        }
    }

    /// The file of a package, by name.
    pub(crate) fn file(&self, path: &str) -> prost_reflect::FileDescriptor {
        self.pool.get_file_by_name(path).unwrap()
    }

    /// A message of a method's input, from JSON in the names of the file.
    fn method(&self, method: &str) -> (String, MessageDescriptor, MessageDescriptor) {
        let (service, method) = method.split_once('/').unwrap();
        let known = self.pool.get_service_by_name(service).unwrap();
        let found = known.methods().find(|one| one.name() == method).unwrap();
        (
            format!("/{service}/{method}"),
            found.input(),
            found.output(),
        )
    }

    /// Calls `acme.app.v1.AppService/GetApp`.
    pub(crate) async fn call(&self, method: &str, asked: Value) -> Result<Value, Status> {
        let response = self.call_whole(method, asked).await?;
        Ok(response.into_inner())
    }

    /// The same, with the metadata of the answer.
    pub(crate) async fn call_whole(
        &self,
        method: &str,
        asked: Value,
    ) -> Result<Response<Value>, Status> {
        let (path, input, output) = self.method(method);
        let message = DynamicMessage::deserialize(input, asked).unwrap();
        let response = self.send(&path, message.encode_to_vec()).await?;
        Ok(response.map(|bytes| {
            let message = DynamicMessage::decode(output, bytes).unwrap();
            as_json(&message)
        }))
    }

    /// Sends any bytes.
    pub(crate) async fn send(&self, path: &str, bytes: Vec<u8>) -> Result<Response<Bytes>, Status> {
        let mut grpc = tonic::client::Grpc::new(self.channel.clone());
        grpc.ready().await.unwrap();
        let path = path.parse().unwrap();
        grpc.unary(self.request(bytes.into()), path, RawCodec).await
    }

    /// Opens a stream of answers.
    pub(crate) async fn stream(&self, method: &str, asked: Value) -> Result<Stream, Status> {
        let (path, input, output) = self.method(method);
        let message = DynamicMessage::deserialize(input, asked).unwrap();
        let mut grpc = tonic::client::Grpc::new(self.channel.clone());
        grpc.ready().await.unwrap();
        let request = self.request(message.encode_to_vec().into());
        let path = path.parse().unwrap();
        let opened = grpc.server_streaming(request, path, RawCodec).await?;
        let messages = opened.into_inner();
        Ok(Stream { messages, output })
    }
}

/// A stream of answers.
pub(crate) struct Stream {
    messages: Streaming<Bytes>,
    output: MessageDescriptor,
}

impl Stream {
    /// The next one; `None` at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<Value>, Status> {
        let next = tokio::time::timeout(Duration::from_secs(20), self.messages.message());
        let next = next.await.expect("nothing was told");
        Ok(next?.map(|bytes| {
            let message = DynamicMessage::decode(self.output.clone(), bytes).unwrap();
            as_json(&message)
        }))
    }

    /// The next one that tells of changes.
    pub(crate) async fn changes(&mut self) -> Value {
        loop {
            let next = self.next().await.unwrap().expect("it ended");
            if next["kind"] == "WATCH_KIND_CHANGES" {
                return next["changes"].clone();
            }
        }
    }
}

fn as_json(message: &DynamicMessage) -> Value {
    let options = SerializeOptions::new()
        .stringify_64_bit_integers(false)
        .use_proto_field_name(true);
    message
        .serialize_with_options(serde_json::value::Serializer, &options)
        .unwrap()
}

/// The status of a refusal, which must have details.
#[track_caller]
pub(crate) fn refused<T: std::fmt::Debug>(
    outcome: Result<T, Status>,
    code: Code,
    ours: u16,
) -> Status {
    let status = outcome.expect_err("it was not refused");
    assert_eq!(status.code(), code, "{status:?}");
    assert_eq!(reason(&status), format!("COEVAL-{ours}"), "{status:?}");
    status
}

/// Our code.
#[track_caller]
pub(crate) fn reason(status: &Status) -> String {
    use tonic_types::StatusExt as _;
    let info = status.get_details_error_info();
    let info = info.unwrap_or_else(|| panic!("no details: {status:?}"));
    assert_eq!(info.domain, "coeval");
    info.reason
}

/// An entry of metadata; empty if it is not there.
pub(crate) fn said<'a>(metadata: &'a MetadataMap, name: &str) -> &'a str {
    metadata
        .get(name)
        .map_or("", |value| value.to_str().unwrap())
}
