//! The table of routes: what answers, and what is said about it in the API's description.

use crate::api::WebState;
use crate::call::WebCall;
use crate::error::WebError;
use coeval_api::rest::RestAnswer;
pub(crate) use coeval_api::rest::openapi::{ParamKind, QueryParam};
use coeval_releases::ReleaseDeprecation;
use futures::future::BoxFuture;
use http::Method;
use std::sync::Arc;

/// What answers a request.
pub(crate) type WebHandler =
    fn(Arc<WebState>, WebCall) -> BoxFuture<'static, Result<RestAnswer, WebError>>;

/// An `async fn(Arc<Api>, Call) -> Result<RestAnswer, WebError>` as a [`WebHandler`].
macro_rules! handler {
    ($function:path) => {
        |api, call| Box::pin($function(api, call))
    };
}
pub(crate) use handler;

/// Who may call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequiredCaller {
    /// Nobody is asked who they are.
    Nothing,
    /// A session, an API token or a certificate.
    User,
}

/// A body that is sent or answered, by the name of its schema in the API's description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WebBody {
    /// One.
    One(&'static str),
    /// A page of them.
    Page(&'static str),
    /// Server-sent events, each with one of these.
    Events(&'static str),
    /// Nothing.
    Empty,
}

/// A route.
#[derive(Clone, Debug)]
pub(crate) struct WebRoute {
    /// Of the API: 1 is `/v1/webapi` and `/webapi`, 2 only `/v2/webapi`.
    pub(crate) version: u8,
    pub(crate) method: Method,
    /// Below the prefix, with `{names}` for the parts that vary.
    pub(crate) path: &'static str,
    /// The path with names that the router has it under, where its own would hide others: a part that
    /// says the same always is preferred to one that varies, whatever the method.
    pub(crate) among: Option<&'static str>,
    pub(crate) handler: WebHandler,
    pub(crate) about: &'static str,
    pub(crate) needs: RequiredCaller,
    /// The release that it came with.
    pub(crate) since: &'static str,
    /// Set if it is to go.
    pub(crate) deprecated: Option<ReleaseDeprecation>,
    /// Why a list needs no pages.
    pub(crate) bounded: Option<&'static str>,
    pub(crate) params: Vec<QueryParam>,
    pub(crate) body: Option<WebBody>,
    /// Statuses of success and what they carry.
    pub(crate) answers: Vec<(u16, WebBody)>,
}

const fn param(name: &'static str, about: &'static str, kind: ParamKind) -> QueryParam {
    QueryParam::new(name, about, kind)
}

/// The most rows of one page.
pub(crate) const LARGEST_PAGE: u64 = 1_000;

/// The parameters of every listing.
const LISTING: [QueryParam; 4] = [
    param(
        "filter",
        "Which ones: FIQL, such as name==web*",
        ParamKind::Text,
    ),
    param(
        "orderBy",
        "Fields to sort by: name, created desc",
        ParamKind::Text,
    ),
    param(
        "pageSize",
        "How many on a page",
        ParamKind::Number(1, LARGEST_PAGE),
    ),
    param(
        "pageToken",
        "Leads to the page; from the page before",
        ParamKind::Text,
    ),
];

/// Those of pages that are only followed.
const PAGES: [QueryParam; 2] = [LISTING[2], LISTING[3]];

impl WebRoute {
    fn new(method: Method, path: &'static str, handler: WebHandler) -> Self {
        Self {
            version: 1,
            method,
            path,
            among: None,
            handler,
            about: "",
            needs: RequiredCaller::User,
            since: "0.1.0",
            deprecated: None,
            bounded: None,
            params: Vec::new(),
            body: None,
            answers: Vec::new(),
        }
    }

    /// Answers its own path only, among those of this one.
    pub(crate) const fn among(mut self, path: &'static str) -> Self {
        self.among = Some(path);
        self
    }

    /// Whether it answers a path that the router found it by.
    pub(crate) fn answers_path(&self, path: &str) -> bool {
        let last = |path: &str| {
            path.trim_end_matches('/')
                .rsplit('/')
                .next()
                .map(str::to_owned)
        };
        // Only the last part tells them apart: what is before it is the same pattern.
        self.among.is_none() || last(path) == last(self.path)
    }

    pub(crate) fn get(path: &'static str, handler: WebHandler) -> Self {
        Self::new(Method::GET, path, handler)
    }

    pub(crate) fn post(path: &'static str, handler: WebHandler) -> Self {
        Self::new(Method::POST, path, handler)
    }

    pub(crate) fn put(path: &'static str, handler: WebHandler) -> Self {
        Self::new(Method::PUT, path, handler)
    }

    pub(crate) fn patch(path: &'static str, handler: WebHandler) -> Self {
        Self::new(Method::PATCH, path, handler)
    }

    pub(crate) fn delete(path: &'static str, handler: WebHandler) -> Self {
        Self::new(Method::DELETE, path, handler)
    }

    /// What it does, in a sentence.
    pub(crate) fn about(mut self, about: &'static str) -> Self {
        self.about = about;
        self
    }

    /// Open to everybody.
    pub(crate) fn open(mut self) -> Self {
        self.needs = RequiredCaller::Nothing;
        self
    }

    /// A query parameter.
    pub(crate) fn param(
        mut self,
        name: &'static str,
        about: &'static str,
        kind: ParamKind,
    ) -> Self {
        self.params.push(param(name, about, kind));
        self
    }

    /// A query parameter that is a text.
    pub(crate) fn text(self, name: &'static str, about: &'static str) -> Self {
        self.param(name, about, ParamKind::Text)
    }

    /// An older server may ignore the parameter that was declared last; what it does without it.
    pub(crate) fn ignorable(mut self, without_it: &'static str) -> Self {
        if let Some(param) = self.params.last_mut() {
            param.ignorable = Some(without_it);
        }
        self
    }

    /// The release that it came with; 0.1.0 by default.
    pub(crate) fn since(mut self, release: &'static str) -> Self {
        self.since = release;
        self
    }

    /// The parameters of a listing.
    pub(crate) fn listing(mut self) -> Self {
        self.params.extend(LISTING);
        self
    }

    /// The parameters of pages that are only followed.
    pub(crate) fn pages(mut self) -> Self {
        self.params.extend(PAGES);
        self
    }

    /// What it takes.
    pub(crate) fn takes(mut self, name: &'static str) -> Self {
        self.body = Some(WebBody::One(name));
        self
    }

    /// What it answers when all is well; several times if it answers in several ways.
    pub(crate) fn answers(mut self, status: u16, body: WebBody) -> Self {
        self.answers.push((status, body));
        self
    }

    /// 200 with one of these.
    pub(crate) fn gives(self, name: &'static str) -> Self {
        self.answers(200, WebBody::One(name))
    }

    /// The prefixes that it is served under; the first is the one that is described.
    pub(crate) fn prefixes(&self) -> Vec<String> {
        match self.version {
            1 => vec!["/v1/webapi".to_owned(), "/webapi".to_owned()],
            version => vec![format!("/v{version}/webapi")],
        }
    }
}
