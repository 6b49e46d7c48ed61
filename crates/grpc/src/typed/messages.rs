//! What the methods of every typed service take and answer. The messages of all packages have these
//! fields under these numbers; only the content differs, so here it is bytes, which on the wire are
//! the same as a message.

use crate::proto::header::v1 as header;
use bytes::Bytes;
use prost::Message;
use prost_types::FieldMask;
use std::collections::HashMap;

/// A resource: `App`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct TypedResource {
    #[prost(string, tag = "1")]
    pub(crate) kind: String,
    #[prost(string, tag = "2")]
    pub(crate) sub_kind: String,
    #[prost(string, tag = "3")]
    pub(crate) version: String,
    #[prost(message, optional, tag = "4")]
    pub(crate) metadata: Option<header::Metadata>,
    /// The content. A message that comes in parts is all of them, one after the other.
    #[prost(bytes = "bytes", repeated, tag = "5")]
    pub(crate) spec: Vec<Bytes>,
    #[prost(message, optional, tag = "6")]
    pub(crate) status: Option<header::Status>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct CreateRequest {
    #[prost(message, optional, tag = "1")]
    pub(crate) resource: Option<TypedResource>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct CreateResponse {
    #[prost(bytes = "bytes", tag = "1")]
    pub(crate) resource: Bytes,
    #[prost(string, tag = "2")]
    pub(crate) task: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct GetRequest {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    #[prost(string, tag = "2")]
    pub(crate) namespace: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct GetResponse {
    #[prost(bytes = "bytes", tag = "1")]
    pub(crate) resource: Bytes,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ListRequest {
    #[prost(int32, tag = "1")]
    pub(crate) page_size: i32,
    #[prost(string, tag = "2")]
    pub(crate) page_token: String,
    #[prost(string, tag = "3")]
    pub(crate) namespace: String,
    #[prost(string, tag = "4")]
    pub(crate) filter: String,
    #[prost(string, tag = "5")]
    pub(crate) order_by: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ListResponse {
    #[prost(bytes = "bytes", repeated, tag = "1")]
    pub(crate) resources: Vec<Bytes>,
    #[prost(string, tag = "2")]
    pub(crate) next_page_token: String,
    #[prost(message, repeated, tag = "3")]
    pub(crate) quarantined: Vec<header::Quarantined>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct UpdateRequest {
    #[prost(message, optional, tag = "1")]
    pub(crate) resource: Option<TypedResource>,
    #[prost(message, optional, tag = "2")]
    pub(crate) update_mask: Option<FieldMask>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct UpsertRequest {
    #[prost(message, optional, tag = "1")]
    pub(crate) resource: Option<TypedResource>,
}

/// Of Update and Upsert.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct WriteResponse {
    #[prost(bytes = "bytes", tag = "1")]
    pub(crate) resource: Bytes,
    #[prost(string, repeated, tag = "2")]
    pub(crate) kept: Vec<String>,
    #[prost(string, repeated, tag = "3")]
    pub(crate) dropped: Vec<String>,
    #[prost(string, tag = "4")]
    pub(crate) task: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct DeleteRequest {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    #[prost(string, tag = "2")]
    pub(crate) namespace: String,
    #[prost(string, tag = "3")]
    pub(crate) revision: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct TypedWatchRequest {
    #[prost(string, tag = "1")]
    pub(crate) namespace: String,
    #[prost(string, tag = "2")]
    pub(crate) name_prefix: String,
    #[prost(map = "string, string", tag = "3")]
    pub(crate) labels: HashMap<String, String>,
    #[prost(string, tag = "4")]
    pub(crate) filter: String,
    #[prost(string, tag = "5")]
    pub(crate) from: String,
}
