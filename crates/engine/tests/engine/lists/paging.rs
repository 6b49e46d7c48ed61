//! Pages: by token and by number, while others write, on several servers.

use super::all;
use super::every_id;
use super::ids;
use super::make;
use super::names;
use super::numbered;
use super::pages;
use super::with_types;
use crate::world::{OTHER, World, admin, app, tenant};
use coeval_codes::Coded;
use coeval_core::version::{Classification, Uuid};
use coeval_engine::{Engine, InOrg, ListOf, ListQuery, PageAt, Settings, Target};
use coeval_filter::{FieldComparison, Filter, FilterField, Operand, SortDirection, SortOrder};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn by(field: FilterField, direction: SortDirection) -> Option<SortOrder> {
    Some(SortOrder::new(vec![(field, direction)]).unwrap())
}

fn content(path: &str) -> FilterField {
    FilterField::Content(coeval_filter::ContentPath::from_dotted(path).unwrap())
}

fn sorted(mut ids: Vec<Uuid>) -> Vec<Uuid> {
    ids.sort_unstable();
    ids
}

/// Made in two organizations; the ids of each.
async fn two_orgs(engine: &Engine, count: usize) -> (Vec<Uuid>, Vec<Uuid>) {
    let own = make(engine, &admin(), (0..count).map(numbered).collect()).await;
    let others = (0..count / 4).map(|n| {
        let mut create = numbered(n);
        create.org = Some(OTHER.to_owned());
        create
    });
    let others = make(engine, &admin(), others.collect()).await;
    (sorted(own), sorted(others))
}

/// Every order and both ways of paging give every resource once.
async fn paged_both_ways(world: &World, count: usize) {
    with_types(world).await;
    let engine = &world.engine;
    let (own, others) = two_orgs(engine, count).await;
    let orders = [
        None,
        by(FilterField::Name, SortDirection::Ascending),
        by(FilterField::Name, SortDirection::Descending),
        by(FilterField::State, SortDirection::Descending),
        by(content("replicas"), SortDirection::Descending),
    ];
    for order in orders {
        let mut query = all().sized(count / 8 + 3);
        query.order = order.clone();
        query.count = true;
        let by_token = pages(engine, &admin(), &query).await;
        let listed: Vec<Uuid> = by_token.iter().flat_map(ids).collect();
        assert_eq!(sorted(listed.clone()), own, "{order:?}");
        let full = by_token.len() - 1;
        for (at, page) in by_token.iter().enumerate() {
            assert_eq!(page.total, Some(own.len() as u64), "{order:?}");
            assert_eq!(page.number, at as u64 + 1);
            assert_eq!(page.token, by_token[0].token);
            assert!(at == full || page.items.len() == query.page_size);
            let numbered = query.clone().number(page.number);
            let same = engine.list(&admin(), &numbered).await.unwrap();
            assert_eq!(ids(&same), ids(page), "{order:?} page {at}");
            assert_eq!(same.total, page.total);
        }
        let beyond = query.clone().number(by_token.len() as u64 + 1);
        let beyond = engine.list(&admin(), &beyond).await.unwrap();
        assert!(beyond.items.is_empty() && beyond.next.is_none());
        if order.is_none() {
            assert_eq!(listed, own, "by id without an order");
        }
        query.org = InOrg::One(OTHER.to_owned());
        assert_eq!(sorted(every_id(engine, &admin(), &query).await), others);
        query.org = InOrg::All;
        let everybody: Vec<Uuid> = own.iter().chain(&others).copied().collect();
        let total = engine.list(&admin(), &query).await.unwrap().total;
        assert_eq!(total, Some(everybody.len() as u64));
        assert_eq!(
            sorted(every_id(engine, &admin(), &query).await),
            sorted(everybody)
        );
    }
}

pub(crate) async fn pages_by_token_and_by_number_have_every_resource_once(world: World) {
    paged_both_ways(&world, 120).await;
}

pub(crate) async fn thousands_of_resources_are_paged_without_gap_or_repeat(world: World) {
    paged_both_ways(&world, 2_000).await;
}

