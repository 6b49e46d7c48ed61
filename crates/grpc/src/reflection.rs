//! `grpc.reflection`: which services there are and what their messages look like. The fixed ones are
//! told to everybody; those of types to callers who see the type version that they describe.
//!
//! Every message of a stream is answered on its own: with what the caller may see at that moment.

use crate::api::GrpcState;
use crate::package::refusal::TypedRefusal;
use crate::pool::FIXED;
use crate::{status, symbols};
use coeval_api::caller::Peer;
use coeval_api::methods::MethodError;
use coeval_engine::Caller;
use futures::StreamExt;
use futures::stream::BoxStream;
use http::HeaderMap;
use prost::Message;
use prost_reflect::FileDescriptor;
use std::sync::Arc;
use tonic::{Code, Request, Response, Status, Streaming};
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;
use tonic_reflection::pb::{v1, v1alpha};

/// Requests of reflection are names.
pub(crate) const REQUEST_BYTES: usize = 16 * 1024;

/// The service, in both of its versions.
#[derive(Clone, Debug)]
pub(crate) struct ReflectionService(pub(crate) Arc<GrpcState>);

/// Who asks; looked at again for every message.
#[derive(Clone, Debug)]
struct ReflectionSession {
    api: Arc<GrpcState>,
    headers: HeaderMap,
    peer: Option<Peer>,
}

impl ReflectionSession {
    /// The caller; nobody, if nothing is said of who it is.
    async fn caller(&self) -> Result<Option<Caller>, MethodError> {
        self.api.known(&self.headers, self.peer.as_ref()).await
    }

    async fn answer(
        &self,
        request: v1::ServerReflectionRequest,
    ) -> Result<v1::ServerReflectionResponse, Status> {
        // Again for each message: a stream of reflection lives as long as its client, and rights change.
        let caller = self.caller().await.map_err(status::of)?;
        let caller = caller.as_ref();
        let said = match &request.message_request {
            Some(MessageRequest::ListServices(_)) => Some(self.services(caller).await?),
            Some(MessageRequest::FileByFilename(path)) => {
                let file = self.file_at(caller, path).await?;
                file.as_ref().map(files)
            }
            Some(MessageRequest::FileContainingSymbol(name)) => {
                let file = self.file_of(caller, name).await?;
                file.as_ref().map(files)
            }
            Some(MessageRequest::AllExtensionNumbersOfType(name)) => {
                let file = self.file_of(caller, name).await?;
                file.map(|_| none_extend(name))
            }
            // There are no extensions.
            Some(MessageRequest::FileContainingExtension(_)) | None => None,
        };
        let unknown = || not_found(&request);
        Ok(v1::ServerReflectionResponse {
            valid_host: request.host.clone(),
            message_response: Some(said.unwrap_or_else(unknown)),
            original_request: Some(request),
        })
    }

    async fn services(&self, caller: Option<&Caller>) -> Result<MessageResponse, Status> {
        let fixed = FIXED.services().map(|one| one.full_name().to_owned());
        let mut names: Vec<String> = fixed.collect();
        if let Some(caller) = caller {
            let layouts = self.api.layouts(caller).await.map_err(status::of)?;
            names.extend(layouts.iter().map(|layout| layout.service()));
        }
        names.sort_unstable();
        let service = names.into_iter();
        let service = service.map(|name| v1::ServiceResponse { name }).collect();
        let list = v1::ListServiceResponse { service };
        Ok(MessageResponse::ListServicesResponse(list))
    }

    /// The file of that path.
    async fn file_at(
        &self,
        caller: Option<&Caller>,
        path: &str,
    ) -> Result<Option<FileDescriptor>, TypedRefusal> {
        if let Some(file) = FIXED.get_file_by_name(path) {
            return Ok(Some(file));
        }
        let Some(package) = symbols::package_of_path(path) else {
            return Ok(None);
        };
        let package = self.api.package_for(caller, &package).await?;
        Ok(package.and_then(|package| package.pool.get_file_by_name(path)))
    }

