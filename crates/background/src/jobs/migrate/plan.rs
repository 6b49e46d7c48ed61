//! What happens to one resource in a mass migration.

use crate::background::Background;
use crate::jobs::migrate::batch::alone_fits;
use crate::jobs::migrate::report::Outcome;
use crate::jobs::migrate::selection::{Matching, Selection};
use coeval_catalog::caller::Caller;
use coeval_catalog::types::state::TypeState;
use coeval_core::decide::WantedVersion;
use coeval_core::types::ContentError;
use coeval_core::version::{Classification, ClientVersion, Version};
use coeval_filter::Filter;
use coeval_records::audit::{Deed, What};
use coeval_records::encode::{EncodeError, encode_value};
use coeval_records::error::EngineError;
use coeval_records::error::tasks::TaskError;
use coeval_records::header::{self, State};
use coeval_records::keys::TypeKey;
use coeval_records::stored::Stored;
use coeval_records::text::short;
use coeval_resources::content;
use coeval_resources::list::matcher::Matcher;
use coeval_resources::list::scope::Whose;
use coeval_resources::secure::Opened;
use coeval_resources::write::moving::move_record;
use coeval_resources::write::steps::ObjectWrite;
use coeval_storage::{AtomicWrite, Key, WriteStep};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What is to be done, as the task keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Plan {
    pub vendor: String,
    pub nss: String,
    /// The version that they are of; this or `matching`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matching: Option<MatchingPlan>,
    pub to: String,
    pub force: bool,
    pub dry_run: bool,
}

/// Which resources a filter means, as the task keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MatchingPlan {
    pub filter: Filter,
    pub view: ViewPlan,
    /// Stored at these: `1` or `1.1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub versions: Option<String>,
    /// Of this organization, by its id; nothing: of all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub org: Option<String>,
    pub named: bool,
}

/// The view that the filter is about: decided when the task is made, since a header of the request
/// may have told it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum ViewPlan {
    Exactly(String),
    Major(String),
    AtMost(String),
    Stored,
}

impl From<WantedVersion> for ViewPlan {
    fn from(wanted: WantedVersion) -> Self {
        match wanted {
            WantedVersion::Exactly(version) => Self::Exactly(version.to_string()),
            WantedVersion::Major(version) => Self::Major(version.to_string()),
            WantedVersion::AtMost(ClientVersion(version)) => Self::AtMost(version.to_string()),
            WantedVersion::Stored => Self::Stored,
        }
    }
}

impl ViewPlan {
    fn read(&self) -> Result<WantedVersion, String> {
        Ok(match self {
            Self::Exactly(text) => WantedVersion::Exactly(version(text)?),
            Self::Major(text) => WantedVersion::Major(version(text)?),
            Self::AtMost(text) => WantedVersion::AtMost(ClientVersion(version(text)?)),
            Self::Stored => WantedVersion::Stored,
        })
    }
}

fn version(text: &str) -> Result<Version, String> {
    Version::parse_full(text).map_err(|error| error.to_string())
}

impl Plan {
    pub(crate) fn to_json(&self) -> Result<Value, EncodeError> {
        encode_value("a plan", self)
    }

    fn selection(&self) -> Result<Selection, String> {
        let plan = match (&self.from, &self.matching) {
            (Some(from), None) => return Ok(Selection::Version(version(from)?)),
            (None, Some(plan)) => plan,
            _ => return Err("it names a version or a filter, one of the two".to_owned()),
        };
        let said = |error: &dyn std::fmt::Display| error.to_string();
        let versions = plan.versions.as_deref().map(Classification::parse);
        Ok(Selection::Matching(Box::new(Matching {
            matcher: Matcher::new(plan.filter.clone()).map_err(|error| said(&error))?,
            wanted: plan.view.read()?,
            versions: versions.transpose().map_err(|error| said(&error))?,
            whose: match &plan.org {
                None => Whose::Everybody,
                Some(org) => Whose::Org(org.clone()),
            },
            named: plan.named,
        })))
    }
}

/// The plan, read.
#[derive(Clone, Debug)]
pub(crate) struct Aim {
    pub of: TypeKey,
    pub selection: Selection,
    pub to: Version,
    pub force: bool,
    pub dry_run: bool,
}

impl Aim {
    pub(crate) fn read(input: &Value) -> Result<Self, String> {
        let plan: Plan = Deserialize::deserialize(input).map_err(|error| format!("{error}"))?;
        Ok(Self {
            of: TypeKey::new(&plan.vendor, &plan.nss),
            selection: plan.selection()?,
            to: version(&plan.to)?,
            force: plan.force,
            dry_run: plan.dry_run,
        })
    }

