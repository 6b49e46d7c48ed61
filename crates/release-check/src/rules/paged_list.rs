//! A list that has no pages answers everything, until it is too much to answer.

use super::{RuleContext, RuleEntry};
use crate::compare::{ShapeAlternatives, SurfaceArea, SurfaceChange, SurfaceDifference};
use crate::model::{ApiDocument, ApiStyle, ApiOperation};

pub(super) const ENTRY: RuleEntry = RuleEntry {
    id: "paged-list",
    statement: "A new list has pages in the style of its API, or declares why it needs none.",
    how_to_go_on: "Take a page size and a token and answer the next token, as the other lists of this API do; or declare `x-bounded` (gRPC: `bounded`) with the reason why it never grows.",
    areas: SurfaceArea::APIS,
    judge,
};

fn judge(difference: &SurfaceDifference<'_>, _: &RuleContext<'_>) -> Option<String> {
    let SurfaceChange::NewOperation {
        api,
        name,
        operation,
    } = &difference.change
    else {
        return None;
    };
    if operation.bounded.is_some() || !is_list(api, name, operation) {
        return None;
    }
    let (sent, answered) = pages_of(api.style);
    let request = ShapeAlternatives::of(api, &operation.request);
    let lacks = sent.iter().filter(|name| request.field(name).is_none());
    let mut lacks: Vec<&str> = lacks.copied().collect();
    for shape in operation.answers.values() {
        let answer = ShapeAlternatives::of(api, shape);
        lacks.extend(answered.iter().filter(|name| answer.field(name).is_none()));
    }
    let lacks: Vec<&str> = lacks.iter().map(|name| name.trim_start_matches('?')).collect();
    (!lacks.is_empty()).then(|| format!("it is a list without pages: it lacks {}", lacks.join(", ")))
}

/// What is sent and what is answered, in the words of that API.
fn pages_of(style: ApiStyle) -> (&'static [&'static str], &'static [&'static str]) {
    match style {
        ApiStyle::Webapi => (&["?pageSize", "?pageToken"], &["items", "nextPageToken"]),
        ApiStyle::Cloudapi => (
            &["?page", "?pageSize"],
            &["values", "page", "pageSize", "pageCount", "resultTotal"],
        ),
        ApiStyle::Grpc => (&["page_size", "page_token"], &["next_page_token"]),
    }
}

fn is_list(api: &ApiDocument, name: &str, operation: &ApiOperation) -> bool {
    if api.style == ApiStyle::Grpc {
        let method = name.rsplit('/').next().unwrap_or_default();
        return method.starts_with("List");
    }
    let holds_objects = |all: &ShapeAlternatives<'_>| {
        let mut elements = all.lists.iter().map(|list| ShapeAlternatives::of(api, &list.element));
        elements.any(|element| !element.objects.is_empty())
    };
    let answers_a_list = || {
        operation.answers.values().any(|shape| {
            let answer = ShapeAlternatives::of(api, shape);
            let mut fields = answer.objects.iter().flat_map(|object| object.fields.values());
            holds_objects(&answer)
                || fields.any(|field| holds_objects(&ShapeAlternatives::of(api, &field.shape)))
        })
    };
    name.starts_with("GET ") && answers_a_list()
}
