//! `coeval access`.

use crate::context::{ClientSession, ServerOptions};
use crate::failure::Failure;
use crate::members::{MemberName, id_of, user};
use crate::resource_argument::NamedResource;
use crate::rows::{OutputFormat, OutputOptions, print, print_one, print_rows, sanitize_line, say};
use crate::targets;
use clap::{Args, Subcommand, ValueEnum};
use clap_complete::engine::ArgValueCompleter;
use coeval_client::ClientError;
use coeval_proto::access::v1 as pb;
use serde_json::{Value, json};
use std::process::ExitCode;

/// Say who may do what with a resource, and why not.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_help = "Examples:
  coeval access app web
  coeval access app web --user bob
  coeval access grants app web
  coeval access grant app web user:bob read-write
  coeval access revoke app web user:bob

Without a subcommand: every action on the resource, whether it is allowed, and what is missing.
It says the same as the server decides, for you or, if you may know it, for somebody else.")]
pub struct AccessOptions {
    #[command(subcommand)]
    action: Option<AccessCommand>,
    /// The resource's kind, such as app or acme:app, or KIND/NAME
    #[arg(required = true, add = ArgValueCompleter::new(targets::kinds))]
    kind: Option<String>,
    /// Its name or its id
    #[arg(add = ArgValueCompleter::new(targets::names))]
    name: Option<String>,
    /// Of this user, NAME, NAME@ORG or an id; you, if nothing is said
    #[arg(long, value_name = "USER")]
    user: Option<String>,
    #[command(flatten)]
    output: OutputOptions,
    #[command(flatten)]
    server: ServerOptions,
}

#[derive(Debug, Subcommand)]
enum AccessCommand {
    /// Show who is granted what on a resource
    #[command(
        after_help = "Examples:\n  coeval access grants app web\n  coeval access grants app web -o json"
    )]
    Grants {
        #[command(flatten)]
        named: NamedResource,
        #[command(flatten)]
        output: OutputOptions,
        #[command(flatten)]
        server: ServerOptions,
    },
    /// Grant somebody access to a resource; a grant that there is gets this level
    #[command(after_help = "Examples:
  coeval access grant app web user:bob read-only
  coeval access grant app web role:Worker read-write
  coeval access grant app web org:other full-control")]
    Grant {
        #[command(flatten)]
        what: ResourceArgument,
        /// user:NAME, user:NAME@ORG, role:NAME, org:NAME or an id
        #[arg(value_parser = MemberName::parse)]
        member: MemberName,
        /// How much; each level has those before it
        #[arg(value_enum)]
        level: GrantLevel,
        #[command(flatten)]
        server: ServerOptions,
    },
    /// Take a grant away
    #[command(after_help = "Examples:\n  coeval access revoke app web user:bob")]
    Revoke {
        #[command(flatten)]
        what: ResourceArgument,
        /// user:NAME, user:NAME@ORG, role:NAME, org:NAME or an id
        #[arg(value_parser = MemberName::parse)]
        member: MemberName,
        #[command(flatten)]
        server: ServerOptions,
    },
}

#[derive(Debug, Args)]
struct ResourceArgument {
    /// The resource's kind, such as app or acme:app
    #[arg(value_parser = kind_alone, add = ArgValueCompleter::new(targets::kinds))]
    kind: String,
    /// Its name or its id
    #[arg(add = ArgValueCompleter::new(targets::names))]
    name: String,
}

/// More follows the name here, so it can't be left out.
fn kind_alone(text: &str) -> Result<String, &'static str> {
    if text.contains('/') {
        Err("say the kind and the name apart here: KIND NAME")
    } else {
        Ok(text.to_owned())
    }
}

/// How much somebody is granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum GrantLevel {
    /// See it
    ReadOnly,
    /// See and change it
    ReadWrite,
    /// See, change and delete it, change its version, and say who else may
    FullControl,
}

impl GrantLevel {
    pub(crate) const fn sent(self) -> pb::AccessLevel {
        match self {
            Self::ReadOnly => pb::AccessLevel::ReadOnly,
            Self::ReadWrite => pb::AccessLevel::ReadWrite,
            Self::FullControl => pb::AccessLevel::FullControl,
        }
    }
}

/// A level as this command takes it.
pub(crate) fn level_name(level: i32) -> &'static str {
    match pb::AccessLevel::try_from(level) {
        Ok(pb::AccessLevel::ReadOnly) => "read-only",
        Ok(pb::AccessLevel::ReadWrite) => "read-write",
        Ok(pb::AccessLevel::FullControl) => "full-control",
        Ok(pb::AccessLevel::Unspecified) => "none",
        Err(_) => "(newer than this release)",
    }
}