    /// The file that declares a name.
    async fn file_of(
        &self,
        caller: Option<&Caller>,
        name: &str,
    ) -> Result<Option<FileDescriptor>, TypedRefusal> {
        let name = name.trim_start_matches('.');
        if let Some(file) = symbols::declared(&FIXED, name) {
            return Ok(Some(file));
        }
        let Some(package) = symbols::package_of_name(name) else {
            return Ok(None);
        };
        let package = self.api.package_for(caller, package).await?;
        Ok(package.and_then(|package| symbols::declared(&package.pool, name)))
    }
}

/// A file and all that it imports, each once, the file itself first.
fn files(file: &FileDescriptor) -> MessageResponse {
    let mut all = vec![file.clone()];
    // A queue that keeps what it has handed out: imports form no cycle, but many files share some.
    let mut at = 0;
    while let Some(next) = all.get(at).cloned() {
        for import in next.dependencies() {
            if all.iter().all(|one| one.name() != import.name()) {
                all.push(import);
            }
        }
        at += 1;
    }
    let file_descriptor_proto = all.iter().map(FileDescriptor::encode_to_vec).collect();
    MessageResponse::FileDescriptorResponse(v1::FileDescriptorResponse {
        file_descriptor_proto,
    })
}

fn none_extend(name: &str) -> MessageResponse {
    MessageResponse::AllExtensionNumbersResponse(v1::ExtensionNumberResponse {
        base_type_name: name.to_owned(),
        extension_number: Vec::new(),
    })
}

fn not_found(request: &v1::ServerReflectionRequest) -> MessageResponse {
    let error_message = match &request.message_request {
        None => "nothing is asked".to_owned(),
        Some(_) => "there is no such file or name here, or not for this caller".to_owned(),
    };
    MessageResponse::ErrorResponse(v1::ErrorResponse {
        error_code: Code::NotFound as i32,
        error_message,
    })
}

type ReflectionAnswers<T> = BoxStream<'static, Result<T, Status>>;

/// The two versions have the same messages under different names.
fn same<From: Message, To: Message + Default>(message: &From) -> Result<To, Status> {
    let read = To::decode(message.encode_to_vec().as_slice());
    read.map_err(|error| Status::internal(error.to_string()))
}

impl ReflectionService {
    fn answers<Asked, Told>(
        &self,
        request: Request<Streaming<Asked>>,
    ) -> Result<Response<ReflectionAnswers<Told>>, Status>
    where
        Asked: Message + 'static,
        Told: Message + Default + 'static,
    {
        let (metadata, extensions, messages) = request.into_parts();
        let asking = ReflectionSession {
            api: Arc::clone(&self.0),
            headers: metadata.into_headers(),
            peer: extensions.get::<Peer>().cloned(),
        };
        let lifecycle = self.0.settings.lifecycle.clone();
        // One after the other: the answers of a stream are in the order of its questions.
        let told = messages.then(move |message| {
            let asking = asking.clone();
            async move { same(&asking.answer(same(&message?)?).await?) }
        });
        let told = told.take_until(async move { lifecycle.draining().await });
        Ok(Response::new(told.boxed()))
    }
}

#[tonic::async_trait]
impl v1::server_reflection_server::ServerReflection for ReflectionService {
    type ServerReflectionInfoStream = ReflectionAnswers<v1::ServerReflectionResponse>;

    async fn server_reflection_info(
        &self,
        request: Request<Streaming<v1::ServerReflectionRequest>>,
    ) -> Result<Response<Self::ServerReflectionInfoStream>, Status> {
        self.answers(request)
    }
}

#[tonic::async_trait]
impl v1alpha::server_reflection_server::ServerReflection for ReflectionService {
    type ServerReflectionInfoStream = ReflectionAnswers<v1alpha::ServerReflectionResponse>;

    async fn server_reflection_info(
        &self,
        request: Request<Streaming<v1alpha::ServerReflectionRequest>>,
    ) -> Result<Response<Self::ServerReflectionInfoStream>, Status> {
        self.answers(request)
    }
}