pub(crate) async fn a_version_cut_short_lists_all_that_begin_so(world: World) {
    with_types(&world).await;
    let engine = &world.engine;
    make(engine, &admin(), (0..30).map(numbered).collect()).await;
    let table = [
        ("1", 30),
        ("1.0", 10),
        ("1.1", 20),
        ("1.1.0", 20),
        ("1.2", 0),
        ("2", 0),
    ];
    for (class, expected) in table {
        let mut query = all().sized(7);
        query.of = ListOf::Type {
            of: app(),
            versions: Some(Classification::parse(class).unwrap()),
        };
        query.count = true;
        for org in [InOrg::Own, InOrg::All] {
            query.org = org;
            let found = pages(engine, &admin(), &query).await;
            let items: usize = found.iter().map(|page| page.items.len()).sum();
            assert_eq!(items, expected, "{class}");
            assert_eq!(found[0].total, Some(expected as u64), "{class}");
        }
    }
}

/// Deletes and makes resources around those that stay, until it is told to stop.
fn stir(engine: Arc<Engine>, stop: Arc<AtomicBool>) -> tokio::task::JoinHandle<usize> {
    tokio::spawn(async move {
        let mut rounds = 0;
        while !stop.load(Ordering::Relaxed) {
            let creates = (0..8).map(|n| {
                let mut create = numbered(n);
                create.name = format!("app-{:04}-passing-{rounds}", n * 9);
                create
            });
            let made = make(&engine, &admin(), creates.collect()).await;
            for id in made {
                let target = Target::Id(id);
                engine
                    .delete(&admin(), &app(), &target, None)
                    .await
                    .unwrap();
            }
            rounds += 1;
        }
        rounds
    })
}

pub(crate) async fn what_stays_is_on_exactly_one_page_whatever_comes_and_goes(world: World) {
    with_types(&world).await;
    let engine = &world.engine;
    let stay = make(engine, &admin(), (0..90).map(numbered).collect()).await;
    let stay = sorted(stay);
    let stop = Arc::new(AtomicBool::new(false));
    let stirring = stir(Arc::clone(engine), Arc::clone(&stop));
    let orders = [
        None,
        by(FilterField::Name, SortDirection::Ascending),
        by(FilterField::Name, SortDirection::Descending),
        by(content("image"), SortDirection::Ascending),
    ];
    for order in orders.into_iter().cycle().take(8) {
        let mut query = all().sized(7);
        query.order = order.clone();
        let found = pages(engine, &admin(), &query).await;
        let quarantined = found
            .iter()
            .map(|page| page.quarantined.len())
            .sum::<usize>();
        assert_eq!(quarantined, 0);
        let listed: Vec<Uuid> = found.iter().flat_map(ids).collect();
        let once: BTreeSet<Uuid> = listed.iter().copied().collect();
        assert_eq!(once.len(), listed.len(), "one came twice: {order:?}");
        let mut staying = listed;
        staying.retain(|id| stay.binary_search(id).is_ok());
        assert_eq!(sorted(staying), stay, "{order:?}");
    }
    stop.store(true, Ordering::Relaxed);
    assert!(stirring.await.unwrap() > 0);
}

pub(crate) async fn a_token_of_one_server_is_good_at_another(mut world: World) {
    with_types(&world).await;
    let own = make(&world.engine, &admin(), (0..60).map(numbered).collect()).await;
    let other = world.another(Settings::default()).await;
    for order in [
        None,
        by(FilterField::Owner, SortDirection::Ascending),
        by(content("replicas"), SortDirection::Ascending),
    ] {
        let mut query = all().sized(11);
        query.order = order.clone();
        let straight = every_id(&world.engine, &admin(), &query).await;
        let (mut listed, mut at) = (Vec::new(), query.clone());
        for turn in 0.. {
            let engine = if turn % 2 == 0 { &world.engine } else { &other };
            let page = engine.list(&admin(), &at).await.unwrap();
            listed.extend(ids(&page));
            match page.next {
                Some(next) => at = query.clone().after(next),
                None => break,
            }
        }
        assert_eq!(listed, straight, "{order:?}");
        assert_eq!(listed.len(), own.len());
    }
}

