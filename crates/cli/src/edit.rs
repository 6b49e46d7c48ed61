//! `coeval edit`: a resource in somebody's editor. No edit is ever lost: what is not saved stays in a
//! file whose name is said.

mod content;
mod draft;
mod editor;

use crate::apply::{ApplyError, stored};
use crate::calls::{ResourceTarget, WriteReport, as_file, unmarked};
use crate::context::{ClientSession, ServerOptions};
use crate::failure::Failure;
use crate::merge::{MergeConflict, differences, render, replay};
use crate::resource_argument::NamedResource;
use crate::targets;
use crate::{messages, yaml};
use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use coeval_client::{ClientError, ClientErrorKind, Resource};
use coeval_codes::Coded;
use content::edited;
use draft::EditDraft;
use serde_json::Value;
use std::process::ExitCode;

/// EditSession a resource in your editor.
#[derive(Debug, Args)]
#[command(
    disable_version_flag = true,
    after_help = "Examples:
  coeval edit app web
  coeval edit app/web --version v1
  EDITOR='code --wait' coeval edit app web

The editor is that of VISUAL, else of EDITOR, else vi. Nothing is sent if nothing was
changed. What does not fit is opened again with the errors on top.

If somebody else was faster, both changes are shown, and you choose: do yours again on
what is there now, edit once more, or stop. Whenever the edit is not saved its file
stays, and its name is said. At an older version all that it can't show is kept.

Exit codes: 0 saved or nothing changed, 1 refused or failed, 3 conflict."
)]
pub struct EditOptions {
    #[command(flatten)]
    named: NamedResource,
    /// At this version; at the stored one, if nothing is said
    #[arg(long, value_name = "VERSION")]
    #[arg(value_parser = targets::version, add = ArgValueCompleter::new(targets::versions))]
    version: Option<String>,
    /// Refuse fields that no version of the type declares (default: store them and warn)
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    server: ServerOptions,
}

/// Why an edit is not saved.
#[derive(Debug, thiserror::Error, Coded)]
enum EditError {
    #[error("{0}")]
    #[code(
        EDIT_NOT_SAVED,
        advice = "If it is complete, save it with `coeval apply -f FILE`; or set EDITOR and edit again."
    )]
    Editor(String),
    #[error("the file is still not valid: {0}")]
    #[code(
        EDIT_NOT_SAVED,
        advice = "Correct it, then save it with `coeval apply -f FILE`."
    )]
    Invalid(String),
    #[error("it was interrupted while it was saved")]
    #[code(
        UNKNOWN_OUTCOME,
        advice = "Look with `coeval history` whether it was saved."
    )]
    Interrupted,
    #[error("{target} was changed meanwhile, and your edit was not saved")]
    #[code(
        RESOURCE_CONFLICT,
        advice = "Edit again, and take from the file what you need."
    )]
    Overtaken { target: ResourceTarget },
}

pub(crate) async fn run(options: EditOptions) -> Result<ExitCode, Failure> {
    let mut session = options.server.session()?;
    session.strict = options.strict;
    let target = options.named.target(&session)?;
    let version = options.version.unwrap_or_default();
    let read = session.find(&target, &version).await?.resource;
    // A stand-in is shown in place of the content: saving it would store the stand-in.
    if let Some(status) = read
        .status
        .as_ref()
        .filter(|status| !status.restricted.is_empty())
    {
        let reason = status.restricted.clone();
        return Err(ApplyError::Restricted {
            name: target.to_string(),
            version: read.version.clone(),
            reason,
        }
        .into());
    }
    // After the read: without something to edit there is nothing to keep.
    let draft = EditDraft::new(&target)?;
    let edit = EditSession {
        session: &session,
        target,
        version,
        read,
        draft,
    };
    edit.run().await
}

/// An edit on its way.
struct EditSession<'e> {
    session: &'e ClientSession,
    target: ResourceTarget,
    /// The version that was asked for.
    version: String,
    /// What the edit is of.
    read: Resource,
    draft: EditDraft,
}

/// What comes after a try to save.
enum AfterSave {
    Saved(Box<WriteReport>),
    /// With this on top.
    Open(Vec<String>, String),
    Save(Box<Resource>),
}

