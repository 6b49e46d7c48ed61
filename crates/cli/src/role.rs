//! `coeval role`.

use crate::context::{ClientSession, ServerOptions};
use crate::failure::Failure;
use crate::org::mask;
use crate::rows::{OutputOptions, print_one, print_rows, say};
use clap::{Args, Subcommand};
use coeval_client::ClientError;
use coeval_proto::access::v1 as pb;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::process::ExitCode;

/// Manage roles.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  coeval role list
  coeval role create Worker --right 'acme:app: View' --right 'acme:app: Modify'
  coeval role rights
  coeval role rights Worker --add 'acme:app: Full Access'

A role is rights that users have by it. A right of a type counts for a user of an
organization only if the type is published to the organization.")]
pub struct RoleOptions {
    #[command(subcommand)]
    action: RoleCommand,
}

#[derive(Debug, Subcommand)]
enum RoleCommand {
    /// Show the roles that users of an organization can have
    #[command(after_help = "Examples:\n  coeval role list\n  coeval role list -n acme -o name")]
    List {
        #[command(flatten)]
        output: OutputOptions,
        #[command(flatten)]
        server: ServerOptions,
    },
    /// Show one with its rights
    #[command(after_help = "Examples:\n  coeval role get Reader\n  coeval role get Reader -o json")]
    Get {
        /// Its name or its id
        name: String,
        #[command(flatten)]
        output: OutputOptions,
        #[command(flatten)]
        server: ServerOptions,
    },
    /// Make one
    #[command(after_help = "Examples:
  coeval role create Worker -n acme --right 'acme:app: View'
  coeval role create Auditor --global --right 'acme:app: View'")]
    Create {
        /// Its name
        name: String,
        /// A right, by its name; can be said several times
        #[arg(long = "right", value_name = "RIGHT")]
        rights: Vec<String>,
        /// Make it for every organization
        #[arg(long, conflicts_with = "namespace")]
        global: bool,
        /// What it is for
        #[arg(long, value_name = "TEXT")]
        description: Option<String>,
        #[command(flatten)]
        server: ServerOptions,
    },
    /// Delete one that nobody has
    #[command(after_help = "Examples:\n  coeval role delete Worker")]
    Delete {
        /// Its name or its id
        name: String,
        #[command(flatten)]
        server: ServerOptions,
    },
    /// Show the rights of a role or change them; without a role, all rights that there are
    #[command(after_help = "Examples:
  coeval role rights
  coeval role rights Worker
  coeval role rights Worker --add 'acme:app: Modify' --remove 'acme:app: View'")]
    Rights {
        /// The role's name or id
        name: Option<String>,
        /// A right to give, by its name; can be said several times
        #[arg(long, value_name = "RIGHT", requires = "name")]
        add: Vec<String>,
        /// A right to take away; can be said several times
        #[arg(long, value_name = "RIGHT", requires = "name")]
        remove: Vec<String>,
        #[command(flatten)]
        output: OutputOptions,
        #[command(flatten)]
        server: ServerOptions,
    },
}

