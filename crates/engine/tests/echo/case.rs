//! One case: a resource, and the turns of its clients.

use crate::edit::Edit;
use crate::server::{self, Server};
use crate::snapshot::Snapshot;
use crate::tally::Tally;
use coeval_codes::{Code, Coded};
use coeval_core::decide::StoreAt;
use coeval_core::types::same;
use coeval_core::version::{Version, WriteVersion};
use coeval_core_suite::documents::{declared_document, edit_once, with_mirrors};
use coeval_core_suite::expected::has_unlisted;
use coeval_core_suite::world::TypeWorld;
use coeval_engine::write::{Create, Update, Upgrade};
use coeval_engine::{EngineError, Target, TypeKey};
use fastrand::Rng;
use serde_json::{Value, json};

/// Saves of each case.
const TURNS: usize = 3;

struct Case<'w> {
    server: &'w Server,
    of: &'w TypeKey,
    world: &'w TypeWorld,
    rng: Rng,
    name: String,
    target: Target,
    /// What was seen last.
    now: Snapshot,
    /// What happened, for people.
    turns: Vec<String>,
    tally: Tally,
}

/// Runs a case. What breaks a law comes back as a text with all that leads to it.
pub(crate) async fn run(
    server: &Server,
    of: &TypeKey,
    world: &TypeWorld,
    number: u64,
) -> Result<Tally, String> {
    let seed = world.seed.wrapping_mul(1_000_003).wrapping_add(number);
    let mut rng = Rng::with_seed(seed);
    let home = rng.usize(..world.made.len());
    let content = document(world, home, &mut rng);
    let version = world.made[home].version;
    let mut turns = vec![format!("stored at {version}: {content}")];
    let done = async {
        let name = format!("r{number}");
        let create = Create::new(version, &name, content.clone());
        let made = server.engine.create(&server.admin, of, create).await;
        let made = made.map_err(|error| format!("it can't be created: {error}"))?;
        let target = Target::Id(made.resource.id);
        let now = Snapshot::take(server, of, world, &target).await?;
        let mut case = Case {
            server,
            of,
            world,
            rng,
            name,
            target,
            now,
            turns: Vec::new(),
            tally: Tally::default(),
        };
        case.tally.cases = 1;
        let done = match case.starts_as_written(&content) {
            Ok(()) => case.play().await,
            failed => failed,
        };
        turns.append(&mut case.turns);
        done.map(|()| case.tally)
    };
    let done = done.await;
    done.map_err(|law| dump(world, number, &law, &turns))
}

fn dump(world: &TypeWorld, number: u64, law: &str, turns: &[String]) -> String {
    let files = (0..world.made.len()).map(|at| server::file(world, at, "thing").to_string());
    let files: Vec<_> = files.collect();
    format!(
        "COEVAL_ECHO_CASE={}.{number}: {law}\n\n{}\n\n{}\n",
        world.seed,
        files.join("\n"),
        turns.join("\n")
    )
}

/// A document that can be created: mirrors agree, and what is not declared is nobody's.
fn document(world: &TypeWorld, home: usize, rng: &mut Rng) -> Value {
    let made = &world.made[home];
    let mut map = declared_document(world, home, rng);
    for (one, other) in &made.mirrors {
        match map.get(one).cloned() {
            Some(value) => map.insert(other.clone(), value),
            None => map.shift_remove(other),
        };
    }
    if !made.closed && rng.u8(..) < 40 {
        map.insert("x1".to_owned(), json!(1));
    }
    Value::Object(map)
}