impl EditSession<'_> {
    async fn run(mut self) -> Result<ExitCode, Failure> {
        let text = yaml::text(&as_file(&self.read)?);
        self.draft.write(&self.comments(&[]), &text)?;
        let mut problems: Vec<String> = Vec::new();
        loop {
            if let Err(why) = editor::edit(self.draft.path()).await {
                return Err(self.draft.keep(EditError::Editor(why).into()));
            }
            let (text, untouched) = self.draft.read()?;
            // Saved as it was with its errors on top: whoever does that gives up.
            if untouched && !problems.is_empty() {
                let error = EditError::Invalid(problems.join("; "));
                return Err(self.draft.keep(error.into()));
            }
            // As with a commit message, this is how to call it off.
            if text.trim().is_empty() {
                return Ok(self.nothing("the file is empty"));
            }
            let mut body = match edited(&text, &self.read) {
                Ok(body) => body,
                Err(wrong) => {
                    self.draft.write(&self.comments(&wrong), &text)?;
                    problems = wrong;
                    continue;
                }
            };
            // Inside: saving may be tried several times without the editor in between.
            loop {
                // Nothing to save, also after a merge that came to what is there.
                if differences(&self.file(&self.read)?, &self.file(&body)?).is_empty() {
                    return Ok(self.nothing("nothing was changed"));
                }
                match self.save(body, &text).await? {
                    AfterSave::Saved(wrote) => return Ok(self.saved(&wrote)),
                    AfterSave::Save(again) => body = *again,
                    AfterSave::Open(wrong, text) => {
                        self.draft.write(&self.comments(&wrong), &text)?;
                        problems = wrong;
                        break;
                    }
                }
            }
        }
    }

    fn comments(&self, problems: &[String]) -> Vec<String> {
        let Self { target, read, .. } = self;
        let mut comments = Vec::new();
        if !problems.is_empty() {
            comments.push("It was not saved:".to_owned());
            comments.extend(problems.iter().map(|problem| format!("  {problem}")));
            comments.push(String::new());
        }
        // The stored version tells people why something may be missing.
        let stored = stored(read).map(|stored| format!(", stored at {stored}"));
        comments.push(format!(
            "{target} at {}{}, revision {}.",
            unmarked(&read.version),
            stored.unwrap_or_default(),
            read.metadata.revision
        ));
        comments.push("These lines are not part of it. An empty file ends the edit.".to_owned());
        comments
    }

    /// As a file has it; whatever goes wrong, the edit is kept.
    fn file(&self, resource: &Resource) -> Result<Value, Failure> {
        as_file(resource).map_err(|error| self.draft.keep(error.into()))
    }

    fn nothing(self, why: &str) -> ExitCode {
        messages::note(&format!("{why}: {} stays as it is\n", self.target));
        self.draft.forget();
        ExitCode::SUCCESS
    }

    fn saved(self, wrote: &WriteReport) -> ExitCode {
        // The server may have stored it at another version than the one it was edited at.
        let stored = stored(&wrote.resource);
        let at = stored.map(|stored| format!(", stored at {stored}"));
        let at = at.unwrap_or_default();
        messages::out(&format!(
            "{} changed ({}{at})\n",
            self.target,
            unmarked(&wrote.resource.version)
        ));
        if !wrote.kept.is_empty() {
            let of = stored.map(|stored| format!(" (of {stored})"));
            let of = of.unwrap_or_default();
            messages::note(&format!("kept: {}{of}\n", wrote.kept.join(", ")));
        }
        if !wrote.dropped.is_empty() {
            let dropped = wrote.dropped.join(", ");
            messages::note(&format!("dropped with deleted items: {dropped}\n"));
        }
        if let Some(warning) = wrote
            .warning
            .as_deref()
            .and_then(messages::new_write_warning)
        {
            messages::note(&format!("warning: {warning}\n"));
        }
        self.draft.forget();
        ExitCode::SUCCESS
    }

    /// Tries to save it.
    async fn save(&mut self, body: Resource, text: &str) -> Result<AfterSave, Failure> {
        // Somebody who interrupts a save has to be told that it may have happened.
        let saved = tokio::select! {
            saved = self.session.change(&body, None, false) => saved,
            _ = tokio::signal::ctrl_c() => {
                return Err(self.draft.keep(EditError::Interrupted.into()));
            }
        };
        let error = match saved {
            Ok(wrote) => return Ok(AfterSave::Saved(Box::new(wrote))),
            Err(error) => error,
        };
        match error.kind() {
            ClientErrorKind::Conflict => self.resolve_conflict(body).await,
            // Another content may be taken.
            ClientErrorKind::Invalid | ClientErrorKind::State if is_about_content(&error) => {
                Ok(AfterSave::Open(reasons(&error), text.to_owned()))
            }
            _ => Err(self.draft.keep(error.into())),
        }
    }

    /// Somebody else was faster: shows both, and asks.
    async fn resolve_conflict(&mut self, mine: Resource) -> Result<AfterSave, Failure> {
        let fresh = self.session.find(&self.target, &self.version).await;
        // Compared as files: what only the server sets is always another one.
        let fresh = fresh.map_err(|error| self.draft.keep(error.into()))?;
        let fresh = fresh.resource;
        let (before, edited, theirs) = (
            self.file(&self.read)?,
            self.file(&mine)?,
            self.file(&fresh)?,
        );
        let (merged, conflicts) = replay(&before, &edited, &theirs);
        let overtaken = EditError::Overtaken {
            target: self.target.clone(),
        };
        messages::note(&format!("{} was changed meanwhile.\n", self.target));
        messages::note("Their changes:\n");
        messages::note(&render::lines(&differences(&before, &theirs)));
        messages::note("Your changes:\n");
        messages::note(&render::lines(&differences(&before, &edited)));
        tell_conflicts(&conflicts);
        messages::note(&format!(
            "Your edit is in {}.\n",
            self.draft.path().display()
        ));
        // Nobody can choose, so the edit is kept and the newer resource stays as it is.
        if !messages::is_interactive() {
            return Err(self.draft.keep(overtaken.into()));
        }
        let question = "Do yours again on theirs? [y]es, [e]dit once more, [n]o: ";
        // Asked until it is answered: any default could lose one of the two changes.
        let answer = loop {
            let answer = messages::ask(question)
                .await
                .unwrap_or_else(|| "n".to_owned());
            match answer.to_ascii_lowercase().as_str() {
                "y" | "yes" => break 'y',
                "e" | "edit" => break 'e',
                "n" | "no" => break 'n',
                _ => messages::note("y, e or n, please\n"),
            }
        };
        if answer == 'n' {
            return Err(self.draft.keep(overtaken.into()));
        }
        // From here on the edit is one of the newer revision.
        self.read = fresh;
        let text = yaml::text(&merged);
        self.draft.write(&self.comments(&[]), &text)?;
        // Also the answer `y` opens the editor if the merge is no valid resource.
        match (answer, content::edited(&text, &self.read)) {
            ('y', Ok(body)) => Ok(AfterSave::Save(Box::new(body))),
            (_, Ok(_)) => Ok(AfterSave::Open(Vec::new(), text)),
            (_, Err(wrong)) => Ok(AfterSave::Open(wrong, text)),
        }
    }
}

fn tell_conflicts(conflicts: &[MergeConflict]) {
    if !conflicts.is_empty() {
        messages::note("Both changed, and yours would win:\n");
        messages::note(&render::conflicts(conflicts, ["before", "theirs", "yours"]));
    }
}

/// Whether the refusal is about the content, not about who writes it and when.
fn is_about_content(error: &ClientError) -> bool {
    error.kind() == ClientErrorKind::Invalid || !error.detail().violations.is_empty()
}

fn reasons(error: &ClientError) -> Vec<String> {
    let mut reasons = vec![error.message().to_owned()];
    let violations = error.detail().violations.iter();
    let violations = violations.map(|one| format!("{}: {}", render::place(&one.path), one.message));
    // The message has the first of them already.
    reasons.extend(violations.filter(|one| !error.message().contains(one)));
    reasons
}
