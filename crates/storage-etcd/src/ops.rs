//! Short names for the parts of etcd's transactions.

use crate::pb;
use bytes::Bytes;
use coeval_storage::Revision;
use pb::compare::{CompareResult, CompareTarget, TargetUnion};
use pb::request_op::Request;
use pb::response_op::Response;

/// One key.
pub(crate) fn get(key: &Bytes) -> pb::RangeRequest {
    pb::RangeRequest {
        key: key.clone(),
        ..pb::RangeRequest::default()
    }
}

/// The first `limit` keys of a range.
pub(crate) fn range(start: &Bytes, end: &Bytes, limit: usize) -> pb::RangeRequest {
    pb::RangeRequest {
        key: start.clone(),
        range_end: end.clone(),
        limit: i64::try_from(limit).unwrap_or(i64::MAX),
        ..pb::RangeRequest::default()
    }
}

pub(crate) fn ranged(range: pb::RangeRequest) -> pb::RequestOp {
    op(Request::RequestRange(range))
}

pub(crate) fn put(key: &Bytes, value: Bytes) -> pb::RequestOp {
    op(Request::RequestPut(pb::PutRequest {
        key: key.clone(),
        value,
    }))
}

pub(crate) fn delete(key: &Bytes) -> pb::RequestOp {
    op(Request::RequestDeleteRange(pb::DeleteRangeRequest {
        key: key.clone(),
    }))
}

fn op(request: Request) -> pb::RequestOp {
    pb::RequestOp {
        request: Some(request),
    }
}

/// The ranges among a transaction's answers, in order.
pub(crate) fn ranges_of(responses: Vec<pb::ResponseOp>) -> impl Iterator<Item = pb::RangeResponse> {
    responses.into_iter().map(|op| match op.response {
        Some(Response::ResponseRange(range)) => range,
        _ => pb::RangeResponse::default(),
    })
}

fn compare(key: &Bytes, result: CompareResult, union: TargetUnion) -> pb::Compare {
    let target = match union {
        TargetUnion::Version(_) => CompareTarget::Version,
        TargetUnion::CreateRevision(_) => CompareTarget::Create,
        TargetUnion::ModRevision(_) => CompareTarget::Mod,
        TargetUnion::Value(_) => CompareTarget::Value,
    };
    pb::Compare {
        result: result.into(),
        target: target.into(),
        key: key.clone(),
        target_union: Some(union),
    }
}

pub(crate) fn exists(key: &Bytes) -> pb::Compare {
    compare(key, CompareResult::Greater, TargetUnion::Version(0))
}

pub(crate) fn absent(key: &Bytes) -> pb::Compare {
    compare(key, CompareResult::Equal, TargetUnion::Version(0))
}

/// Nobody wrote it since it was read.
pub(crate) fn unchanged(kv: &pb::KeyValue) -> pb::Compare {
    let union = TargetUnion::ModRevision(kv.mod_revision);
    compare(&kv.key, CompareResult::Equal, union)
}

/// Read or not, it is as it was seen.
pub(crate) fn unchanged_or_absent(key: &Bytes, seen: Option<&pb::KeyValue>) -> pb::Compare {
    seen.map_or_else(|| absent(key), unchanged)
}

pub(crate) fn value_is(key: &Bytes, value: &Bytes) -> pb::Compare {
    let union = TargetUnion::Value(value.clone());
    compare(key, CompareResult::Equal, union)
}

/// The record's first 16 bytes are `revision`: whatever follows them, so a keep_alive in between
/// does not matter. Nothing matches `NEVER`, after which there is no next.
pub(crate) fn revision_is(key: &Bytes, revision: Revision) -> Option<[pb::Compare; 2]> {
    let value = |number: u128| TargetUnion::Value(number.to_be_bytes().to_vec().into());
    let number = u128::from_be_bytes(*revision.as_bytes());
    let next = number.checked_add(1)?;
    Some([
        compare(key, CompareResult::Greater, value(number)),
        compare(key, CompareResult::Less, value(next)),
    ])
}