impl Case<'_> {
    /// What was created is seen at every version that can say it.
    fn starts_as_written(&mut self, content: &Value) -> Result<(), String> {
        let home = self.now.home;
        if !same(content, self.now.content(home).unwrap_or(&Value::Null)) {
            return Err("what was created reads otherwise".to_owned());
        }
        let edit = Edit::all(self.world, home, content);
        for other in 0..self.world.made.len() {
            let (version, seen) = (self.version(other), self.now.content(other));
            edit.check_created(other, seen, &mut self.tally)
                .map_err(|law| format!("as created, at {version}: {law}\n  {seen:?}"))?;
        }
        Ok(())
    }

    async fn play(&mut self) -> Result<(), String> {
        let clients = [(); 3].map(|()| self.rng.usize(..self.world.made.len()));
        for _ in 0..TURNS {
            if self.rng.u8(..) < 40 {
                let to = self.rng.usize(..self.world.made.len());
                self.is_moved(to).await?;
            }
            let client = clients[self.rng.usize(..clients.len())];
            self.saves(client).await?;
        }
        Ok(())
    }

    fn version(&self, number: usize) -> Version {
        self.world.made[number].version
    }

    async fn look(&self) -> Result<Snapshot, String> {
        Snapshot::take(self.server, self.of, self.world, &self.target).await
    }

    /// Reads at a version, changes one thing or nothing, and saves.
    async fn saves(&mut self, at: usize) -> Result<(), String> {
        let Ok(seen) = self.now.views[at].clone() else {
            self.tally.unreadable += 1;
            return Ok(());
        };
        let view = seen.content;
        let body = match self.rng.u8(..) {
            0..50 => view.clone(),
            _ => edit_once(self.world, at, &view, &mut self.rng),
        };
        let mut update = Update::new(self.version(at), body.clone()).on(self.now.revision);
        update.at = WriteVersion::parse(&seen.version).map_err(|error| error.to_string())?;
        // Without full control a save never moves the resource; cloudapi says so with `acceptType`.
        if self.rng.bool() {
            update.store_at = StoreAt::Unchanged;
        }
        let home = self.version(self.now.home);
        let store_at = update.store_at;
        self.turns.push(format!(
            "{} saves, stored at {home}, {store_at:?}:\n  {view}\n  {body}",
            seen.version
        ));
        self.tally.writes += 1;
        self.tally.above += u64::from(self.version(at) > home);
        let engine = &self.server.engine;
        let admin = &self.server.admin;
        let saved = engine.update(admin, self.of, &self.target, &update).await;
        let after = self.look().await?;
        let expected = with_mirrors(&self.world.made[at].mirrors, &view, &body);
        let world = self.world;
        let edit = Edit::new(world, at, &view, &expected);
        match saved {
            Ok(updated) => {
                let changed = updated.done().unwrap();
                self.tally.unchanged += u64::from(edit.is_nothing());
                self.tally.kept += u64::from(!changed.kept.is_empty());
                self.tally.dropped += u64::from(!changed.dropped.is_empty());
                let answer = serde_json::from_slice(&changed.resource.content).unwrap();
                if !same(&answer, &expected) {
                    return Err(format!("put-get, in the answer: {answer}"));
                }
                if !changed.dropped.is_empty() && !edit.may_drop() {
                    return Err(format!(
                        "nothing was deleted; dropped: {:?}",
                        changed.dropped
                    ));
                }
                self.was_saved(at, &edit, &expected, after)
            }
            Err(error) => self.was_refused(at, &edit, &update, error, after).await,
        }
    }

    fn was_saved(
        &mut self,
        at: usize,
        edit: &Edit<'_>,
        expected: &Value,
        after: Snapshot,
    ) -> Result<(), String> {
        let before = std::mem::replace(&mut self.now, after);
        match self.now.content(at) {
            Ok(again) if same(again, expected) => {}
            again => return Err(format!("put-get: {again:?}")),
        }
        if edit.is_nothing() {
            return self.is_unchanged(&before, "get-put");
        }
        for other in 0..self.world.made.len() {
            let (was, is) = (before.content(other), self.now.content(other));
            let version = self.world.made[other].version;
            if other != at {
                edit.check(other, was, is, &mut self.tally).map_err(|law| {
                    format!("edit safety, at {version}: {law}\n  {was:?}\n  {is:?}")
                })?;
            }
        }
        Ok(())
    }

    /// Nobody sees anything else than before.
    fn is_unchanged(&self, before: &Snapshot, law: &str) -> Result<(), String> {
        for other in 0..self.world.made.len() {
            let (was, is) = (before.content(other), self.now.content(other));
            let alike = match (was, is) {
                (Ok(was), Ok(is)) => same(was, is),
                (was, is) => was.err() == is.err(),
            };
            if !alike {
                let version = self.version(other);
                return Err(format!("{law}, at {version}:\n  {was:?}\n  {is:?}"));
            }
        }
        Ok(())
    }

    /// An operator stores it at another version, which nobody notices.
    async fn is_moved(&mut self, to: usize) -> Result<(), String> {
        let upgrade = Upgrade {
            to: Some(self.version(to)),
            revision: Some(self.now.revision),
            dry_run: false,
        };
        self.turns.push(format!("moved to {}", self.version(to)));
        self.tally.moves += 1;
        let engine = &self.server.engine;
        let admin = &self.server.admin;
        let moved = engine.upgrade(admin, self.of, &self.target, &upgrade).await;
        let after = self.look().await?;
        let before = std::mem::replace(&mut self.now, after);
        match moved {
            Ok(_) if self.now.home != to => Err("it was moved and is not there".to_owned()),
            Ok(_) => self.is_unchanged(&before, "a move changes nothing"),
            Err(error) => {
                self.turns.push(format!("  refused: {error}"));
                self.tally.refuse_move(error.code());
                if self.now != before {
                    return Err(format!("it was refused and changed something: {error}"));
                }
                // What can't be shown there can't be stored there, nor what only readers tolerate.
                let fields = &self.world.made[to].fields;
                match before.content(to) {
                    Err(_) => Ok(()),
                    Ok(view) if has_unlisted(fields, view, false) => Ok(()),
                    Ok(_) => Err(format!("it is shown there and can't be moved: {error}")),
                }
            }
        }
    }

    async fn was_refused(
        &mut self,
        at: usize,
        edit: &Edit<'_>,
        update: &Update,
        error: EngineError,
        after: Snapshot,
    ) -> Result<(), String> {
        let code = error.code();
        self.turns.push(format!("  refused with {code}: {error}"));
        self.tally.refuse(code);
        if after != self.now {
            return Err(format!("it was refused and changed something: {error}"));
        }
        if !self.may_refuse(code, at, edit) {
            return Err(format!("no reason for a refusal: {code} {error}"));
        }
        let above = self.version(at) > self.version(self.now.home);
        if above && code != coeval_codes::LIST_NEEDS_KEY {
            self.upgrades_and_saves(at, edit, update, &error).await?;
        }
        Ok(())
    }

    /// Whether there is a reason that the generator knows of.
    fn may_refuse(&self, code: Code, at: usize, edit: &Edit<'_>) -> bool {
        let home = self.now.home;
        match code {
            coeval_codes::SKEW_STRICT | coeval_codes::MAJOR_HIGHER | coeval_codes::MARKED_BODY => {
                server::is_strict(self.world) && at != home
            }
            coeval_codes::MEANING_BETWEEN => {
                server::changes_meaning(self.world) && self.version(at) > self.version(home)
            }
            coeval_codes::LIST_NEEDS_KEY => edit.touches_list(),
            coeval_codes::CONTENT_INVALID | coeval_codes::CONVERSION_VALUE => {
                edit.is_unstorable_at(home)
            }
            _ => false,
        }
    }

    /// Does what the refusal says.
    async fn upgrades_and_saves(
        &mut self,
        at: usize,
        edit: &Edit<'_>,
        update: &Update,
        error: &EngineError,
    ) -> Result<(), String> {
        let to = self.version(at);
        let command = format!("`coeval upgrade {} {} --to {to}`", self.of, self.name);
        if !error.advice().contains(&command) {
            return Err(format!("it does not say {command}: {}", error.advice()));
        }
        self.is_moved(at).await?;
        let again = update.clone().on(self.now.revision);
        let again = Update {
            at: WriteVersion::plain(to),
            ..again
        };
        let engine = &self.server.engine;
        let admin = &self.server.admin;
        let saved = engine.update(admin, self.of, &self.target, &again).await;
        saved.map_err(|error| format!("it was upgraded and is refused still: {error}"))?;
        self.tally.upgraded += 1;
        let after = self.look().await?;
        let expected = again.content.unwrap_or_default();
        let mirrors = &self.world.made[at].mirrors;
        let expected = with_mirrors(mirrors, edit.view(), &expected);
        self.was_saved(at, edit, &expected, after)
    }
}
