//! Whatever comes in, a coded status goes out, and the server goes on.

use crate::calls::{app, detail, refused};
use crate::world::World;
use bytes::Bytes;
use coeval_grpc::proto::DESCRIPTORS;
use coeval_grpc::proto::access::v1 as access;
use coeval_grpc::proto::resources::v1 as pb;
use prost::Message;
use prost_reflect::DescriptorPool;
use serde_json::json;
use std::time::{SystemTime, UNIX_EPOCH};
use tonic::{Code, Status};

/// Numbers that look random and can be had again.
struct Random(u64);

impl Random {
    fn next(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % below
    }

    fn byte(&mut self) -> u8 {
        u8::try_from(self.next(256)).unwrap()
    }

    /// Bytes without a form, or with that of a message: fields with small numbers.
    fn message(&mut self) -> Bytes {
        let mut bytes = Vec::new();
        if self.next(3) == 0 {
            let length = self.next(200);
            bytes.extend((0..length).map(|_| self.byte()));
            return bytes.into();
        }
        for _ in 0..self.next(8) {
            let (field, wire) = (self.next(12) + 1, [0, 1, 2, 2, 2, 5][self.next(6) as usize]);
            bytes.push(u8::try_from(field << 3 | wire).unwrap());
            let length = match wire {
                0 => 1,
                1 => 8,
                5 => 4,
                _ => {
                    let length = self.next(40);
                    bytes.push(u8::try_from(length).unwrap());
                    length
                }
            };
            let text = self.next(2) == 0;
            let part = (0..length).map(|_| {
                if text {
                    b'a' + self.byte() % 26
                } else {
                    self.byte()
                }
            });
            bytes.extend(part.collect::<Vec<_>>());
            if wire == 0 {
                let last = bytes.last_mut().unwrap();
                *last &= 0x7f;
            }
        }
        bytes.into()
    }
}

/// One field of a message, with its tag and length.
fn put(message: &mut Vec<u8>, tag: u8, field: &[u8]) {
    message.push(tag);
    prost::encoding::encode_varint(field.len() as u64, message);
    message.extend_from_slice(field);
}

#[track_caller]
fn coded(status: &Status, what: &str) {
    let bad = [
        Code::Internal,
        Code::Unknown,
        Code::DataLoss,
        Code::Unavailable,
    ];
    assert!(!bad.contains(&status.code()), "{what}: {status:?}");
    detail(status);
}

pub(crate) async fn whatever_bytes_come_a_coded_status_goes(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    let pool = DescriptorPool::decode(DESCRIPTORS).unwrap();
    let services = pool
        .services()
        .filter(|one| one.full_name().starts_with("coeval."));
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let seed = now.as_nanos() as u64 | 1;
    println!("seed {seed}");
    let mut random = Random(seed);
    let mut refusals = 0;
    for service in services {
        for method in service.methods() {
            // A session that was ended is of no more use here, and a good watch has no end.
            if ["Logout"].contains(&method.name()) {
                continue;
            }
            let path = format!("{}/{}", service.full_name(), method.name());
            for _ in 0..12 {
                let message = random.message();
                let shown = format!("{path} {message:02x?}, seed {seed}");
                if let Err(status) = world.send(&alice, &path, message).await {
                    coded(&status, &shown);
                    refusals += 1;
                }
            }
            // Not UTF-8 in a text, and a length that is not there.
            for bytes in [
                &b"\x0a\x02\xff\xfe"[..],
                b"\x0a\xff\xff\xff\xff\x0f",
                b"\x07",
            ] {
                let sent = world.send(&alice, &path, Bytes::from_static(bytes)).await;
                if let Err(status) = sent {
                    coded(&status, &path);
                    assert_eq!(status.code(), Code::InvalidArgument, "{path}: {status:?}");
                }
            }
        }
    }
    assert!(refusals > 300, "{refusals}");
    for path in [
        "coeval.resources.v1.ResourceService/Nothing",
        "coeval.nothing.v1.No/No",
        "x",
    ] {
        let told = world.send(&alice, path, Bytes::new()).await.unwrap_err();
        if path.contains('/') {
            assert_eq!(told.code(), Code::Unimplemented, "{path}: {told:?}");
            assert_eq!(detail(&told).code, "COEVAL-8001");
        }
    }
    assert!(world.by(&alice).list(Default::default()).await.is_ok());
}

