//! Calls of any method with any bytes.

use crate::world::World;
use bytes::{Buf, BufMut, Bytes};
use futures::StreamExt;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::metadata::MetadataValue;
use tonic::{Request, Status};

/// Messages as they are on the wire.
#[derive(Clone, Copy, Default)]
struct AsIs;

impl Codec for AsIs {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        *self
    }

    fn decoder(&mut self) -> Self {
        *self
    }
}

impl Encoder for AsIs {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, item: Bytes, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.put(item);
        Ok(())
    }
}

impl Decoder for AsIs {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        let all = buffer.remaining();
        Ok(Some(buffer.copy_to_bytes(all)))
    }
}

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
        let answer = client.server_streaming(request, path, AsIs).await?;
        match answer.into_inner().next().await {
            Some(first) => first,
            None => Ok(Bytes::new()),
        }
    }
}
