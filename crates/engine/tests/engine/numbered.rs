//! Numbered pages, with and without what a server remembers of those before.

use crate::world::{World, admin, app, app_1_0, settings, v};
use coeval_engine::types::Registration;
use coeval_engine::write::{Create, Update};
use coeval_engine::{Engine, ListQuery, Target};
use coeval_filter::{FieldComparison, Filter, FilterField, Operand, SortDirection, SortOrder};
use serde_json::json;

async fn page(engine: &Engine, query: &ListQuery, number: u64) -> (Vec<String>, u64) {
    let query = query.clone().number(number);
    let page = engine.list(&admin(), &query).await.unwrap();
    let names = page.items.iter().map(|one| one.header.name.clone());
    (names.collect(), page.total.unwrap())
}

pub(crate) async fn what_is_remembered_of_numbered_pages_never_shows(mut world: World) {
    let engine = std::sync::Arc::clone(&world.engine);
    engine
        .register(&admin(), Registration::of(app_1_0()))
        .await
        .unwrap();
    let mut ids = Vec::new();
    let make = async |engine: &Engine, number: usize| {
        let content = json!({"image": format!("i{}", number % 2)});
        let create = Create::new(v("1.0.0"), format!("r{number:02}"), content);
        let made = engine.create(&admin(), &app(), create).await.unwrap();
        Target::Id(made.resource.id)
    };
    for number in 0..20 {
        ids.push(make(&engine, number).await);
    }
    let plain = ListQuery {
        count: true,
        ..ListQuery::of(app()).sized(3)
    };
    let image = FilterField::parse("entity.image", "entity").unwrap();
    let filtered = ListQuery {
        filter: Some(Filter::test(
            image,
            FieldComparison::Equal(Operand::Text("i0".into())),
        )),
        ..plain.clone()
    };
    let sorted = ListQuery {
        order: Some(SortOrder::new(vec![(FilterField::Name, SortDirection::Descending)]).unwrap()),
        ..plain.clone()
    };
    let mut round = 0;
    for query in [&plain, &filtered, &sorted] {
        for number in [1, 2, 3, 2, 4, 5, 9, 1, 3] {
            // A server that remembers nothing says the same.
            let fresh = world.another(settings()).await;
            let remembered = page(&engine, query, number).await;
            assert_eq!(
                remembered,
                page(&fresh, query, number).await,
                "page {number}"
            );
            assert_eq!(remembered, page(&engine, query, number).await);
            round += 1;
            match round % 4 {
                0 => ids.push(make(&engine, 20 + round).await),
                1 => {
                    let gone = ids.remove(round % ids.len());
                    engine.delete(&admin(), &app(), &gone, None).await.unwrap();
                }
                2 => {
                    let update = Update::new(v("1.0.0"), json!({"image": "i0"}));
                    let target = &ids[round % ids.len()];
                    engine
                        .update(&admin(), &app(), target, &update)
                        .await
                        .unwrap();
                }
                _ => {}
            }
        }
    }
}
