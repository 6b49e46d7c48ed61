//! The laws themselves.

use coeval_core::convert::{ContentRecord, ConversionObstacle, ConversionRefusal, PutOutcome};
use coeval_core::types::{Visibility, same};
use coeval_core_suite::documents::{document, edit, with_mirrors};
use coeval_core_suite::field::WorldField;
use coeval_core_suite::places::{chosen, declared, leaves};
use coeval_core_suite::world::TypeWorld;
use fastrand::Rng;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;

/// What happened in all cases, so that laws that hold for nothing are noticed.
#[derive(Default, Debug)]
pub(crate) struct Tally {
    pub(crate) cases: u64,
    pub(crate) views: u64,
    pub(crate) kept_something: u64,
    pub(crate) puts: u64,
    pub(crate) puts_above: u64,
    pub(crate) puts_that_kept: u64,
    pub(crate) puts_that_dropped: u64,
    pub(crate) refused_values: u64,
    pub(crate) refused_lists: u64,
    pub(crate) refused_mirrors: u64,
    pub(crate) unexpressed_checked: u64,
    pub(crate) expressed_checked: u64,
    pub(crate) saved_elsewhere: u64,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

impl Tally {
    /// The cases must reach what the laws speak of.
    pub(crate) fn must_be_telling(&self, cases: u64) {
        assert_eq!(self.cases, cases);
        let part = |count: u64, of: u64, least: u64| {
            assert!(count * 100 >= of * least, "{count} of {of}: {self}");
        };
        part(self.views, cases, 90);
        part(self.kept_something, self.views, 30);
        part(self.puts, cases, 200);
        part(self.puts_above, self.puts, 20);
        part(self.puts_that_kept, self.puts, 30);
        part(self.puts_that_dropped, self.puts, 1);
        part(self.unexpressed_checked, cases, 50);
        part(self.expressed_checked, cases, 100);
        part(self.saved_elsewhere, cases, 5);
        let refused = self.refused_values + self.refused_lists + self.refused_mirrors;
        assert!(refused * 5 < cases, "{self}");
    }
}

/// A record in a form that does not depend on the order of what is kept.
fn plain(record: &ContentRecord) -> (String, Value, Vec<String>) {
    let kept = record.kept.to_json();
    let entry = |entry: &Value| {
        let mut entry = canonical(entry);
        // By which version something came here is a remark, not part of what is kept.
        if entry["by"] == "hidden" {
            entry["version"] = Value::Null;
        }
        entry.to_string()
    };
    let mut entries: Vec<_> = kept.as_array().unwrap().iter().map(entry).collect();
    entries.sort();
    (
        record.version.to_string(),
        canonical(&record.content),
        entries,
    )
}

/// Equal JSON values in one form: sorted keys, whole numbers without a point.
fn canonical(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let sorted: BTreeMap<_, _> = map
                .iter()
                .map(|(key, value)| (key.clone(), canonical(value)))
                .collect();
            Value::Object(sorted.into_iter().collect())
        }
        Value::Array(items) => items.iter().map(canonical).collect(),
        Value::Number(number) => match number.as_f64() {
            #[expect(clippy::cast_possible_truncation, reason = "numbers here are small")]
            Some(double) if double.fract() == 0.0 => Value::from(double as i64),
            _ => value.clone(),
        },
        other => other.clone(),
    }
}

struct Case<'w> {
    world: &'w TypeWorld,
    case: u64,
}

impl Case<'_> {
    fn fail(&self, law: &str, details: &[(&str, &dyn fmt::Debug)]) -> ! {
        let mut text = format!("{law}, in world {}, case {}\n", self.world.seed, self.case);
        text.push_str(&self.world.describe());
        for (name, value) in details {
            text.push_str(&format!("{name}: {value:?}\n"));
        }
        panic!("{text}");
    }
}

