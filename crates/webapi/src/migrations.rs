//! Phased migrations, and the servers that take part in them.

mod represent;

use crate::api::WebState;
use crate::call::WebCall;
use crate::error::WebError;
use crate::lists;
use crate::route::{ParamKind, WebBody, WebRoute, handler};
use crate::types::{of, version_of};
use coeval_api::rest::{BodyFields as _, RestAnswer};
use coeval_core::phases::Phase;
use coeval_core::version::{EntityUrn, Uuid};
use coeval_engine::TypeKey;
use coeval_engine::migrations::{Advance, Change, Declared};
use serde_json::{Map, Value, json};
use std::sync::Arc;

const KEYS: [&str; 8] = [
    "id", "name", "type", "from", "to", "state", "auto", "paused",
];
const SERVER_KEYS: [&str; 4] = ["id", "name", "release", "started"];
/// The largest major.
const MAJORS: u64 = u32::MAX as u64;

pub(crate) fn routes() -> Vec<WebRoute> {
    let mut all = looks();
    all.extend(moves());
    all
}

fn looks() -> Vec<WebRoute> {
    vec![
        WebRoute::get("/servers", handler!(servers))
            .about("The servers that are alive: their releases, and where each is with types in migration.")
            .listing()
            .answers(200, WebBody::Page("ServerSeen")),
        WebRoute::get("/migrations", handler!(list))
            .about("All migrations of types from one major to the next, and how far each is.")
            .listing()
            .answers(200, WebBody::Page("Migration")),
        WebRoute::get("/migrations/{type}", handler!(get))
            .about("How far the migration of a type is: of the one that is under way, or else of the last one.")
            .gives("Migration"),
        WebRoute::get("/migrations/{type}/plan", handler!(plan))
            .about("What a migration would do; nothing is written.")
            .param("from", "The major that it leaves", ParamKind::Number(0, MAJORS))
            .param("to", "The major that it goes to", ParamKind::Number(0, MAJORS))
            .gives("MigrationPlan"),
        WebRoute::get("/migrations/{type}/verify", handler!(verify))
            .about("Compares the old record of every resource with the new one.")
            .gives("Verified"),
        WebRoute::get("/migrations/{type}/loss", handler!(loss))
            .about("What going back would cost.")
            .gives("LossReport"),
        WebRoute::get("/migrations/{type}/failed", handler!(failed))
            .about("The resources that can't be converted.")
            .pages()
            .answers(200, WebBody::Page("FailedResource")),
    ]
}

fn moves() -> Vec<WebRoute> {
    vec![
        WebRoute::post("/migrations", handler!(start))
            .about("Begins a migration. Nothing moves yet.")
            .takes("MigrationStart")
            .answers(201, WebBody::One("Migration")),
        WebRoute::patch("/migrations/{type}", handler!(change))
            .about("Changes what is wanted of the migration that is under way; what is not said stays.")
            .takes("MigrationChange")
            .gives("Migration"),
        WebRoute::post("/migrations/{type}/advance", handler!(advance))
            .about("Half a step forward: a phase is admitted, or the one before it is closed; at the last one it is finished.")
            .takes("MigrationAdvance")
            .gives("Migration"),
        WebRoute::post("/migrations/{type}/back", handler!(back))
            .about("Half a step back.")
            .takes("MigrationBack")
            .gives("Migration"),
        WebRoute::post("/migrations/{type}/undo", handler!(undo))
            .about("Lets it go all the way back by itself, and end where it began.")
            .gives("Migration"),
        WebRoute::post("/migrations/{type}/failed/{id}/retry", handler!(retry))
            .about("Tries again to convert a resource that could not be converted.")
            .gives("Retried"),
    ]
}

async fn servers(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let all = api.engine().servers(call.caller()?).await?;
    lists::page(
        &call,
        all.iter().map(represent::server).collect(),
        &SERVER_KEYS,
    )
}

async fn list(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let all = api.engine().migrations(call.caller()?).await?;
    lists::page(&call, all.iter().map(represent::migration).collect(), &KEYS)
}

async fn get(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let of = of(&call)?;
    let status = api.engine().migration_status(call.caller()?, &of).await?;
    Ok(RestAnswer::ok(&represent::migration(&status)))
}

async fn plan(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let of = of(&call)?;
    let major = |name| -> Result<Option<u32>, WebError> {
        let number = call.query.number(name, 0, MAJORS)?;
        Ok(number.and_then(|number| u32::try_from(number).ok()))
    };
    let (from, to) = (major("from")?, major("to")?);
    let plan = api.engine().plan_migration(call.caller()?, &of, from, to);
    Ok(RestAnswer::ok(&represent::plan(&plan.await?)))
}

async fn verify(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let of = of(&call)?;
    let found = api.engine().verify_migration(call.caller()?, &of, &|_| {});
    Ok(RestAnswer::ok(&represent::verified(&of, &found.await?)))
}

async fn loss(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let of = of(&call)?;
    let report = api.engine().loss_report(call.caller()?, &of).await?;
    Ok(RestAnswer::ok(&represent::loss(&of, &report)))
}

