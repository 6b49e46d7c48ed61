//! A codec that looks for fields that this release does not know before a method sees the request.
//!
//! A field that its sender calls ignorable is noted; any other refuses the call. Both are the business
//! of whoever is around the call: it scopes the call with [`inspecting`] and reads what was found. Where
//! nobody does, as in a client that reads answers, unknown fields are dropped as protobuf does.

use crate::wire;
use bytes::Buf as _;
use prost::Message;
use std::cell::RefCell;
use std::marker::PhantomData;
use tonic::Status;
use tonic::codec::{BufferSettings, Codec, DecodeBuf, Decoder};
use tonic_prost::ProstEncoder;

/// Finds the fields of a message that are not known.
type UnknownFinder = Box<dyn Fn(&[u8]) -> Vec<String> + Send>;

/// What was found in a request.
#[derive(Default)]
pub struct FieldInspection {
    find: Option<UnknownFinder>,
    ignorable: Vec<String>,
    /// The fields that were ignored.
    pub ignored: Vec<String>,
    /// Those that were not, which is why the call was refused.
    pub refused: Vec<String>,
}

impl std::fmt::Debug for FieldInspection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut told = f.debug_struct("Inspection");
        told.field("ignored", &self.ignored)
            .field("refused", &self.refused)
            .finish_non_exhaustive()
    }
}

tokio::task_local! {
    static INSPECTION: RefCell<FieldInspection>;
}

/// Runs a call of a method and tells what was found in its request. `ignorable` are the fields that its
/// sender allows to be ignored, as `5` or `1.9`.
pub async fn inspecting<F: Future>(
    method: &str,
    ignorable: Vec<String>,
    call: F,
) -> (F::Output, FieldInspection) {
    let find = wire::request_of(method).map(|message| -> UnknownFinder {
        // What is no message at all is refused by whoever decodes it.
        Box::new(|bytes| wire::unknown_fields(message, bytes).unwrap_or_default())
    });
    let inspection = RefCell::new(FieldInspection {
        find,
        ignorable,
        ..FieldInspection::default()
    });
    let call = async {
        let output = call.await;
        (output, INSPECTION.with(RefCell::take))
    };
    INSPECTION.scope(inspection, call).await
}

/// Says how the fields of the request that is being served are known, for a method that is none of ours.
pub fn describe(find: impl Fn(&[u8]) -> Vec<String> + Send + 'static) {
    // Nobody may be around the call.
    let _ = INSPECTION.try_with(|inspection| {
        inspection.borrow_mut().find = Some(Box::new(find));
    });
}

/// Looks at a request; refuses it if it has fields that can't be ignored.
fn inspect(bytes: &[u8]) -> Result<(), Status> {
    let look = |inspection: &RefCell<FieldInspection>| {
        let mut inspection = inspection.borrow_mut();
        let find = inspection.find.as_ref();
        let unknown = find.map(|find| find(bytes)).unwrap_or_default();
        for field in unknown {
            if inspection.ignorable.contains(&field) {
                inspection.ignored.push(field);
            } else {
                inspection.refused.push(field);
            }
        }
        if inspection.refused.is_empty() {
            Ok(())
        } else {
            Err(Status::invalid_argument("the request has unknown fields"))
        }
    };
    INSPECTION.try_with(look).unwrap_or(Ok(()))
}

/// Encodes and decodes as prost does, and looks at requests.
#[derive(Clone, Debug)]
pub struct StrictCodec<T, U>(PhantomData<(T, U)>);

impl<T, U> Default for StrictCodec<T, U> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<T, U> Codec for StrictCodec<T, U>
where
    T: Message + Send + 'static,
    U: Message + Default + Send + 'static,
{
    type Encode = T;
    type Decode = U;
    type Encoder = ProstEncoder<T>;
    type Decoder = StrictDecoder<U>;

    fn encoder(&mut self) -> Self::Encoder {
        ProstEncoder::new(BufferSettings::default())
    }

    fn decoder(&mut self) -> Self::Decoder {
        StrictDecoder(PhantomData)
    }
}

/// The decoder of a [`StrictCodec`].
#[derive(Clone, Debug)]
pub struct StrictDecoder<U>(PhantomData<U>);

impl<U: Message + Default> Decoder for StrictDecoder<U> {
    type Item = U;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<U>, Status> {
        let bytes = buffer.copy_to_bytes(buffer.remaining());
        inspect(&bytes)?;
        // As prost's own decoder says it.
        let decoded = U::decode(bytes);
        decoded
            .map(Some)
            .map_err(|error| Status::internal(error.to_string()))
    }
}
