//! Filters and orders: an index changes how fast something is found, never what.

use super::all;
use super::every_id;
use super::ids;
use super::make;
use super::pages;
use super::with_types;
use crate::world::{World, admin, app, app_file, v};
use coeval_engine::ListQuery;
use coeval_engine::types::Registration;
use coeval_engine::write::{Checking, Create};
use coeval_filter::{
    ContentPath, FieldComparison, Filter, FilterField, Operand, SortDirection, SortOrder,
};
use serde_json::{Value, json};

/// Small numbers from a seed that failures print.
struct Draw(u64);

impl Draw {
    fn below(&mut self, most: usize) -> usize {
        // A linear congruential generator; its upper bits are good enough here.
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most
    }

    fn one_of<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())].clone()
    }
}

fn content(path: &str) -> FilterField {
    FilterField::Content(ContentPath::from_dotted(path).unwrap())
}

/// What is not always a string, nor always there, nor always one.
fn image(draw: &mut Draw) -> Value {
    let long = "i".repeat(220);
    match draw.below(10) {
        0 => json!(5),
        1 => json!("5"),
        2 => Value::Null,
        3 => json!(["a", "b", "web-1"]),
        4 => json!((0..12).collect::<Vec<_>>()),
        5 => json!(format!("{long}{}", draw.below(3))),
        6 => json!({"a": 1}),
        _ => json!(format!("web-{}", draw.below(6))),
    }
}

fn resource(draw: &mut Draw, n: usize) -> Create {
    let version = draw.one_of(&["1.0.0", "1.1.0"]);
    let mut content = json!({});
    if draw.below(6) > 0 {
        content["image"] = image(draw);
    }
    if version == "1.1.0" && draw.below(2) > 0 {
        content["region"] = json!(draw.one_of(&["eu", "us", "eu-west", ""]));
    }
    let name = draw.one_of(&["a", "ab", "b", "web", "a/b", "ä"]);
    let mut create = Create::new(v(version), format!("{name}-{}", n % 5), content);
    create.unique = false;
    // Content that does not fit is kept too.
    create.checking = Checking::Resolve;
    create.owner = Some(draw.one_of(&["ada", "bob", "bo"]).to_owned());
    create.external_id = (draw.below(3) == 0).then(|| format!("x{}", draw.below(4)));
    if draw.below(2) == 0 {
        let tier = draw.one_of(&["gold", "go", "new=1"]);
        create.labels.insert("tier".to_owned(), tier.to_owned());
    }
    create
}

fn operand(draw: &mut Draw) -> Operand {
    let long = "i".repeat(220);
    let texts = [
        "a", "web-1", "web-*", "5", "eu", "eu*", "*b", "ada", "bo", "gold", "new=1", "x1", "null",
        "RESOLVED", "",
    ];
    match draw.below(8) {
        0 => Operand::Json(json!(5)),
        1 => Operand::Json(json!("web-1")),
        2 => Operand::Text(format!("{long}1")),
        3 => Operand::Text(draw.one_of(&["a-1", "ab-2", "web-3", "ä-4"]).to_owned()),
        _ => Operand::from_escaped(draw.one_of(&texts)).unwrap(),
    }
}

fn test(draw: &mut Draw) -> Filter {
    let fields = [
        FilterField::Name,
        FilterField::Owner,
        FilterField::State,
        FilterField::ExternalId,
        FilterField::Label("tier".to_owned()),
        content("image"),
        content("image"),
        content("region"),
        FilterField::Version,
    ];
    loop {
        let operand = operand(draw);
        let compare = match draw.below(9) {
            0 => FieldComparison::NotEqual(operand),
            1 => FieldComparison::Less(operand),
            2 => FieldComparison::GreaterOrEqual(operand),
            3 => FieldComparison::In(vec![operand, Operand::Text("web-2".to_owned())]),
            4 => FieldComparison::Exists,
            _ => FieldComparison::Equal(operand),
        };
        let test = Filter::test(draw.one_of(&fields), compare);
        // Some operands fit no comparison of some field.
        if test.compile().is_ok() {
            return test;
        }
    }
}

fn filter(draw: &mut Draw, levels: usize) -> Filter {
    match (levels, draw.below(6)) {
        (0, _) | (_, 0..=2) => test(draw),
        (_, 3) => Filter::Or(vec![filter(draw, levels - 1), filter(draw, levels - 1)]),
        (_, 4) => Filter::And(vec![filter(draw, levels - 1), filter(draw, levels - 1)]),
        _ => Filter::Not(Box::new(filter(draw, levels - 1))),
    }
}

/// Those that an index serves in each of its ways; the first two find resources with more values
/// than an index takes.
fn served() -> Vec<Filter> {
    let text = |text: &str| Operand::from_escaped(text).unwrap();
    let test = Filter::test;
    vec![
        test(
            content("image"),
            FieldComparison::Equal(Operand::Json(json!(7))),
        ),
        test(
            content("image"),
            FieldComparison::Greater(Operand::Json(json!(6))),
        ),
        test(content("image"), FieldComparison::Equal(text("web-1"))),
        test(content("image"), FieldComparison::Equal(text("web-*"))),
        test(content("image"), FieldComparison::Exists),
        test(FilterField::Name, FieldComparison::Equal(text("a*"))),
        test(
            FilterField::Name,
            FieldComparison::In(vec![text("a-1"), text("ab-2")]),
        ),
        test(FilterField::ExternalId, FieldComparison::Equal(text("x1"))),
        test(
            FilterField::Label("tier".to_owned()),
            FieldComparison::Equal(text("new=1")),
        ),
    ]
}