pub(crate) async fn a_token_is_refused_for_another_caller_filter_order_or_version(world: World) {
    with_types(&world).await;
    let engine = &world.engine;
    make(engine, &admin(), (0..5).map(numbered).collect()).await;
    let query = all().sized(2);
    let token = engine.list(&admin(), &query).await.unwrap().next.unwrap();
    let next = query.clone().after(token.clone());
    assert!(engine.list(&admin(), &next).await.is_ok());
    let somebody = tenant("bob", OTHER, &["acme:app: Administrator View"]);
    let wrong = |change: &dyn Fn(&mut ListQuery)| {
        let mut query = next.clone();
        change(&mut query);
        query
    };
    let is_web = Filter::test(
        FilterField::Name,
        FieldComparison::Equal(Operand::Text("web".to_owned())),
    );
    let versions = Some(Classification::Major(1));
    let table = [
        (somebody, next.clone()),
        (admin().at(crate::world::v("1.0.0")), next.clone()),
        (admin(), wrong(&|query| query.filter = Some(is_web.clone()))),
        (
            admin(),
            wrong(&|query| query.order = by(FilterField::Name, SortDirection::Ascending)),
        ),
        (admin(), wrong(&|query| query.org = InOrg::All)),
        (
            admin(),
            wrong(&|query| {
                query.of = ListOf::Type {
                    of: app(),
                    versions,
                }
            }),
        ),
    ];
    for (caller, query) in table {
        let refused = engine.list(&caller, &query).await.unwrap_err();
        assert_eq!(refused.code(), coeval_codes::PAGE_TOKEN_OTHER, "{query:?}");
    }
    for garbage in ["", "x", "AAAA"] {
        let refused = engine
            .list(&admin(), &query.clone().after(garbage))
            .await
            .unwrap_err();
        assert_eq!(
            refused.code(),
            coeval_codes::PAGE_TOKEN_INVALID,
            "{garbage}"
        );
    }
    for (page, size) in [
        (PageAt::Number(0), 5),
        (PageAt::First, 0),
        (PageAt::First, 1_001),
    ] {
        let mut query = all().sized(size);
        query.page = page;
        let refused = engine.list(&admin(), &query).await.unwrap_err();
        assert_eq!(refused.code(), coeval_codes::PAGE_INVALID);
    }
    let far = engine
        .list(&admin(), &all().number(u64::MAX))
        .await
        .unwrap();
    assert!(far.items.is_empty());
}

/// Names that an index cuts are sorted all the same, and paged within one key of the index.
pub(crate) async fn names_longer_than_an_index_holds_are_in_order(world: World) {
    with_types(&world).await;
    let engine = &world.engine;
    let long = "n".repeat(230);
    let creates = (0..40).map(|n| {
        let mut create = numbered(n);
        // Whether a name is taken is looked up in the same index.
        create.unique = false;
        create.name = match n % 4 {
            0 => format!("m{n:03}"),
            1 => format!("z{n:03}"),
            _ => format!("{long}{:03}", (n * 17) % 40),
        };
        create
    });
    make(engine, &admin(), creates.collect()).await;
    for (direction, size) in [
        (SortDirection::Ascending, 7),
        (SortDirection::Descending, 7),
        (SortDirection::Ascending, 40),
    ] {
        let mut query = all().sized(size);
        query.order = by(FilterField::Name, direction);
        let found = pages(engine, &admin(), &query).await;
        let listed: Vec<String> = found.iter().flat_map(names).collect();
        let mut expected = listed.clone();
        expected.sort();
        expected.dedup();
        assert_eq!(expected.len(), 40);
        if direction == SortDirection::Descending {
            expected.reverse();
        }
        assert_eq!(listed, expected);
        for page in &found {
            let numbered = engine
                .list(&admin(), &query.clone().number(page.number))
                .await;
            assert_eq!(names(&numbered.unwrap()), names(page));
        }
    }
}

pub(crate) async fn large_contents_end_a_page_early(world: World) {
    with_types(&world).await;
    let engine = &world.engine;
    let creates = (0..16).map(|n| {
        let mut create = numbered(1);
        create.name = format!("large-{n}");
        create.content["region"] = "x".repeat(340 * 1024).into();
        // An index holds the beginning of it only.
        create
    });
    let own = make(engine, &admin(), creates.collect()).await;
    let found = pages(engine, &admin(), &all()).await;
    assert_eq!(found.len(), 2);
    let listed: Vec<Uuid> = found.iter().flat_map(ids).collect();
    assert_eq!(listed, sorted(own.clone()));
    let numbered = engine.list(&admin(), &all().number(1)).await.unwrap();
    assert_eq!(numbered.items.len(), own.len());
}
