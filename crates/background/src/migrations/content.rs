//! The resource of a migration: what is wanted, and how far it is.

use crate::background::Background;
use coeval_catalog::kinds::OwnKind;
use coeval_core::phases::{Migration, Phase, PhaseRecord};
use coeval_core::version::Version;
use coeval_records::error::EngineError;
use coeval_records::error::migrations::MigrationError;
use coeval_records::header::Time;
use coeval_records::keys::TypeKey;
use coeval_resources::identity::own::Own;
use serde::{Deserialize, Serialize};

/// Where a migration stands as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Course {
    #[default]
    Running,
    /// On its way back to where it began.
    Undoing,
    Finished,
    Undone,
}

/// How far it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Observed {
    pub state: Course,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high: Option<String>,
    pub forward_done: bool,
    pub back_done: bool,
    pub began: Time,
    pub moved: Time,
}

/// The content of the resource.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MigrationContent {
    #[serde(rename = "type")]
    pub of: String,
    pub from: u32,
    pub to: u32,
    #[serde(default)]
    pub auto: bool,
    #[serde(default = "soak")]
    pub until: String,
    #[serde(default)]
    pub paused: bool,
    #[serde(default)]
    pub rate: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub meaning_changed: Vec<String>,
    #[serde(default)]
    pub observed: Observed,
}

fn soak() -> String {
    Phase::Soak.name().to_owned()
}

/// How far a migration goes by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Until {
    Phase(Phase),
    Finished,
}

impl MigrationContent {
    pub fn key(&self) -> Result<TypeKey, MigrationError> {
        TypeKey::parse(&self.of).ok_or_else(|| MigrationError::Invalid {
            what: format!("`{}` is no type such as acme:app", self.of),
        })
    }

    /// The name of its resource.
    pub fn name(&self) -> String {
        name_of(&self.of, self.from, self.to)
    }

    pub fn until(&self) -> Result<Until, MigrationError> {
        if self.until == "finished" {
            return Ok(Until::Finished);
        }
        let phase = self.until.parse::<Phase>();
        let phase = phase.map_err(|error| MigrationError::Invalid {
            what: format!("{error}; or say finished"),
        })?;
        if phase == Phase::Old {
            let what = "it begins at old, and can't advance until there".to_owned();
            return Err(MigrationError::Invalid { what });
        }
        Ok(Until::Phase(phase))
    }

    pub fn meaning_changed(&self) -> Result<Vec<Version>, MigrationError> {
        let read = |text: &String| {
            Version::parse_header(text).map_err(|error| MigrationError::Invalid {
                what: format!("`{text}` in meaningChanged: {error}"),
            })
        };
        self.meaning_changed.iter().map(read).collect()
    }

    /// Notes what the phase record says.
    pub(crate) fn observe(&mut self, record: &PhaseRecord, now: Time) {
        let observed = &mut self.observed;
        // A copy for people and for status; what holds is the phase record.
        observed.moved = now;
        match record.migration {
            Some(Migration {
                live,
                forward_done,
                back_done,
                ..
            }) => {
                observed.low = Some(live.low.name().to_owned());
                observed.high = Some(live.high.name().to_owned());
                observed.forward_done = forward_done;
                observed.back_done = back_done;
            }
            None => {
                observed.low = None;
                observed.high = None;
            }
        }
    }

    /// How it ended; nothing while it is under way.
    pub fn has_ended(&self) -> Option<&'static str> {
        match self.observed.state {
            Course::Running | Course::Undoing => None,
            Course::Finished => Some("it was finished"),
            Course::Undone => Some("it was undone"),
        }
    }
}

/// The name of the resource of a migration.
pub(crate) fn name_of(of: &str, from: u32, to: u32) -> String {
    format!("{of}-{from}-{to}")
}

impl Background {
    /// The resource of a type's migration, and what it says.
    pub async fn declared(
        &self,
        of: &TypeKey,
        from: u32,
        to: u32,
    ) -> Result<Option<(Own, MigrationContent)>, EngineError> {
        let name = name_of(&of.to_string(), from, to);
        let Some(own) = self.own_named(OwnKind::Migration, &name).await? else {
            return Ok(None);
        };
        let content = self.read_own(&own)?;
        Ok(Some((own, content)))
    }
}
