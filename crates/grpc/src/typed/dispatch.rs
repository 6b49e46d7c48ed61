//! Which package and method a call means, and the call of it.
//!
//! Who calls is asked first, and a type that the caller does not see has no methods: nobody learns
//! from an answer which types there are.

use super::calls::Calls;
use super::envelope::RequestEnvelope;
use super::messages as pb;
use crate::api::Api;
use crate::call::{Call, TASK, answer, saying, sequenced, warned, warning};
use crate::package::compiled::{Package, Verb};
use crate::package::refusal::Refused;
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
use tonic::metadata::MetadataMap;
use tonic::{Request as Asked, Status};
use tower::service_fn;

/// Answers a call of a typed service; or says that there is none.
pub(crate) async fn call(api: Arc<Api>, request: Request) -> Response {
    let path = request.uri().path().to_owned();
    // A body can't be looked at by several, so only what is around it is.
    let entering = entering(&request);
    let answer = match find(&api, entering, &path).await {
        Ok((calls, verb)) => run(calls, verb, request, &path).await,
        Err(status) => status.into_http(),
    };
    answer.map(axum::body::Body::new)
}

async fn find(api: &Arc<Api>, asked: Asked<()>, path: &str) -> Result<(Calls, Verb), Status> {
    let none = || status::no_such_method(path);
    let (service, method) = split(path).ok_or_else(none)?;
    let (name, _) = service.rsplit_once('.').ok_or_else(none)?;
    if coeval_typed::names::split_package(name).is_none() {
        return Err(none());
    }
    let Call {
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
    let package = api.packages.of(&layout).map_err(Refused::from)?;
    let method = package.method(method).ok_or_else(none)?;
    let (verb, request) = (method.verb, RequestEnvelope::of(method, &package));
    strict::describe(move |bytes| unknown_fields_of(&request, bytes).unwrap_or_default());
    let caller = wanting(caller, &package);
    let calls = Calls {
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
fn entering(request: &Request) -> Asked<()> {
    let mut asked = Asked::new(());
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
fn wanting(mut caller: Caller, package: &Package) -> Caller {
    caller.wanted.exactly = None;
    caller.wanted.major = Some(package.layout.version);
    caller
}

/// What a caller is told who may not, or for whom there is nothing: of a type that it does not see,
/// that there is no such method.
async fn hidden(calls: &Calls, path: &str, refused: Refused) -> Status {
    let tells = match &refused {
        Refused::Method(error) => {
            let statuses = error.error_kind().statuses();
            matches!(
                statuses.grpc,
                GrpcCode::NotFound | GrpcCode::PermissionDenied
            )
        }
        Refused::Typed(_) | Refused::Call(_) => false,
    };
    let Calls {
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

async fn sees(api: &Api, caller: &Caller, of: &TypeKey, package: &Package) -> Result<bool, Status> {
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
        let served = service_fn(|request: Asked<$input>| {
            let ($calls, path) = ($calls.clone(), $path.to_owned());
            async move {
                let $asked = request.into_inner();
                let answered: Result<_, Refused> = async { $work }.await;
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
    calls: Calls,
    verb: Verb,
    request: Request,
    path: &str,
) -> http::Response<tonic::body::Body> {
    match verb {
        Verb::Create => unary!(calls, request, path, |asked: pb::CreateRequest| {
            let (written, message) = calls.create(asked).await?;
            let response = sequenced(&calls.caller, written.resource.token, message);
            Ok(warned(response, &written))
        }),
        Verb::Get => unary!(calls, request, path, |asked: pb::GetRequest| {
            let (found, message) = calls.get(asked).await?;
            let notices = calls.api.methods.engine().deprecation_notices([&found]);
            let response = sequenced(&calls.caller, found.token, message);
            Ok(warning(response, &notices))
        }),
        Verb::List => unary!(calls, request, path, |asked: pb::ListRequest| {
            let (page, message) = calls.list(asked).await?;
            let response = sequenced(&calls.caller, page.token, message);
            Ok(warning(response, &page.warnings))
        }),
        Verb::Update => unary!(calls, request, path, |asked: pb::UpdateRequest| {
            let (written, message) = calls.update(asked).await?;
            let response = sequenced(&calls.caller, written.resource.token, message);
            Ok(warned(response, &written))
        }),
        Verb::Upsert => unary!(calls, request, path, |asked: pb::UpsertRequest| {
            let (written, message) = calls.upsert(asked).await?;
            let response = sequenced(&calls.caller, written.resource.token, message);
            Ok(warned(response, &written))
        }),
        Verb::Delete => unary!(calls, request, path, |asked: pb::DeleteRequest| {
            let caller = &calls.caller;
            Ok(match calls.delete(asked).await? {
                DeleteOutcome::Done(token) => sequenced(caller, token, ()),
                DeleteOutcome::Accepted(task) => saying(answer(caller, ()), TASK, &task),
            })
        }),
        Verb::Watch => watch(calls, request, path).await,
    }
}

async fn watch(calls: Calls, request: Request, path: &str) -> http::Response<tonic::body::Body> {
    let largest = calls.api.settings.message_bytes;
    let codec = StrictCodec::<WatchResponse, pb::WatchRequest>::default();
    let mut grpc = tonic::server::Grpc::new(codec)
        .max_decoding_message_size(largest)
        .max_encoding_message_size(usize::MAX);
    let served = service_fn(|request: Asked<pb::WatchRequest>| {
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