pub(crate) async fn run(options: RoleOptions) -> Result<ExitCode, Failure> {
    match options.action {
        RoleCommand::List { output, server } => list(&server.session()?, output).await?,
        RoleCommand::Get {
            name,
            output,
            server,
        } => show(&get(&server.session()?, &name).await?, output)?,
        RoleCommand::Create {
            name,
            rights,
            global,
            description,
            server,
        } => {
            let session = server.session()?;
            let role = pb::Role {
                name,
                rights,
                global,
                namespace: session.namespace.clone(),
                description: description.unwrap_or_default(),
                ..Default::default()
            };
            let request = pb::CreateRoleRequest { role: Some(role) };
            let made = session.client.roles().create_role(request).await;
            let made = made.map_err(ClientError::of_write)?.into_inner().role;
            let made = made.unwrap_or_default();
            say(&format!("role {} made ({})", made.name, made.id));
        }
        RoleCommand::Delete { name, server } => {
            let session = server.session()?;
            let request = pb::DeleteRoleRequest {
                name: name.clone(),
                namespace: session.namespace.clone(),
            };
            let done = session.client.roles().delete_role(request).await;
            done.map_err(ClientError::of_write)?;
            say(&format!("role {name} deleted"));
        }
        RoleCommand::Rights {
            name: None,
            output,
            server,
            ..
        } => print_rights(&all_rights(&server.session()?).await?, output)?,
        RoleCommand::Rights {
            name: Some(name),
            add,
            remove,
            output,
            server,
        } => {
            let session = server.session()?;
            let mut role = get(&session, &name).await?;
            if !add.is_empty() || !remove.is_empty() {
                role = change_rights(&session, role, &add, &remove).await?;
            }
            print_rights(&role.rights, output)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// All roles that users of the organization can have.
async fn all(session: &ClientSession) -> Result<Vec<pb::Role>, ClientError> {
    let (mut found, mut page_token) = (Vec::new(), String::new());
    loop {
        let request = pb::ListRolesRequest {
            page_size: 0,
            page_token,
            namespace: session.namespace.clone(),
        };
        let page = session.client.roles().list_roles(request).await?;
        let page = page.into_inner();
        found.extend(page.roles);
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return Ok(found);
        }
    }
}

/// Names by id.
pub(crate) async fn names(
    session: &ClientSession,
) -> Result<BTreeMap<String, String>, ClientError> {
    let all = all(session).await?.into_iter();
    Ok(all.map(|role| (role.id, role.name)).collect())
}

async fn list(session: &ClientSession, output: OutputOptions) -> Result<(), Failure> {
    let found = all(session).await?;
    let row = |role: &pb::Role| {
        vec![
            role.name.clone(),
            whose(role),
            if role.predefined { "yes" } else { "no" }.to_owned(),
            role.description.clone(),
        ]
    };
    let rows: Vec<_> = found.iter().map(row).collect();
    let values: Vec<_> = found.iter().map(value).collect();
    let headers = ["name", "organization", "predefined", "description"];
    print_rows(&output.output, &headers, &rows, &values)
}

fn whose(role: &pb::Role) -> String {
    if role.global {
        "(all)".to_owned()
    } else {
        role.namespace.clone()
    }
}

fn value(role: &pb::Role) -> Value {
    json!({
        "id": role.id, "name": role.name, "namespace": role.namespace, "global": role.global,
        "description": role.description, "rights": role.rights, "predefined": role.predefined,
        "revision": role.revision,
    })
}

async fn get(session: &ClientSession, name: &str) -> Result<pb::Role, ClientError> {
    let request = pb::GetRoleRequest {
        name: name.to_owned(),
        namespace: session.namespace.clone(),
    };
    let found = session.client.roles().get_role(request).await?.into_inner();
    Ok(found.role.unwrap_or_default())
}

fn show(role: &pb::Role, output: OutputOptions) -> Result<(), Failure> {
    let mut fields = vec![
        ("name", role.name.clone()),
        ("organization", whose(role)),
        ("description", role.description.clone()),
        ("id", role.id.clone()),
    ];
    let mut label = "rights";
    for right in &role.rights {
        fields.push((label, right.clone()));
        label = "";
    }
    print_one(&output.output, &role.name, &fields, &value(role))
}

async fn all_rights(session: &ClientSession) -> Result<Vec<String>, ClientError> {
    let (mut found, mut page_token) = (Vec::new(), String::new());
    loop {
        let request = pb::ListRightsRequest {
            page_size: 0,
            page_token,
        };
        let page = session.client.roles().list_rights(request).await?;
        let page = page.into_inner();
        found.extend(page.rights);
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return Ok(found);
        }
    }
}

fn print_rights(rights: &[String], output: OutputOptions) -> Result<(), Failure> {
    let rows: Vec<_> = rights.iter().map(|right| vec![right.clone()]).collect();
    let values: Vec<_> = rights.iter().map(|right| json!(right)).collect();
    print_rows(&output.output, &["right"], &rows, &values)
}

async fn change_rights(
    session: &ClientSession,
    role: pb::Role,
    add: &[String],
    remove: &[String],
) -> Result<pb::Role, Failure> {
    // Checked before anything is sent: a typo must not look like a success.
    if let Some(absent) = remove.iter().find(|right| !role.rights.contains(right)) {
        let message = format!("the role {} does not have the right {absent:?}", role.name);
        return Err(Failure::refused(
            message,
            "Look at its rights without flags.",
        ));
    }
    let mut rights = role.rights;
    // Removed first: a right that is both removed and added is there afterwards.
    rights.retain(|right| !remove.contains(right));
    for right in add {
        if !rights.contains(right) {
            rights.push(right.clone());
        }
    }
    // With the revision that was read: what somebody else changed meanwhile is not undone.
    let change = pb::Role {
        id: role.id,
        revision: role.revision,
        rights,
        ..Default::default()
    };
    let request = pb::UpdateRoleRequest {
        role: Some(change),
        update_mask: Some(mask(&["rights"])),
    };
    let done = session.client.roles().update_role(request).await;
    let done = done.map_err(ClientError::of_write)?.into_inner().role;
    let now = done.unwrap_or_default();
    say(&format!("rights of {} changed", now.name));
    Ok(now)
}