pub(crate) async fn hostile_messages_are_refused_with_a_code(mut world: World) {
    world.add_app();
    let (admin, alice) = (world.admin(), world.login("alice@acme"));
    let by = world.by(&alice);
    // A content deeper than is kept, and deeper than messages are read.
    for depth in [70, 90, 2_000] {
        let mut value = vec![0x20, 1];
        for _ in 0..depth {
            let mut entry = vec![0x0a, 1, b'a'];
            put(&mut entry, 0x12, &value);
            let mut inner = Vec::new();
            put(&mut inner, 0x0a, &entry);
            value.clear();
            put(&mut value, 0x2a, &inner);
        }
        let mut entry = vec![0x0a, 1, b'a'];
        put(&mut entry, 0x12, &value);
        let mut content = Vec::new();
        put(&mut content, 0x0a, &entry);
        let mut resource = app("v1", "deep", json!({}));
        resource.spec = Bytes::new();
        let mut resource = resource.encode_to_vec();
        put(&mut resource, 0x32, &content);
        let mut message = Vec::new();
        put(&mut message, 0x0a, &resource);
        let message = Bytes::from(message);
        let method = "coeval.resources.v1.ResourceService/CreateResource";
        let told = world.send(&alice, method, message).await.unwrap_err();
        assert_eq!(told.code(), Code::InvalidArgument, "{depth}: {told:?}");
        coded(&told, "deep");
    }
    for length in [300, 5_000, 100_000] {
        let huge = "n".repeat(length);
        let content = || json!({"image": "a"});
        for outcome in [
            by.create("v1", &huge, content()).await.map(|_| ()),
            by.get(&huge).await.map(|_| ()),
            by.get_at("x", &huge).await.map(|_| ()),
            by.delete(&huge, &huge).await,
            by.patch(app("v1", "x", content()), &[&huge])
                .await
                .map(|_| ()),
            by.list(pb::ListResourcesRequest {
                filter: huge.clone(),
                ..Default::default()
            })
            .await
            .map(|_| ()),
            by.list(pb::ListResourcesRequest {
                order_by: huge.clone(),
                ..Default::default()
            })
            .await
            .map(|_| ()),
            by.list(pb::ListResourcesRequest {
                kind: huge.clone(),
                ..Default::default()
            })
            .await
            .map(|_| ()),
            by.list(pb::ListResourcesRequest {
                namespace: huge.clone(),
                ..Default::default()
            })
            .await
            .map(|_| ()),
            by.list(pb::ListResourcesRequest {
                page_token: huge.clone(),
                ..Default::default()
            })
            .await
            .map(|_| ()),
        ] {
            // Some are long and can be.
            match outcome {
                Ok(()) => assert!(length < 100_000),
                Err(status) => coded(&status, "huge"),
            }
        }
        let mut labelled = app("v1", "labels", content());
        let labels = &mut labelled.metadata.as_mut().unwrap().labels;
        labels.insert(huge.clone(), huge.clone());
        coded(&by.upsert(labelled).await.unwrap_err(), "labels");
        let user = access::User {
            name: huge.clone(),
            ..Default::default()
        };
        let user = access::CreateUserRequest {
            user: Some(user),
            password: huge.clone(),
        };
        coded(&by.users().create_user(user).await.unwrap_err(), "user");
        let org = access::Organization {
            name: huge.clone(),
            ..Default::default()
        };
        let org = access::CreateOrganizationRequest {
            organization: Some(org),
        };
        let made = world.by(&admin).orgs().create_organization(org).await;
        coded(&made.unwrap_err(), "org");
        let login = access::LoginRequest {
            user: huge.clone(),
            namespace: huge.clone(),
            password: huge,
        };
        let begun = world.by("").sessions().login(login).await;
        coded(&begun.unwrap_err(), "login");
    }
    for text in ["\0", "a\0b", "a\nb", "../..", "a/b", " ", "\u{202e}x"] {
        if let Err(status) = by.create("v1", text, json!({"image": "a"})).await {
            coded(&status, text);
        }
        coded(&by.get_at(text, "v9").await.unwrap_err(), text);
    }
    // More than a message may have.
    let mut large = app("v1", "large", json!({}));
    large.spec = vec![b' '; 64 << 20].into();
    let told = by.upsert(large).await;
    let told = told.unwrap_err();
    assert_eq!(told.code(), Code::ResourceExhausted, "{told:?}");
    coded(&told, "large");
    for page_size in [-1, i32::MIN] {
        let asked = pb::ListResourcesRequest {
            page_size,
            ..Default::default()
        };
        refused(by.list(asked).await, Code::InvalidArgument, 8006);
        let asked = access::ListUsersRequest {
            page_size,
            ..Default::default()
        };
        let told = by.users().list_users(asked).await;
        refused(told, Code::InvalidArgument, 8006);
    }
    assert!(by.list(Default::default()).await.is_ok());
}
