//! A write whose answer was lost: whether it happened.
//!
//! A conditional update happens at most once, however often it is sent: it takes the place of one
//! revision. So what came of it is seen in what came right after that revision. Only what is sure is
//! said; a guess would lose a change or make it twice.

use coeval_proto::header::v1::Metadata;
use coeval_proto::resources::v1 as pb;
use serde_json::Value;

/// What the server's labels begin with.
const INTERNAL: &str = "coeval.internal/";

/// What is shown in place of a secure value.
const SECURE: &str = "******";

/// What came of an update.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum UpdateOutcome {
    /// The resource is as it was. The write may still be on its way.
    NotYet,
    /// It was done; this is what it made.
    Done(Box<pb::Resource>),
    /// The same user wrote the same: this client, or another one of that user.
    Same(Box<pb::Resource>),
    /// Somebody else's write came first, so it was not done and never will be.
    Others,
    /// Nobody knows, and why.
    Unclear(&'static str),
}

/// How what is there compares to what was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ContentMatch {
    Equal,
    /// Something is there that was not sent, or the other way round: the server may have filled it in
    /// or hidden it.
    Unclear,
    /// It can't have been made of this.
    Different,
}

/// A label that only this write has.
pub(crate) type WriteMark = (String, String);

/// Finds out what came of `sent`, a write that takes the place of its revision, from the revisions
/// that are kept, newest first.
pub(crate) fn find_outcome(
    sent: &pb::Resource,
    kept: &[pb::Revision],
    me: &str,
    mark: Option<&WriteMark>,
) -> UpdateOutcome {
    // By its place among the kept revisions: what came right after the base is either ours or it
    // came first.
    let base = revision(Some(sent));
    let Some(at) = kept
        .iter()
        .position(|one| revision(one.resource.as_ref()) == base)
    else {
        return UpdateOutcome::Unclear("the revision that it was to change is not kept any more");
    };
    let Some(next) = at.checked_sub(1) else {
        return UpdateOutcome::NotYet;
    };
    let (Some(base), Some(next)) = (kept.get(at), kept.get(next)) else {
        return UpdateOutcome::Unclear("what came after it is not kept");
    };
    // Revisions that can't be shown have gaps in the count, and ours could be one of them.
    if base.generation.checked_add(1) != Some(next.generation) {
        return UpdateOutcome::Unclear("the revision that came right after it can't be shown");
    }
    let Some(made) = next.resource.as_ref() else {
        return UpdateOutcome::Unclear("the revision that came right after it can't be shown");
    };
    match find_author(sent, made, &next.modified_by, me, mark) {
        RevisionAuthor::ThisWrite => UpdateOutcome::Done(Box::new(made.clone())),
        RevisionAuthor::ThisUser => UpdateOutcome::Same(Box::new(made.clone())),
        RevisionAuthor::Another => UpdateOutcome::Others,
        RevisionAuthor::Unclear => UpdateOutcome::Unclear("what was written then may be it or not"),
    }
}

/// Who made a revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RevisionAuthor {
    ThisWrite,
    ThisUser,
    Another,
    Unclear,
}

pub(crate) fn find_author(
    sent: &pb::Resource,
    made: &pb::Resource,
    by: &str,
    me: &str,
    mark: Option<&WriteMark>,
) -> RevisionAuthor {
    // With a mark nothing else has to be compared: no other write has it.
    if let Some((label, value)) = mark {
        let labels = made.metadata.as_ref().map(|metadata| &metadata.labels);
        return if labels.and_then(|labels| labels.get(label)) == Some(value) {
            RevisionAuthor::ThisWrite
        } else {
            RevisionAuthor::Another
        };
    }
    // Without an id on one of the sides users can't be told apart; then the content decides.
    if !me.is_empty() && !by.is_empty() && by != me {
        return RevisionAuthor::Another;
    }
    match compare_messages(sent, made) {
        ContentMatch::Equal => RevisionAuthor::ThisUser,
        ContentMatch::Different => RevisionAuthor::Another,
        ContentMatch::Unclear => RevisionAuthor::Unclear,
    }
}

fn revision(resource: Option<&pb::Resource>) -> &str {
    let metadata = resource.and_then(|resource| resource.metadata.as_ref());
    metadata.map_or("", |metadata| metadata.revision.as_str())
}

/// The content, and what else a write says.
pub(crate) fn compare_messages(sent: &pb::Resource, there: &pb::Resource) -> ContentMatch {
    let content = |resource: &pb::Resource| serde_json::from_slice::<Value>(&resource.spec).ok();
    let contents = match (content(sent), content(there)) {
        (Some(sent), Some(there)) => values(&sent, &there),
        _ => ContentMatch::Unclear,
    };
    let about = match (&sent.metadata, &there.metadata) {
        (Some(one), Some(other)) => {
            caller_metadata(one) == caller_metadata(other) && sent.sub_kind == there.sub_kind
        }
        _ => false,
    };
    // Labels, description and expiry are stored as they are sent, so a difference is one.
    let about = if about {
        ContentMatch::Equal
    } else {
        ContentMatch::Different
    };
    contents.max(about)
}

/// What a caller says beside the content.
#[derive(PartialEq)]
struct CallerMetadata<'m> {
    labels: Vec<(&'m String, &'m String)>,
    description: &'m str,
    /// With milliseconds.
    expires: Option<(i64, i32)>,
}

fn caller_metadata(metadata: &Metadata) -> CallerMetadata<'_> {
    let labels = metadata.labels.iter();
    let mut labels: Vec<_> = labels
        // The server adds labels of its own to every write.
        .filter(|(name, _)| !name.starts_with(INTERNAL))
        .collect();
    labels.sort();
    let expires = metadata.expires.as_ref();
    // The store keeps milliseconds.
    let expires = expires.map(|at| (at.seconds, at.nanos / 1_000_000));
    CallerMetadata {
        labels,
        description: &metadata.description,
        expires,
    }
}