pub(crate) fn case(world: &TypeWorld, number: u64, tally: &mut Tally) {
    let mut rng = Rng::with_seed(world.seed.wrapping_mul(1_000_003).wrapping_add(number));
    let case = Case {
        world,
        case: number,
    };
    tally.cases += 1;
    let mut home = rng.usize(..world.made.len());
    let at = rng.usize(..world.made.len());
    let mut stored = ContentRecord::new(world.made[home].version, document(world, home, &mut rng));
    // Half of the resources have moved before, so that something is kept already.
    if rng.bool() {
        let to = rng.usize(..world.made.len());
        match world.versions.moved(stored.clone(), world.made[to].version) {
            Ok(moved) => (home, stored) = (to, moved),
            Err(refusal) => return case.refused(&refusal, tally),
        }
    }
    if let Err(refusal) = case.composition(home, at, &stored, &mut rng, tally) {
        return case.refused(&refusal, tally);
    }
    case.saved_elsewhere(home, at, &stored, tally);
    // Clients of three versions, above and below the stored one, save in turn.
    let clients = [
        at,
        rng.usize(..world.made.len()),
        rng.usize(..world.made.len()),
    ];
    // A stray field under a name that another version declares is met by the first of them only: once two
    // versions have written that name, which of the two is shown where is not told by any law, and no
    // API accepts a body that makes one (COEVAL-3201).
    let turns = if strays(world, &stored) { 1 } else { 3 };
    for (turn, at) in clients.into_iter().enumerate().take(turns) {
        match case.writing((home, at, turn), &stored, &mut rng, tally) {
            Ok(record) => stored = record,
            Err(refusal) => case.refused(&refusal, tally),
        }
    }
}

/// Whether something at the top is declared by other versions alone.
fn strays(world: &TypeWorld, stored: &ContentRecord) -> bool {
    let made = world
        .made
        .iter()
        .find(|made| made.version == stored.version);
    let declared = |name: &str| {
        let mut fields = made.iter().flat_map(|made| &made.fields);
        fields.any(|field| field.name == name)
    };
    let kept = stored.kept.to_json().to_string();
    let content = stored.content.as_object().unwrap();
    let mut names = content.keys().filter(|name| *name != "x1");
    names.any(|name| !declared(name)) || kept.contains("\"own\"")
}

