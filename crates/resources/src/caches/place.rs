//! The last resource of a page: all ways of reading a listing can go on from it.

use coeval_core::version::Uuid;
use serde::{Deserialize, Serialize};

mod uuid_text {
    use coeval_core::version::Uuid;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(id: &Uuid, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(id)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Uuid, D::Error> {
        let text = String::deserialize(from)?;
        Uuid::parse(&text).ok_or_else(|| serde::de::Error::custom("no id"))
    }
}

mod bytes_text {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD_NO_PAD;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&STANDARD_NO_PAD.encode(bytes))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        let text = String::deserialize(from)?;
        STANDARD_NO_PAD
            .decode(text)
            .map_err(serde::de::Error::custom)
    }
}

/// The last resource of a page: all ways of reading a listing can go on from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The beginning of its id: the type's part.
    pub of: String,
    #[serde(with = "uuid_text")]
    pub id: Uuid,
    /// What it is sorted by.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "bytes_text")]
    pub sorted: Vec<u8>,
    /// Its key in the index of the order.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "bytes_text")]
    pub index: Vec<u8>,
}
