//! The service of phased migrations.

mod messages;

use crate::api::GrpcState;
use crate::call::served;
use crate::fields::{said, text};
use crate::ids;
use crate::pages::PageRequest;
use crate::proto::migrations::v1 as pb;
use coeval_api::methods::MethodError;
use coeval_core::phases::Phase;
use coeval_core::version::{Uuid, Version};
use coeval_engine::migrations::{Advance, Change, Declared, MigrationError, MigrationStatus};
use coeval_engine::{Caller, EngineError, TypeKey};
use std::sync::Arc;

/// The service.
#[derive(Clone, Debug)]
pub(crate) struct MigrationService(pub(crate) Arc<GrpcState>);

served!(pb::migration_service_server::MigrationService, MigrationService {
    plan_migration(pb::PlanMigrationRequest) -> pb::PlanMigrationResponse = plan;
    start_migration(pb::StartMigrationRequest) -> pb::StartMigrationResponse = start;
    get_migration(pb::GetMigrationRequest) -> pb::GetMigrationResponse = get;
    list_migrations(pb::ListMigrationsRequest) -> pb::ListMigrationsResponse = list;
    advance_migration(pb::AdvanceMigrationRequest) -> pb::AdvanceMigrationResponse = advance;
    back_migration(pb::BackMigrationRequest) -> pb::BackMigrationResponse = back;
    undo_migration(pb::UndoMigrationRequest) -> pb::UndoMigrationResponse = undo;
    update_migration(pb::UpdateMigrationRequest) -> pb::UpdateMigrationResponse = update;
    verify_migration(pb::VerifyMigrationRequest) -> pb::VerifyMigrationResponse = verify;
    report_loss(pb::ReportLossRequest) -> pb::ReportLossResponse = report;
    list_failed_resources(pb::ListFailedResourcesRequest) -> pb::ListFailedResourcesResponse = failed;
    retry_failed_resource(pb::RetryFailedResourceRequest) -> pb::RetryFailedResourceResponse = retry;
    list_servers(pb::ListServersRequest) -> pb::ListServersResponse = servers;
});

async fn plan(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::PlanMigrationRequest,
) -> Result<pb::PlanMigrationResponse, MethodError> {
    let of = api.methods.kind(&caller, &asked.kind).await?;
    let engine = api.methods.engine();
    let plan = engine.plan_migration(&caller, &of, asked.from_major, asked.to_major);
    Ok(pb::PlanMigrationResponse {
        plan: Some(messages::plan(&plan.await?)),
    })
}

async fn start(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::StartMigrationRequest,
) -> Result<pb::StartMigrationResponse, MethodError> {
    let of = api.methods.kind(&caller, &asked.kind).await?;
    let meaning = asked.meaning_changed.into_iter().map(version);
    let declared = Declared {
        from: asked.from_major,
        to: asked.to_major,
        auto: asked.auto,
        until: said(asked.until),
        rate: asked.rate,
        meaning_changed: meaning.collect::<Result<_, _>>()?,
    };
    let engine = api.methods.engine();
    let begun = engine.start_migration(&caller, &of, &declared).await?;
    Ok(pb::StartMigrationResponse {
        migration: Some(messages::migration(&begun)),
    })
}

fn version(said: String) -> Result<Version, MethodError> {
    let what = "meaning_changed";
    let version = coeval_api::methods::parse_version(&text(said, what)?)?;
    version.ok_or_else(|| MethodError::invalid(format!("{what} is missing")))
}

async fn get(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::GetMigrationRequest,
) -> Result<pb::GetMigrationResponse, MethodError> {
    let of = api.methods.kind(&caller, &asked.kind).await?;
    let status = api.methods.engine().migration_status(&caller, &of).await?;
    Ok(pb::GetMigrationResponse {
        migration: Some(messages::migration(&status)),
    })
}

async fn list(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::ListMigrationsRequest,
) -> Result<pb::ListMigrationsResponse, MethodError> {
    let page = (asked.page_size, asked.page_token.as_str());
    let page = PageRequest::read((&api, &caller), "migrations", &[], page).await?;
    let all = api.methods.engine().migrations(&caller).await?;
    // Those under way come first, on every page.
    let key = |one: &MigrationStatus| match one.live {
        Some(_) => format!("0{}", one.name),
        None => format!("1{}", one.name),
    };
    let (found, next_page_token) = page.cut(all, key).await?;
    Ok(pb::ListMigrationsResponse {
        migrations: found.iter().map(messages::migration).collect(),
        next_page_token,
    })
}

