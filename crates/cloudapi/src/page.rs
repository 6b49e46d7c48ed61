//! Pages: how they are asked for, their envelope, and the links between them.
//!
//! Clients of this API know pages by their numbers, and a page far back costs all that is before
//! it. So the link to the next page has a cursor beside the number: whoever follows links pays
//! for one page each time. A cursor knows which page it leads to, and how many rows there were
//! when the listing began.

use crate::api::CloudState;
use crate::call::CloudCall;
use crate::error::ApiError;
use coeval_api::rest::{RestAnswer, encode};
use http::header::LINK;

/// Which page, and how large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RequestedPage {
    /// From 1 on.
    pub(crate) page: u64,
    pub(crate) size: u64,
}

const DEFAULT_SIZE: u64 = 25;
const LARGEST_SIZE: u64 = 128;
const LAST_PAGE: u64 = 1_000_000;

impl RequestedPage {
    pub(crate) fn of(call: &CloudCall) -> Result<Self, ApiError> {
        Ok(Self {
            page: call.query.number("page", 1, LAST_PAGE)?.unwrap_or(1),
            size: call
                .query
                .number("pageSize", 0, LARGEST_SIZE)?
                .unwrap_or(DEFAULT_SIZE),
        })
    }

    /// How many pages there are of so many.
    pub(crate) fn pages(self, total: u64) -> u64 {
        match self.size {
            // 0 asks for the total alone.
            0 => 0,
            size => total.div_ceil(size),
        }
    }
}

/// What begins a page's envelope, up to its values. (They are written one after the other, so that
/// contents are copied and never read.)
pub(crate) fn envelope_start(wanted: RequestedPage, total: u64) -> String {
    format!(
        "{{\"resultTotal\":{total},\"pageCount\":{},\"page\":{},\"pageSize\":{},\"associations\":null,\"values\":[",
        wanted.pages(total),
        wanted.page,
        wanted.size
    )
}

/// Adds the links to the pages around. `cursor` leads to the next page faster than its number.
pub(crate) fn link(
    answer: RestAnswer,
    api: &CloudState,
    call: &CloudCall,
    wanted: RequestedPage,
    total: u64,
    model: &str,
    cursor: Option<&str>,
) -> RestAnswer {
    // What a cursor leads to is there, whatever was counted when the listing began.
    let last = match cursor {
        Some(_) => wanted.pages(total).max(wanted.page + 1),
        None => wanted.pages(total),
    };
    // A page may be the next and the last one: it has one link then, with both relations.
    let mut links: Vec<(u64, Vec<&str>)> = Vec::new();
    let mut add = |page: u64, rel: &'static str| match links.iter_mut().find(|(p, _)| *p == page) {
        Some((_, rels)) => rels.push(rel),
        None => links.push((page, vec![rel])),
    };
    if wanted.page < last {
        add(last, "lastPage");
        add(wanted.page + 1, "nextPage");
    }
    if wanted.page > 1 && last > 0 {
        add(1, "firstPage");
        // From a page beyond the end it leads back to the last one.
        add((wanted.page - 1).min(last), "previousPage");
    }
    if links.is_empty() {
        return answer;
    }
    let links = links.into_iter().map(|(page, rels)| {
        let cursor = cursor.filter(|_| page == wanted.page + 1);
        let url = page_url(api, call, wanted, page, cursor);
        let rels = rels.join(" ");
        format!("<{url}>;rel=\"{rels}\";type=\"application/json\";model=\"{model}\"")
    });
    let links: Vec<_> = links.collect();
    answer.with(LINK, &links.join(","))
}

fn page_url(
    api: &CloudState,
    call: &CloudCall,
    wanted: RequestedPage,
    page: u64,
    cursor: Option<&str>,
) -> String {
    let mut url = format!("{}{}?", api.settings.public_url, call.path);
    for (name, value) in call.query.pairs() {
        // Written anew below.
        if !matches!(name, "page" | "pageSize" | "cursor") {
            url.push_str(&format!("{}={}&", encode(name), encode(value)));
        }
    }
    url.push_str(&format!("page={page}&pageSize={}", wanted.size));
    if let Some(cursor) = cursor {
        url.push_str(&format!("&cursor={}", encode(cursor)));
    }
    url
}
