//! What happens to one resource in a mass migration.

use super::batch::alone_fits;
use super::report::Outcome;
use crate::audit::{Deed, What};
use crate::caller::Caller;
use crate::content;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::header::{self, State};
use crate::keys::TypeKey;
use crate::secure::Opened;
use crate::stored::Stored;
use crate::tasks::TaskError;
use crate::types::state::TypeState;
use crate::write::steps::ObjectWrite;
use crate::write::{move_record, short};
use coeval_core::types::ContentError;
use coeval_core::version::Version;
use coeval_storage::{AtomicWrite, Key, Step};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What is to be done, as the task keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Plan {
    pub(super) vendor: String,
    pub(super) nss: String,
    pub(super) from: String,
    pub(super) to: String,
    pub(super) force: bool,
    pub(super) dry_run: bool,
}

impl Plan {
    pub(super) fn to_json(&self) -> Value {
        // Plain data: nothing in it can fail to be printed.
        serde_json::to_value(self).unwrap_or_default()
    }
}

/// The plan, read.
#[derive(Clone, Debug)]
pub(super) struct Aim {
    pub(super) of: TypeKey,
    pub(super) from: Version,
    pub(super) to: Version,
    pub(super) force: bool,
    pub(super) dry_run: bool,
}

impl Aim {
    pub(super) fn read(input: &Value) -> Result<Self, String> {
        let plan: Plan = Deserialize::deserialize(input).map_err(|error| format!("{error}"))?;
        let version = |text: &str| Version::parse_full(text).map_err(|error| error.to_string());
        Ok(Self {
            of: TypeKey::new(&plan.vendor, &plan.nss),
            from: version(&plan.from)?,
            to: version(&plan.to)?,
            force: plan.force,
            dry_run: plan.dry_run,
        })
    }
}

/// The state that a resource gets at the target, and its message.
pub(super) fn settled(
    before: State,
    fits: Result<(), ContentError>,
    force: bool,
) -> Result<(State, Option<String>), EngineError> {
    match (before, fits) {
        (State::InDeletion, _) => Err(EngineError::StateForbids {
            state: State::InDeletion,
            action: "migrated",
        }),
        // Not looked at yet, or not fitting before: somebody has to resolve it.
        (State::PreCreated | State::ResolutionError, _) => Ok((State::PreCreated, None)),
        (State::Resolved, Ok(())) => Ok((State::Resolved, None)),
        (State::Resolved, Err(error)) if force => {
            Ok((State::ResolutionError, Some(short(&error.to_string()))))
        }
        (State::Resolved, Err(error)) => Err(error.into()),
    }
}

/// A resource at the target: the steps that write it, and what there is to say.
pub(super) fn migrated(
    engine: &Engine,
    caller: &Caller,
    state: &TypeState,
    aim: &Aim,
    (key, stored, opened): &(Key, Stored, Opened),
) -> Result<(Vec<Step>, Option<Outcome>), EngineError> {
    let before = &stored.header;
    if before.state == State::InDeletion {
        settled(before.state, Ok(()), aim.force)?;
    }
    let record = move_record(state, opened.record.clone(), aim.to, None)?.record;
    let Some(definition) = state.version(aim.to) else {
        let of = aim.of.clone();
        let version = aim.to;
        return Err(EngineError::TypeVersionUnknown { of, version });
    };
    let fits = match before.state {
        State::Resolved => definition.schema.validate(&record.content),
        _ => Ok(()),
    };
    let forced = match &fits {
        Err(error) if aim.force => Some(Outcome::forced(&EngineError::from(error.clone()))),
        _ => None,
    };
    let (resource_state, message) = settled(before.state, fits, aim.force)?;
    let mut header = before.clone();
    header.version = aim.to;
    header.message = match (before.state, resource_state) {
        // What its controller says stays.
        (State::Resolved, State::Resolved) | (State::PreCreated, _) => before.message.clone(),
        _ => message,
    };
    header.state = resource_state;
    header.modified = engine.now().max(before.modified);
    caller.user().clone_into(&mut header.modified_by);
    header.generation += 1;
    header.indexed = content::indexed(definition, &record.content);
    header::check(&header)?;
    let sealed = engine.seal_record(state, stored.id, header, record, stored.replaced.clone())?;
    let before = Some((key, stored));
    let history = engine.kept_history();
    let object = ObjectWrite::alone(state, stored.id, before, &sealed, stored.expires, history)?;
    let mut write = object.add_to(AtomicWrite::new())?;
    let now = &sealed.store.header;
    let mut deed =
        Deed::of_resource(What::Migrate, &state.key, stored.id, now).after(&stored.header, now);
    deed.version = Some(aim.from.to_string());
    deed.before = Some(stored.revision.to_string());
    deed.note = forced
        .as_ref()
        .map(|_| "forced: it does not fit".to_owned());
    write.steps.push(engine.audit_step(caller, &deed)?);
    alone_fits(&write)?;
    Ok((write.steps, forced))
}

/// What is said of one that others wrote each time.
pub(super) fn left_behind(aim: &Aim) -> Outcome {
    Outcome::left_behind(&TaskError::LeftBehind { to: aim.to })
}

#[cfg(test)]
mod tests {
    use super::*;
    use coeval_core::types::TypeVersion;
    use serde_json::json;

    #[test]
    fn each_state_has_one_outcome() {
        use State::{InDeletion, PreCreated, ResolutionError, Resolved};
        let object = TypeVersion::parse(
            "kind: type\nversion: v1\nmetadata: {name: \"acme:app:1.0.0\"}\nspec: {vendor: acme, nss: app, version: 1.0.0, schema: {type: object}}\n",
        )
        .unwrap();
        for (before, fits, force, after) in [
            (PreCreated, true, false, Some(PreCreated)),
            (PreCreated, false, false, Some(PreCreated)),
            (PreCreated, false, true, Some(PreCreated)),
            (ResolutionError, true, false, Some(PreCreated)),
            (ResolutionError, false, false, Some(PreCreated)),
            (ResolutionError, false, true, Some(PreCreated)),
            (Resolved, true, false, Some(Resolved)),
            (Resolved, true, true, Some(Resolved)),
            (Resolved, false, false, None),
            (Resolved, false, true, Some(ResolutionError)),
            (InDeletion, true, false, None),
            (InDeletion, true, true, None),
            (InDeletion, false, true, None),
        ] {
            let content = if fits { json!({}) } else { json!(1) };
            let checked = object.schema.validate(&content);
            let got = settled(before, checked, force);
            let state = got.as_ref().ok().map(|(state, _)| *state);
            assert_eq!(state, after, "{before} fits: {fits} force: {force}");
            if let Ok((state, message)) = got {
                assert_eq!(message.is_some(), state == ResolutionError);
            }
        }
    }

    #[test]
    fn a_plan_reads_back_from_its_task() {
        let plan = Plan {
            vendor: "acme".into(),
            nss: "app".into(),
            from: "1.0.0".into(),
            to: "2.0.0".into(),
            force: true,
            dry_run: false,
        };
        let aim = Aim::read(&plan.to_json()).unwrap();
        assert_eq!((aim.from.major, aim.to.major, aim.force), (1, 2, true));
        assert!(Aim::read(&Value::Null).is_err());
    }
}
