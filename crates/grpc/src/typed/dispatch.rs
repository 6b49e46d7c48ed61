//! Which package and method a call means, and the call of it.
//!
//! Who calls is asked first, and a type that the caller does not see has no methods: nobody learns
//! from an answer which types there are.

use super::calls::TypedCalls;
use super::envelope::RequestEnvelope;
use super::messages as pb;
use crate::api::GrpcState;
use crate::call::{GrpcCall, TASK, answer, saying, sequenced, warned, warning};
use crate::package::compiled::{CompiledPackage, MethodVerb};
use crate::package::refusal::TypedRefusal;
use crate::status;
use crate::watching::WatchResponse;
use axum::extract::Request;
use axum::response::Response;
use coeval_api::caller::Peer;
use coeval_api::methods::DeleteOutcome;
use coeval_codes::{Coded, GrpcCode};
use coeval_engine::{Caller, TypeKey};
use coeval_proto::strict::{self, StrictCodec};
use coeval_proto::wire::unknown_fields_of;
use coeval_server::ConnectionEnd;
use std::sync::Arc;
use tonic::Status;
use tonic::metadata::MetadataMap;
use tower::service_fn;

/// Answers a call of a typed service; or says that there is none.
pub(crate) async fn call(api: Arc<GrpcState>, request: Request) -> Response {
    let path = request.uri().path().to_owned();
    // A body can't be looked at by several, so only what is around it is.
    let entering = entering(&request);
    let answer = match find(&api, entering, &path).await {
        Ok((calls, verb)) => run(calls, verb, request, &path).await,
        Err(status) => status.into_http(),
    };
    answer.map(axum::body::Body::new)
}

async fn find(
    api: &Arc<GrpcState>,
    asked: tonic::Request<()>,
    path: &str,
) -> Result<(TypedCalls, MethodVerb), Status> {
    let none = || status::no_such_method(path);
    let (service, method) = split(path).ok_or_else(none)?;
    let (name, _) = service.rsplit_once('.').ok_or_else(none)?;
    // Before the gate, since it says nothing of types: a name that can't be a package's is nobody's.
    if coeval_typed::names::split_package(name).is_none() {
        return Err(none());
    }
    let GrpcCall {
        caller,
        force,
        connection,
        ..
    } = api.enter(asked).await?;
    let found = api.methods.engine().typed_package(&caller, name).await;
    let (of, layout) = found.map_err(status::of)?.ok_or_else(none)?;
    if layout.service() != service {
        return Err(none());
    }
    let package = api.packages.of(&layout).map_err(TypedRefusal::from)?;
    let method = package.method(method).ok_or_else(none)?;
    let (verb, request) = (method.verb, RequestEnvelope::of(method, &package));
    // The codec has no descriptors of run-time messages; it is told here how to find unknown fields.
    strict::describe(move |bytes| unknown_fields_of(&request, bytes).unwrap_or_default());
    let caller = wanting(caller, &package);
    let calls = TypedCalls {
        api: Arc::clone(api),
        of,
        package,
        caller,
        force,
        connection,
    };
    Ok((calls, verb))
}

/// `/acme.app.v1.AppService/GetApp`
fn split(path: &str) -> Option<(&str, &str)> {
    path.strip_prefix('/')?.split_once('/')
}

/// The request as far as the gate looks at it.
fn entering(request: &Request) -> tonic::Request<()> {
    let mut asked = tonic::Request::new(());
    *asked.metadata_mut() = MetadataMap::from_headers(request.headers().clone());
    if let Some(peer) = request.extensions().get::<Peer>() {
        asked.extensions_mut().insert(peer.clone());
    }
    if let Some(connection) = request.extensions().get::<ConnectionEnd>() {
        asked.extensions_mut().insert(connection.clone());
    }
    asked
}

/// The newest version that the package describes, whatever else is said.
fn wanting(mut caller: Caller, package: &CompiledPackage) -> Caller {
    caller.wanted.exactly = None;
    caller.wanted.major = Some(package.layout.version);
    caller
}

/// What a caller is told who may not, or for whom there is nothing: of a type that it does not see,
/// that there is no such method.
async fn hidden(calls: &TypedCalls, path: &str, refused: TypedRefusal) -> Status {
    // Only these differ between a type that is hidden from the caller and one that does not exist.
    let tells = match &refused {
        TypedRefusal::Method(error) => {
            let statuses = error.error_kind().statuses();
            matches!(
                statuses.grpc,
                GrpcCode::NotFound | GrpcCode::PermissionDenied
            )
        }
        TypedRefusal::Typed(_) | TypedRefusal::Call(_) => false,
    };
    let TypedCalls {
        api,
        of,
        package,
        caller,
        ..
    } = calls;
    if tells {
        match sees(api, caller, of, package).await {
            Ok(true) => refused.into(),
            Ok(false) => status::no_such_method(path),
            Err(status) => status,
        }
    } else {
        refused.into()
    }
}

