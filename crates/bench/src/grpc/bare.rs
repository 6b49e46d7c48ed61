//! The limit for gets: a tonic service that answers the same bytes from memory and does nothing
//! else.

use bytes::Bytes;
use coeval_grpc::raw::RawCodec;
use std::convert::Infallible;
use std::path::Path;
use std::task::{Context, Poll};
use tokio::net::TcpListener;
use tonic::body::Body;
use tonic::codegen::{BoxFuture, Service};
use tonic::server::{Grpc, NamedService, UnaryService};
use tonic::{Request, Response, Status};

/// Every method of every service.
#[derive(Clone)]
struct BareService(Bytes);

impl NamedService for BareService {
    const NAME: &'static str = "coeval.resources.v1.ResourceService";
}

impl Service<http::Request<Body>> for BareService {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Infallible>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let answer = BareAnswer(self.0.clone());
        Box::pin(async move { Ok(Grpc::new(RawCodec).unary(answer, request).await) })
    }
}

struct BareAnswer(Bytes);

impl UnaryService<Bytes> for BareAnswer {
    type Response = Bytes;
    type Future = BoxFuture<Response<Bytes>, Status>;

    fn call(&mut self, _: Request<Bytes>) -> Self::Future {
        let bytes = self.0.clone();
        Box::pin(async move { Ok(Response::new(bytes)) })
    }
}

/// Serves until it is killed; says where in one line, as `coeval serve` does.
pub(crate) async fn serve(file: &Path) {
    let bytes = Bytes::from(std::fs::read(file).unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("bare ready on http://{}", listener.local_addr().unwrap());
    let incoming = tonic::transport::server::TcpIncoming::from(listener).with_nodelay(Some(true));
    let server = tonic::transport::Server::builder().add_service(BareService(bytes));
    server.serve_with_incoming(incoming).await.unwrap();
}