async fn failed(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let (of, size) = (of(&call)?, lists::page_size(&call)?);
    let after = call.query.said("pageToken").map(|text| resource(&of, text));
    let after = after.transpose();
    // A fault of the token, which the caller did not write, and not of a resource.
    let after = after.map_err(|_| WebError::query("pageToken", "it is of no page"))?;
    // One more than fits says that there is another page.
    let limit = size.saturating_add(1);
    let found = api
        .engine()
        .failed_resources(call.caller()?, &of, after, limit);
    let mut found = found.await?;
    let more = found.len() > size;
    found.truncate(size);
    let items: Vec<Value> = found
        .iter()
        .map(|one| represent::failed(&of, one))
        .collect();
    let next = items.last().filter(|_| more).map(|last| &last["id"]);
    Ok(RestAnswer::ok(
        &json!({ "items": items, "nextPageToken": next }),
    ))
}

async fn start(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let fields = [
        "type",
        "from",
        "to",
        "auto",
        "until",
        "rate",
        "meaningChanged",
    ];
    let body = call.object(&fields)?;
    let of = body.needed("type")?;
    let bad = || WebError::invalid("that is no type: use vendor:nss");
    let of = TypeKey::parse(&of).ok_or_else(bad)?;
    let changed = body.texts("meaningChanged")?.unwrap_or_default();
    let changed: Result<Vec<_>, WebError> = changed.iter().map(|text| version_of(text)).collect();
    let declared = Declared {
        from: number(&body, "from")?,
        to: number(&body, "to")?,
        auto: body.flag("auto")?.unwrap_or(false),
        until: body.text("until")?,
        rate: number(&body, "rate")?.unwrap_or(0),
        meaning_changed: changed?,
    };
    let begun = api.engine().start_migration(call.caller()?, &of, &declared);
    Ok(RestAnswer::created(&represent::migration(&begun.await?)))
}

async fn change(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let of = of(&call)?;
    let body = call.object(&["auto", "until", "paused", "rate"])?;
    let change = Change {
        auto: body.flag("auto")?,
        until: body.text("until")?,
        paused: body.flag("paused")?,
        rate: number(&body, "rate")?,
    };
    let changed = api.engine().change_migration(call.caller()?, &of, &change);
    Ok(RestAnswer::ok(&represent::migration(&changed.await?)))
}

async fn advance(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let of = of(&call)?;
    let body = call.object_or_nothing(&["phase", "fence", "withoutAccess"])?;
    let to = body.text("phase")?.map(|name| name.parse::<Phase>());
    let to = to.transpose();
    let advance = Advance {
        to: to.map_err(|error| WebError::invalid(error.to_string()))?,
        fence: body.flag("fence")?.unwrap_or(false),
        without_access: body.texts("withoutAccess")?.unwrap_or_default(),
    };
    let moved = api.engine().advance_migration(call.caller()?, &of, advance);
    Ok(RestAnswer::ok(&represent::migration(&moved.await?)))
}

async fn back(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let of = of(&call)?;
    let body = call.object_or_nothing(&["fence"])?;
    let fence = body.flag("fence")?.unwrap_or(false);
    let moved = api.engine().back_migration(call.caller()?, &of, fence);
    Ok(RestAnswer::ok(&represent::migration(&moved.await?)))
}

async fn undo(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let of = of(&call)?;
    // It takes no fields. One that is sent was meant to do something, so it is refused.
    call.object_or_nothing(&[])?;
    let moved = api.engine().undo_migration(call.caller()?, &of).await?;
    Ok(RestAnswer::ok(&represent::migration(&moved)))
}

async fn retry(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let of = of(&call)?;
    let id = resource(&of, call.param("id"))?;
    // Refuses fields: none would be read.
    call.object_or_nothing(&[])?;
    let converted = api.engine().retry_failed(call.caller()?, &of, id).await?;
    Ok(RestAnswer::ok(&json!({ "converted": converted })))
}

/// By its id, or by the bare part of it.
fn resource(of: &TypeKey, text: &str) -> Result<Uuid, WebError> {
    let bad = || WebError::invalid(format!("that is no id of a resource of {of}"));
    // A bare id has no type in it, and is looked up under this one.
    if !text.starts_with("urn:") {
        return Uuid::parse(text).ok_or_else(bad);
    }
    let urn = EntityUrn::parse(text).map_err(|_| bad())?;
    let named = TypeKey::new(urn.name.vendor.as_str(), urn.name.nss.as_str());
    if named == *of {
        Ok(urn.uuid)
    } else {
        Err(bad())
    }
}

fn number(body: &Map<String, Value>, name: &str) -> Result<Option<u32>, WebError> {
    let bad = || WebError::invalid(format!("{name} must be a number from 0 to {MAJORS}"));
    match body.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => {
            let number = value.as_u64().and_then(|one| u32::try_from(one).ok());
            number.map(Some).ok_or_else(bad)
        }
    }
}