/// Twice *not* is the same filter, and no index serves it.
fn scanned(filter: &Filter) -> Filter {
    let not = |filter| Filter::Not(Box::new(filter));
    not(not(filter.clone()))
}

pub(crate) async fn an_index_never_hides_a_match_nor_adds_one(world: World) {
    with_types(&world).await;
    let engine = &world.engine;
    let seed = std::process::id().into();
    let mut draw = Draw(seed);
    let creates = (0..150).map(|n| resource(&mut draw, n)).collect();
    make(engine, &admin(), creates).await;
    let callers = [admin(), admin().at(v("1.0.0")), admin().at(v("1.1.0"))];
    let (mut found, mut some) = (0, 0);
    let served = served();
    for round in 0..120 {
        let (filter, caller) = match served.get(round) {
            Some(filter) => (filter.clone(), admin()),
            None => (filter(&mut draw, 2), draw.one_of(&callers)),
        };
        let mut query = all().sized(draw.one_of(&[9, 1_000]));
        query.order = draw.one_of(&[
            None,
            None,
            Some(SortOrder::new(vec![(FilterField::Name, SortDirection::Descending)]).unwrap()),
            Some(SortOrder::new(vec![(content("image"), SortDirection::Ascending)]).unwrap()),
        ]);
        query.filter = Some(scanned(&filter));
        let expected = every_id(engine, &caller, &query).await;
        query.filter = Some(filter.clone());
        query.count = true;
        let indexed = pages(engine, &caller, &query).await;
        let listed: Vec<_> = indexed.iter().flat_map(ids).collect();
        assert_eq!(listed, expected, "seed {seed} round {round}: {query:?}");
        assert_eq!(
            indexed[0].total,
            Some(expected.len() as u64),
            "seed {seed} {query:?}"
        );
        assert!(
            round >= served.len() || !listed.is_empty(),
            "seed {seed}: nothing matches {filter:?}"
        );
        found += listed.len();
        some += usize::from(!listed.is_empty());
    }
    assert!(
        found > 100 && some > 20,
        "the filters match nothing: {found} {some}"
    );
}

pub(crate) async fn a_listing_is_sorted_by_what_the_caller_sees(world: World) {
    with_types(&world).await;
    let engine = &world.engine;
    let values = [
        json!(10),
        json!(9),
        json!(-1),
        json!(0),
        json!(100),
        json!(2),
    ];
    let creates = values.iter().enumerate().map(|(n, value)| {
        Create::new(
            v("1.0.0"),
            format!("n{n}"),
            json!({"image": "i", "replicas": value}),
        )
    });
    let mut creates: Vec<Create> = creates.collect();
    for create in &mut creates {
        create.checking = Checking::Resolve;
    }
    creates.push(Create::new(v("1.1.0"), "missing", json!({"image": "i"})));
    make(engine, &admin(), creates).await;
    let order = |direction| SortOrder::new(vec![(content("replicas"), direction)]).unwrap();
    for (direction, expected) in [
        (
            SortDirection::Ascending,
            ["missing", "n2", "n3", "n5", "n1", "n0", "n4"],
        ),
        (
            SortDirection::Descending,
            ["n4", "n0", "n1", "n5", "n3", "n2", "missing"],
        ),
    ] {
        let mut query = all().sized(2);
        query.order = Some(order(direction));
        let found = pages(engine, &admin(), &query).await;
        let listed: Vec<String> = found.iter().flat_map(super::names).collect();
        assert_eq!(listed, expected);
    }
}

pub(crate) async fn a_slip_in_any_name_of_a_path_is_told_with_the_path_that_was_meant(
    world: World,
) {
    let file = app_file(
        "1.0.0",
        "  schema: {type: object, properties: {limits: {type: object, properties: {cpu: {}}}, ports: {type: array, items: {type: object, properties: {name: {}}}}}}\n",
    );
    let registration = Registration::of(file);
    world.engine.register(&admin(), registration).await.unwrap();
    for (said, told) in [
        ("Limits", "spec.Limits; similar: spec.limits"),
        ("limit.cpu", "spec.limit.cpu; similar: spec.limits.cpu"),
        ("limits.cpus", "spec.limits.cpus; similar: spec.limits.cpu"),
        ("prots.name", "spec.prots.name; similar: spec.ports.name"),
        ("ports.nmae", "spec.ports.nmae; similar: spec.ports.name"),
        (
            "ports.*.nmae",
            "spec.ports.*.nmae; similar: spec.ports.*.name",
        ),
        ("other", "spec.other"),
    ] {
        let mut query = ListQuery::of(app());
        query.order =
            Some(SortOrder::new(vec![(content(said), SortDirection::Ascending)]).unwrap());
        let refused = world.engine.list(&admin(), &query).await.unwrap_err();
        let expected = format!("no version of the type declares {told}");
        assert_eq!(refused.to_string(), expected);
    }
}
