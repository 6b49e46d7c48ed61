//! Calls of any method with any bytes.

use crate::world::World;
use bytes::Bytes;
use coeval_grpc::raw::RawCodec;
use futures::StreamExt;
use tonic::metadata::MetadataValue;
use tonic::{Request, Status};

impl World {
    /// Sends bytes to a method, `package.Service/Method`; the first message that is answered.
    pub(crate) async fn send(
        &self,
        token: &str,
        method: &str,
        message: Bytes,
    ) -> Result<Bytes, Status> {
        let mut client = tonic::client::Grpc::new(self.channel());
        client.ready().await.unwrap();
        let mut request = Request::new(message);
        if !token.is_empty() {
            let value = MetadataValue::try_from(format!("Bearer {token}")).unwrap();
            request.metadata_mut().insert("authorization", value);
        }
        let path = format!("/{method}").parse().unwrap();
        // A single answer is a stream of one.
        let answer = client.server_streaming(request, path, RawCodec).await?;
        match answer.into_inner().next().await {
            Some(first) => first,
            None => Ok(Bytes::new()),
        }
    }
}
