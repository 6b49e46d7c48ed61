//! Where organizations and virtual data centers are found under `/api`, and which ones the caller
//! may see.

use crate::api::CloudState;
use crate::error::ApiError;
use crate::urn;
use coeval_engine::Caller;
use coeval_engine::identity::Organization;

pub(crate) const ORG: &str = "application/vnd.vmware.vcloud.org+xml";
pub(crate) const ORG_LIST: &str = "application/vnd.vmware.vcloud.orgList+xml";
pub(crate) const ADMIN: &str = "application/vnd.vmware.admin.vcloud+xml";
pub(crate) const ADMIN_ORG: &str = "application/vnd.vmware.admin.organization+xml";
pub(crate) const VDC: &str = "application/vnd.vmware.vcloud.vdc+xml";
pub(crate) const ADMIN_VDC: &str = "application/vnd.vmware.admin.vdc+xml";
pub(crate) const USER: &str = "application/vnd.vmware.admin.user+xml";
pub(crate) const ROLE: &str = "application/vnd.vmware.admin.role+xml";
pub(crate) const QUERY_LIST: &str = "application/vnd.vmware.vcloud.query.queryList+xml";
pub(crate) const RECORDS: &str = "application/vnd.vmware.vcloud.query.records+xml";

/// How many are read at once.
const AT_ONCE: usize = 500;

/// A virtual data center: a name that an organization has. Its id follows from both.
#[derive(Clone, Debug)]
pub(crate) struct VirtualDataCenter {
    /// `urn:vcloud:vdc:<uuid>`
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) org: Organization,
}

/// The part of an id after its last colon.
pub(crate) fn bare(id: &str) -> &str {
    id.rsplit(':').next().unwrap_or(id)
}

/// `https://…/api/{kind}/{uuid}`
pub(crate) fn href(api: &CloudState, kind: &str, id: &str) -> String {
    format!("{}/api/{kind}/{}", api.settings.public_url, bare(id))
}

pub(crate) fn org_href(api: &CloudState, id: &str) -> String {
    href(api, "org", id)
}

/// The id of an organization's virtual data center.
pub(crate) fn vdc_id(org: &str, name: &str) -> String {
    // From both, so that the same name in two organizations is two data centers.
    urn::derived("vdc", &format!("{org}\0{name}"))
}

pub(crate) fn vdcs_of(org: &Organization) -> Vec<VirtualDataCenter> {
    let names = org.vdcs.iter();
    let vdcs = names.map(|name| VirtualDataCenter {
        id: vdc_id(&org.id, name),
        name: name.clone(),
        org: org.clone(),
    });
    vdcs.collect()
}

/// All organizations that the caller may see, by name.
pub(crate) async fn orgs(api: &CloudState, caller: &Caller) -> Result<Vec<Organization>, ApiError> {
    let mut all: Vec<Organization> = Vec::new();
    loop {
        let after = all.last().map(|org| org.id.clone());
        let page = api.engine.list_orgs(caller, after.as_deref(), AT_ONCE);
        let page = page.await?;
        if page.is_empty() {
            break;
        }
        let last = page.len() < AT_ONCE;
        all.extend(page);
        if last {
            break;
        }
    }
    // The engine pages by id; people look for names.
    all.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(all)
}
