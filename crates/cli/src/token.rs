//! `coeval token …`.

use crate::context::{ClientSession, ServerOptions};
use crate::failure::Failure;
use crate::output::{
    OutputOptions, OutputShape, Printable, Printer, TableCell, age, check_written, duration,
    moment, notes,
};
use clap::{Args, Subcommand};
use coeval_client::{Client, ClientError};
use coeval_proto::access::v1 as access;
use jiff::Timestamp;
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::ExitCode;
use std::time::Duration;

/// Make, list and revoke API tokens for programs.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  coeval token create ci --expires 30d > token
  coeval token list
  coeval token revoke ci")]
pub struct TokenOptions {
    #[command(subcommand)]
    action: TokenCommand,
}

#[derive(Debug, Subcommand)]
enum TokenCommand {
    /// Make a token for a program that acts as you; prints it, this once
    #[command(after_help = "Examples:
  coeval token create ci --expires 30d > token

Only the token is on stdout. It is not shown again. Programs have it in the
environment variable COEVAL_TOKEN.")]
    Create {
        /// What it is for, to tell it from others
        #[arg(value_name = "NAME")]
        name: String,
        /// When it ends: 12h, 30d; when it is revoked, if nothing is said
        #[arg(long, value_name = "DURATION", value_parser = duration)]
        expires: Option<Duration>,
        #[command(flatten)]
        server: ServerOptions,
    },
    /// List your tokens and sessions, without their secrets
    #[command(after_help = "Examples:
  coeval token list
  coeval token list -o json")]
    List {
        #[command(flatten)]
        output: OutputOptions,
        #[command(flatten)]
        server: ServerOptions,
    },
    /// Revoke tokens, or end sessions
    #[command(after_help = "Examples:
  coeval token revoke ci
  coeval token revoke 7d1f0c52-7f0e-4f29-93c1-0f3b8b6b4c7e")]
    Revoke {
        /// The token's name, or the id that `coeval token list` shows
        #[arg(value_name = "NAME", required = true)]
        tokens: Vec<String>,
        #[command(flatten)]
        server: ServerOptions,
    },
}

/// A token or a session, as it is listed.
struct ListedToken {
    id: String,
    name: String,
    kind: &'static str,
    created: Option<Timestamp>,
    expires: Option<Timestamp>,
    source: String,
}

impl From<access::Session> for ListedToken {
    fn from(session: access::Session) -> Self {
        let kind = match session.kind() {
            access::SessionKind::ApiToken => "token",
            access::SessionKind::Session => "session",
            access::SessionKind::Unspecified => "",
        };
        // Messages have a timestamp type of their own.
        let time = |at: Option<(i64, i32)>| at.and_then(|(s, n)| Timestamp::new(s, n).ok());
        let created = session.created.as_ref().map(|at| (at.seconds, at.nanos));
        let expires = session.expires.as_ref().map(|at| (at.seconds, at.nanos));
        Self {
            kind,
            created: time(created),
            expires: time(expires),
            id: session.id,
            name: session.name,
            source: session.source,
        }
    }
}

impl Printable for ListedToken {
    fn heads(wide: bool) -> Vec<&'static str> {
        let mut heads = vec!["NAME", "KIND", "AGE", "EXPIRES", "ID"];
        if wide {
            heads.push("SOURCE");
        }
        heads
    }

    fn row(&self, wide: bool) -> Vec<TableCell> {
        let age = |at| age(at, Timestamp::now());
        let expires = self.expires.map_or_else(|| "never".to_owned(), moment);
        let mut row = vec![
            TableCell::new(&self.name),
            TableCell::new(self.kind),
            TableCell::new(self.created.map(age).unwrap_or_default()),
            TableCell::new(expires),
            TableCell::new(&self.id),
        ];
        if wide {
            row.push(TableCell::new(&self.source));
        }
        row
    }

    fn name(&self) -> String {
        self.id.clone()
    }

    fn value(&self) -> Result<Value, serde_json::Error> {
        Ok(json!({
            "id": self.id,
            "name": self.name,
            "kind": self.kind,
            "created": self.created,
            "expires": self.expires,
            "source": self.source,
        }))
    }
}

pub(crate) async fn run(options: TokenOptions) -> Result<ExitCode, Failure> {
    match options.action {
        TokenCommand::Create {
            name,
            expires,
            server,
        } => create(&server.session()?, name, expires).await?,
        TokenCommand::List { output, server } => {
            let mut printer = Printer::<ListedToken>::new(&output, OutputShape::List);
            for one in all(&server.session()?.client).await? {
                printer.print(&one)?;
            }
            printer.finish()?;
        }
        TokenCommand::Revoke { tokens, server } => revoke(&server.session()?, &tokens).await?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn create(
    session: &ClientSession,
    name: String,
    expires: Option<Duration>,
) -> Result<(), Failure> {
    let expires = match expires {
        None => None,
        Some(after) => {
            let after = i64::try_from(after.as_secs()).ok();
            let at = after.and_then(|after| Timestamp::now().as_second().checked_add(after));
            let at = at.and_then(|at| Timestamp::from_second(at).ok());
            let far = || Failure::usage("--expires is too far away", "Give less, as 365d.");
            Some(at.ok_or_else(far)?)
        }
    };
    let mut request = access::CreateApiTokenRequest {
        name,
        expires: None,
    };
    if let Some(at) = expires {
        let said = request.expires.get_or_insert_default();
        said.seconds = at.as_second();
    }
    let made = session.client.sessions().create_api_token(request).await;
    let made = made.map_err(ClientError::of_write)?.into_inner();
    // Only the token on stdout, so that it can be redirected into a file.
    check_written(writeln!(std::io::stdout(), "{}", made.token))?;
    let until = expires.map(|at| format!(" until {}", moment(at)));
    notes::note(&format!(
        "Made{}; it is not shown again. Programs find it in COEVAL_TOKEN.",
        until.unwrap_or_default()
    ));
    Ok(())
}

async fn all(client: &Client) -> Result<Vec<ListedToken>, Failure> {
    let mut listed = Vec::new();
    let mut page_token = String::new();
    loop {
        let request = access::ListSessionsRequest {
            page_token,
            ..Default::default()
        };
        let page = client.sessions().list_sessions(request).await;
        let page = page.map_err(ClientError::from)?.into_inner();
        listed.extend(page.sessions.into_iter().map(ListedToken::from));
        if page.next_page_token.is_empty() {
            return Ok(listed);
        }
        page_token = page.next_page_token;
    }
}

async fn revoke(session: &ClientSession, tokens: &[String]) -> Result<(), Failure> {
    // Names are known here; the server revokes by id.
    let known = all(&session.client).await?;
    for token in tokens {
        let id = id_of(token, &known)?;
        let request = access::RevokeSessionRequest { id };
        let revoked = session.client.sessions().revoke_session(request).await;
        revoked.map_err(ClientError::of_write)?;
        check_written(writeln!(std::io::stdout(), "token/{token} revoked"))?;
    }
    Ok(())
}

/// The id of the only token that is called so; what is no name is taken for an id.
fn id_of(token: &str, known: &[ListedToken]) -> Result<String, Failure> {
    // By name first: an id looks like no name that people give.
    let named = known.iter().filter(|one| one.name == token);
    let named: Vec<_> = named.map(|one| one.id.clone()).collect();
    match named.as_slice() {
        [] => Ok(token.to_owned()),
        [one] => Ok(one.clone()),
        several => Err(Failure::refused(
            format!("{} tokens are called `{token}`", several.len()),
            format!("Revoke by id: {}.", several.join(", ")),
        )),
    }
}
