//! The service of rights bundles.

use crate::api::GrpcState;
use crate::call::served;
use crate::fields::{UpdateFields, needed, revision, said, text};
use crate::pages::PageRequest;
use crate::proto::access::v1 as pb;
use coeval_access::BundleAudience;
use coeval_api::methods::MethodError;
use coeval_engine::Caller;
use coeval_engine::identity::{BundleEdit, NewBundle, PublishTo, RightsBundle};
use std::sync::Arc;

/// The service.
#[derive(Clone, Debug)]
pub(crate) struct BundleService(pub(crate) Arc<GrpcState>);

served!(pb::bundle_service_server::BundleService, BundleService {
    create_bundle(pb::CreateBundleRequest) -> pb::CreateBundleResponse = create;
    get_bundle(pb::GetBundleRequest) -> pb::GetBundleResponse = get;
    list_bundles(pb::ListBundlesRequest) -> pb::ListBundlesResponse = list;
    update_bundle(pb::UpdateBundleRequest) -> pb::UpdateBundleResponse = update;
    delete_bundle(pb::DeleteBundleRequest) -> () = delete;
    publish_bundle(pb::PublishBundleRequest) -> pb::PublishBundleResponse = publish;
    unpublish_bundle(pb::UnpublishBundleRequest) -> pb::UnpublishBundleResponse = unpublish;
});

const FIELDS: [&str; 3] = ["name", "description", "rights"];

async fn create(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::CreateBundleRequest,
) -> Result<pb::CreateBundleResponse, MethodError> {
    let bundle = needed(asked.bundle, "bundle")?;
    let new = NewBundle {
        name: text(bundle.name, "name")?,
        description: said(bundle.description),
        rights: bundle.rights,
    };
    let made = api.methods.engine().create_bundle(&caller, &new).await?;
    Ok(pb::CreateBundleResponse {
        bundle: Some(shown(made)),
    })
}

async fn get(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::GetBundleRequest,
) -> Result<pb::GetBundleResponse, MethodError> {
    let name = text(asked.name, "name")?;
    let found = api.methods.engine().get_bundle(&caller, &name).await?;
    Ok(pb::GetBundleResponse {
        bundle: Some(shown(found)),
    })
}

async fn list(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::ListBundlesRequest,
) -> Result<pb::ListBundlesResponse, MethodError> {
    let page = (asked.page_size, asked.page_token.as_str());
    let page = PageRequest::read((&api, &caller), "bundles", &[], page).await?;
    let all = api.methods.engine().list_bundles(&caller).await?;
    // With the id no two rows have one key, so that a page ends at one row and no other.
    let key = |one: &RightsBundle| format!("{}\0{}", one.name, one.id);
    let (found, next_page_token) = page.cut(all, key).await?;
    Ok(pb::ListBundlesResponse {
        bundles: found.into_iter().map(shown).collect(),
        next_page_token,
    })
}

async fn update(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::UpdateBundleRequest,
) -> Result<pb::UpdateBundleResponse, MethodError> {
    let bundle = needed(asked.bundle, "bundle")?;
    let fields = UpdateFields::of(asked.update_mask, &bundle.revision, &FIELDS)?;
    // Who names it by id may rename it: the name in the message is then the new one. Without an id the
    // name says which bundle is meant, and can't be two things at once.
    let by_id = !bundle.id.is_empty();
    let what = if by_id {
        bundle.id
    } else {
        text(bundle.name.clone(), "name")?
    };
    let edit = BundleEdit {
        revision: revision(&bundle.revision),
        // By its name it stays what it is called.
        name: fields
            .when("name", bundle.name)
            .filter(|name| by_id && !name.is_empty()),
        description: fields.when("description", said(bundle.description)),
        rights: fields.when("rights", bundle.rights),
    };
    let engine = api.methods.engine();
    let changed = engine.update_bundle(&caller, &what, &edit).await?;
    Ok(pb::UpdateBundleResponse {
        bundle: Some(shown(changed)),
    })
}

async fn delete(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::DeleteBundleRequest,
) -> Result<(), MethodError> {
    let name = text(asked.name, "name")?;
    Ok(api.methods.engine().delete_bundle(&caller, &name).await?)
}

/// Organizations that are named, or all; never both and never none.
fn orgs(organizations: Vec<String>, all: bool) -> Result<PublishTo, MethodError> {
    match (organizations.is_empty(), all) {
        (true, true) => Ok(PublishTo::All),
        (false, false) => Ok(PublishTo::Orgs(organizations)),
        _ => Err(MethodError::invalid(
            "name organizations, or say all: one of the two",
        )),
    }
}

async fn publish(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::PublishBundleRequest,
) -> Result<pb::PublishBundleResponse, MethodError> {
    let name = text(asked.name, "name")?;
    let to = orgs(asked.organizations, asked.all)?;
    let changed = api.methods.engine().publish_bundle(&caller, &name, &to);
    Ok(pb::PublishBundleResponse {
        bundle: Some(shown(changed.await?)),
    })
}

async fn unpublish(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::UnpublishBundleRequest,
) -> Result<pb::UnpublishBundleResponse, MethodError> {
    let name = text(asked.name, "name")?;
    let from = orgs(asked.organizations, asked.all)?;
    let changed = api.methods.engine().unpublish_bundle(&caller, &name, &from);
    Ok(pb::UnpublishBundleResponse {
        bundle: Some(shown(changed.await?)),
    })
}

fn shown(bundle: RightsBundle) -> pb::Bundle {
    let (published_to_all, published_to) = match bundle.published {
        BundleAudience::ToAll => (true, Vec::new()),
        BundleAudience::To(orgs) => (false, orgs.into_iter().collect()),
    };
    pb::Bundle {
        id: bundle.id,
        name: bundle.name,
        description: bundle.description.unwrap_or_default(),
        rights: bundle.rights,
        published_to_all,
        published_to,
        r#type: bundle.of_type.unwrap_or_default(),
        predefined: bundle.predefined,
        revision: bundle.revision.to_string(),
    }
}