impl Case<'_> {
    fn refused(&self, refusal: &ConversionRefusal, tally: &mut Tally) {
        match &refusal.reason {
            ConversionObstacle::Value(_) => tally.refused_values += 1,
            ConversionObstacle::Ambiguous { .. } => tally.refused_lists += 1,
            ConversionObstacle::Mirrors { .. } => tally.refused_mirrors += 1,
            _ => self.fail("no reason for a refusal", &[("refusal", refusal)]),
        }
    }

    /// There and back is exact, and the way over a third version is the same way.
    fn composition(
        &self,
        home: usize,
        at: usize,
        stored: &ContentRecord,
        rng: &mut Rng,
        tally: &mut Tally,
    ) -> Result<(), ConversionRefusal> {
        let versions = &self.world.versions;
        let version = |number: usize| self.world.made[number].version;
        let direct = versions.moved(stored.clone(), version(at))?;
        tally.views += 1;
        tally.kept_something += u64::from(!direct.kept.is_empty());
        let back = versions.moved(direct.clone(), version(home));
        let Ok(back) = back else {
            self.fail(
                "what was converted converts back",
                &[("stored", stored), ("there", &direct), ("back", &back)],
            );
        };
        if plain(&back) != plain(stored) {
            self.fail(
                "there and back is exact",
                &[("stored", stored), ("there", &direct), ("back", &back)],
            );
        }
        let view = versions.view(stored.clone(), version(at))?;
        if !same(&view.content, &direct.content) {
            self.fail(
                "a view is what a move would store",
                &[("stored", stored), ("view", &view), ("moved", &direct)],
            );
        }
        let via = rng.usize(..self.world.made.len());
        if let Ok(halfway) = versions.moved(stored.clone(), version(via)) {
            let arrived = versions.moved(halfway.clone(), version(at));
            if arrived.as_ref().map(plain) != Ok(plain(&direct)) {
                self.fail(
                    "composed is direct",
                    &[
                        ("stored", stored),
                        ("via", &halfway),
                        ("composed", &arrived),
                        ("direct", &direct),
                    ],
                );
            }
        }
        Ok(())
    }

    /// What was read at the stored version and is saved as it is at one next to it, which no step
    /// leads to, is never refused, and is the same where it was.
    fn saved_elsewhere(&self, home: usize, at: usize, stored: &ContentRecord, tally: &mut Tally) {
        let (from, to) = (&self.world.made[home], &self.world.made[at]);
        let above = to.parent == Some(home) && to.steps.is_empty();
        let below = from.parent == Some(at) && from.steps.is_empty();
        let versions = &self.world.versions;
        if !above && !below {
            return;
        }
        if versions.moved(stored.clone(), to.version).is_err() {
            return;
        }
        tally.saved_elsewhere += 1;
        let body = stored.content.clone();
        let put = versions.put_moved(stored.clone(), to.version, body, Visibility::Private);
        let read = put
            .as_ref()
            .map(|put| versions.view(put.record.clone(), from.version));
        match read {
            Ok(Ok(read)) if same(&read.content, &stored.content) => {}
            _ => self.fail(
                "what was read is saved elsewhere",
                &[
                    ("stored", stored),
                    ("at", &to.version),
                    ("put", &put),
                    ("read", &read),
                ],
            ),
        }
    }

    /// Whether two records are one. After an edit by somebody else a save may note the same things
    /// elsewhere: for the other branch of a `when`, or no longer that an object was empty which is not
    /// empty now. What is seen is the same at every version.
    fn alike(&self, one: &ContentRecord, other: &ContentRecord, turn: usize) -> bool {
        let versions = &self.world.versions;
        let seen = |record: &ContentRecord, version| {
            let view = versions.view(record.clone(), version);
            view.map(|view| canonical(&view.content))
        };
        let made = || self.world.made.iter().map(|made| made.version);
        plain(one) == plain(other)
            || turn > 0 && made().all(|version| seen(one, version) == seen(other, version))
    }

    fn writing(
        &self,
        (home, at, turn): (usize, usize, usize),
        stored: &ContentRecord,
        rng: &mut Rng,
        tally: &mut Tally,
    ) -> Result<ContentRecord, ConversionRefusal> {
        let versions = &self.world.versions;
        let version = self.world.made[at].version;
        tally.puts_above += u64::from(version > stored.version);
        let view = versions.view(stored.clone(), version)?.content;
        let unchanged = versions.put(stored.clone(), version, view.clone());
        match &unchanged {
            Ok(put) if self.alike(&put.record, stored, turn) && put.dropped.is_empty() => {}
            _ => self.fail(
                "get-put",
                &[
                    ("stored", stored),
                    ("at", &version),
                    ("view", &view),
                    ("put", &unchanged),
                ],
            ),
        }
        let body = edit(self.world, at, &view, rng);
        let put = versions.put(stored.clone(), version, body.clone())?;
        tally.puts += 1;
        // What is left alone, and what the stored version can't hold of the body.
        let kept = !put.kept.is_empty() || !put.record.kept.is_empty();
        tally.puts_that_kept += u64::from(kept);
        tally.puts_that_dropped += u64::from(!put.dropped.is_empty());
        let details: [(&str, &dyn fmt::Debug); 5] = [
            ("stored", stored),
            ("at", &version),
            ("view", &view),
            ("body", &body),
            ("put", &put),
        ];
        let again = versions.view(put.record.clone(), version);
        let again = match again {
            Ok(view) => view.content,
            Err(refusal) => self.fail(
                "put-get is readable",
                &[("refusal", &refusal), details[0], details[3]],
            ),
        };
        let expected = with_mirrors(&self.world.made[at].mirrors, &view, &body);
        if !same(&again, &expected) {
            self.fail(
                "put-get",
                &[
                    ("again", &again),
                    ("expected", &expected),
                    details[0],
                    details[1],
                    details[2],
                    details[3],
                    details[4],
                ],
            );
        }
        let filled = versions.with_defaults(put.record.clone())?;
        let seen = versions.view(filled.clone(), version);
        if !seen.as_ref().is_ok_and(|seen| same(&seen.content, &again)) {
            self.fail(
                "what is filled in at home is not seen",
                &[
                    ("seen", &seen),
                    ("again", &again),
                    details[0],
                    details[3],
                    details[4],
                ],
            );
        }
        let twice = versions.put(put.record.clone(), version, again);
        match twice {
            Ok(twice) if self.alike(&twice.record, &put.record, turn) => {}
            _ => self.fail(
                "put-put",
                &[("twice", &twice), details[0], details[3], details[4]],
            ),
        }
        for other in 0..self.world.made.len() {
            self.edit_safety((home, at, other), stored, &put, &expected, &details, tally);
        }
        // What is stored in the end has what its version requires.
        Ok(filled)
    }

    /// A write at one version changes nothing that it can't express, seen from any other; and what
    /// it can express and did not delete is there.
    fn edit_safety(
        &self,
        (home, at, other): (usize, usize, usize),
        stored: &ContentRecord,
        put: &PutOutcome,
        body: &Value,
        details: &[(&str, &dyn fmt::Debug)],
        tally: &mut Tally,
    ) {
        let made = &self.world.made[other];
        let read = |record: &ContentRecord| self.world.versions.view(record.clone(), made.version);
        let Ok(before) = read(stored) else {
            return;
        };
        let after = match read(&put.record) {
            Ok(after) => after.content,
            Err(refusal) if matches!(refusal.reason, ConversionObstacle::Value(_)) => return,
            Err(refusal) => self.fail(
                "other versions stay readable",
                &[("refusal", &refusal), details[0], details[3]],
            ),
        };
        let written = &self.world.made[at];
        let expressed = declared(&written.fields);
        let at_home = declared(&self.world.made[home].fields);
        let derived = chosen(&made.fields, &|field| field.derived);
        // What was picked out of a list is expressed where it is now, and the rest of it kept.
        let picked = |fields: &[WorldField]| !chosen(fields, &|field| field.alias).is_empty();
        let picks = self.world.made.iter().any(|one| picked(&one.fields));
        let families = chosen(&made.fields, &|field| field.family);
        let aliases = chosen(&made.fields, &|field| field.alias);
        let before_leaves = leaves(&made.fields, &before.content);
        let after_leaves = leaves(&made.fields, &after);
        let body_leaves = leaves(&written.fields, body);
        for (place, value) in &before_leaves {
            let pattern = place.pattern();
            if expressed.contains(&pattern) {
                continue;
            }
            if aliases.contains(&pattern)
                || (derived.contains(&pattern) && !at_home.contains(&pattern))
            {
                continue;
            }
            tally.unexpressed_checked += 1;
            let now = after_leaves.get(place);
            let alike = now.is_some_and(|now| {
                now.len() == value.len()
                    && now
                        .iter()
                        .zip(value)
                        .all(|(one, other)| same(one.value, other.value))
            });
            let item_is_there = after_leaves.keys().any(|other| other.shares_item(place));
            let went_with_its_container =
                now.is_none() && (!put.dropped.is_empty() || !item_is_there);
            if place.has_item("n1") && picks {
                continue;
            }
            if !alike && !went_with_its_container {
                self.fail(
                    "edit safety",
                    &[
                        ("place", place),
                        ("other", &made.version),
                        ("before", &before.content),
                        ("after", &after),
                        details[0],
                        details[1],
                        details[2],
                        details[3],
                        details[4],
                    ],
                );
            }
        }
        for (place, values) in &body_leaves {
            // An empty list has no first item to be shown, a short text no second part.
            if families.contains(&place.pattern()) || (picks && place.has_item("n1")) {
                continue;
            }
            if values
                .iter()
                .any(|leaf| leaf.value.as_array().is_some_and(Vec::is_empty))
            {
                continue;
            }
            let shared = before_leaves.contains_key(place)
                && declared(&made.fields).contains(&place.pattern());
            if shared {
                tally.expressed_checked += 1;
                if !after_leaves.contains_key(place) {
                    self.fail(
                        "what was not deleted is there",
                        &[
                            ("place", place),
                            ("other", &made.version),
                            ("after", &after),
                            details[0],
                            details[1],
                            details[2],
                            details[3],
                            details[4],
                        ],
                    );
                }
            }
        }
    }
}
