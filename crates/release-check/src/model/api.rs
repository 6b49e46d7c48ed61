//! An API: its operations, and the shapes that they share by name.

use super::{DeprecationNote, ValueShape};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Which API it is. They page their lists in different words, and number their versions elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ApiStyle {
    /// The console's.
    Webapi,
    /// The one that RDE clients speak.
    Cloudapi,
    /// By `.proto` files.
    Grpc,
}

impl ApiStyle {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Webapi, Self::Cloudapi, Self::Grpc];
}

/// An API as one release serves it.
#[derive(Clone, Debug)]
pub struct ApiDocument {
    /// Which API.
    pub style: ApiStyle,
    /// By name: `GET /v1/webapi/types/{type}` or `coeval.tasks.v1.TaskService/GetTask`.
    pub operations: BTreeMap<String, ApiOperation>,
    /// What [`ValueShape::Reference`] leads to.
    pub shapes: BTreeMap<String, ValueShape>,
    /// Names of shapes that no operation leads to: errors, and the events of a stream. They are
    /// answered too, only that the description has no place to say where.
    pub standalone: BTreeSet<String>,
    /// Enums with numbers, by name; only gRPC has them.
    pub enums: BTreeMap<String, BTreeMap<String, i32>>,
}

/// Something to call.
#[derive(Clone, Debug)]
pub struct ApiOperation {
    /// What is sent. In REST an object of everything: `?name` is a parameter of the query,
    /// `header name` and `{name}` one of the headers and of the path; all others are the body's.
    pub request: ValueShape,
    /// What is answered on success.
    pub answers: BTreeMap<AnswerKey, ValueShape>,
    /// Whether requests are a stream, and whether answers are.
    pub streaming: (bool, bool),
    /// Set if it is to go.
    pub deprecation: Option<DeprecationNote>,
    /// Why its list needs no pages.
    pub bounded: Option<String>,
}

/// Which answer it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AnswerKey {
    /// 200, or OK for gRPC.
    pub status: String,
    /// Empty for JSON and for messages.
    pub media: String,
}

impl AnswerKey {
    /// Events that come one after the other, each of a shape of its own.
    #[must_use]
    pub fn is_event_stream(&self) -> bool {
        self.media == "text/event-stream"
    }
}

impl fmt::Display for AnswerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { status, media } = self;
        if media.is_empty() {
            f.write_str(status)
        } else {
            write!(f, "{status} ({media})")
        }
    }
}

impl ApiDocument {
    /// Nothing yet.
    #[must_use]
    pub fn empty(style: ApiStyle) -> Self {
        Self {
            style,
            operations: BTreeMap::new(),
            shapes: BTreeMap::new(),
            standalone: BTreeSet::new(),
            enums: BTreeMap::new(),
        }
    }

    /// How many fields it describes, those of requests and of answers.
    #[must_use]
    pub fn field_count(&self) -> usize {
        let requests = self.operations.values().map(|one| &one.request);
        let answers = self
            .operations
            .values()
            .flat_map(|one| one.answers.values());
        let all = requests.chain(answers).chain(self.shapes.values());
        all.map(ValueShape::field_count).sum()
    }
}
