//! What this release knows of the fields of requests, and messages as bytes that are looked at
//! without knowing their Rust type.
//!
//! Protobuf drops what it does not know without a word. That is right for answers, where an older
//! client has no use for a newer field; a request means something else without a field that its
//! sender set. So a server looks for fields that it does not know ([`unknown_fields`]), and a client
//! leaves out what the server's release does not know ([`without`]), by two tables that are made
//! from the `.proto` files.

use bytes::{Buf, BufMut};
use prost::DecodeError;
use prost::encoding::{
    DecodeContext, WireType, decode_key, decode_varint, encode_key, encode_varint, skip_field,
};

/// A field: its number, its name, and the name of its message where it is one of ours.
type KnownField = (u32, &'static str, &'static str);

/// By full name: the fields that this release knows.
const MESSAGES: &[(&str, &[KnownField])] = include!(concat!(env!("OUT_DIR"), "/messages.rs"));

/// A method: its path, its request, the release that it came with (empty: 0.1.0), and those fields of its
/// request that came later.
struct KnownMethod {
    path: &'static str,
    request: &'static str,
    since: &'static str,
    newer: &'static [NewerField],
}

/// In the order of their paths.
const METHODS: &[KnownMethod] = include!(concat!(env!("OUT_DIR"), "/methods.rs"));

fn method(path: &str) -> Option<&'static KnownMethod> {
    let at = METHODS.binary_search_by_key(&path, |method| method.path);
    at.ok().and_then(|at| METHODS.get(at))
}

/// A field of a request that not every server with the method knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewerField {
    /// Its number, after those of the messages around it.
    pub path: &'static [u32],
    /// Its name.
    pub name: &'static str,
    /// The first release that knows it.
    pub since: &'static str,
    /// Whether a server that does not know it may ignore it.
    pub ignorable: bool,
    /// What a server without it does instead; empty if the request means the same.
    pub without_it: &'static str,
}

/// Messages inside of messages; prost itself reads a hundred.
const DEEPEST: usize = 100;

/// The full name of the request of a method, such as `/coeval.tasks.v1.TaskService/ListTasks`.
#[must_use]
pub fn request_of(path: &str) -> Option<&'static str> {
    method(path).map(|method| method.request)
}

/// The first release that has a method; nothing if it is none of ours.
#[must_use]
pub fn since(path: &str) -> Option<&'static str> {
    let since = method(path)?.since;
    Some(if since.is_empty() { "0.1.0" } else { since })
}

/// The fields of a method's request that came later than the method.
#[must_use]
pub fn newer_fields(path: &str) -> &'static [NewerField] {
    method(path).map_or(&[], |method| method.newer)
}

/// A message as far as its fields are known.
pub trait KnownMessage: Sized {
    /// Whether it has a field of this number; and if that is a message to look into, which.
    fn field(&self, number: u32) -> Option<Option<Self>>;
}

impl KnownMessage for &'static [KnownField] {
    fn field(&self, number: u32) -> Option<Option<Self>> {
        let field = self.iter().find(|(known, ..)| *known == number);
        field.map(|(.., inner)| known(inner))
    }
}

fn known(message: &str) -> Option<&'static [KnownField]> {
    let at = MESSAGES.binary_search_by_key(&message, |(name, _)| name);
    at.ok()
        .and_then(|at| MESSAGES.get(at))
        .map(|(_, fields)| *fields)
}

/// Where a field is: the numbers of the messages around it, then its own, as `1.9`.
fn dotted(path: &[u32]) -> String {
    let numbers: Vec<String> = path.iter().map(u32::to_string).collect();
    numbers.join(".")
}

/// The fields in a message that this release does not know, each once, as `5` or `1.9`. Nothing if the
/// message itself is not ours.
///
/// # Errors
/// If it is no message at all.
pub fn unknown_fields(message: &str, bytes: &[u8]) -> Result<Vec<String>, DecodeError> {
    match known(message) {
        Some(fields) => unknown_fields_of(&fields, bytes),
        None => Ok(Vec::new()),
    }
}

