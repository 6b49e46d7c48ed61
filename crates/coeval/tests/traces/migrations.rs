use crate::collector::{Collector, Got};
use crate::stage::type_file;
use crate::world::World;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

const FIRST: &str =
    "  schema: {type: object, required: [image], properties: {image: {type: string}}}\n";
const SECOND: &str = "  schema: {type: object, required: [container], properties: {container: {type: object, required: [image], properties: {image: {type: string}}}}}\n  conversion: {from: 1.0.0, steps: [{nest: {paths: [/image], under: /container}}]}\n";

/// `acme:app` in two majors, and resources of the first one; sends to a collector.
fn world(collector: &Collector, resources: usize) -> World {
    let mut world = World::sqlite();
    world.add_types(&["acme:app"], &[type_file("acme:app", "1.0.0", FIRST)]);
    world.restart_with(&["--otlp-endpoint", &collector.url]);
    world.write("second.yaml", &type_file("acme:app", "2.0.0", SECOND));
    let admin = world.person("administrator@System");
    admin.does(&["type", "register", "second.yaml", "--warn"]);
    let token = world.login("alice@acme");
    for number in 0..resources {
        let image = json!({"image": format!("hidden-{number}")});
        world.make_resolved(&token, "1.0.0", &format!("a{number}"), &image);
    }
    world
}

/// Until the status says so.
fn until(world: &World, state: &str) {
    let admin = world.person("administrator@System");
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let status = admin.does(&["migrate", "status", "acme:app", "-o", "json"]);
        let status: Value = serde_json::from_str(&status).unwrap();
        if status["state"] == state {
            return;
        }
        assert!(Instant::now() < deadline, "{status}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A span's parent, which must have been sent too.
fn parent<'s>(spans: &'s [Got], span: &Got) -> &'s Got {
    let found = spans.iter().find(|one| one.id == span.parent);
    let found = found.unwrap_or_else(|| panic!("no parent of {span:?}"));
    assert_eq!(found.trace, span.trace);
    found
}

#[test]
fn a_migration_is_traced_from_its_root_to_its_batches() {
    let collector = Collector::start();
    let world = world(&collector, 7);
    let admin = world.person("administrator@System");
    admin.does(&[
        "migrate", "start", "acme:app", "--auto", "--until", "finished", "--yes",
    ]);
    until(&world, "finished");
    let of_work = |work: &'static str| {
        move |span: &Got| {
            span.name == "migration" && span.value("work") == work && span.value("part") == "0"
        }
    };
    for work in ["backfill", "cleanup"] {
        collector.wait_for(work, of_work(work));
    }
    let finished = |span: &Got| span.name == "move" && span.value("what") == "finish";
    collector.wait_for("end", finished);
    let spans = collector.wait("roots", |spans| {
        let sent = |span: &Got| spans.iter().any(|one| one.id == span.parent);
        let ours = ["migration", "move", "batch"];
        let mut ours = spans.iter().filter(|span| ours.contains(&&*span.name));
        ours.all(sent)
    });

    for span in spans.iter().filter(|span| span.name == "migration") {
        let root = parent(&spans, span);
        assert_eq!(
            (root.name.as_str(), root.parent.as_str()),
            ("migrations", "")
        );
        assert_eq!(root.number("types"), 1);
        assert_eq!(span.value("type"), "acme:app");
        assert_eq!((span.number("from"), span.number("to")), (1, 2), "{span:?}");
    }
    let batches: Vec<_> = spans.iter().filter(|span| span.name == "batch").collect();
    let mut sums: BTreeMap<&str, [u64; 4]> = BTreeMap::new();
    let names = ["visited", "copied", "removed", "failed"];
    for batch in &batches {
        let above = parent(&spans, batch);
        assert_eq!(above.name, "migration");
        assert_eq!(above.value("work"), batch.value("work"));
        assert_eq!(batch.value("type"), "acme:app");
        let sum = sums.entry(batch.value("work")).or_default();
        for (sum, name) in sum.iter_mut().zip(names) {
            *sum += batch.number(name);
        }
    }
    // Half a step ends a run, and the next one visits all again.
    let [visited, copied, removed, failed] = sums["backfill"];
    assert!(visited >= 7, "{batches:#?}");
    assert_eq!([copied, removed, failed], [7, 0, 0], "{batches:#?}");
    assert_eq!(sums["cleanup"], [7, 0, 7, 0], "{batches:#?}");
    let whole = |span: &&Got| of_work("backfill")(span) && span.number("visited") == 7;
    let backfill = spans.iter().find(whole).unwrap();
    assert_eq!(backfill.value("phase"), "backfill", "{backfill:?}");
    assert_eq!(
        (backfill.number("parts"), backfill.number("failed")),
        (1, 0)
    );
    // Every phase was entered by a move.
    let moves = spans.iter().filter(|span| span.name == "move");
    let mut highs = BTreeSet::new();
    for span in moves {
        assert_eq!(parent(&spans, span).name, "migration");
        assert_eq!(span.value("written"), "true", "{span:?}");
        highs.insert(span.value("high"));
    }
    for phase in [
        "mirror", "read-new", "backfill", "soak", "cutover", "cleanup",
    ] {
        assert!(highs.contains(phase), "{phase}: {highs:?}");
    }
    let text = format!("{spans:?}");
    assert!(!text.contains("hidden-"), "content in a span");
}

