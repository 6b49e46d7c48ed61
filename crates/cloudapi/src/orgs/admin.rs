//! Organizations in XML, and what administrators see of them.

use super::places::{self, VirtualDataCenter, bare, href, org_href, vdcs_of};
use crate::api::CloudState;
use crate::call::CloudCall;
use crate::error::ApiError;
use crate::xml::{self, XmlWriter};
use coeval_api::rest::RestAnswer;
use coeval_engine::identity::{Organization, Role, User};
use std::sync::Arc;

/// What clients read the release from: the one whose API this is.
const TAKEN_FOR: &str = "10.6.1.24000000 Tue Oct 01 10:00:00 UTC 2024";

pub(super) async fn org_list(
    api: Arc<CloudState>,
    call: CloudCall,
) -> Result<RestAnswer, ApiError> {
    let orgs = places::orgs(&api, call.caller()?).await?;
    let own = format!("{}/api/org", api.settings.public_url);
    let text = xml::document(|w| {
        let attributes = [
            ("xmlns", xml::VCLOUD),
            ("href", &own),
            ("type", places::ORG_LIST),
        ];
        w.element("OrgList", &attributes, |w| {
            for org in &orgs {
                let href = org_href(&api, &org.id);
                reference(w, "Org", &href, &org.id, &org.name, places::ORG);
            }
        });
    });
    Ok(RestAnswer::xml("vnd.vmware.vcloud.orgList+xml", text))
}

pub(super) async fn org(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let org = api.engine.get_org(call.caller()?, call.param("id")).await?;
    let vdcs = vdcs_of(&org);
    let own = org_href(&api, &org.id);
    let text = xml::document(|w| {
        w.element("Org", &about(&org, &own, places::ORG), |w| {
            for vdc in &vdcs {
                let href = href(&api, "vdc", &vdc.id);
                let link = [
                    ("rel", "down"),
                    ("href", &href),
                    ("id", &vdc.id),
                    ("name", &vdc.name),
                    ("type", places::VDC),
                ];
                w.empty("Link", &link);
            }
            // From some version on clients look here.
            let base = &api.settings.public_url;
            let query = format!("{base}/api/query?type=orgVdc&filter=org=={}", bare(&org.id));
            let link = [
                ("rel", "down"),
                ("href", query.as_str()),
                ("type", places::RECORDS),
            ];
            w.empty("Link", &link);
            let admin = href(&api, "admin/org", &org.id);
            let link = [
                ("rel", "alternate"),
                ("href", admin.as_str()),
                ("type", places::ADMIN_ORG),
            ];
            w.empty("Link", &link);
            names(w, &org);
        });
    });
    Ok(RestAnswer::xml("vnd.vmware.vcloud.org+xml", text))
}

pub(super) async fn root(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let orgs = places::orgs(&api, call.caller()?).await?;
    let own = format!("{}/api/admin", api.settings.public_url);
    let text = xml::document(|w| {
        let attributes = [
            ("xmlns", xml::VCLOUD),
            ("name", "VMware Cloud Director"),
            ("href", &own),
            ("type", places::ADMIN),
        ];
        w.element("VCloud", &attributes, |w| {
            w.text("Description", &[], TAKEN_FOR);
            w.element("OrganizationReferences", &[], |w| {
                for org in &orgs {
                    let href = href(&api, "admin/org", &org.id);
                    let name = "OrganizationReference";
                    reference(w, name, &href, &org.id, &org.name, places::ADMIN_ORG);
                }
            });
        });
    });
    Ok(RestAnswer::xml("vnd.vmware.admin.vcloud+xml", text))
}

pub(super) async fn admin_org(
    api: Arc<CloudState>,
    call: CloudCall,
) -> Result<RestAnswer, ApiError> {
    let caller = call.caller()?;
    let org = api.engine.get_org(caller, call.param("id")).await?;
    // Who may not see the users or the roles sees the organization without them.
    let users = crate::users::of_org(&api, caller, &org.id).await;
    let users = users.unwrap_or_default();
    let roles = api.engine.list_roles(caller, &org.id).await;
    let roles = roles.unwrap_or_default();
    let vdcs = vdcs_of(&org);
    let own = href(&api, "admin/org", &org.id);
    let text = xml::document(|w| {
        w.element("AdminOrg", &about(&org, &own, places::ADMIN_ORG), |w| {
            let alternate = org_href(&api, &org.id);
            let link = [
                ("rel", "alternate"),
                ("href", alternate.as_str()),
                ("type", places::ORG),
            ];
            w.empty("Link", &link);
            names(w, &org);
            w.text("IsEnabled", &[], &org.enabled.to_string());
            contents(w, &api, &users, &roles, &vdcs);
        });
    });
    Ok(RestAnswer::xml("vnd.vmware.admin.organization+xml", text))
}

fn contents(
    w: &mut XmlWriter,
    api: &CloudState,
    users: &[User],
    roles: &[Role],
    vdcs: &[VirtualDataCenter],
) {
    w.element("Users", &[], |w| {
        for user in users {
            let href = href(api, "admin/user", &user.id);
            reference(
                w,
                "UserReference",
                &href,
                &user.id,
                &user.name,
                places::USER,
            );
        }
    });
    w.element("Vdcs", &[], |w| {
        for vdc in vdcs {
            let href = href(api, "admin/vdc", &vdc.id);
            reference(w, "Vdc", &href, &vdc.id, &vdc.name, places::ADMIN_VDC);
        }
    });
    w.element("RoleReferences", &[], |w| {
        for role in roles {
            let href = href(api, "admin/role", &role.id);
            reference(
                w,
                "RoleReference",
                &href,
                &role.id,
                &role.name,
                places::ROLE,
            );
        }
    });
}

fn about<'a>(org: &'a Organization, href: &'a str, kind: &'a str) -> [(&'a str, &'a str); 5] {
    [
        ("xmlns", xml::VCLOUD),
        ("name", &org.name),
        ("id", &org.id),
        ("href", href),
        ("type", kind),
    ]
}

fn names(w: &mut XmlWriter, org: &Organization) {
    w.text("Description", &[], org.description.as_deref().unwrap_or(""));
    let full = org.display_name.as_ref().unwrap_or(&org.name);
    w.text("FullName", &[], full);
}

/// An element that leads to something.
pub(super) fn reference(
    w: &mut XmlWriter,
    element: &str,
    href: &str,
    id: &str,
    name: &str,
    kind: &str,
) {
    let attributes = [("href", href), ("id", id), ("name", name), ("type", kind)];
    w.empty(element, &attributes);
}
