//! The service of type versions.

use crate::api::GrpcState;
use crate::call::served;
use crate::fields::{said, text};
use crate::ids;
use crate::pages::PageRequest;
use crate::proto::types::v1 as pb;
use coeval_api::methods::MethodError;
use coeval_core::types::{ColumnType, ListColumn, VersionDeprecation};
use coeval_core::version::Version;
use coeval_engine::types::{AnnotationChange, CatalogEntry, Finding, Policy, Registration};
use coeval_engine::{Caller, EngineError};
use std::sync::Arc;

/// The service.
#[derive(Clone, Debug)]
pub(crate) struct TypeService(pub(crate) Arc<GrpcState>);

served!(pb::type_service_server::TypeService, TypeService {
    register_type_version(pb::RegisterTypeVersionRequest) -> pb::RegisterTypeVersionResponse = register;
    check_type_version(pb::CheckTypeVersionRequest) -> pb::CheckTypeVersionResponse = check;
    get_type_version(pb::GetTypeVersionRequest) -> pb::GetTypeVersionResponse = get;
    list_type_versions(pb::ListTypeVersionsRequest) -> pb::ListTypeVersionsResponse = list;
    update_type_version(pb::UpdateTypeVersionRequest) -> pb::UpdateTypeVersionResponse = update;
    delete_type_version(pb::DeleteTypeVersionRequest) -> () = delete;
    annotate_type_version(pb::AnnotateTypeVersionRequest) -> pb::AnnotateTypeVersionResponse = annotate;
});

async fn register(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::RegisterTypeVersionRequest,
) -> Result<pb::RegisterTypeVersionResponse, MethodError> {
    let mut new = registration(asked.file, asked.policy, asked.accept_undecided)?;
    new.external_id = said(asked.external_id);
    let done = api.methods.engine().register(&caller, new).await?;
    Ok(pb::RegisterTypeVersionResponse {
        id: done.id.to_string(),
        parent: parent(done.parent),
        findings: findings(&done.findings),
        unproven: done.unproven,
    })
}

async fn check(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::CheckTypeVersionRequest,
) -> Result<pb::CheckTypeVersionResponse, MethodError> {
    let new = registration(asked.file, asked.policy, asked.accept_undecided)?;
    match api.methods.engine().check_type(&caller, &new).await {
        Ok(done) => Ok(pb::CheckTypeVersionResponse {
            id: done.id.to_string(),
            parent: parent(done.parent),
            findings: findings(&done.findings),
            unproven: done.unproven,
            refused: false,
        }),
        // The question was whether it would be refused: that is an answer here, not an error.
        Err(EngineError::Incompatible {
            id, findings: all, ..
        }) => Ok(pb::CheckTypeVersionResponse {
            id: id.to_string(),
            findings: findings(&all),
            refused: true,
            ..Default::default()
        }),
        Err(error) => Err(error.into()),
    }
}

async fn get(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::GetTypeVersionRequest,
) -> Result<pb::GetTypeVersionResponse, MethodError> {
    let (of, version) = ids::type_version(&asked.id)?;
    let found = api.methods.engine().visible_type(&caller, &of, version);
    Ok(pb::GetTypeVersionResponse {
        type_version: Some(shown(&found.await?)),
    })
}

async fn list(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::ListTypeVersionsRequest,
) -> Result<pb::ListTypeVersionsResponse, MethodError> {
    let filter = [asked.vendor.as_str(), asked.nss.as_str()];
    let page = (asked.page_size, asked.page_token.as_str());
    let page = PageRequest::read((&api, &caller), "type versions", &filter, page).await?;
    let mut all = api.methods.engine().visible_types(&caller).await?;
    let fits = |said: &str, has: &str| said.is_empty() || said == has;
    all.retain(|one| {
        let id = &one.version.id;
        fits(&asked.vendor, &id.vendor) && fits(&asked.nss, &id.nss)
    });
    let (found, next_page_token) = page.cut(all, key).await?;
    Ok(pb::ListTypeVersionsResponse {
        type_versions: found.iter().map(shown).collect(),
        next_page_token,
    })
}

/// By type, then by version as numbers.
fn key(entry: &CatalogEntry) -> String {
    let id = &entry.version.id;
    let Version {
        major,
        minor,
        patch,
    } = id.version;
    format!(
        "{}:{}:{major:010}.{minor:010}.{patch:010}",
        id.vendor, id.nss
    )
}