#[test]
fn looks_that_find_nothing_to_do_are_not_sent() {
    let collector = Collector::start();
    let world = world(&collector, 1);
    let admin = world.person("administrator@System");
    admin.does(&["migrate", "start", "acme:app"]);
    // It waits at old, and the server looks every second.
    std::thread::sleep(Duration::from_secs(3));
    let ours = |span: &Got| span.name.starts_with("migration");
    assert!(!collector.spans().iter().any(ours));
    // Whoever moves it is linked.
    admin.does(&["migrate", "advance", "acme:app"]);
    let moved = collector.wait_for("move", |span| span.name == "move");
    assert_eq!(moved.value("what"), "forward");
    assert_eq!((moved.value("low"), moved.value("high")), ("old", "mirror"));
    let [link] = moved.links.as_slice() else {
        panic!("{moved:?}");
    };
    let asked = collector.wait_for("request", |span| span.id == *link);
    assert!(
        asked.value("path").ends_with("AdvanceMigration"),
        "{asked:?}"
    );
}

#[test]
fn metrics_tell_how_far_a_migration_is_and_how_it_ended() {
    let collector = Collector::start();
    let world = world(&collector, 5);
    let admin = world.person("administrator@System");
    let shown = || {
        let text = world.get("/metrics").send().text;
        let lines = text.lines().filter_map(|line| {
            let rest = line.strip_prefix(r#"coeval_migrations{type="acme:app",what=""#)?;
            let (what, value) = rest.split_once("\"} ")?;
            Some((what.to_owned(), value.parse::<f64>().unwrap()))
        });
        lines.collect::<BTreeMap<_, _>>()
    };
    let until = |wanted: &[(&str, f64)]| {
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            let now = shown();
            if wanted
                .iter()
                .all(|(what, value)| now.get(*what) == Some(value))
            {
                return now;
            }
            assert!(Instant::now() < deadline, "{wanted:?}: {now:?}");
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    assert!(shown().is_empty());
    admin.does(&["migrate", "start", "acme:app"]);
    until(&[("phase", 0.0), ("state", 0.0), ("copied", 0.0)]);
    admin.does(&["migrate", "advance", "acme:app", "--to", "soak", "--wait"]);
    let soak = [
        ("phase", 4.0),
        ("state", 0.0),
        ("copied", 5.0),
        ("failed", 0.0),
    ];
    let at_soak = until(&soak);
    assert!(at_soak["seconds"] > 0.0, "{at_soak:?}");
    assert!(
        at_soak["seconds"] >= at_soak["phase_seconds"],
        "{at_soak:?}"
    );
    let before = at_soak["seconds"];
    let deadline = Instant::now() + Duration::from_secs(30);
    while shown()["seconds"] <= before {
        assert!(Instant::now() < deadline, "seconds stand still");
        std::thread::sleep(Duration::from_millis(50));
    }
    admin.does(&["migrate", "undo", "acme:app", "--yes"]);
    let ended = until(&[("phase", 0.0), ("state", 3.0), ("failed", 0.0)]);
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(
        shown()["seconds"],
        ended["seconds"],
        "it goes on after its end"
    );
    admin.does(&[
        "migrate", "start", "acme:app", "--auto", "--until", "finished", "--yes",
    ]);
    until(&[("phase", 6.0), ("state", 2.0), ("copied", 5.0)]);
}
