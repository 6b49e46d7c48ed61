//! Pairs of schemas whose truth is known, because they are made so.

use crate::base;
use crate::node::{Kind, World};
use crate::places::Step;
use crate::rewrite::rewrite;
use crate::truth::accepts;
use crate::widen::{Choices, Policy, Wider};
use fastrand::Rng;
use jsonschema::Draft;
use serde_json::{Value, json};

#[derive(Clone, Debug)]
pub(crate) enum Truth {
    Yes,
    /// This document shows it.
    No(Value),
}

/// What the change must be, beside what fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    /// What fits decides.
    Plain,
    AddedToOpen(String),
    RemovedFromOpen(String),
    AddedToClosed(String),
    RemovedFromClosed(String),
    RequiredAdded(String),
    DefaultChanged,
    DefaultRemoved,
    /// Nothing is said.
    Open,
}

#[derive(Debug)]
pub(crate) struct Pair {
    pub(crate) old: World,
    pub(crate) new: World,
    pub(crate) old_schema: Value,
    pub(crate) new_schema: Value,
    pub(crate) old_fits: Truth,
    pub(crate) new_fits: Truth,
    pub(crate) sorts: Vec<&'static str>,
    pub(crate) expected: Expected,
}

/// One change of a world, and a document that only the wider one takes.
struct Edited {
    world: World,
    document: Value,
    wider: Wider,
    /// Whether the place is where no alternatives are.
    direct: bool,
}

pub(crate) fn make(seed: u64) -> Pair {
    let mut rng = Rng::with_seed(seed);
    loop {
        let sort = rng.u8(..20);
        // A default that is found elsewhere breaks by policy, so they are where they are meant.
        let base = base::world(sort == 0, &mut rng);
        let made = match sort {
            1..=6 => several(&base, 1, &mut rng),
            7..=10 => {
                let count = rng.usize(2..5);
                several(&base, count, &mut rng)
            }
            11..=14 => crossed(&base, &mut rng),
            0 => defaults(&base, &mut rng),
            _ => same(&base, &mut rng),
        };
        if let Some(mut pair) = made {
            if rng.u8(..8) == 0 {
                pair.change_draft(&mut rng);
            }
            pair.old_schema = pair.old.render();
            pair.new_schema = pair.new.render();
            let count = if pair.sorts.is_empty() {
                rng.usize(1..5)
            } else {
                rng.usize(..3)
            };
            for _ in 0..count {
                let (side, draft) = if rng.bool() {
                    (&mut pair.old_schema, pair.old.draft)
                } else {
                    (&mut pair.new_schema, pair.new.draft)
                };
                pair.sorts.extend(rewrite(side, draft, &mut rng));
            }
            // What is one of several alternatives is told as such.
            let told = !matches!(pair.expected, Expected::Plain | Expected::Open);
            if told && pair.sorts.iter().any(|sort| sort.contains("anyOf")) {
                pair.expected = Expected::Open;
            }
            if pair.is_shown() {
                return pair;
            }
        }
    }
}

impl Pair {
    /// The same in the words of another draft. Draft 4 has other integers, and not all judge formats.
    fn change_draft(&mut self, rng: &mut Rng) {
        let drafts = [
            Draft::Draft6,
            Draft::Draft7,
            Draft::Draft201909,
            Draft::Draft202012,
        ];
        let formats = |world: &World| world.render().to_string().contains("\"format\":");
        if self.old.draft != Draft::Draft4 && !formats(&self.old) && !formats(&self.new) {
            self.new.draft = drafts[rng.usize(..drafts.len())];
            self.sorts.push("another draft");
        }
    }

    /// The documents must show what they are to show.
    fn is_shown(&self) -> bool {
        let (old, new) = (
            (&self.old_schema, self.old.draft),
            (&self.new_schema, self.new.draft),
        );
        let shows = |truth: &Truth, by: (&Value, Draft), not: (&Value, Draft)| match truth {
            Truth::Yes => true,
            Truth::No(document) => {
                accepts(by.0, by.1, document) && !accepts(not.0, not.1, document)
            }
        };
        shows(&self.old_fits, old, new) && shows(&self.new_fits, new, old)
    }
}

fn edit(world: &World, rng: &mut Rng) -> Option<Edited> {
    let places = world.places();
    for _ in 0..20 {
        let path = &places[rng.usize(..places.len())];
        let member = is_member(world, path);
        let mut choices = Choices::at(world, world.at(path), member, rng);
        if choices.is_empty() {
            continue;
        }
        let wider = choices.swap_remove(rng.usize(..choices.len()));
        let document = world.holding(path, wider.value.clone(), rng);
        let mut edited = world.clone();
        edited.replace(path, wider.node.clone());
        let fits = |world: &World| accepts(&world.render(), world.draft, &document);
        // Another alternative may take it already.
        if fits(&edited) && !fits(world) {
            let indirect = |step: &Step| matches!(step, Step::Choice(_) | Step::Extension);
            let direct = !path.iter().any(indirect);
            return Some(Edited {
                world: edited,
                document,
                wider,
                direct,
            });
        }
    }
    None
}

