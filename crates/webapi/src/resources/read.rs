//! Reading resources.

use super::represent::{ResourceWriter, print, quarantined};
use super::target::{named, selector};
use crate::api::WebState;
use crate::call::WebCall;
use crate::error::WebError;
use crate::route::LARGEST_PAGE;
use coeval_api::methods::ListParams;
use coeval_api::rest::RestAnswer;
use coeval_engine::{Caller, Resource};
use http::StatusCode;
use std::sync::Arc;

/// The last page that can be asked for by number.
const LAST_PAGE: u64 = 1_000_000;

pub(super) async fn list(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let caller = call.caller_at_version()?;
    let of = api.methods.kind(&caller, call.param("kind")).await?;
    let said = |name| call.query.get(name).unwrap_or_default().to_owned();
    // 0 leaves the size to the methods.
    let size = call.query.number("pageSize", 1, LARGEST_PAGE)?.unwrap_or(0);
    let asked = ListParams {
        page_size: usize::try_from(size).unwrap_or(usize::MAX),
        page_token: said("pageToken"),
        page: call.query.number("page", 1, LAST_PAGE)?.unwrap_or(0),
        namespace: said("namespace"),
        selector: selector(&call)?,
        order_by: said("orderBy"),
        count: call.query.flag("count")?.unwrap_or(false),
    };
    // One of them would be ignored without a word.
    if !asked.page_token.is_empty() && asked.page > 0 {
        return Err(WebError::query("page", "use pageToken or page, not both"));
    }
    let page = api.methods.list(&caller, &of, &asked).await?;
    // Room for all of it at once: growing would copy the answer several times.
    let room: usize = page.items.iter().map(ResourceWriter::size).sum();
    let mut out = Vec::with_capacity(room + 256);
    out.extend_from_slice(b"{\"items\":");
    resources(&api, &caller, &page.items, &mut out).await?;
    out.extend_from_slice(b",\"nextPageToken\":");
    print(&page.next, &mut out);
    if let Some(total) = page.total {
        out.extend_from_slice(b",\"total\":");
        print(&total, &mut out);
    }
    out.extend_from_slice(b",\"quarantined\":");
    print(&quarantined(&page.quarantined), &mut out);
    // What a watch that follows this listing begins with.
    out.extend_from_slice(b",\"sequence\":");
    print(&page.token.to_string(), &mut out);
    out.push(b'}');
    let answer = RestAnswer::raw_json(StatusCode::OK, out).sequenced(page.token);
    Ok(answer.warnings(&page.warnings))
}

/// Several, as a list.
pub(super) async fn resources(
    api: &WebState,
    caller: &Caller,
    all: &[Resource],
    out: &mut Vec<u8>,
) -> Result<(), WebError> {
    let mut writer = ResourceWriter::new(api, caller);
    out.push(b'[');
    for (number, resource) in all.iter().enumerate() {
        if number > 0 {
            out.push(b',');
        }
        writer.resource(resource, out).await?;
    }
    out.push(b']');
    Ok(())
}

pub(super) async fn get(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let caller = call.caller_at_version()?;
    let which = named(&api, &call, &caller).await?;
    let resource = api.engine().get(&caller, &which.of, &which.target).await?;
    let left_out = api.methods.left_out(&caller, &resource).await?;
    let mut out = Vec::with_capacity(ResourceWriter::size(&resource));
    out.push(b'{');
    ResourceWriter::new(&api, &caller)
        .fields(&resource, &mut out)
        .await?;
    out.extend_from_slice(b",\"leftOut\":");
    print(&left_out, &mut out);
    out.push(b'}');
    let notices = api.engine().deprecation_notices([&resource]);
    Ok(RestAnswer::raw_json(StatusCode::OK, out)
        .revised(resource.revision)
        .sequenced(resource.token)
        .warnings(&notices))
}
