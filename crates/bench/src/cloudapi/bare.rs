//! The limit for reads: a hyper server that answers the same bytes from memory and does nothing
//! else.

use crate::certificate;
use bytes::Bytes;
use http::{Response, header};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use std::convert::Infallible;
use std::path::Path;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

/// Serves until it is killed; says where in one line, as `coeval serve` does.
pub(crate) async fn serve(file: &Path, tls: Option<&Path>) {
    let bytes = Bytes::from(std::fs::read(file).unwrap());
    let acceptor = tls.map(|folder| TlsAcceptor::from(certificate::server(folder)));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let scheme = if tls.is_some() { "https" } else { "http" };
    println!(
        "bare ready on {scheme}://{}",
        listener.local_addr().unwrap()
    );
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        stream.set_nodelay(true).unwrap();
        let (bytes, acceptor) = (bytes.clone(), acceptor.clone());
        tokio::spawn(async move {
            match acceptor {
                None => answer(stream, bytes).await,
                Some(acceptor) => answer(acceptor.accept(stream).await.unwrap(), bytes).await,
            }
        });
    }
}

async fn answer(io: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, bytes: Bytes) {
    let service = service_fn(move |_: http::Request<Incoming>| {
        let response = Response::builder()
            .header(header::CONTENT_TYPE, "application/json;version=39.1")
            .header(header::ETAG, "\"00000000000000000000000000000000\"")
            .body(Full::new(bytes.clone()))
            .unwrap();
        async move { Ok::<_, Infallible>(response) }
    });
    // A client that leaves is no error.
    let _ = hyper::server::conn::http1::Builder::new()
        .serve_connection(TokioIo::new(io), service)
        .await;
}