fn is_member(world: &World, path: &[Step]) -> bool {
    // The whole document is an object.
    let Some((_, above)) = path.split_last() else {
        return true;
    };
    matches!(world.at(above).kind, Kind::Tagged(_) | Kind::All(_))
}

/// More and more fits, or read backwards less and less.
fn several(base: &World, count: usize, rng: &mut Rng) -> Option<Pair> {
    let mut now = base.clone();
    let (mut names, mut shown) = (Vec::new(), Value::Null);
    let mut policies = Vec::new();
    for _ in 0..count {
        let edited = edit(&now, rng)?;
        now = edited.world;
        shown = edited.document;
        names.push(edited.wider.sort);
        policies.push((edited.wider.policy, edited.direct));
    }
    let backwards = rng.bool();
    let expected = expected(&policies, backwards);
    let (old, new) = if backwards {
        (now, base.clone())
    } else {
        (base.clone(), now)
    };
    let (old_fits, new_fits) = if backwards {
        (Truth::No(shown), Truth::Yes)
    } else {
        (Truth::Yes, Truth::No(shown))
    };
    Some(Pair {
        old_schema: Value::Null,
        new_schema: Value::Null,
        old,
        new,
        old_fits,
        new_fits,
        sorts: names
            .iter()
            .map(|(wider, narrower)| if backwards { *narrower } else { *wider })
            .collect(),
        expected,
    })
}

fn expected(policies: &[(Policy, bool)], backwards: bool) -> Expected {
    let plain = |policy: &Policy| matches!(policy, Policy::Plain | Policy::Optional(_));
    match policies {
        [(Policy::Optional(name), true)] if backwards => Expected::RequiredAdded(name.clone()),
        all if all.iter().all(|(policy, _)| plain(policy)) => Expected::Plain,
        [(policy, true)] => match (policy.clone(), backwards) {
            (Policy::Undeclared(name), false) => Expected::RemovedFromOpen(name),
            (Policy::Undeclared(name), true) => Expected::AddedToOpen(name),
            (Policy::Declared(name), false) => Expected::AddedToClosed(name),
            (Policy::Declared(name), true) => Expected::RemovedFromClosed(name),
            _ => Expected::Open,
        },
        _ => Expected::Open,
    }
}

/// Two changes of one schema, side by side.
fn crossed(base: &World, rng: &mut Rng) -> Option<Pair> {
    let (one, other) = (edit(base, rng)?, edit(base, rng)?);
    let policies = [&one, &other].map(|edited| (edited.wider.policy.clone(), edited.direct));
    Some(Pair {
        old_schema: Value::Null,
        new_schema: Value::Null,
        old: one.world,
        new: other.world,
        old_fits: Truth::No(one.document),
        new_fits: Truth::No(other.document),
        sorts: vec![one.wider.sort.1, other.wider.sort.0],
        expected: expected(&policies, false),
    })
}

fn same(base: &World, _: &mut Rng) -> Option<Pair> {
    Some(Pair {
        old_schema: Value::Null,
        new_schema: Value::Null,
        old: base.clone(),
        new: base.clone(),
        old_fits: Truth::Yes,
        new_fits: Truth::Yes,
        sorts: Vec::new(),
        expected: Expected::Plain,
    })
}

/// The same documents fit, and mean something else.
fn defaults(base: &World, rng: &mut Rng) -> Option<Pair> {
    let mut places = base.places();
    let indirect =
        |step: &Step| !matches!(step, Step::Property(_) | Step::Each | Step::Definition(_));
    places.retain(|path| {
        matches!(path.last(), Some(Step::Property(_)))
            && !path.iter().any(indirect)
            && base.at(path).default.is_some()
    });
    let path = places.get(rng.usize(..places.len().max(1)))?;
    let mut node = base.at(path).clone();
    let removed = rng.bool();
    node.default = if removed {
        None
    } else {
        Some(json!("another"))
    };
    let mut new = base.clone();
    new.replace(path, node);
    let (name, expected) = if removed {
        ("default removed", Expected::DefaultRemoved)
    } else {
        ("default changed", Expected::DefaultChanged)
    };
    Some(Pair {
        old_schema: Value::Null,
        new_schema: Value::Null,
        old: base.clone(),
        new,
        old_fits: Truth::Yes,
        new_fits: Truth::Yes,
        sorts: vec![name],
        expected,
    })
}
