//! Pages of entities, by type or by interface.

use super::fields::field;
use super::read::noticed;
use super::represent::{EntityWriter, text};
use super::target::{accepted, not_own, sequenced, wanting};
use crate::api::CloudState;
use crate::call::CloudCall;
use crate::error::ApiError;
use crate::listing;
use crate::page::{RequestedPage, envelope_start, link};
use coeval_api::rest::RestAnswer;
use coeval_core::version::{Classification, InterfaceUrn, TypeUrn};
use coeval_engine::{EngineError, InOrg, ListOf, ListQuery, Page, PageAt, TypeKey};
use coeval_filter::fiql;
use http::StatusCode;
use std::io::Write as _;
use std::sync::Arc;

/// What entities are called in links.
const MODEL: &str = "DefinedEntities";

pub(super) async fn of_type(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let of = named(&call)?;
    let versions = Some(versions(&call)?);
    answer(&api, &call, ListOf::Type { of, versions }).await
}

pub(super) async fn of_all_versions(
    api: Arc<CloudState>,
    call: CloudCall,
) -> Result<RestAnswer, ApiError> {
    let (of, versions) = (named(&call)?, None);
    answer(&api, &call, ListOf::Type { of, versions }).await
}

pub(super) async fn of_type_id(
    api: Arc<CloudState>,
    call: CloudCall,
) -> Result<RestAnswer, ApiError> {
    let id = call.param("typeId");
    let urn = TypeUrn::<Classification>::parse(id);
    let urn = urn.map_err(|error| ApiError::id(id, "a type's id", error.to_string()))?;
    let of = TypeKey::new(urn.name.vendor.as_str(), urn.name.nss.as_str());
    let versions = Some(urn.version);
    answer(&api, &call, ListOf::Type { of, versions }).await
}

pub(super) async fn of_interface(
    api: Arc<CloudState>,
    call: CloudCall,
) -> Result<RestAnswer, ApiError> {
    let of = named(&call)?;
    let versions = Some(versions(&call)?);
    answer(&api, &call, ListOf::Interface { of, versions }).await
}

pub(super) async fn of_interface_id(
    api: Arc<CloudState>,
    call: CloudCall,
) -> Result<RestAnswer, ApiError> {
    let id = call.param("interfaceId");
    let urn = InterfaceUrn::<Classification>::parse(id);
    let urn = urn.map_err(|error| ApiError::id(id, "an interface's id", error.to_string()))?;
    let of = TypeKey::new(urn.name.vendor.as_str(), urn.name.nss.as_str());
    let versions = Some(urn.version);
    answer(&api, &call, ListOf::Interface { of, versions }).await
}

fn named(call: &CloudCall) -> Result<TypeKey, ApiError> {
    let name = format!("{}:{}", call.param("vendor"), call.param("nss"));
    let refuse = || ApiError::id(&name, "a vendor and an nss", "use letters, digits, - and _");
    TypeKey::parse(&name).ok_or_else(refuse)
}

fn versions(call: &CloudCall) -> Result<Classification, ApiError> {
    let version = call.param("version");
    let read = Classification::parse(version);
    read.map_err(|error| ApiError::id(version, "a version", error.flaw.to_string()))
}

async fn answer(api: &CloudState, call: &CloudCall, of: ListOf) -> Result<RestAnswer, ApiError> {
    let single = match &of {
        ListOf::Type { of, .. } => Some(of.clone()),
        ListOf::Interface { .. } => None,
    };
    if let Some(of) = &single {
        not_own(of)?;
    }
    // Entities are shown, and filtered, at the version that is asked for.
    let caller = wanting(call.caller()?, accepted(call, single.as_ref())?);
    let mut wanted = RequestedPage::of(call)?;
    let query = query(call, wanted, of)?;
    let mut page = api.engine.list(&caller, &query).await?;
    let total = page.total.unwrap_or_default();
    // Asked only for an empty answer: whoever sees a row sees the type.
    // What nobody sees is as if it did not exist.
    if let (Some(of), 0) = (single, total)
        && !api.engine.sees_type(&caller, &of).await?
    {
        return Err(EngineError::TypeUnknown { of }.into());
    }
    // A page of size 0 asks for the count alone. The engine has no empty page, so that one row was read.
    if wanted.size == 0 {
        page.items.clear();
        page.quarantined.clear();
        page.next = None;
    }
    // The cursor knows how far it is; a number beside it is not looked at.
    if matches!(query.page, PageAt::After(_)) {
        wanted.page = page.number;
    }
    let room: usize = page.items.iter().map(EntityWriter::size).sum();
    let mut out = Vec::with_capacity(room + 256);
    out.extend_from_slice(envelope_start(wanted, total).as_bytes());
    // One writer for the page: most rows have the same few owners and organizations.
    let mut writer = EntityWriter::new(api, &caller, call.version);
    for (number, resource) in page.items.iter().enumerate() {
        if number > 0 {
            out.push(b',');
        }
        writer.entity(resource, &mut out).await?;
    }
    out.push(b']');
    quarantined(&page, &mut out);
    out.push(b'}');
    let next = page.next.as_deref();
    let answer = link(
        RestAnswer::raw_json(StatusCode::OK, out),
        api,
        call,
        wanted,
        total,
        MODEL,
        next,
    );
    let answer = page.warnings.iter().fold(answer, |answer, warning| {
        // In the words of this API.
        answer.warning(&warning.replace("spec.", "entity."))
    });
    let answer = noticed(api, answer, &page.items);
    Ok(sequenced(answer, page.token))
}

/// A cursor leads on from the page before, and knows how many there are; a number counts.
fn query(call: &CloudCall, wanted: RequestedPage, of: ListOf) -> Result<ListQuery, ApiError> {
    let said = |name: &str| call.query.get(name).filter(|text| !text.is_empty());
    let filter = said("filter").map(|text| fiql::parse(text, field));
    let page = match said("cursor") {
        Some(cursor) => PageAt::After(cursor.to_owned()),
        None if wanted.size == 0 => PageAt::First,
        None => PageAt::Number(wanted.page),
    };
    Ok(ListQuery {
        of,
        // This API always lists where the caller acts.
        org: InOrg::Own,
        filter: filter.transpose()?,
        order: listing::order(call, field)?,
        page,
        page_size: usize::try_from(wanted.size.max(1)).unwrap_or(1),
        // The envelope has the total.
        count: true,
        // Clients of this API filter by content that no schema declares, and rely on it.
        undeclared: true,
    })
}

/// Those that can't be shown are named; a page without any has no word of it.
fn quarantined(page: &Page, out: &mut Vec<u8>) {
    if page.quarantined.is_empty() {
        return;
    }
    out.extend_from_slice(b",\"quarantined\":[");
    for (number, one) in page.quarantined.iter().enumerate() {
        if number > 0 {
            out.push(b',');
        }
        out.extend_from_slice(b"{\"id\":");
        text(&one.id, out);
        // Writing into memory can't fail.
        let _ = write!(out, ",\"code\":\"{}\",\"reason\":", one.code);
        text(&one.reason, out);
        out.push(b'}');
    }
    out.push(b']');
}
