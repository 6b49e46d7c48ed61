//! Listings: pages, filters, orders, access, and what can't be shown.

mod found;
mod paging;
mod shown;

pub(crate) use found::*;
pub(crate) use paging::*;
pub(crate) use shown::*;

use crate::world::{OTHER, World, admin, app, app_1_0, app_1_1, v};
use coeval_access::{AccessLevel, AclMember, Grant};
use coeval_core::version::Uuid;
use coeval_engine::types::Registration;
use coeval_engine::write::Create;
use coeval_engine::{Caller, Engine, EngineError, ListQuery, Page};
use futures::stream::{self, StreamExt};
use serde_json::json;

/// Both versions of `acme:app`, visible to a tenant.
async fn with_types(world: &World) {
    for (file, version) in [(app_1_0(), "1.0.0"), (app_1_1(), "1.1.0")] {
        let engine = &world.engine;
        engine
            .register(&admin(), Registration::of(file))
            .await
            .unwrap();
        let grant = Grant {
            member: AclMember::Org(OTHER.to_owned()),
            level: AccessLevel::FullControl,
        };
        let add = |acl: &mut coeval_access::Acl| {
            acl.set(grant.clone(), AccessLevel::FullControl)
                .map_err(EngineError::from)
        };
        engine
            .set_type_acl(&admin(), &app(), v(version), add)
            .await
            .unwrap();
    }
}

/// The resource of a number: every third at the older version.
fn numbered(n: usize) -> Create {
    let (version, content) = match n % 3 {
        0 => (
            "1.0.0",
            json!({"image": format!("img:{}", n % 7), "replicas": n % 50}),
        ),
        _ => (
            "1.1.0",
            json!({"image": format!("img:{}", n % 7), "replicas": n % 50, "region": format!("r{}", n % 5)}),
        ),
    };
    Create::new(v(version), format!("app-{n:04}"), content)
}

/// Makes resources, many at a time.
async fn make(engine: &Engine, caller: &Caller, all: Vec<Create>) -> Vec<Uuid> {
    let made = stream::iter(all).map(|create| async move {
        let made = engine.create(caller, &app(), create).await.unwrap();
        made.resource.id
    });
    made.buffer_unordered(32).collect().await
}

fn all() -> ListQuery {
    ListQuery::of(app())
}

fn ids(page: &Page) -> Vec<Uuid> {
    page.items.iter().map(|item| item.id).collect()
}

fn names(page: &Page) -> Vec<String> {
    page.items
        .iter()
        .map(|item| item.header.name.clone())
        .collect()
}

/// All pages, by token.
async fn pages(engine: &Engine, caller: &Caller, query: &ListQuery) -> Vec<Page> {
    let mut pages = vec![engine.list(caller, query).await.unwrap()];
    while let Some(next) = pages.last().unwrap().next.clone() {
        let query = query.clone().after(next);
        pages.push(engine.list(caller, &query).await.unwrap());
        assert!(pages.len() < 2_000, "no end");
    }
    pages
}

/// The ids of all pages, by token.
async fn every_id(engine: &Engine, caller: &Caller, query: &ListQuery) -> Vec<Uuid> {
    pages(engine, caller, query)
        .await
        .iter()
        .flat_map(ids)
        .collect()
}