    /// The version that all of them are of.
    pub(crate) fn from(&self) -> Option<Version> {
        match self.selection {
            Selection::Version(from) => Some(from),
            Selection::Matching(_) => None,
        }
    }
}

/// The state that a resource gets at the target, and its message.
pub(crate) fn settled(
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
pub(crate) fn migrated(
    background: &Background,
    caller: &Caller,
    state: &TypeState,
    aim: &Aim,
    (key, stored, opened): &(Key, Stored, Opened),
) -> Result<(Vec<WriteStep>, Option<Outcome>), EngineError> {
    let before = &stored.header;
    // Before the conversion, whose own refusal would hide this reason.
    if before.state == State::InDeletion {
        settled(before.state, Ok(()), aim.force)?;
    }
    let record = move_record(state, opened.record.clone(), aim.to, None)?.record;
    let Some(definition) = state.version(aim.to) else {
        let of = aim.of.clone();
        let version = aim.to;
        return Err(EngineError::TypeVersionUnknown { of, version });
    };
    // Only what is resolved has to fit; the rest is judged by whoever resolves it.
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
    // Clocks of servers differ: the time of the last change never goes back.
    header.modified = background.now().max(before.modified);
    caller.user().clone_into(&mut header.modified_by);
    header.generation += 1;
    header.indexed = content::indexed(definition, &record.content);
    header::check(&header)?;
    let sealed =
        background.seal_record(state, stored.id, header, record, stored.replaced.clone())?;
    let before = Some((key, stored));
    let history = background.kept_history();
    let object = ObjectWrite::alone(state, stored.id, before, &sealed, stored.expires, history)?;
    let mut write = object.add_to(AtomicWrite::new())?;
    let now = &sealed.store.header;
    let mut deed =
        Deed::of_resource(What::Migrate, &state.key, stored.id, now).after(&stored.header, now);
    deed.version = Some(stored.header.version.to_string());
    deed.before = Some(stored.revision.to_string());
    deed.note = forced
        .as_ref()
        .map(|_| "forced: it does not fit".to_owned());
    write.steps.push(background.audit_step(caller, &deed)?);
    // Here it is told of this resource; in a batch it would be told of all.
    alone_fits(&write)?;
    Ok((write.steps, forced))
}

/// What is said of one that others wrote each time.
pub(crate) fn left_behind(aim: &Aim) -> Outcome {
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

    fn plan() -> Plan {
        Plan {
            vendor: "acme".into(),
            nss: "app".into(),
            from: Some("1.0.0".into()),
            matching: None,
            to: "2.0.0".into(),
            force: true,
            dry_run: false,
        }
    }

    #[test]
    fn a_plan_reads_back_from_its_task() {
        let aim = Aim::read(&plan().to_json().unwrap()).unwrap();
        let from = aim.from().unwrap();
        assert_eq!((from.major, aim.to.major, aim.force), (1, 2, true));
        assert!(Aim::read(&Value::Null).is_err());
        // As servers of 0.1.0 write it.
        let old = json!({"vendor": "acme", "nss": "app", "from": "1.0.0", "to": "2.0.0", "force": true, "dryRun": false});
        assert_eq!(plan().to_json().unwrap(), old);
    }

    #[test]
    fn what_a_filter_means_reads_back_from_its_task() {
        let views = [
            WantedVersion::Exactly(Version::new(1, 2, 3)),
            WantedVersion::Major(Version::new(2, 0, 0)),
            WantedVersion::AtMost(ClientVersion(Version::new(1, 0, 0))),
            WantedVersion::Stored,
        ];
        for wanted in views {
            let matching = MatchingPlan {
                filter: Filter::And(Vec::new()),
                view: wanted.into(),
                versions: Some("1.1".into()),
                org: Some("urn:vcloud:org:1".into()),
                named: false,
            };
            let plan = Plan {
                from: None,
                matching: Some(matching),
                ..plan()
            };
            let aim = Aim::read(&plan.to_json().unwrap()).unwrap();
            assert_eq!(aim.from(), None);
            let Selection::Matching(read) = aim.selection else {
                panic!("no filter");
            };
            assert_eq!(read.wanted, wanted);
            assert_eq!(read.versions, Some(Classification::Minor(1, 1)));
            assert_eq!(read.whose, Whose::Org("urn:vcloud:org:1".into()));
        }
        let both = Plan {
            matching: None,
            from: None,
            ..plan()
        };
        assert!(Aim::read(&both.to_json().unwrap()).is_err());
    }
}
