//! The fixed messages are those of every package.

use super::messages as pb;
use crate::package::compiled::{CompiledPackage, MethodVerb};
use crate::proto::header::v1 as header;
use crate::watching::{EncodedChange, EncodedOutcome, WatchResponse};
use bytes::Bytes;
use coeval_core::types::TypeVersion;
use coeval_typed::{Ledger, PackageCandidate, PackageLayout, PackageName};
use prost::Message;
use prost_reflect::{DynamicMessage, MessageDescriptor};
use serde_json::json;
use std::sync::Arc;

fn package() -> CompiledPackage {
    let file = json!({"kind": "type", "version": "v1", "metadata": {"name": "acme:app:1.0.0"}, "spec": {
        "vendor": "acme", "nss": "app", "version": "1.0.0",
        "schema": {"type": "object", "properties": {"image": {"type": "string"}}}}});
    let version = TypeVersion::parse(&file.to_string()).unwrap();
    let candidates = [PackageCandidate {
        version: &version,
        unproven: false,
    }];
    let name = PackageName::of("acme", "app").unwrap();
    let ledger = Ledger::default().extended(&candidates);
    let (layout, _) = PackageLayout::of(&name, &ledger, &candidates);
    CompiledPackage::new(Arc::new(layout.unwrap())).unwrap()
}

/// Every field of the message is set, so nothing is compared in vain.
#[track_caller]
fn same(descriptor: &MessageDescriptor, message: &impl Message) {
    let bytes = message.encode_to_vec();
    let read = DynamicMessage::decode(descriptor.clone(), bytes.as_slice()).unwrap();
    let name = descriptor.full_name();
    assert_eq!(read.unknown_fields().count(), 0, "{name}");
    for field in descriptor.fields() {
        let alone = field
            .containing_oneof()
            .is_some_and(|one| !one.is_synthetic());
        assert!(
            alone || read.has_field(&field),
            "{name}: {} is not set",
            field.name()
        );
    }
    let again = read.encode_to_vec();
    assert_eq!(again.len(), bytes.len(), "{name}");
}

fn text() -> String {
    "x".to_owned()
}

fn typed() -> pb::TypedResource {
    pb::TypedResource {
        kind: text(),
        sub_kind: text(),
        version: text(),
        metadata: Some(header::Metadata {
            name: text(),
            ..Default::default()
        }),
        spec: vec![Bytes::from_static(b"\x0a\x01y")],
        status: Some(header::Status {
            state: text(),
            ..Default::default()
        }),
    }
}

#[test]
fn the_fixed_messages_are_those_of_every_package() {
    let package = package();
    let find = |verb: MethodVerb, name: &str| {
        let method = package.method(name).unwrap();
        assert_eq!(method.verb, verb);
        (method.descriptor.input(), method.descriptor.output())
    };
    let resource: Bytes = typed().encode_to_vec().into();
    same(&package.resource, &typed());
    let (input, output) = find(MethodVerb::Create, "CreateApp");
    same(
        &input,
        &pb::CreateRequest {
            resource: Some(typed()),
        },
    );
    let (task, resource) = (text(), resource.clone());
    same(
        &output,
        &pb::CreateResponse {
            resource: resource.clone(),
            task,
        },
    );
    let (input, output) = find(MethodVerb::Get, "GetApp");
    let (name, namespace) = (text(), text());
    same(&input, &pb::GetRequest { name, namespace });
    same(
        &output,
        &pb::GetResponse {
            resource: resource.clone(),
        },
    );
    let (input, output) = find(MethodVerb::List, "ListApps");
    same(
        &input,
        &pb::ListRequest {
            page_size: 1,
            page_token: text(),
            namespace: text(),
            filter: text(),
            order_by: text(),
        },
    );
    let bad = header::Quarantined {
        id: text(),
        code: text(),
        reason: text(),
    };
    same(
        &output,
        &pb::ListResponse {
            resources: vec![resource.clone(), resource.clone()],
            next_page_token: text(),
            quarantined: vec![bad.clone()],
        },
    );
    let written = pb::WriteResponse {
        resource: resource.clone(),
        kept: vec![text()],
        dropped: vec![text()],
        task: text(),
    };
    let (input, output) = find(MethodVerb::Update, "UpdateApp");
    let paths = vec![text()];
    same(
        &input,
        &pb::UpdateRequest {
            resource: Some(typed()),
            update_mask: Some(prost_types::FieldMask { paths }),
        },
    );
    same(&output, &written);
    let (input, output) = find(MethodVerb::Upsert, "UpsertApp");
    same(
        &input,
        &pb::UpsertRequest {
            resource: Some(typed()),
        },
    );
    same(&output, &written);
    let (input, output) = find(MethodVerb::Delete, "DeleteApp");
    let (name, namespace, revision) = (text(), text(), text());
    same(
        &input,
        &pb::DeleteRequest {
            name,
            namespace,
            revision,
        },
    );
    assert_eq!(output.full_name(), "google.protobuf.Empty");
    let (input, output) = find(MethodVerb::Watch, "WatchApps");
    same(
        &input,
        &pb::TypedWatchRequest {
            namespace: text(),
            name_prefix: text(),
            labels: [(text(), text())].into(),
            filter: text(),
            from: text(),
        },
    );
    for change in [
        EncodedOutcome::Put(resource),
        EncodedOutcome::Deleted(header::Deleted {
            id: text(),
            revision: text(),
        }),
        EncodedOutcome::Left(header::Left { id: text() }),
        EncodedOutcome::Quarantined(bad),
    ] {
        let change = EncodedChange {
            change: Some(change),
        };
        let descriptor = package.pool.get_message_by_name("acme.app.v1.AppChange");
        same(&descriptor.unwrap(), &change);
        same(
            &output,
            &WatchResponse {
                sequence: text(),
                kind: header::WatchKind::Live.into(),
                changes: vec![change],
            },
        );
    }
}

#[test]
fn a_content_that_comes_in_parts_is_all_of_them() {
    // One message, its content said twice: protobuf merges the two.
    let mut bytes = typed().encode_to_vec();
    bytes.extend_from_slice(b"\x2a\x03\x0a\x01z");
    let read = pb::TypedResource::decode(bytes.as_slice()).unwrap();
    assert_eq!(read.spec.len(), 2);
    let package = package();
    let of = coeval_engine::TypeKey::new("acme", "app");
    let resource = pb::TypedResource {
        kind: "app".to_owned(),
        version: "v1".to_owned(),
        ..read
    };
    let said = super::body::WrittenResource::read(&of, &package, Some(resource)).unwrap();
    let content = crate::package::put::put(&package, None, &said.spec.unwrap()).unwrap();
    assert_eq!(content, json!({"image": "z"}));
}