/// The same of a message that is known by something else than our tables.
///
/// # Errors
/// If it is no message at all.
pub fn unknown_fields_of(
    message: &impl KnownMessage,
    bytes: &[u8],
) -> Result<Vec<String>, DecodeError> {
    let mut found = Vec::new();
    look(message, bytes, &mut Vec::new(), &mut found)?;
    Ok(found)
}

fn look<M: KnownMessage>(
    message: &M,
    mut bytes: &[u8],
    path: &mut Vec<u32>,
    found: &mut Vec<String>,
) -> Result<(), DecodeError> {
    while bytes.has_remaining() {
        let (number, kind) = decode_key(&mut bytes)?;
        path.push(number);
        match message.field(number) {
            None => {
                let unknown = dotted(path);
                if !found.contains(&unknown) {
                    found.push(unknown);
                }
                skip_field(kind, number, &mut bytes, DecodeContext::default())?;
            }
            Some(Some(inner)) if kind == WireType::LengthDelimited && path.len() < DEEPEST => {
                look(&inner, taken(&mut bytes)?, path, found)?;
            }
            Some(_) => skip_field(kind, number, &mut bytes, DecodeContext::default())?,
        }
        path.pop();
    }
    Ok(())
}

/// What stands between a length and its end.
fn taken<'b>(bytes: &mut &'b [u8]) -> Result<&'b [u8], DecodeError> {
    let length = usize::try_from(decode_varint(bytes)?).unwrap_or(usize::MAX);
    match bytes.split_at_checked(length) {
        Some((inner, rest)) => {
            *bytes = rest;
            Ok(inner)
        }
        // Only prost makes its errors: reading on where nothing is left gives one.
        None => decode_varint(&mut [].as_slice()).map(|_| [].as_slice()),
    }
}

/// A message without some of its fields, and which of them it had.
///
/// # Errors
/// If it is no message at all.
pub fn without<'p>(
    bytes: &[u8],
    paths: &[&'p [u32]],
) -> Result<(Vec<u8>, Vec<&'p [u32]>), DecodeError> {
    let mut had = Vec::new();
    let whole: Vec<_> = paths.iter().map(|path| (*path, *path)).collect();
    let left = strip(bytes, &whole, &mut had)?;
    Ok((left, had))
}

