//! Requests that fit the server's release: fields that it does not know are left out, and whoever calls is
//! warned where the request means something else without them.
//!
//! Protobuf would drop such a field at the server without a word. Which fields came later stands in the
//! `.proto` files ([`coeval_proto::wire`]), so this works for every method, also those of the stubs, and a
//! method without later fields costs nothing.

use bytes::{BufMut, Bytes, BytesMut};
use coeval_proto::wire::{self, NewerField};
use coeval_releases::Release;
use http::HeaderName;

/// Says which fields a server may ignore.
pub(crate) const IGNORABLE: HeaderName = HeaderName::from_static("coeval-ignorable");

/// The flag and the length in front of a message.
const PREFIX: usize = 5;

/// A request as it is sent.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FittedRequest {
    frame: Bytes,
    /// Newer fields that it still has.
    sent: Vec<&'static NewerField>,
    /// Those that were left out.
    pub(crate) left_out: Vec<&'static NewerField>,
}

impl FittedRequest {
    /// The message and what is in front of it.
    pub(crate) fn frame(&self) -> Bytes {
        self.frame.clone()
    }

    /// What the server may ignore: `5, 1.9`.
    pub(crate) fn ignorable(&self) -> Option<String> {
        let dotted = |field: &&NewerField| {
            let numbers = field.path.iter().map(u32::to_string);
            numbers.collect::<Vec<_>>().join(".")
        };
        let ignorable = self.sent.iter().filter(|field| field.ignorable);
        let all: Vec<_> = ignorable.map(dotted).collect();
        (!all.is_empty()).then(|| all.join(", "))
    }

    /// Those that the server which answered can't have known: it is of this release, and was not the
    /// one that answered before.
    pub(crate) fn unknown_to(&self, server: Release) -> impl Iterator<Item = &'static NewerField> {
        let sent = self.sent.iter().copied();
        sent.filter(move |field| is_newer(field, server))
    }
}

/// Fits a request, as it is framed, to a server of that release; all is sent to one whose release is not
/// known.
pub(crate) fn fit(path: &str, frame: Bytes, server: Option<Release>) -> FittedRequest {
    let newer = wire::newer_fields(path);
    let unchanged = |frame, sent| FittedRequest {
        frame,
        sent,
        left_out: Vec::new(),
    };
    // A compressed message is left as it is: its fields can't be looked at.
    let message = frame.get(PREFIX..).filter(|_| frame.first() == Some(&0));
    // Most methods have no newer fields, and cost nothing more than this look.
    let Some(message) = message.filter(|_| !newer.is_empty()) else {
        return unchanged(frame, Vec::new());
    };
    // First all newer fields that the message has, then only those that this server does not know.
    let paths: Vec<&'static [u32]> = newer.iter().map(|field| field.path).collect();
    // Our own encoder made it: it is a message.
    let Ok((_, had)) = wire::without(message, &paths) else {
        return unchanged(frame, Vec::new());
    };
    let had = newer.iter().filter(|field| had.contains(&field.path));
    let (too_new, sent): (Vec<&NewerField>, Vec<&NewerField>) =
        had.partition(|field| server.is_some_and(|server| is_newer(field, server)));
    let paths: Vec<&'static [u32]> = too_new.iter().map(|field| field.path).collect();
    // Encoded again only if something was left out; otherwise the bytes stay as they were made.
    match wire::without(message, &paths) {
        Ok((left, _)) if !too_new.is_empty() => FittedRequest {
            frame: framed(&left),
            sent,
            left_out: too_new,
        },
        _ => unchanged(frame, sent),
    }
}

fn framed(message: &[u8]) -> Bytes {
    let mut frame = BytesMut::with_capacity(PREFIX + message.len());
    frame.put_u8(0);
    frame.put_u32(u32::try_from(message.len()).unwrap_or(u32::MAX));
    frame.put_slice(message);
    frame.freeze()
}

fn is_newer(field: &NewerField, server: Release) -> bool {
    field
        .since
        .parse()
        .is_ok_and(|since: Release| since > server)
}

/// What whoever calls is told of a field that the server did not get or read; nothing if the request
/// means the same without it.
pub(crate) fn warning(field: &NewerField, server: Release) -> Option<String> {
    let NewerField {
        name,
        since,
        without_it,
        ..
    } = field;
    (!without_it.is_empty()).then(|| {
        format!(
            "{name} needs a server of release {since} or later (this one is {server}): {without_it}"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use coeval_proto::tasks::v1::ListTasksRequest;
    use prost::Message as _;

    const LIST_TASKS: &str = "/coeval.tasks.v1.TaskService/ListTasks";
    const OLD: Release = Release::new(0, 1, 0);
    const NEW: Release = Release::new(0, 2, 0);

    fn asked(resource: &str) -> ListTasksRequest {
        ListTasksRequest {
            operation: "createEntity".to_owned(),
            resource: resource.to_owned(),
            ..ListTasksRequest::default()
        }
    }

    fn frame(resource: &str) -> Bytes {
        framed(&asked(resource).encode_to_vec())
    }

    #[test]
    fn a_field_that_the_release_does_not_know_is_left_out_with_a_warning() {
        let fitted = fit(LIST_TASKS, frame("a"), Some(OLD));
        let left = ListTasksRequest::decode(&fitted.frame[PREFIX..]).unwrap();
        assert_eq!(left, asked(""));
        assert_eq!(fitted.ignorable(), None);
        let told = warning(fitted.left_out[0], OLD).unwrap();
        assert_eq!(
            told,
            "resource needs a server of release 0.2.0 or later (this one is 0.1.0): the server lists tasks of all resources"
        );
    }

    #[test]
    fn it_is_sent_to_a_release_that_knows_it_and_to_one_that_nobody_knows() {
        for server in [Some(NEW), None] {
            let fitted = fit(LIST_TASKS, frame("a"), server);
            assert_eq!(fitted.frame, frame("a"));
            assert_eq!(fitted.ignorable().as_deref(), Some("5"));
            assert!(fitted.left_out.is_empty());
            assert_eq!(fitted.unknown_to(OLD).count(), 1, "an older one answered");
            assert_eq!(fitted.unknown_to(NEW).count(), 0);
        }
    }

    #[test]
    fn a_request_without_it_and_a_method_without_newer_fields_stay_as_they_are() {
        let plain = FittedRequest {
            frame: frame(""),
            sent: Vec::new(),
            left_out: Vec::new(),
        };
        assert_eq!(fit(LIST_TASKS, frame(""), Some(OLD)), plain);
        let other = "/coeval.tasks.v1.TaskService/GetTask";
        assert_eq!(fit(other, frame(""), Some(OLD)), plain);
    }
}
