//! A proxy that knows gRPC: for chosen methods it answers as a server of an older release does, or
//! lets the call be done and loses the answer.

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use coeval_grpc::proto::errors::v1::ErrorDetail;
use futures::stream;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use prost::Message as _;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;
use tonic::client::GrpcService;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Status};

pub(crate) const RELEASE: &str = "0.0.9";

#[derive(Clone)]
pub(crate) struct Passing {
    address: String,
    server: Channel,
    what: Arc<Mutex<What>>,
}

#[derive(Default)]
struct What {
    missing: Vec<&'static str>,
    missing_once: Vec<&'static str>,
    /// How often the answer of a method is lost from now on.
    loses: BTreeMap<&'static str, usize>,
    /// How often each was called.
    called: BTreeMap<String, usize>,
}

impl Passing {
    pub(crate) async fn before(server: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let passing = Self {
            address: listener.local_addr().unwrap().to_string(),
            server: Endpoint::from_shared(format!("http://{server}"))
                .unwrap()
                .connect_lazy(),
            what: Arc::default(),
        };
        let router = Router::new().fallback(pass).with_state(passing.clone());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let service = TowerToHyperService::new(router.clone());
                tokio::spawn(async move {
                    let connection = Builder::new(TokioExecutor::new());
                    let _ = connection
                        .serve_connection(TokioIo::new(stream), service)
                        .await;
                });
            }
        });
        passing
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// It has no such method.
    pub(crate) fn lacks(&self, method: &'static str) {
        self.what.lock().unwrap().missing.push(method);
    }

    /// The next call of it is answered as if it had no such method.
    pub(crate) fn lacks_once(&self, method: &'static str) {
        self.what.lock().unwrap().missing_once.push(method);
    }

    /// The next answer of this method is lost.
    pub(crate) fn loses(&self, method: &'static str) {
        *self.what.lock().unwrap().loses.entry(method).or_default() += 1;
    }

    pub(crate) fn called(&self, method: &str) -> usize {
        let what = self.what.lock().unwrap();
        what.called.get(method).copied().unwrap_or_default()
    }
}

/// As a server says that it has no such method.
fn no_such_method(path: &str) -> Status {
    let message = format!("this server, of release {RELEASE}, has no method {path}");
    let detail = ErrorDetail {
        code: coeval_codes::ROUTE_UNKNOWN.to_string(),
        message: message.clone(),
        advice: "Use an older method, or a server of a newer release.".to_owned(),
        release: RELEASE.to_owned(),
        ..ErrorDetail::default()
    };
    let status = tonic_types::pb::Status {
        code: Code::Unimplemented as i32,
        message: message.clone(),
        details: vec![prost_types::Any {
            type_url: "type.googleapis.com/coeval.errors.v1.ErrorDetail".to_owned(),
            value: detail.encode_to_vec(),
        }],
    };
    Status::with_details(Code::Unimplemented, message, status.encode_to_vec().into())
}

async fn pass(State(passing): State<Passing>, request: Request) -> Response {
    let path = request.uri().path().to_owned();
    let method = path.rsplit('/').next().unwrap().to_owned();
    let (missing, lost) = {
        let mut what = passing.what.lock().unwrap();
        *what.called.entry(method.clone()).or_default() += 1;
        let once = what.missing_once.iter().position(|one| *one == method);
        let once = once.map(|at| what.missing_once.remove(at)).is_some();
        let missing = once || what.missing.iter().any(|one| *one == method);
        let left = what
            .loses
            .get_mut(method.as_str())
            .filter(|left| **left > 0);
        (missing, left.map(|left| *left -= 1).is_some())
    };
    let mut answer: Response = if missing {
        no_such_method(&path).into_http()
    } else {
        let mut server = passing.server.clone();
        std::future::poll_fn(|context| server.poll_ready(context))
            .await
            .unwrap();
        let answer = server.call(request.map(tonic::body::Body::new)).await;
        answer.unwrap().map(Body::new)
    };
    answer
        .headers_mut()
        .insert("coeval-release", RELEASE.parse().unwrap());
    if !lost {
        return answer;
    }
    // It is done before its answer is lost.
    let (parts, body) = answer.into_parts();
    axum::body::to_bytes(body, usize::MAX).await.unwrap();
    let broken = stream::iter([Err::<bytes::Bytes, _>(std::io::Error::other("lost"))]);
    Response::from_parts(parts, Body::from_stream(broken))
}
