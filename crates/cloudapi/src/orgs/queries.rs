//! `/api/query`: records of one type, filtered, sorted and paged.

use super::places;
use super::records::{RecordType, TYPES, with_addresses};
use crate::api::CloudState;
use crate::call::CloudCall;
use crate::error::ApiError;
use crate::page::RequestedPage;
use crate::{listing, xml};
use coeval_api::rest::{RestAnswer, encode};
use serde_json::Value;
use std::sync::Arc;

/// How records are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RecordFormat {
    Records,
    IdRecords,
    References,
}

impl RecordFormat {
    const ALL: [Self; 3] = [Self::Records, Self::IdRecords, Self::References];

    const fn name(self) -> &'static str {
        match self {
            Self::Records => "records",
            Self::IdRecords => "idrecords",
            Self::References => "references",
        }
    }

    /// After `application/`.
    const fn kind(self) -> &'static str {
        match self {
            Self::Records => "vnd.vmware.vcloud.query.records+xml",
            Self::IdRecords => "vnd.vmware.vcloud.query.idrecords+xml",
            Self::References => "vnd.vmware.vcloud.query.references+xml",
        }
    }
}

pub(super) async fn run(api: Arc<CloudState>, mut call: CloudCall) -> Result<RestAnswer, ApiError> {
    let Some(name) = call.query.get("type").filter(|name| !name.is_empty()) else {
        return Ok(types(&api));
    };
    let wrong = |name: &'static str, all: Vec<&str>| {
        ApiError::query(name, format!("use one of {}", all.join(", ")))
    };
    let of = RecordType::named(name);
    let of = of.ok_or_else(|| wrong("type", TYPES.iter().map(|one| one.name).collect()))?;
    let shown = match call.query.get("format").filter(|name| !name.is_empty()) {
        None => RecordFormat::Records,
        Some(name) => {
            let found = RecordFormat::ALL.into_iter().find(|one| one.name() == name);
            let all = || RecordFormat::ALL.iter().map(|one| one.name()).collect();
            found.ok_or_else(|| wrong("format", all()))?
        }
    };
    let wanted = RequestedPage::of(&call)?;
    // Links to other pages have the filter as it was sent, not as it was rewritten.
    let links = call.query.clone();
    call.query = links
        .clone()
        .with("filter", |filter| with_addresses(&api, filter));
    let records = of.records(&api, call.caller()?).await?;
    let records = listing::chosen(&call, records, of.keys)?;
    let page = RecordPage {
        of,
        shown,
        wanted,
        total: u64::try_from(records.len()).unwrap_or(u64::MAX),
        next: next_page(&api, &links, wanted, records.len()),
    };
    Ok(RestAnswer::xml(shown.kind(), page.document(&records)))
}

/// Which types there are; clients look their queries up here.
fn types(api: &CloudState) -> RestAnswer {
    let base = format!("{}/api/query", api.settings.public_url);
    let text = xml::document(|w| {
        let attributes = [
            ("xmlns", xml::VCLOUD),
            ("href", base.as_str()),
            ("type", places::QUERY_LIST),
        ];
        w.element("QueryList", &attributes, |w| {
            for of in TYPES {
                for shown in RecordFormat::ALL {
                    let href = format!("{base}?type={}&format={}", of.name, shown.name());
                    let kind = format!("application/{}", shown.kind());
                    let link = [
                        ("rel", "down"),
                        ("type", kind.as_str()),
                        ("name", of.name),
                        ("href", href.as_str()),
                    ];
                    w.empty("Link", &link);
                }
            }
        });
    });
    RestAnswer::xml("vnd.vmware.vcloud.query.queryList+xml", text)
}

fn next_page(
    api: &CloudState,
    query: &coeval_api::rest::QueryParams,
    wanted: RequestedPage,
    total: usize,
) -> Option<String> {
    let total = u64::try_from(total).unwrap_or(u64::MAX);
    // Also from beyond the last page there is nothing to go on to.
    if wanted.page >= wanted.pages(total) {
        return None;
    }
    let mut url = format!("{}/api/query?", api.settings.public_url);
    for (name, value) in query.pairs() {
        // Written anew below.
        if !matches!(name, "page" | "pageSize") {
            url.push_str(&format!("{}={}&", encode(name), encode(value)));
        }
    }
    url.push_str(&format!(
        "page={}&pageSize={}",
        wanted.page + 1,
        wanted.size
    ));
    Some(url)
}

/// One page.
struct RecordPage {
    of: RecordType,
    shown: RecordFormat,
    wanted: RequestedPage,
    total: u64,
    next: Option<String>,
}

impl RecordPage {
    fn document(&self, records: &[Value]) -> String {
        let (root, element) = match self.shown {
            RecordFormat::References => (
                format!("{}References", self.of.element),
                format!("{}Reference", self.of.element),
            ),
            _ => (
                "QueryResultRecords".to_owned(),
                format!("{}Record", self.of.element),
            ),
        };
        let skip = (self.wanted.page - 1).saturating_mul(self.wanted.size);
        // On 32 bits a page may begin beyond what can be counted: then it is empty.
        let skip = usize::try_from(skip).unwrap_or(usize::MAX);
        let size = usize::try_from(self.wanted.size).unwrap_or(usize::MAX);
        let (total, page) = (self.total.to_string(), self.wanted.page.to_string());
        let kind = format!("application/{}", self.shown.kind());
        let page_size = self.wanted.size.to_string();
        xml::document(|w| {
            let attributes = [
                ("xmlns", xml::VCLOUD),
                ("total", total.as_str()),
                ("page", &page),
                ("pageSize", &page_size),
                ("name", self.of.name),
                ("type", &kind),
            ];
            w.element(&root, &attributes, |w| {
                if let Some(next) = &self.next {
                    w.empty(
                        "Link",
                        &[("rel", "nextPage"), ("href", next), ("type", &kind)],
                    );
                }
                for record in records.iter().skip(skip).take(size) {
                    let attributes = attributes_of(record);
                    let attributes = attributes
                        .iter()
                        .map(|(name, value)| (*name, value.as_str()));
                    w.empty(&element, &attributes.collect::<Vec<_>>());
                }
            });
        })
    }
}

/// What a record has; what it has not is left out.
fn attributes_of(record: &Value) -> Vec<(&str, String)> {
    let fields = record.as_object().into_iter().flatten();
    let fields = fields.filter(|(_, value)| !value.is_null());
    // An attribute in XML is nothing but text.
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    fields
        .map(|(name, value)| (name.as_str(), text(value)))
        .collect()
}
