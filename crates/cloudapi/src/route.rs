//! The table of routes: what answers, and what is said about it in the API's description.

use crate::api::CloudState;
use crate::api_version::ApiVersion;
use crate::call::CloudCall;
use crate::error::ApiError;
use coeval_api::rest::RestAnswer;
pub(crate) use coeval_api::rest::openapi::{ParamKind, QueryParam};
use coeval_releases::ReleaseDeprecation;
use futures::future::BoxFuture;
use http::Method;
use std::sync::Arc;

/// What answers a request.
pub(crate) type CloudHandler =
    fn(Arc<CloudState>, CloudCall) -> BoxFuture<'static, Result<RestAnswer, ApiError>>;

/// An `async fn(Arc<Api>, Call) -> Result<RestAnswer, ApiError>` as a [`CloudHandler`].
macro_rules! handler {
    ($function:path) => {
        |api, call| Box::pin($function(api, call))
    };
}
pub(crate) use handler;

/// Who may call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequiredCredentials {
    /// Nobody is asked who they are.
    Nothing,
    /// A user's name and password, in the request itself.
    Password,
    /// A session, an API token or a certificate.
    User,
}

/// A body that is sent or answered, by the name of its schema in the API's description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CloudBody {
    /// One.
    One(&'static str),
    /// A page of them.
    Page(&'static str),
    /// XML, which the description does not go into.
    Xml,
    /// Plain text.
    Text,
    /// A form with these fields.
    Form,
    /// Nothing.
    Empty,
}

/// A route.
#[derive(Clone, Debug)]
pub(crate) struct CloudRoute {
    pub(crate) method: Method,
    /// With `{names}` for the parts that vary. A collection's has no slash at its end; both work.
    pub(crate) path: &'static str,
    pub(crate) handler: CloudHandler,
    pub(crate) about: &'static str,
    pub(crate) needs: RequiredCredentials,
    pub(crate) since: ApiVersion,
    /// Set if it is to go.
    pub(crate) deprecated: Option<ReleaseDeprecation>,
    pub(crate) params: Vec<QueryParam>,
    pub(crate) body: Option<CloudBody>,
    /// Statuses of success and what they carry.
    pub(crate) answers: Vec<(u16, CloudBody)>,
}

/// The parameters of a listing.
pub(crate) const LISTING: [QueryParam; 5] = [
    QueryParam::new(
        "filter",
        "Which ones: FIQL, such as name==web*;state==RESOLVED",
        ParamKind::Text,
    ),
    QueryParam::new("sortAsc", "In the order of this field", ParamKind::Text),
    QueryParam::new(
        "sortDesc",
        "Against the order of this field",
        ParamKind::Text,
    ),
    QueryParam::new(
        "page",
        "Which page, from 1 on",
        ParamKind::Number(1, 1_000_000),
    ),
    QueryParam::new("pageSize", "How many on a page", ParamKind::Number(0, 128)),
];

impl CloudRoute {
    fn new(method: Method, path: &'static str, handler: CloudHandler) -> Self {
        Self {
            method,
            path,
            handler,
            about: "",
            needs: RequiredCredentials::User,
            since: ApiVersion::SERVED[0],
            deprecated: None,
            params: Vec::new(),
            body: None,
            answers: Vec::new(),
        }
    }

    pub(crate) fn get(path: &'static str, handler: CloudHandler) -> Self {
        Self::new(Method::GET, path, handler)
    }

    pub(crate) fn post(path: &'static str, handler: CloudHandler) -> Self {
        Self::new(Method::POST, path, handler)
    }

    pub(crate) fn put(path: &'static str, handler: CloudHandler) -> Self {
        Self::new(Method::PUT, path, handler)
    }

    pub(crate) fn delete(path: &'static str, handler: CloudHandler) -> Self {
        Self::new(Method::DELETE, path, handler)
    }

    /// What it does, in a sentence.
    pub(crate) fn about(mut self, about: &'static str) -> Self {
        self.about = about;
        self
    }

    /// Who may call it; a user if nothing is said.
    pub(crate) fn needs(mut self, needs: RequiredCredentials) -> Self {
        self.needs = needs;
        self
    }

    /// The API version that it came with; the oldest if nothing is said.
    pub(crate) fn since(mut self, major: u16, minor: u16) -> Self {
        self.since = ApiVersion::new(major, minor);
        self
    }

    /// A query parameter.
    pub(crate) fn param(
        mut self,
        name: &'static str,
        about: &'static str,
        kind: ParamKind,
    ) -> Self {
        self.params.push(QueryParam::new(name, about, kind));
        self
    }

    /// The parameters of a listing.
    pub(crate) fn listing(mut self) -> Self {
        self.params.extend(LISTING);
        self
    }

    /// What it takes.
    pub(crate) fn takes(mut self, body: CloudBody) -> Self {
        self.body = Some(body);
        self
    }

    /// What it answers when all is well; several times if it answers in several ways.
    pub(crate) fn answers(mut self, status: u16, body: CloudBody) -> Self {
        self.answers.push((status, body));
        self
    }
}