async fn update(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::UpdateTypeVersionRequest,
) -> Result<pb::UpdateTypeVersionResponse, MethodError> {
    let (of, version) = ids::type_version(&asked.id)?;
    let engine = api.methods.engine();
    let before = engine.visible_type(&caller, &of, version).await?;
    let mut new = registration(asked.file, asked.policy, asked.accept_undecided)?;
    // What a file can't say stays.
    new.external_id = before.external_id;
    new.max_implicit_right = before.max_implicit_right;
    engine.edit_type(&caller, &of, version, new).await?;
    let now = engine.visible_type(&caller, &of, version).await?;
    Ok(pb::UpdateTypeVersionResponse {
        type_version: Some(shown(&now)),
    })
}

async fn delete(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::DeleteTypeVersionRequest,
) -> Result<(), MethodError> {
    let (of, version) = ids::type_version(&asked.id)?;
    let engine = api.methods.engine();
    Ok(engine.delete_type(&caller, &of, version).await?)
}

async fn annotate(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::AnnotateTypeVersionRequest,
) -> Result<pb::AnnotateTypeVersionResponse, MethodError> {
    let (of, version) = ids::type_version(&asked.id)?;
    let deprecated = match (asked.deprecated, asked.clear_deprecated) {
        (Some(_), true) => {
            let twice = "deprecated and clear_deprecated exclude each other";
            return Err(MethodError::invalid(twice));
        }
        (None, true) => Some(None),
        (None, false) => None,
        (Some(said), false) => Some(Some(VersionDeprecation {
            since: self::said(said.since),
            sunset: self::said(said.sunset),
            message: self::said(said.message),
        })),
    };
    let columns = asked.columns.map(|all| all.columns.into_iter().map(column));
    let columns = columns.map(Iterator::collect).transpose()?;
    let change = AnnotationChange {
        deprecated,
        columns,
    };
    let engine = api.methods.engine();
    engine.annotate_type(&caller, &of, version, &change).await?;
    let now = engine.visible_type(&caller, &of, version).await?;
    Ok(pb::AnnotateTypeVersionResponse {
        type_version: Some(shown(&now)),
    })
}

fn column(said: pb::Column) -> Result<ListColumn, MethodError> {
    let kind = match said.r#type.as_str() {
        "" => Some(ColumnType::default()),
        name => ColumnType::of(name),
    };
    let unknown = || MethodError::invalid("type is string, integer, number, boolean or date");
    Ok(ListColumn {
        name: said.name,
        path: said.path,
        kind: kind.ok_or_else(unknown)?,
    })
}

fn registration(
    file: String,
    policy: i32,
    accept_undecided: bool,
) -> Result<Registration, MethodError> {
    let mut new = Registration::of(text(file, "file")?);
    new.accept_undecided = accept_undecided;
    new.policy = match pb::Policy::try_from(policy) {
        Ok(pb::Policy::Unspecified | pb::Policy::Refuse) => Policy::Refuse,
        Ok(pb::Policy::Warn) => Policy::Warn,
        Err(_) => return Err(MethodError::invalid("policy is not one that there is")),
    };
    Ok(new)
}

fn parent(parent: Option<Version>) -> String {
    parent.map_or_else(String::new, |version| version.to_string())
}

fn findings(all: &[Finding]) -> Vec<pb::Finding> {
    let told = all.iter().map(|one| pb::Finding {
        rule: one.rule.clone(),
        against: one.against.clone().unwrap_or_default(),
        path: one.path.clone(),
        message: one.message.clone(),
        refuses: one.refuses,
        witness: one
            .witness
            .as_ref()
            .map_or_else(String::new, ToString::to_string),
    });
    told.collect()
}

fn shown(entry: &CatalogEntry) -> pb::TypeVersion {
    let version = &entry.version;
    pb::TypeVersion {
        id: version.id.to_string(),
        vendor: version.id.vendor.clone(),
        nss: version.id.nss.clone(),
        version: version.id.version.to_string(),
        title: version.title.clone().unwrap_or_default(),
        description: version.description.clone().unwrap_or_default(),
        interfaces: version.interfaces.iter().map(ToString::to_string).collect(),
        file: String::from_utf8_lossy(&entry.file).into_owned(),
        external_id: entry.external_id.clone().unwrap_or_default(),
        unproven: entry.unproven,
        built_in: entry.built_in,
        findings: findings(&entry.findings),
        deprecated: entry.deprecated.as_ref().map(|one| pb::Deprecation {
            since: one.since.clone().unwrap_or_default(),
            sunset: one.sunset.clone().unwrap_or_default(),
            message: one.message.clone().unwrap_or_default(),
        }),
        columns: entry
            .columns
            .iter()
            .map(|one| pb::Column {
                name: one.name.clone(),
                path: one.path.clone(),
                r#type: one.kind.name().to_owned(),
            })
            .collect(),
    }
}