pub(crate) async fn run(options: AccessOptions) -> Result<ExitCode, Failure> {
    match options.action {
        None => {
            // The kind and the name are no subcommand's, so clap has them as options of this
            // command.
            let named = NamedResource::new(options.kind.unwrap_or_default(), options.name);
            let session = options.server.session()?;
            explain(&session, &named, options.user, &options.output.output).await?;
        }
        Some(AccessCommand::Grants {
            named,
            output,
            server,
        }) => grants(&server.session()?, &named, output).await?,
        Some(AccessCommand::Grant {
            what,
            member,
            level,
            server,
        }) => grant(&server.session()?, what, &member, level).await?,
        Some(AccessCommand::Revoke {
            what,
            member,
            server,
        }) => revoke(&server.session()?, what, &member).await?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn explain(
    session: &ClientSession,
    named: &NamedResource,
    who: Option<String>,
    format: &OutputFormat,
) -> Result<(), Failure> {
    let what = named.target(session)?;
    let asked = match &who {
        None => String::new(),
        // An id is taken as it is; a name has to be looked up, which the caller may not be allowed
        // to.
        Some(id) if id.starts_with("urn:") => id.clone(),
        Some(name) => id_of(session, &user(name.trim_start_matches("user:"))).await?,
    };
    let request = pb::ExplainAccessRequest {
        kind: what.kind,
        name: what.name,
        namespace: what.namespace,
        user: asked,
    };
    let found = session.client.access().explain_access(request).await;
    let found = found.map_err(ClientError::from)?.into_inner();
    if format.is_table() {
        // In a table the sentence comes first. Other formats have the same in their document.
        let who = who.map_or_else(|| "you".to_owned(), |who| sanitize_line(&who));
        say(&format!("{who}: {}", level_name(found.level)));
    }
    let rows: Vec<_> = found.actions.iter().map(row).collect();
    let values: Vec<_> = found.actions.iter().map(value).collect();
    let headers = ["action", "allowed", "because"];
    match format {
        // One document, so that a program has the level and the actions of the same moment.
        OutputFormat::Json | OutputFormat::Yaml => {
            let whole = json!({
                "user": found.user, "level": level_name(found.level), "actions": values,
            });
            print_one(format, "", &[], &whole)?;
        }
        _ => print_rows(format, &headers, &rows, &values)?,
    }
    if format.is_table() {
        print(&advices(&found.actions))?;
    }
    Ok(())
}

fn row(action: &pb::ExplainedAction) -> Vec<String> {
    let allowed = if action.allowed { "yes" } else { "no" };
    vec![action.action.clone(), allowed.to_owned(), because(action)]
}

/// By what it is allowed, or all that is missing.
fn because(action: &pb::ExplainedAction) -> String {
    let mut said: Vec<String> = Vec::new();
    for requirement in &action.requirements {
        // Allowed: who grants it. Refused: what is missing. Anything else does not matter for the
        // answer.
        let one = match (action.allowed, requirement.met) {
            // One reason is enough; -o json has them all.
            (true, true) => requirement.by.first().cloned().unwrap_or_default(),
            (false, false) => format!("{} ({})", requirement.reason, requirement.code),
            _ => continue,
        };
        // Several requirements may be met by the same grant.
        if !one.is_empty() && !said.contains(&one) {
            said.push(one);
        }
    }
    said.join("; ")
}

/// What to do about all that is missing, each once.
fn advices(actions: &[pb::ExplainedAction]) -> String {
    // The same advice often helps with several actions.
    let mut said: Vec<&str> = Vec::new();
    let missing = actions.iter().filter(|action| !action.allowed);
    let missing = missing.flat_map(|action| &action.requirements);
    for requirement in missing.filter(|requirement| !requirement.met) {
        let advice = requirement.advice.as_str();
        if !advice.is_empty() && !said.contains(&advice) {
            said.push(advice);
        }
    }
    let lines = said
        .iter()
        .map(|advice| format!("next:  {}\n", sanitize_line(advice)));
    let lines: String = lines.collect();
    if lines.is_empty() {
        return lines;
    }
    format!("\n{lines}")
}

fn value(action: &pb::ExplainedAction) -> Value {
    let requirement = |one: &pb::Requirement| {
        if one.met {
            json!({"needs": one.needs, "met": true, "by": one.by})
        } else {
            json!({
                "needs": one.needs, "met": false, "code": one.code, "reason": one.reason,
                "advice": one.advice,
            })
        }
    };
    let requirements: Vec<_> = action.requirements.iter().map(requirement).collect();
    json!({"action": action.action, "allowed": action.allowed, "requirements": requirements})
}

async fn grants(
    session: &ClientSession,
    named: &NamedResource,
    output: OutputOptions,
) -> Result<(), Failure> {
    let what = named.target(session)?;
    let request = pb::GetResourceAclRequest {
        kind: what.kind,
        name: what.name,
        namespace: what.namespace,
    };
    let found = session.client.access().get_resource_acl(request).await;
    let found = found.map_err(ClientError::from)?.into_inner();
    let row = |grant: &pb::Grant| {
        let owner = if grant.member == found.owner {
            "owner"
        } else {
            ""
        };
        vec![
            member_argument(grant),
            level_name(grant.level).to_owned(),
            owner.to_owned(),
            grant.member.clone(),
        ]
    };
    let rows: Vec<_> = found.grants.iter().map(row).collect();
    let value = |grant: &pb::Grant| {
        json!({
            "member": grant.member, "name": grant.member_name, "level": level_name(grant.level),
            "owner": grant.member == found.owner,
        })
    };
    let values: Vec<_> = found.grants.iter().map(value).collect();
    let headers = ["member", "level", "note", "id"];
    print_rows(&output.output, &headers, &rows, &values)
}

/// As `grant` and `revoke` take it.
pub(crate) fn member_argument(grant: &pb::Grant) -> String {
    // The id says what it is; the server names the member only to those who may see it.
    let of = |kind: &str| grant.member.starts_with(&format!("urn:vcloud:{kind}:"));
    let kind = ["user", "role", "org"].into_iter().find(|kind| of(kind));
    match (kind, grant.member_name.as_str()) {
        (Some(kind), name) if !name.is_empty() => format!("{kind}:{name}"),
        _ => grant.member.clone(),
    }
}

async fn grant(
    session: &ClientSession,
    what: ResourceArgument,
    member: &MemberName,
    level: GrantLevel,
) -> Result<(), Failure> {
    let request = pb::GrantAccessRequest {
        kind: what.kind.clone(),
        name: what.name.clone(),
        namespace: session.namespace.clone(),
        member: id_of(session, member).await?,
        level: level.sent().into(),
        // The commands' words are not those of the protocol, which may get more levels.
    };
    let done = session.client.access().grant_access(request).await;
    let done = done.map_err(ClientError::of_write)?.into_inner().grant;
    let done = done.unwrap_or_default();
    say(&format!(
        "{} has {} on {} {}",
        member_argument(&done),
        level_name(done.level),
        what.kind,
        what.name
    ));
    Ok(())
}

async fn revoke(
    session: &ClientSession,
    what: ResourceArgument,
    member: &MemberName,
) -> Result<(), Failure> {
    let request = pb::RevokeAccessRequest {
        kind: what.kind.clone(),
        name: what.name.clone(),
        namespace: session.namespace.clone(),
        member: id_of(session, member).await?,
    };
    let done = session.client.access().revoke_access(request).await;
    // A write of a stub is never sent again: whether it was done may stay unknown.
    done.map_err(ClientError::of_write)?;
    say(&format!("grant on {} {} taken away", what.kind, what.name));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn action(allowed: bool, requirements: &[(bool, &str)]) -> pb::ExplainedAction {
        let one = |(met, text): &(bool, &str)| pb::Requirement {
            met: *met,
            by: vec![(*text).to_owned()],
            reason: (*text).to_owned(),
            code: "COEVAL-5001".to_owned(),
            advice: format!("Do {text}."),
            ..Default::default()
        };
        pb::ExplainedAction {
            action: "read".to_owned(),
            allowed,
            requirements: requirements.iter().map(one).collect(),
        }
    }

    #[test]
    fn what_is_missing_is_told_once_and_what_is_met_only_where_it_is_allowed() {
        let yes = action(true, &[(true, "the right"), (true, "a grant")]);
        assert_eq!(because(&yes), "the right; a grant");
        let no = action(false, &[(true, "the right"), (false, "no grant")]);
        assert_eq!(because(&no), "no grant (COEVAL-5001)");
        let told = advices(&[yes, no.clone(), no]);
        assert_eq!(told, "\nnext:  Do no grant.\n");
    }

    #[test]
    fn a_member_is_shown_as_it_is_said() {
        let grant = |member: &str, name: &str| pb::Grant {
            member: member.to_owned(),
            member_name: name.to_owned(),
            level: 1,
        };
        for (id, name, expected) in [
            ("urn:vcloud:user:1", "bob", "user:bob"),
            ("urn:vcloud:role:1", "My Role", "role:My Role"),
            ("urn:vcloud:org:1", "acme", "org:acme"),
            ("urn:vcloud:org:1", "", "urn:vcloud:org:1"),
        ] {
            assert_eq!(member_argument(&grant(id, name)), expected);
        }
    }
}