async fn sees(
    api: &GrpcState,
    caller: &Caller,
    of: &TypeKey,
    package: &CompiledPackage,
) -> Result<bool, Status> {
    let sees = api.sees(caller, of, &package.layout).await;
    sees.map_err(status::of)
}

/// A method that takes one message and answers one.
macro_rules! unary {
    ($calls:ident, $request:ident, $path:ident, |$asked:ident: $input:ty| $work:expr) => {{
        let largest = $calls.api.settings.message_bytes;
        let codec = StrictCodec::<_, $input>::default();
        let mut grpc = tonic::server::Grpc::new(codec)
            .max_decoding_message_size(largest)
            .max_encoding_message_size(usize::MAX);
        let served = service_fn(|request: tonic::Request<$input>| {
            let ($calls, path) = ($calls.clone(), $path.to_owned());
            async move {
                let $asked = request.into_inner();
                let answered: Result<_, TypedRefusal> = async { $work }.await;
                match answered {
                    Ok(answered) => Ok(answered),
                    Err(refused) => Err(hidden(&$calls, &path, refused).await),
                }
            }
        });
        grpc.unary(served, $request).await
    }};
}

async fn run(
    calls: TypedCalls,
    verb: MethodVerb,
    request: Request,
    path: &str,
) -> http::Response<tonic::body::Body> {
    match verb {
        MethodVerb::Create => unary!(calls, request, path, |asked: pb::CreateRequest| {
            let (written, message) = calls.create(asked).await?;
            let response = sequenced(&calls.caller, written.resource.token, message);
            Ok(warned(response, &written))
        }),
        MethodVerb::Get => unary!(calls, request, path, |asked: pb::GetRequest| {
            let (found, message) = calls.get(asked).await?;
            let notices = calls.api.methods.engine().deprecation_notices([&found]);
            let response = sequenced(&calls.caller, found.token, message);
            Ok(warning(response, &notices))
        }),
        MethodVerb::List => unary!(calls, request, path, |asked: pb::ListRequest| {
            let (page, message) = calls.list(asked).await?;
            let response = sequenced(&calls.caller, page.token, message);
            Ok(warning(response, &page.warnings))
        }),
        MethodVerb::Update => unary!(calls, request, path, |asked: pb::UpdateRequest| {
            let (written, message) = calls.update(asked).await?;
            let response = sequenced(&calls.caller, written.resource.token, message);
            Ok(warned(response, &written))
        }),
        MethodVerb::Upsert => unary!(calls, request, path, |asked: pb::UpsertRequest| {
            let (written, message) = calls.upsert(asked).await?;
            let response = sequenced(&calls.caller, written.resource.token, message);
            Ok(warned(response, &written))
        }),
        MethodVerb::Delete => unary!(calls, request, path, |asked: pb::DeleteRequest| {
            let caller = &calls.caller;
            Ok(match calls.delete(asked).await? {
                DeleteOutcome::Done(token) => sequenced(caller, token, ()),
                DeleteOutcome::Accepted(task) => saying(answer(caller, ()), TASK, &task),
            })
        }),
        MethodVerb::Watch => watch(calls, request, path).await,
    }
}

async fn watch(
    calls: TypedCalls,
    request: Request,
    path: &str,
) -> http::Response<tonic::body::Body> {
    let largest = calls.api.settings.message_bytes;
    let codec = StrictCodec::<WatchResponse, pb::TypedWatchRequest>::default();
    let mut grpc = tonic::server::Grpc::new(codec)
        .max_decoding_message_size(largest)
        .max_encoding_message_size(usize::MAX);
    let served = service_fn(|request: tonic::Request<pb::TypedWatchRequest>| {
        let (calls, path) = (calls.clone(), path.to_owned());
        async move {
            match calls.watch(request.into_inner()).await {
                Ok((told, warnings)) => Ok(warning(answer(&calls.caller, told), &warnings)),
                Err(error) => Err(hidden(&calls, &path, error.into()).await),
            }
        }
    });
    grpc.server_streaming(served, request).await
}