fn values(sent: &Value, there: &Value) -> ContentMatch {
    match (sent, there) {
        (Value::Object(sent), Value::Object(there)) => {
            // The server may have filled in defaults, or hidden what the caller may not see.
            let more = there.keys().any(|name| !sent.contains_key(name));
            let begin = if more {
                ContentMatch::Unclear
            } else {
                ContentMatch::Equal
            };
            sent.iter().fold(begin, |all, (name, value)| {
                let other = there.get(name);
                all.max(other.map_or(ContentMatch::Unclear, |other| values(value, other)))
            })
        }
        (Value::Array(sent), Value::Array(there)) if sent.len() == there.len() => {
            let pairs = sent
                .iter()
                .zip(there)
                .map(|(one, other)| values(one, other));
            pairs.max().unwrap_or(ContentMatch::Equal)
        }
        // A float that was sent as `1.0` may come back as `1`. Two large integers may be the same
        // float and be different.
        (Value::Number(one), Value::Number(other)) if one.as_f64() == other.as_f64() => {
            if one == other || one.is_f64() != other.is_f64() {
                ContentMatch::Equal
            } else {
                // Large ones that only a float takes for the same.
                ContentMatch::Different
            }
        }
        (one, other) if one == other => ContentMatch::Equal,
        // Secure values are never sent back, so there is nothing to compare.
        (_, Value::String(shown)) if shown == SECURE => ContentMatch::Unclear,
        _ => ContentMatch::Different,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn resource(revision: &str, spec: &Value, label: &str) -> pb::Resource {
        pb::Resource {
            spec: spec.to_string().into(),
            metadata: Some(Metadata {
                revision: revision.into(),
                labels: [("write".to_owned(), label.to_owned())].into(),
                ..Metadata::default()
            }),
            ..pb::Resource::default()
        }
    }

    fn kept(all: &[(&str, i64, u64, &str, &str)]) -> Vec<pb::Revision> {
        let all = all
            .iter()
            .map(|(revision, n, generation, by, label)| pb::Revision {
                resource: Some(resource(revision, &json!({"n": n}), label)),
                generation: *generation,
                modified_by: (*by).into(),
            });
        all.collect()
    }

    #[test]
    fn what_came_right_after_the_revision_tells() {
        let sent = resource("r0", &json!({"n": 6}), "m");
        let came = |kept: &[pb::Revision]| match find_outcome(&sent, kept, "me", None) {
            UpdateOutcome::NotYet => "not yet",
            UpdateOutcome::Done(_) => "done",
            UpdateOutcome::Same(_) => "same",
            UpdateOutcome::Others => "others",
            UpdateOutcome::Unclear(_) => "unclear",
        };
        let base = ("r0", 5, 4, "you", "x");
        for (what, kept, expected) in [
            ("as it was", kept(&[base]), "not yet"),
            ("ours", kept(&[("r1", 6, 5, "me", "m"), base]), "same"),
            (
                "ours, and another on it",
                kept(&[("r2", 7, 6, "you", "m"), ("r1", 6, 5, "me", "m"), base]),
                "same",
            ),
            (
                "the same by another user",
                kept(&[("r1", 6, 5, "you", "m"), base]),
                "others",
            ),
            (
                "something else",
                kept(&[("r1", 9, 5, "me", "m"), base]),
                "others",
            ),
            (
                "a later one that looks like it",
                kept(&[("r2", 6, 6, "me", "m"), ("r1", 5, 5, "you", "m"), base]),
                "others",
            ),
            (
                "one between can't be shown",
                kept(&[("r2", 6, 6, "me", "m"), base]),
                "unclear",
            ),
            ("too long ago", kept(&[("r9", 6, 9, "me", "m")]), "unclear"),
            ("nothing is kept", Vec::new(), "unclear"),
        ] {
            assert_eq!(came(&kept), expected, "{what}");
        }
    }

    #[test]
    fn a_mark_tells_twins_apart() {
        let sent = resource("r0", &json!({"n": 6}), "m");
        let mark = ("write".to_owned(), "m".to_owned());
        let base = ("r0", 5, 4, "you", "x");
        let ours = kept(&[("r1", 6, 5, "me", "m"), base]);
        let twin = kept(&[("r1", 6, 5, "me", "other"), base]);
        assert!(matches!(
            find_outcome(&sent, &ours, "me", Some(&mark)),
            UpdateOutcome::Done(_)
        ));
        assert_eq!(
            find_outcome(&sent, &twin, "me", Some(&mark)),
            UpdateOutcome::Others
        );
    }

    #[test]
    fn what_a_server_may_fill_in_or_hide_is_no_difference_and_no_proof() {
        use ContentMatch::*;
        for (sent, there, expected) in [
            (json!({"a": 1}), json!({"a": 1.0}), Equal),
            (json!({"a": 1}), json!({"a": 1, "b": 2}), Unclear),
            (json!({"a": 1, "b": 2}), json!({"a": 1}), Unclear),
            (json!({"a": null}), json!({}), Unclear),
            (json!({"a": "secret"}), json!({"a": SECURE}), Unclear),
            (json!({"a": 1, "b": 2}), json!({"a": 2}), Different),
            (json!({"a": [1, 2]}), json!({"a": [1]}), Different),
            (json!({"a": {"b": 1}}), json!({"a": "b"}), Different),
            (
                json!({"a": 9007199254740993_u64}),
                json!({"a": 9007199254740992_u64}),
                Different,
            ),
        ] {
            assert_eq!(values(&sent, &there), expected, "{sent} {there}");
        }
    }
}
