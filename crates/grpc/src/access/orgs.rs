//! The service of organizations.

use crate::api::GrpcState;
use crate::call::served;
use crate::fields::{UpdateFields, needed, revision, said, text};
use crate::pages::PageRequest;
use crate::proto::access::v1 as pb;
use coeval_api::methods::MethodError;
use coeval_engine::Caller;
use coeval_engine::identity::{NewOrg, OrgEdit, Organization};
use std::sync::Arc;

/// The service.
#[derive(Clone, Debug)]
pub(crate) struct OrganizationService(pub(crate) Arc<GrpcState>);

served!(pb::organization_service_server::OrganizationService, OrganizationService {
    create_organization(pb::CreateOrganizationRequest) -> pb::CreateOrganizationResponse = create;
    get_organization(pb::GetOrganizationRequest) -> pb::GetOrganizationResponse = get;
    list_organizations(pb::ListOrganizationsRequest) -> pb::ListOrganizationsResponse = list;
    update_organization(pb::UpdateOrganizationRequest) -> pb::UpdateOrganizationResponse = update;
    delete_organization(pb::DeleteOrganizationRequest) -> () = delete;
});

const FIELDS: [&str; 4] = ["display_name", "description", "disabled", "vdcs"];

async fn create(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::CreateOrganizationRequest,
) -> Result<pb::CreateOrganizationResponse, MethodError> {
    let asked = needed(asked.organization, "organization")?;
    let engine = api.methods.engine();
    let new = NewOrg {
        name: text(asked.name, "name")?,
        display_name: said(asked.display_name),
        description: said(asked.description),
        vdcs: asked.vdcs,
    };
    let mut made = engine.create_org(&caller, &new).await?;
    // The engine creates organizations enabled. Two writes: if the second one fails, the organization is
    // there and enabled, and the caller is told why.
    if asked.disabled {
        let edit = OrgEdit {
            enabled: Some(false),
            ..OrgEdit::default()
        };
        made = engine.update_org(&caller, &made.id, &edit).await?;
    }
    Ok(pb::CreateOrganizationResponse {
        organization: Some(shown(made)),
    })
}

async fn get(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::GetOrganizationRequest,
) -> Result<pb::GetOrganizationResponse, MethodError> {
    let name = text(asked.name, "name")?;
    let found = api.methods.engine().get_org(&caller, &name).await?;
    Ok(pb::GetOrganizationResponse {
        organization: Some(shown(found)),
    })
}

async fn list(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::ListOrganizationsRequest,
) -> Result<pb::ListOrganizationsResponse, MethodError> {
    let page = (asked.page_size, asked.page_token.as_str());
    let page = PageRequest::read((&api, &caller), "organizations", &[], page).await?;
    // One more than fits on the page says that there is a next one.
    let mut all: Vec<Organization> = Vec::new();
    // Those that can't be read are left out of what is found: only an empty one is the last.
    while all.len() <= page.size {
        let last = all.last().map(|one| one.id.as_str());
        let after = last.or(page.after.as_deref());
        let engine = api.methods.engine();
        let more = engine.list_orgs(&caller, after, page.size + 1).await?;
        if more.is_empty() {
            break;
        }
        all.extend(more);
    }
    let (found, next_page_token) = page.ended(all, |one| one.id.clone()).await?;
    Ok(pb::ListOrganizationsResponse {
        organizations: found.into_iter().map(shown).collect(),
        next_page_token,
    })
}

async fn update(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::UpdateOrganizationRequest,
) -> Result<pb::UpdateOrganizationResponse, MethodError> {
    let org = needed(asked.organization, "organization")?;
    let fields = UpdateFields::of(asked.update_mask, &org.revision, &FIELDS)?;
    let engine = api.methods.engine();
    let what = said(org.id).or_else(|| said(org.name.clone()));
    // Read before it is written: a client that sends the whole message back sends its name too, which is
    // no wish to change it as long as it is the same.
    let there = engine.get_org(&caller, &needed(what, "name")?).await?;
    if !org.name.is_empty() && org.name != there.name && org.name != there.id {
        return Err(MethodError::invalid(
            "the name of an organization never changes",
        ));
    }
    let edit = OrgEdit {
        revision: revision(&org.revision),
        display_name: fields.when("display_name", said(org.display_name)),
        description: fields.when("description", said(org.description)),
        enabled: fields.when("disabled", !org.disabled),
        vdcs: fields.when("vdcs", org.vdcs),
    };
    let changed = engine.update_org(&caller, &there.id, &edit).await?;
    Ok(pb::UpdateOrganizationResponse {
        organization: Some(shown(changed)),
    })
}

async fn delete(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::DeleteOrganizationRequest,
) -> Result<(), MethodError> {
    let name = text(asked.name, "name")?;
    Ok(api.methods.engine().delete_org(&caller, &name).await?)
}

fn shown(org: Organization) -> pb::Organization {
    pb::Organization {
        id: org.id,
        name: org.name,
        display_name: org.display_name.unwrap_or_default(),
        description: org.description.unwrap_or_default(),
        disabled: !org.enabled,
        vdcs: org.vdcs,
        revision: org.revision.to_string(),
    }
}
