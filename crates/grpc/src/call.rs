//! A call: who sends it, what its metadata says, and what every answer has.

use crate::api::GrpcState;
use crate::status;
use coeval_api::caller::{CalledBy, CallerError, CallerRefusal, CallerRequest, Peer};
use coeval_api::methods::{MethodError, WriteOutcome};
use coeval_api::negotiation::{RequestHeaders, names, warning_text};
use coeval_engine::{Caller, WantedVersions};
use coeval_server::ConnectionEnd;
use coeval_storage::Token;
use http::HeaderMap;
use std::sync::Arc;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::{Request, Response, Status};

/// In answers: the task that goes on with a deletion.
pub(crate) const TASK: &str = "coeval-task";

/// A call whose sender is known.
#[derive(Debug)]
pub(crate) struct GrpcCall<T> {
    pub(crate) caller: Caller,
    pub(crate) force: bool,
    pub(crate) message: T,
    /// For what is told until somebody ends it.
    pub(crate) connection: ConnectionEnd,
}

impl GrpcState {
    /// Who sends a request; nobody, if nothing is said of it. For what is told to everybody.
    pub(crate) async fn known(
        &self,
        headers: &HeaderMap,
        peer: Option<&Peer>,
    ) -> Result<Option<Caller>, MethodError> {
        // Only missing credentials are nobody. Wrong ones are refused: a client with an expired token should
        // learn that, not see fewer packages.
        match self.gate.enter(&CallerRequest::new(headers, peer)).await {
            Ok(caller) => Ok(Some(caller)),
            Err(CallerError::Refused(CallerRefusal::CredentialsMissing)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Lets a request in.
    pub(crate) async fn enter<T>(&self, request: Request<T>) -> Result<GrpcCall<T>, Status> {
        let (metadata, extensions, message) = request.into_parts();
        let headers = metadata.into_headers();
        let asking = CallerRequest::new(&headers, extensions.get::<Peer>());
        let entered = self.gate.enter(&asking).await;
        let caller = entered.map_err(MethodError::from).map_err(status::of)?;
        // After the gate: a header that can't be read is told only to those who are known.
        let force = RequestHeaders(&headers).force().map_err(MethodError::from);
        let connection = extensions.get::<ConnectionEnd>().cloned();
        Ok(GrpcCall {
            caller,
            connection: connection.unwrap_or_default(),
            force: force.map_err(status::of)?,
            message,
        })
    }

    /// Lets a request in, and does the work, which makes the whole answer.
    pub(crate) async fn respond<T, A, F>(
        self: &Arc<Self>,
        request: Request<T>,
        work: impl FnOnce(Arc<Self>, GrpcCall<T>) -> F,
    ) -> Result<Response<A>, Status>
    where
        F: Future<Output = Result<Response<A>, MethodError>>,
    {
        let call = self.enter(request).await?;
        work(Arc::clone(self), call).await.map_err(status::of)
    }

    /// Lets a request in, does the work, and answers.
    pub(crate) async fn serve<T, A, F>(
        self: &Arc<Self>,
        request: Request<T>,
        work: impl FnOnce(Arc<Self>, Caller, T) -> F,
    ) -> Result<Response<A>, Status>
    where
        F: Future<Output = Result<A, MethodError>>,
    {
        let whole = async |api, call: GrpcCall<T>| {
            let done = work(api, call.caller.clone(), call.message).await?;
            Ok(answer(&call.caller, done))
        };
        self.respond(request, whole).await
    }
}

impl<T> GrpcCall<T> {
    /// The caller, wanting exactly this version if one is said.
    pub(crate) fn at(&self, version: &str) -> Result<Caller, MethodError> {
        let mut caller = self.caller.clone();
        if let Some(version) = coeval_api::methods::parse_version(version)? {
            caller.wanted = WantedVersions::exactly(version);
        }
        Ok(caller)
    }
}

/// An answer, saying for whom it is (for the access log).
pub(crate) fn answer<T>(caller: &Caller, message: T) -> Response<T> {
    let mut response = Response::new(message);
    let by = CalledBy(caller.user().to_owned());
    response.extensions_mut().insert(by);
    response
}

/// The same, saying at which sequence something was read or written.
pub(crate) fn sequenced<T>(caller: &Caller, token: Token, message: T) -> Response<T> {
    let response = answer(caller, message);
    saying(response, names::SEQUENCE, &token.to_string())
}

/// With warnings, each an entry of its own.
pub(crate) fn warning<T>(mut response: Response<T>, warnings: &[String]) -> Response<T> {
    for warning in warnings {
        if let Ok(value) = MetadataValue::<Ascii>::try_from(warning_text(warning)) {
            response.metadata_mut().append(names::WARNING, value);
        }
    }
    response
}

/// With what force overrode, and whatever else should be looked at.
pub(crate) fn warned<T>(response: Response<T>, written: &WriteOutcome) -> Response<T> {
    warning(response, &written.all_warnings())
}

/// With one more entry of metadata; what can't stand there is left out.
pub(crate) fn saying<T>(mut response: Response<T>, name: &'static str, value: &str) -> Response<T> {
    // Values are tokens and ids of ours. One that metadata can't hold is no reason to lose an answer to a
    // write that has happened.
    if let Ok(value) = MetadataValue::<Ascii>::try_from(value) {
        response.metadata_mut().insert(name, value);
    }
    response
}

/// The implementation of a service whose methods are functions: `method(Request) -> Response = f`.
macro_rules! served {
    ($service:path, $on:ident { $($method:ident($request:ty) -> $response:ty = $work:path;)* }) => {
        #[tonic::async_trait]
        impl $service for $on {
            $(
                async fn $method(
                    &self,
                    request: tonic::Request<$request>,
                ) -> Result<tonic::Response<$response>, tonic::Status> {
                    self.0.serve(request, $work).await
                }
            )*
        }
    };
}
pub(crate) use served;
