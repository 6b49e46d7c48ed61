//! One request, on a connection of its own.

use crate::definition::WebhookDefinition;
use crate::{WebHooks, address, answer, signature};
use bytes::Bytes;
use coeval_engine::lifecycle::{ExecutionError, Invocation, LONGEST_ANSWER};
use http::header::{
    ACCEPT, CONNECTION, CONTENT_ENCODING, CONTENT_TYPE, DATE, HOST, HeaderName, USER_AGENT,
};
use http::{Request, Response};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls_pki_types::ServerName;
use serde_json::Value;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

const SIGNATURE: HeaderName = HeaderName::from_static("x-vcloud-signature");
const DIGEST: HeaderName = HeaderName::from_static("x-vcloud-digest");
/// The same for every attempt of one invocation.
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const ATTEMPT: HeaderName = HeaderName::from_static("coeval-attempt");

/// Calls the server that a definition names.
pub(crate) async fn call(
    hooks: &WebHooks,
    definition: &WebhookDefinition,
    invocation: &Invocation,
    body: Bytes,
) -> Result<Value, ExecutionError> {
    let host = definition.host.as_str();
    let unreachable = |reason: String| ExecutionError::Unreachable {
        host: host.to_owned(),
        reason,
    };
    // Signed before anything is connected: a definition that can't be signed for calls nobody.
    let request = request(definition, invocation, body)?;
    let found = address::look_up(host, definition.port).await?;
    // What was checked is what is called: the name is not looked up again.
    let callable = address::callable(host, found, hooks.settings.allow_private)?;
    let connected = TcpStream::connect(callable.as_slice()).await;
    let stream = connected.map_err(|error| unreachable(error.to_string()))?;
    let response = if definition.tls {
        let name = ServerName::try_from(host.to_owned())
            .map_err(|_| unreachable("no certificate can name it".to_owned()))?;
        let connector = TlsConnector::from(Arc::clone(&hooks.tls));
        let stream = connector.connect(name, stream).await;
        let stream = stream.map_err(|error| unreachable(error.to_string()))?;
        send(stream, request).await
    } else {
        send(stream, request).await
    };
    let (response, body) = response.map_err(|error| match error {
        SentCall::Broken(reason) => unreachable(reason),
        SentCall::TooLarge => ExecutionError::Answer {
            reason: format!("it has more than {LONGEST_ANSWER} bytes"),
        },
    })?;
    // The limit on the answer counts bytes on the wire: a small compressed one could be any size.
    if response.headers().contains_key(CONTENT_ENCODING) {
        let reason = "it is compressed, which was not asked for".to_owned();
        return Err(ExecutionError::Answer { reason });
    }
    let kind = response.headers().get(CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok());
    answer::read(response.status(), kind, &body)
}

fn request(
    definition: &WebhookDefinition,
    invocation: &Invocation,
    body: Bytes,
) -> Result<Request<Full<Bytes>>, ExecutionError> {
    let date = jiff::Timestamp::now()
        .strftime("%a, %d %b %Y %H:%M:%S GMT")
        .to_string();
    let digest = signature::digest_of(&body);
    let text = signature::signed_text(&definition.host, &date, &definition.path, &digest);
    let signed = signature::sign(&definition.key, &text);
    let target = match &definition.query {
        None => definition.path.clone(),
        Some(query) => format!("{}?{query}", definition.path),
    };
    let request = Request::post(target)
        .header(HOST, &definition.authority)
        .header(DATE, date)
        .header(DIGEST, digest)
        .header(SIGNATURE, signature::header(&signed))
        .header(IDEMPOTENCY_KEY, invocation.task.to_string())
        .header(ATTEMPT, invocation.attempt)
        .header(CONTENT_TYPE, "application/json")
        .header(ACCEPT, "application/json, text/plain")
        .header(USER_AGENT, concat!("coeval/", env!("CARGO_PKG_VERSION")))
        .header(CONNECTION, "close");
    request
        .body(Full::new(body))
        .map_err(|error| ExecutionError::Definition {
            reason: error.to_string(),
        })
}

enum SentCall {
    Broken(String),
    TooLarge,
}

/// Sends it and reads the answer, no more of it than is allowed.
async fn send(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    request: Request<Full<Bytes>>,
) -> Result<(Response<()>, Bytes), SentCall> {
    let broken = |error: hyper::Error| SentCall::Broken(error.to_string());
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream))
        .await
        .map_err(broken)?;
    // Both at once, so that nothing goes on when this is dropped.
    let exchange = async {
        let response: Response<Incoming> = sender.send_request(request).await.map_err(broken)?;
        let (parts, body) = response.into_parts();
        let body = Limited::new(body, LONGEST_ANSWER).collect().await;
        match body {
            Ok(body) => Ok((Response::from_parts(parts, ()), body.to_bytes())),
            Err(error) if error.is::<http_body_util::LengthLimitError>() => Err(SentCall::TooLarge),
            Err(error) => Err(SentCall::Broken(error.to_string())),
        }
    };
    tokio::pin!(exchange);
    let mut connection = std::pin::pin!(connection);
    // The connection may end before the answer was read to its end, and must not be polled again then.
    let mut open = true;
    loop {
        tokio::select! {
            biased;
            done = &mut exchange => return done,
            ended = &mut connection, if open => {
                open = false;
                if let Err(error) = ended {
                    tracing::debug!(%error, "the connection of a WebHook ended");
                }
            }
        }
    }
}
