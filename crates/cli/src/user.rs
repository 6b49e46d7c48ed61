//! `coeval user`.

use crate::context::{ClientSession, ServerOptions};
use crate::failure::Failure;
use crate::org::{enabled, mask};
use crate::password::new_password;
use crate::role;
use crate::rows::{OutputOptions, print_one, print_rows, say};
use clap::{Args, Subcommand};
use coeval_client::ClientError;
use coeval_proto::access::v1 as pb;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::process::ExitCode;

/// Manage users.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  coeval user list -n acme
  coeval user create alice -n acme --role 'Organization Administrator'
  coeval user roles alice --add Reader
  coeval user password alice

A password is asked for on the terminal, or read from stdin with --password-stdin. It is
never a flag: others can read the command line.")]
pub struct UserOptions {
    #[command(subcommand)]
    action: UserCommand,
}

#[derive(Debug, Subcommand)]
enum UserCommand {
    /// Show the users of an organization
    #[command(after_help = "Examples:\n  coeval user list\n  coeval user list -n acme -o name")]
    List {
        #[command(flatten)]
        output: OutputOptions,
        #[command(flatten)]
        server: ServerOptions,
    },
    /// Show one
    #[command(
        after_help = "Examples:\n  coeval user get alice\n  coeval user get alice -n acme -o yaml"
    )]
    Get {
        #[command(flatten)]
        who: UserArgument,
        #[command(flatten)]
        output: OutputOptions,
        #[command(flatten)]
        server: ServerOptions,
    },
    /// Make one
    #[command(after_help = "Examples:
  coeval user create alice --role Reader --full-name 'Alice A.'
  coeval user create alice -n acme --role Reader --password-stdin < secret.txt
  coeval user create robot --no-password

One without a password can't log in until coeval user password has given it one.")]
    Create(Box<NewUserOptions>),
    /// Delete one, with its sessions and tokens
    #[command(after_help = "Examples:\n  coeval user delete alice -n acme")]
    Delete {
        #[command(flatten)]
        who: UserArgument,
        #[command(flatten)]
        server: ServerOptions,
    },
    /// Let one no longer log in
    #[command(after_help = "Examples:\n  coeval user disable alice")]
    Disable {
        #[command(flatten)]
        who: UserArgument,
        #[command(flatten)]
        server: ServerOptions,
    },
    /// Let one log in again
    #[command(after_help = "Examples:\n  coeval user enable alice")]
    Enable {
        #[command(flatten)]
        who: UserArgument,
        #[command(flatten)]
        server: ServerOptions,
    },
    /// Set a password; the user's sessions end, API tokens stay
    #[command(after_help = "Examples:
  coeval user password alice
  coeval user password alice --password-stdin < secret.txt")]
    Password {
        #[command(flatten)]
        who: UserArgument,
        /// Read it from stdin, the first line
        #[arg(long)]
        password_stdin: bool,
        #[command(flatten)]
        server: ServerOptions,
    },
    /// Show or change the roles of one
    #[command(after_help = "Examples:
  coeval user roles alice
  coeval user roles alice --add Reader --remove Worker")]
    Roles {
        #[command(flatten)]
        who: UserArgument,
        /// A role to give, by its name; can be said several times
        #[arg(long, value_name = "ROLE")]
        add: Vec<String>,
        /// A role to take away; can be said several times
        #[arg(long, value_name = "ROLE")]
        remove: Vec<String>,
        #[command(flatten)]
        output: OutputOptions,
        #[command(flatten)]
        server: ServerOptions,
    },
}

#[derive(Debug, Args)]
struct UserArgument {
    /// The user's name or id
    name: String,
}

#[derive(Debug, Args)]
struct NewUserOptions {
    /// The user's name, unique within the organization
    name: String,
    /// A role of the user, by its name; can be said several times
    #[arg(long = "role", value_name = "ROLE")]
    roles: Vec<String>,
    /// What people call the user
    #[arg(long, value_name = "TEXT")]
    full_name: Option<String>,
    /// Where to write to
    #[arg(long, value_name = "ADDRESS")]
    email: Option<String>,
    /// Free text
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Read the password from stdin, the first line
    #[arg(long, conflicts_with = "no_password")]
    password_stdin: bool,
    /// Make a user who can't log in yet
    #[arg(long)]
    no_password: bool,
    #[command(flatten)]
    server: ServerOptions,
}