async fn advance(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::AdvanceMigrationRequest,
) -> Result<pb::AdvanceMigrationResponse, MethodError> {
    let of = api.methods.kind(&caller, &asked.kind).await?;
    let to = said(asked.phase).map(|name| name.parse::<Phase>());
    let to = to.transpose().map_err(MigrationError::from);
    let advance = Advance {
        to: to.map_err(EngineError::from)?,
        fence: asked.fence,
        without_access: asked.without_access,
    };
    let engine = api.methods.engine();
    let moved = engine.advance_migration(&caller, &of, advance).await?;
    Ok(pb::AdvanceMigrationResponse {
        migration: Some(messages::migration(&moved)),
    })
}

async fn back(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::BackMigrationRequest,
) -> Result<pb::BackMigrationResponse, MethodError> {
    let of = api.methods.kind(&caller, &asked.kind).await?;
    let engine = api.methods.engine();
    let moved = engine.back_migration(&caller, &of, asked.fence).await?;
    Ok(pb::BackMigrationResponse {
        migration: Some(messages::migration(&moved)),
    })
}

async fn undo(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::UndoMigrationRequest,
) -> Result<pb::UndoMigrationResponse, MethodError> {
    let of = api.methods.kind(&caller, &asked.kind).await?;
    let moved = api.methods.engine().undo_migration(&caller, &of).await?;
    Ok(pb::UndoMigrationResponse {
        migration: Some(messages::migration(&moved)),
    })
}

async fn update(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::UpdateMigrationRequest,
) -> Result<pb::UpdateMigrationResponse, MethodError> {
    let of = api.methods.kind(&caller, &asked.kind).await?;
    let change = Change {
        auto: asked.auto,
        until: asked.until,
        paused: asked.paused,
        rate: asked.rate,
    };
    let engine = api.methods.engine();
    let changed = engine.change_migration(&caller, &of, &change).await?;
    Ok(pb::UpdateMigrationResponse {
        migration: Some(messages::migration(&changed)),
    })
}

async fn verify(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::VerifyMigrationRequest,
) -> Result<pb::VerifyMigrationResponse, MethodError> {
    let of = api.methods.kind(&caller, &asked.kind).await?;
    let engine = api.methods.engine();
    let found = engine.verify_migration(&caller, &of, &|_| {}).await?;
    Ok(messages::verified(&of, &found))
}

async fn report(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::ReportLossRequest,
) -> Result<pb::ReportLossResponse, MethodError> {
    let of = api.methods.kind(&caller, &asked.kind).await?;
    let report = api.methods.engine().loss_report(&caller, &of).await?;
    Ok(messages::loss(&of, &report))
}

async fn failed(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::ListFailedResourcesRequest,
) -> Result<pb::ListFailedResourcesResponse, MethodError> {
    let of: TypeKey = api.methods.kind(&caller, &asked.kind).await?;
    let page = (asked.page_size, asked.page_token.as_str());
    // The kind by its full name: a token of `app` must not lead on in another vendor's.
    let filter = of.to_string();
    let page = PageRequest::read((&api, &caller), "failed", &[&filter], page).await?;
    let after = page.after.as_deref().and_then(Uuid::parse);
    let engine = api.methods.engine();
    let found = engine.failed_resources(&caller, &of, after, page.size + 1);
    let (found, next_page_token) = page.ended(found.await?, |one| one.id.to_string()).await?;
    Ok(pb::ListFailedResourcesResponse {
        resources: found.iter().map(|one| messages::failed(&of, one)).collect(),
        next_page_token,
    })
}

async fn retry(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::RetryFailedResourceRequest,
) -> Result<pb::RetryFailedResourceResponse, MethodError> {
    let of = api.methods.kind(&caller, &asked.kind).await?;
    let id = ids::resource(&of, &asked.id)?;
    let converted = api.methods.engine().retry_failed(&caller, &of, id).await?;
    Ok(pb::RetryFailedResourceResponse { converted })
}

async fn servers(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::ListServersRequest,
) -> Result<pb::ListServersResponse, MethodError> {
    let page = (asked.page_size, asked.page_token.as_str());
    let page = PageRequest::read((&api, &caller), "servers", &[], page).await?;
    let all = api.methods.engine().servers(&caller).await?;
    let (found, next_page_token) = page.cut(all, |one| one.name.clone()).await?;
    Ok(pb::ListServersResponse {
        servers: found.iter().map(messages::server).collect(),
        next_page_token,
    })
}
