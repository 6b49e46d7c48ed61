//! The config file: flat TOML, checked key by key.

use super::declare::key_of;
use super::nearest::nearest;
use clap::builder::Resettable;
use clap::{Arg, ArgAction, Command};
use coeval_cli::Failure;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use toml::de::DeTable;
use toml::{Table, Value};

/// What a file says.
#[derive(Debug)]
pub(super) struct FileSettings {
    path: PathBuf,
    settings: Vec<FileSetting>,
}

#[derive(Debug)]
struct FileSetting {
    key: String,
    line: usize,
    value: Value,
}

impl FileSettings {
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let text = std::fs::read_to_string(path).map_err(|error| {
            Failure::config(
                format!("can't read the config file {}: {error}", path.display()),
                "Check --config and that this user may read the file.",
            )
        })?;
        Self::parse(path, &text)
    }

    fn parse(path: &Path, text: &str) -> Result<Self, Failure> {
        let broken = |error: toml::de::Error| {
            Failure::config(
                format!(
                    "{} is not TOML: {}",
                    path.display(),
                    error.to_string().trim_end()
                ),
                "Write one `key = value` a line.",
            )
        };
        // Read twice, once for the places and once for the values: a refusal names the line.
        let spans = DeTable::parse(text).map_err(broken)?;
        let mut values: Table = toml::from_str(text).map_err(broken)?;
        let mut settings = Vec::new();
        for (key, _) in spans.into_inner() {
            let line = line_at(text, key.span().start);
            let key = key.into_inner().into_owned();
            if let Some(value) = values.remove(&key) {
                settings.push(FileSetting { key, line, value });
            }
        }
        settings.sort_by_key(|setting| setting.line);
        let path = path.to_owned();
        Ok(Self { path, settings })
    }

    /// The keys that it sets.
    pub(super) fn keys(&self) -> BTreeSet<String> {
        let keys = self.settings.iter().map(|setting| setting.key.clone());
        keys.collect()
    }

    /// A mistyped key would silently leave a default in force.
    pub(super) fn refuse_unknown(&self, known: &BTreeSet<String>) -> Result<(), Failure> {
        let unknown = |setting: &&FileSetting| !known.contains(&setting.key);
        let Some(setting) = self.settings.iter().find(unknown) else {
            return Ok(());
        };
        let advice = match nearest(&setting.key, known) {
            Some(key) => format!("Did you mean `{key}`? `coeval serve --help` lists all keys."),
            None => "Remove it; `coeval serve --help` lists all keys.".to_owned(),
        };
        let what = format!("there is no key `{}`", setting.key);
        Err(self.refusal(setting, &what, advice))
    }

    /// Makes the values the defaults of the command's flags. Keys of other commands are left out.
    pub(super) fn apply(&self, mut command: Command) -> Result<Command, Failure> {
        for setting in &self.settings {
            let named = |flag: &&Arg| key_of(flag).as_ref() == Some(&setting.key);
            let Some(flag) = command.get_arguments().find(named) else {
                continue;
            };
            let id = flag.get_id().clone();
            let values = self.values(setting, flag)?;
            // Clap speaks of a flag where a default is wrong; here it is the file that has to be named.
            self.try_out(setting, &command, &values)?;
            command = command.mut_arg(id, |flag| flag.default_values(values));
        }
        Ok(command)
    }

    fn values(&self, setting: &FileSetting, flag: &Arg) -> Result<Vec<String>, Failure> {
        let is_list = matches!(flag.get_action(), ArgAction::Append);
        let values = match &setting.value {
            Value::Array(items) if is_list => items.iter().map(scalar).collect(),
            value => scalar(value).map(|text| vec![text]),
        };
        values.ok_or_else(|| {
            let what = format!("`{}` can't be a {}", setting.key, setting.value.type_str());
            let wanted = if is_list {
                "a list of values"
            } else {
                "one value"
            };
            self.refusal(setting, &what, format!("Give it {wanted}."))
        })
    }

    /// Lets clap judge the values as if they were given as flags, with nothing else around.
    fn try_out(
        &self,
        setting: &FileSetting,
        command: &Command,
        values: &[String],
    ) -> Result<(), Failure> {
        let as_flags = values
            .iter()
            .map(|value| format!("--{}={value}", setting.key));
        let arguments = std::iter::once(command.get_name().to_owned()).chain(as_flags);
        // Without variables and required flags, so that only this value can be refused.
        let alone = command
            .clone()
            .mut_args(|flag| flag.env(Resettable::Reset).required(false));
        match alone.try_get_matches_from(arguments) {
            Ok(_) => Ok(()),
            Err(error) => {
                let said = error.to_string();
                let first = said.lines().next().unwrap_or_default();
                let what = first.trim_start_matches("error: ");
                Err(self.refusal(setting, what, "Correct the value in the config file."))
            }
        }
    }

    fn refusal(&self, setting: &FileSetting, what: &str, advice: impl Into<String>) -> Failure {
        let place = format!("{}, line {}", self.path.display(), setting.line);
        Failure::config(format!("{place}: {what}"), advice)
    }
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        Value::Boolean(flag) => Some(flag.to_string()),
        Value::Datetime(_) | Value::Array(_) | Value::Table(_) => None,
    }
}

fn line_at(text: &str, offset: usize) -> usize {
    let before = text.bytes().take(offset);
    before.filter(|byte| *byte == b'\n').count() + 1
}