pub(crate) async fn run(options: UserOptions) -> Result<ExitCode, Failure> {
    match options.action {
        UserCommand::List { output, server } => list(&server.session()?, output).await?,
        UserCommand::Get {
            who,
            output,
            server,
        } => {
            let session = server.session()?;
            let user = get(&session, &who.name).await?;
            let roles = roles_of(&session, &user).await?;
            show(&user, &roles, output)?;
        }
        UserCommand::Create(new) => create(*new).await?,
        UserCommand::Delete { who, server } => {
            let session = server.session()?;
            let request = pb::DeleteUserRequest {
                name: who.name.clone(),
                namespace: session.namespace.clone(),
            };
            let done = session.client.users().delete_user(request).await;
            done.map_err(ClientError::of_write)?;
            say(&format!("user {} deleted", who.name));
        }
        UserCommand::Disable { who, server } => {
            set_disabled(&server.session()?, &who, true).await?;
        }
        UserCommand::Enable { who, server } => {
            set_disabled(&server.session()?, &who, false).await?;
        }
        UserCommand::Password {
            who,
            password_stdin,
            server,
        } => {
            let session = server.session()?;
            let request = pb::SetPasswordRequest {
                password: new_password(&who.name, password_stdin)?,
                name: who.name.clone(),
                namespace: session.namespace.clone(),
            };
            let done = session.client.users().set_password(request).await;
            done.map_err(ClientError::of_write)?;
            say(&format!("password of {} set; its sessions ended", who.name));
        }
        UserCommand::Roles {
            who,
            add,
            remove,
            output,
            server,
        } => change_roles(&server.session()?, &who, &add, &remove, output).await?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(session: &ClientSession, output: OutputOptions) -> Result<(), Failure> {
    let (mut found, mut page_token) = (Vec::new(), String::new());
    loop {
        let request = pb::ListUsersRequest {
            page_size: 0,
            page_token,
            namespace: session.namespace.clone(),
        };
        let page = session.client.users().list_users(request).await;
        let page = page.map_err(ClientError::from)?.into_inner();
        found.extend(page.users);
        page_token = page.next_page_token;
        if page_token.is_empty() {
            break;
        }
    }
    // Over all pages, and by name: the server's order is its own.
    found.sort_by(|one: &pb::User, other| one.name.cmp(&other.name));
    let names = role::names(session).await?;
    let row = |user: &pb::User| {
        vec![
            user.name.clone(),
            user.namespace.clone(),
            user.full_name.clone(),
            enabled(user.disabled),
            named(&user.roles, &names).join(", "),
        ]
    };
    let rows: Vec<_> = found.iter().map(row).collect();
    let of = |user: &pb::User| value(user, &named(&user.roles, &names));
    let values: Vec<_> = found.iter().map(of).collect();
    let headers = ["name", "organization", "full name", "enabled", "roles"];
    print_rows(&output.output, &headers, &rows, &values)
}

/// The names of roles; the id of one that nobody knows.
fn named(roles: &[String], names: &BTreeMap<String, String>) -> Vec<String> {
    let name = |id: &String| names.get(id).unwrap_or(id).clone();
    roles.iter().map(name).collect()
}

fn value(user: &pb::User, roles: &[String]) -> Value {
    json!({
        "id": user.id, "name": user.name, "namespace": user.namespace, "fullName": user.full_name,
        "email": user.email, "description": user.description, "disabled": user.disabled,
        "roles": roles, "revision": user.revision,
    })
}

async fn get(session: &ClientSession, name: &str) -> Result<pb::User, ClientError> {
    let request = pb::GetUserRequest {
        name: name.to_owned(),
        namespace: session.namespace.clone(),
    };
    let found = session.client.users().get_user(request).await?.into_inner();
    Ok(found.user.unwrap_or_default())
}

async fn roles_of(session: &ClientSession, user: &pb::User) -> Result<Vec<String>, ClientError> {
    // Roles are those of the user's organization, which may not be the caller's.
    let mut session = session.clone();
    session.namespace.clone_from(&user.namespace);
    Ok(named(&user.roles, &role::names(&session).await?))
}

fn show(user: &pb::User, roles: &[String], output: OutputOptions) -> Result<(), Failure> {
    let fields = [
        ("name", user.name.clone()),
        ("organization", user.namespace.clone()),
        ("full name", user.full_name.clone()),
        ("email", user.email.clone()),
        ("description", user.description.clone()),
        ("enabled", enabled(user.disabled)),
        ("roles", roles.join(", ")),
        ("id", user.id.clone()),
    ];
    print_one(&output.output, &user.name, &fields, &value(user, roles))
}

async fn create(new: NewUserOptions) -> Result<(), Failure> {
    let session = new.server.session()?;
    let password = if new.no_password {
        String::new()
    } else {
        new_password(&new.name, new.password_stdin)?
    };
    let user = pb::User {
        name: new.name,
        namespace: session.namespace.clone(),
        full_name: new.full_name.unwrap_or_default(),
        email: new.email.unwrap_or_default(),
        description: new.description.unwrap_or_default(),
        roles: new.roles,
        ..Default::default()
    };
    let request = pb::CreateUserRequest {
        user: Some(user),
        password,
    };
    let made = session.client.users().create_user(request).await;
    let made = made.map_err(ClientError::of_write)?.into_inner().user;
    let made = made.unwrap_or_default();
    say(&format!(
        "user {} of {} made ({})",
        made.name, made.namespace, made.id
    ));
    Ok(())
}

async fn change(
    session: &ClientSession,
    user: pb::User,
    field: &str,
) -> Result<pb::User, ClientError> {
    let request = pb::UpdateUserRequest {
        user: Some(user),
        update_mask: Some(mask(&[field])),
    };
    let done = session.client.users().update_user(request).await;
    let done = done.map_err(ClientError::of_write)?;
    Ok(done.into_inner().user.unwrap_or_default())
}

async fn set_disabled(
    session: &ClientSession,
    who: &UserArgument,
    disabled: bool,
) -> Result<(), Failure> {
    let before = get(session, &who.name).await?;
    let user = pb::User {
        id: before.id,
        disabled,
        ..Default::default()
    };
    let now = change(session, user, "disabled").await?;
    let word = if disabled { "disabled" } else { "enabled" };
    say(&format!("user {} of {} {word}", now.name, now.namespace));
    Ok(())
}

async fn change_roles(
    session: &ClientSession,
    who: &UserArgument,
    add: &[String],
    remove: &[String],
    output: OutputOptions,
) -> Result<(), Failure> {
    // By id afterwards, so that a rename in between does no harm.
    let mut user = get(session, &who.name).await?;
    if !add.is_empty() || !remove.is_empty() {
        // As above: the names of roles depend on the organization.
        let mut within = session.clone();
        within.namespace.clone_from(&user.namespace);
        let names = role::names(&within).await?;
        let roles = changed(&user.roles, &names, add, remove)?;
        // With the revision that was read: what somebody else gave meanwhile is not taken away.
        let new = pb::User {
            id: user.id.clone(),
            revision: user.revision.clone(),
            roles,
            ..Default::default()
        };
        user = change(session, new, "roles").await?;
        say(&format!("roles of {} changed", user.name));
    }
    let roles = roles_of(session, &user).await?;
    let rows: Vec<_> = roles.iter().map(|role| vec![role.clone()]).collect();
    let values: Vec<_> = roles.iter().map(|role| json!(role)).collect();
    print_rows(&output.output, &["role"], &rows, &values)
}

/// The ids of the roles afterwards.
fn changed(
    now: &[String],
    names: &BTreeMap<String, String>,
    add: &[String],
    remove: &[String],
) -> Result<Vec<String>, Failure> {
    let id = |wanted: &String| {
        let found = names
            .iter()
            .find(|(id, name)| *id == wanted || *name == wanted);
        found.map(|(id, _)| id.clone()).ok_or_else(|| {
            let message = format!("there is no role {wanted:?} here");
            Failure::refused(message, "`coeval role list` shows those that there are.")
        })
    };
    let mut roles = now.to_vec();
    // Unknown names are refused before anything is written.
    for role in remove {
        let id = id(role)?;
        if !roles.contains(&id) {
            let message = format!("the user does not have the role {role:?}");
            return Err(Failure::refused(
                message,
                "Look at the roles without flags.",
            ));
        }
        roles.retain(|other| *other != id);
    }
    for role in add {
        let id = id(role)?;
        if !roles.contains(&id) {
            roles.push(id);
        }
    }
    Ok(roles)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_given_and_taken_by_name() {
        let names = [("1", "Reader"), ("2", "Worker"), ("3", "Boss")];
        let names = names.map(|(id, name)| (id.to_owned(), name.to_owned()));
        let names = BTreeMap::from(names);
        let all = |roles: &[&str]| roles.iter().map(|&r| r.to_owned()).collect::<Vec<_>>();
        let change = |now: &[&str], add: &[&str], remove: &[&str]| {
            changed(&all(now), &names, &all(add), &all(remove)).map_err(|why| why.to_string())
        };
        assert_eq!(change(&["1"], &["Worker"], &[]), Ok(all(&["1", "2"])));
        assert_eq!(change(&["1"], &["Reader"], &[]), Ok(all(&["1"])));
        assert_eq!(
            change(&["1", "2"], &["3"], &["Reader"]),
            Ok(all(&["2", "3"]))
        );
        let why = change(&["1"], &["Nobody"], &[]).unwrap_err();
        assert!(why.contains("\"Nobody\""), "{why}");
        let why = change(&["1"], &[], &["Worker"]).unwrap_err();
        assert!(why.contains("does not have"), "{why}");
    }
}
