//! Virtual data centers. Coeval has nothing in them; clients only want to find theirs.

use super::places::{self, VirtualDataCenter, href, org_href, vdcs_of};
use crate::api::CloudState;
use crate::call::CloudCall;
use crate::error::ApiError;
use crate::{urn, xml};
use coeval_api::rest::RestAnswer;
use coeval_engine::EngineError;
use coeval_engine::identity::IdentityError;
use std::sync::Arc;

pub(super) async fn get(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let vdc = find(&api, &call).await?;
    let own = href(&api, "vdc", &vdc.id);
    let up = (org_href(&api, &vdc.org.id), places::ORG);
    let text = document(&api, &vdc, "Vdc", &own, (&up.0, up.1), places::VDC);
    Ok(RestAnswer::xml("vnd.vmware.vcloud.vdc+xml", text))
}

pub(super) async fn admin_get(
    api: Arc<CloudState>,
    call: CloudCall,
) -> Result<RestAnswer, ApiError> {
    let vdc = find(&api, &call).await?;
    let own = href(&api, "admin/vdc", &vdc.id);
    let up = (href(&api, "admin/org", &vdc.org.id), places::ADMIN_ORG);
    let kind = places::ADMIN_VDC;
    let text = document(&api, &vdc, "AdminVdc", &own, (&up.0, up.1), kind);
    Ok(RestAnswer::xml("vnd.vmware.admin.vdc+xml", text))
}

async fn find(api: &CloudState, call: &CloudCall) -> Result<VirtualDataCenter, ApiError> {
    let what = call.param("id");
    let id = urn::uuid(what);
    let id =
        id.ok_or_else(|| ApiError::id(what, "a virtual data center's id", "it has no UUID"))?;
    let id = format!("urn:vcloud:vdc:{id}");
    // A data center is no record: its id is made of the organization's and its name, so all are tried.
    let orgs = places::orgs(api, call.caller()?).await?;
    let mut all = orgs.iter().flat_map(vdcs_of);
    let unknown = || {
        // As with everything that does not exist: it could be another organization's.
        let what = format!("that has the virtual data center {id}");
        EngineError::from(IdentityError::OrgUnknown { what })
    };
    Ok(all.find(|vdc| vdc.id == id).ok_or_else(unknown)?)
}

fn document(
    api: &CloudState,
    vdc: &VirtualDataCenter,
    element: &str,
    own: &str,
    up: (&str, &str),
    kind: &str,
) -> String {
    let edit = href(api, "admin/vdc", &vdc.id);
    xml::document(|w| {
        let attributes = [
            ("xmlns", xml::VCLOUD),
            ("status", "1"),
            ("name", &vdc.name),
            ("id", &vdc.id),
            ("href", own),
            ("type", kind),
        ];
        w.element(element, &attributes, |w| {
            w.empty("Link", &[("rel", "up"), ("href", up.0), ("type", up.1)]);
            let link = [
                ("rel", "alternate"),
                ("href", edit.as_str()),
                ("type", places::ADMIN_VDC),
            ];
            w.empty("Link", &link);
            w.text("Description", &[], "");
            w.text("AllocationModel", &[], "Flex");
            w.element("ResourceEntities", &[], |_| {});
            w.element("AvailableNetworks", &[], |_| {});
            w.text("IsEnabled", &[], &vdc.org.enabled.to_string());
        });
    })
}