/// `paths` are what is left of each path from here on, and the whole path.
fn strip<'p>(
    mut bytes: &[u8],
    paths: &[(&'p [u32], &'p [u32])],
    had: &mut Vec<&'p [u32]>,
) -> Result<Vec<u8>, DecodeError> {
    let mut left = Vec::with_capacity(bytes.len());
    while bytes.has_remaining() {
        let begin = bytes;
        let (number, kind) = decode_key(&mut bytes)?;
        let below: Vec<_> = paths
            .iter()
            .filter_map(|(rest, whole)| {
                let (first, rest) = rest.split_first()?;
                (*first == number).then_some((rest, *whole))
            })
            .collect();
        if let Some((_, whole)) = below.iter().find(|(rest, _)| rest.is_empty()) {
            skip_field(kind, number, &mut bytes, DecodeContext::default())?;
            if !had.contains(whole) {
                had.push(whole);
            }
        } else if !below.is_empty() && kind == WireType::LengthDelimited {
            let inner = strip(taken(&mut bytes)?, &below, had)?;
            encode_key(number, kind, &mut left);
            encode_varint(inner.len() as u64, &mut left);
            left.put_slice(&inner);
        } else {
            skip_field(kind, number, &mut bytes, DecodeContext::default())?;
            let length = begin.len() - bytes.len();
            left.put_slice(begin.get(..length).unwrap_or_default());
        }
    }
    Ok(left)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resources::v1::{CreateResourceRequest, Resource};
    use crate::tasks::v1::ListTasksRequest;
    use prost::Message as _;

    const LIST_TASKS: &str = "/coeval.tasks.v1.TaskService/ListTasks";

    fn asked() -> ListTasksRequest {
        ListTasksRequest {
            operation: "migrateEntities".to_owned(),
            resource: "urn:vcloud:entity:acme:app:1".to_owned(),
            ..ListTasksRequest::default()
        }
    }

    #[test]
    fn every_method_has_its_request_and_a_newer_field_its_release() {
        assert!(METHODS.len() > 60, "{}", METHODS.len());
        for KnownMethod {
            path,
            request,
            newer,
            ..
        } in METHODS
        {
            assert!(
                known(request).is_some() || !request.starts_with("coeval."),
                "{path}"
            );
            assert_eq!(request_of(path), Some(*request));
            for field in *newer {
                assert!(
                    field.ignorable,
                    "{path} {}: declare it, or a new method",
                    field.name
                );
            }
        }
        assert_eq!(since(LIST_TASKS), Some("0.1.0"));
        let listing = "/coeval.releases.v1.ReleaseService/ListDeprecations";
        assert_eq!((since(listing), since("/a.B/C")), (Some("0.2.0"), None));
        let newer = newer_fields(LIST_TASKS);
        assert_eq!(newer.len(), 1, "{newer:?}");
        assert_eq!(
            (newer[0].name, newer[0].path, newer[0].since),
            ("resource", &[5][..], "0.2.0")
        );
    }

    #[test]
    fn a_field_that_nobody_knows_is_found_wherever_it_is() {
        let bytes = asked().encode_to_vec();
        let name = request_of(LIST_TASKS).unwrap();
        assert_eq!(unknown_fields(name, &bytes).unwrap(), Vec::<String>::new());
        let mut more = bytes.clone();
        encode_key(900, WireType::Varint, &mut more);
        encode_varint(1, &mut more);
        assert_eq!(unknown_fields(name, &more).unwrap(), ["900"]);
        let request = CreateResourceRequest {
            resource: Some(Resource::default()),
            ..CreateResourceRequest::default()
        };
        let mut inner = Resource {
            kind: "app".to_owned(),
            ..Resource::default()
        }
        .encode_to_vec();
        encode_key(77, WireType::LengthDelimited, &mut inner);
        encode_varint(0, &mut inner);
        let mut nested = request.encode_to_vec();
        encode_key(1, WireType::LengthDelimited, &mut nested);
        encode_varint(inner.len() as u64, &mut nested);
        nested.extend(inner);
        let found = unknown_fields("coeval.resources.v1.CreateResourceRequest", &nested).unwrap();
        assert_eq!(found, ["1.77"]);
    }

    #[test]
    fn fields_are_taken_out_and_all_others_stay_as_they_are() {
        let (left, had) = without(&asked().encode_to_vec(), &[&[5], &[9]]).unwrap();
        assert_eq!(had, [&[5]]);
        let left = ListTasksRequest::decode(left.as_slice()).unwrap();
        let expected = ListTasksRequest {
            resource: String::new(),
            ..asked()
        };
        assert_eq!(left, expected);
        let request = CreateResourceRequest {
            resource: Some(Resource {
                kind: "app".to_owned(),
                version: "v1".to_owned(),
                ..Resource::default()
            }),
            ..CreateResourceRequest::default()
        };
        let (left, had) = without(&request.encode_to_vec(), &[&[1, 3]]).unwrap();
        assert_eq!(had, [&[1, 3]]);
        let left = CreateResourceRequest::decode(left.as_slice()).unwrap();
        assert_eq!(
            left.resource.unwrap(),
            Resource {
                kind: "app".to_owned(),
                ..Resource::default()
            }
        );
    }

    #[test]
    fn bytes_that_are_no_message_are_refused_and_never_a_panic() {
        for bytes in [
            &[0xff_u8][..],
            &[0x0a, 0x05, 1],
            &[0x0b],
            &[0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f],
        ] {
            assert!(
                unknown_fields("coeval.resources.v1.CreateResourceRequest", bytes).is_err(),
                "{bytes:?}"
            );
            assert!(without(bytes, &[&[1, 2]]).is_err(), "{bytes:?}");
        }
    }
}
