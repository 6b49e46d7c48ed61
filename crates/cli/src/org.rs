//! `coeval org`.

use crate::context::{ClientSession, ServerOptions};
use crate::failure::Failure;
use crate::rows::{OutputOptions, print_one, print_rows, say};
use clap::{Args, Subcommand};
use coeval_client::ClientError;
use coeval_proto::access::v1 as pb;
use serde_json::{Value, json};
use std::process::ExitCode;

/// Manage organizations.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  coeval org list
  coeval org create acme --display-name 'Acme Inc.'
  coeval type publish acme:app --org acme
  coeval org disable acme

An organization is a tenant; System is the provider. A new one has no users and sees no types:
publish types to it, and make its first user with coeval user create -n ORG.")]
pub struct OrgOptions {
    #[command(subcommand)]
    action: OrgCommand,
}

#[derive(Debug, Subcommand)]
enum OrgCommand {
    /// Show the organizations that you see
    #[command(after_help = "Examples:\n  coeval org list\n  coeval org list -o name")]
    List {
        #[command(flatten)]
        output: OutputOptions,
        #[command(flatten)]
        server: ServerOptions,
    },
    /// Show one
    #[command(after_help = "Examples:\n  coeval org get acme\n  coeval org get acme -o yaml")]
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
  coeval org create acme
  coeval org create acme --display-name 'Acme Inc.' --vdc vdc1 --vdc vdc2")]
    Create {
        /// Its name, which never changes
        name: String,
        /// What people call it
        #[arg(long, value_name = "TEXT")]
        display_name: Option<String>,
        /// What it is for
        #[arg(long, value_name = "TEXT")]
        description: Option<String>,
        /// The name of a virtual data center of it; can be said several times
        #[arg(long = "vdc", value_name = "NAME")]
        vdcs: Vec<String>,
        #[command(flatten)]
        server: ServerOptions,
    },
    /// Delete one that has nothing any more
    #[command(after_help = "Examples:
  coeval org delete acme

It is refused while there are users or resources of it.")]
    Delete {
        /// Its name or its id
        name: String,
        #[command(flatten)]
        server: ServerOptions,
    },
    /// Let nobody of it log in
    #[command(after_help = "Examples:\n  coeval org disable acme")]
    Disable {
        /// Its name or its id
        name: String,
        #[command(flatten)]
        server: ServerOptions,
    },
    /// Let its people log in again
    #[command(after_help = "Examples:\n  coeval org enable acme")]
    Enable {
        /// Its name or its id
        name: String,
        #[command(flatten)]
        server: ServerOptions,
    },
}

pub(crate) async fn run(options: OrgOptions) -> Result<ExitCode, Failure> {
    match options.action {
        OrgCommand::List { output, server } => list(&server.session()?, output).await?,
        OrgCommand::Get {
            name,
            output,
            server,
        } => show(&get(&server.session()?, &name).await?, output)?,
        OrgCommand::Create {
            name,
            display_name,
            description,
            vdcs,
            server,
        } => {
            let new = pb::Organization {
                name,
                display_name: display_name.unwrap_or_default(),
                description: description.unwrap_or_default(),
                vdcs,
                ..Default::default()
            };
            create(&server.session()?, new).await?;
        }
        OrgCommand::Delete { name, server } => delete(&server.session()?, name).await?,
        OrgCommand::Disable { name, server } => {
            set_disabled(&server.session()?, &name, true).await?;
        }
        OrgCommand::Enable { name, server } => {
            set_disabled(&server.session()?, &name, false).await?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// All that the caller sees.
async fn all(session: &ClientSession) -> Result<Vec<pb::Organization>, ClientError> {
    let (mut found, mut page_token) = (Vec::new(), String::new());
    loop {
        let request = pb::ListOrganizationsRequest {
            page_size: 0,
            page_token,
        };
        let mut orgs = session.client.organizations();
        let page = orgs.list_organizations(request);
        let page = page.await?.into_inner();
        found.extend(page.organizations);
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return Ok(found);
        }
    }
}

async fn list(session: &ClientSession, output: OutputOptions) -> Result<(), Failure> {
    let mut found = all(session).await?;
    found.sort_by(|one, other| one.name.cmp(&other.name));
    let row = |org: &pb::Organization| {
        vec![
            org.name.clone(),
            org.display_name.clone(),
            enabled(org.disabled),
            org.vdcs.join(", "),
        ]
    };
    let rows: Vec<_> = found.iter().map(row).collect();
    let values: Vec<_> = found.iter().map(value).collect();
    let headers = ["name", "display name", "enabled", "vdcs"];
    print_rows(&output.output, &headers, &rows, &values)
}

pub(crate) fn enabled(disabled: bool) -> String {
    if disabled { "no" } else { "yes" }.to_owned()
}

fn value(org: &pb::Organization) -> Value {
    json!({
        "id": org.id, "name": org.name, "displayName": org.display_name,
        "description": org.description, "disabled": org.disabled, "vdcs": org.vdcs,
        "revision": org.revision,
    })
}

async fn get(session: &ClientSession, name: &str) -> Result<pb::Organization, ClientError> {
    let name = name.to_owned();
    let request = pb::GetOrganizationRequest { name };
    let mut orgs = session.client.organizations();
    let found = orgs.get_organization(request);
    let found = found.await?.into_inner().organization;
    Ok(found.unwrap_or_default())
}

fn show(org: &pb::Organization, output: OutputOptions) -> Result<(), Failure> {
    let fields = [
        ("name", org.name.clone()),
        ("display name", org.display_name.clone()),
        ("description", org.description.clone()),
        ("enabled", enabled(org.disabled)),
        ("vdcs", org.vdcs.join(", ")),
        ("id", org.id.clone()),
    ];
    print_one(&output.output, &org.name, &fields, &value(org))
}

async fn create(session: &ClientSession, new: pb::Organization) -> Result<(), Failure> {
    let organization = Some(new);
    let request = pb::CreateOrganizationRequest { organization };
    let mut orgs = session.client.organizations();
    let made = orgs.create_organization(request);
    let made = made.await.map_err(ClientError::of_write)?.into_inner();
    let made = made.organization.unwrap_or_default();
    say(&format!("organization {} made ({})", made.name, made.id));
    Ok(())
}

async fn delete(session: &ClientSession, name: String) -> Result<(), Failure> {
    let said = name.clone();
    let request = pb::DeleteOrganizationRequest { name };
    let mut orgs = session.client.organizations();
    let done = orgs.delete_organization(request);
    done.await.map_err(ClientError::of_write)?;
    say(&format!("organization {said} deleted"));
    Ok(())
}

async fn set_disabled(session: &ClientSession, name: &str, disabled: bool) -> Result<(), Failure> {
    // By id afterwards: the name could be given to another one in between.
    let before = get(session, name).await?;
    let change = pb::Organization {
        id: before.id,
        disabled,
        ..Default::default()
    };
    let request = pb::UpdateOrganizationRequest {
        organization: Some(change),
        update_mask: Some(mask(&["disabled"])),
    };
    let mut orgs = session.client.organizations();
    let done = orgs.update_organization(request);
    done.await.map_err(ClientError::of_write)?;
    let word = if disabled { "disabled" } else { "enabled" };
    say(&format!("organization {} {word}", before.name));
    Ok(())
}

/// Only these fields.
pub(crate) fn mask(paths: &[&str]) -> prost_types::FieldMask {
    prost_types::FieldMask {
        paths: paths.iter().map(|&path| path.to_owned()).collect(),
    }
}
