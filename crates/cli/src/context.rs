//! Which server a command talks to, and as whom.
//!
//! - `folder`: the config folder, its files and who can read them
//! - `contexts`: the servers that somebody has logged in to, by name
//! - `credentials`: the tokens for them
//! - `choice`: what is meant, of what flags, the environment and the contexts say
//! - `kept`: contexts and credentials as one, as they are in the folder

mod choice;
mod contexts;
mod credentials;
mod error;
mod folder;
mod kept;

use crate::failure::Failure;
use crate::targets;
use choice::{ServerChoice, choose};
use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use coeval_client::Client;
pub(crate) use contexts::ServerContext;
pub(crate) use credentials::{AuthToken, ServerCredential};
pub use error::ContextError;
use jiff::Timestamp;
pub(crate) use kept::ContextFiles;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The environment variable with a token; none is ever taken from the command line.
pub(crate) const TOKEN: &str = "COEVAL_TOKEN";

/// So long a server that restarts is waited for. Somebody sits there and waits too.
const REACH: Duration = Duration::from_secs(3);

/// Where the server is.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ServerOptions {
    /// The server's address; that of the context, if nothing is said [env: COEVAL_SERVER]
    #[arg(long, value_name = "URL", help_heading = "Server")]
    pub(crate) server: Option<String>,
    /// The context to use, of those that `coeval login` made [env: COEVAL_CONTEXT]
    #[arg(long, value_name = "NAME", help_heading = "Server")]
    #[arg(add = ArgValueCompleter::new(targets::contexts))]
    pub(crate) context: Option<String>,
    /// The organization whose resources are meant; your own, if nothing is said
    #[arg(short, long, value_name = "ORG", help_heading = "Server")]
    pub(crate) namespace: Option<String>,
    /// PEM file with the authority of the server's certificate, where it is none of the usual
    /// ones [env: COEVAL_CERTIFICATE_AUTHORITY]
    #[arg(long, value_name = "FILE", help_heading = "Server")]
    pub(crate) certificate_authority: Option<PathBuf>,
}

/// A client with all that a command needs to know of where it is.
#[derive(Clone, Debug)]
pub(crate) struct ClientSession {
    /// The client.
    pub(crate) client: Client,
    /// The organization that is meant; empty: the caller's own.
    pub(crate) namespace: String,
    /// The name of the context that the credentials are of, if they are of one.
    pub(crate) context: Option<String>,
    /// When the credentials end, if that is known.
    pub(crate) expires: Option<Timestamp>,
    /// Whether writes refuse fields that no version declares.
    pub(crate) strict: bool,
}

/// A variable of the environment; an empty one counts as not there.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

impl ServerOptions {
    /// The server that is meant, with the credentials that there are for it. Nothing is sent yet.
    ///
    /// # Errors
    /// If no server is known, or the session with it is over.
    pub(crate) fn session(&self) -> Result<ClientSession, Failure> {
        self.session_within(Duration::from_secs(10))
    }

    /// The same, with so much time to connect.
    pub(crate) fn session_within(&self, time: Duration) -> Result<ClientSession, Failure> {
        // An empty flag or variable counts as not given: scripts pass those on.
        let flags = ServerChoice {
            server: self.server.clone().filter(|server| !server.is_empty()),
            context: self.context.clone().filter(|context| !context.is_empty()),
        };
        let environment = ServerChoice {
            server: variable("COEVAL_SERVER"),
            context: variable("COEVAL_CONTEXT"),
        };
        // Who says both the server and a token needs no folder, not even a home.
        let own_token = variable(TOKEN).map(AuthToken::new);
        let kept = match (ContextFiles::read(), &own_token, &flags.server) {
            (Err(_), Some(_), Some(_)) => ContextFiles::default(),
            (kept, ..) => kept?,
        };
        // Flags and the environment as two steps: a flag for the server beats a context of the
        // environment.
        let chosen = choose(&flags, &environment, &kept.contexts)?;
        let context = chosen.context;
        // A token of the environment is for the server that is chosen, whatever context that is of.
        let credential = match (own_token, context) {
            (Some(token), _) => Some(ServerCredential::of(&chosen.server, token, None)),
            (None, Some(context)) => kept.credentials.valid_for(context, Timestamp::now())?,
            (None, None) => None,
        };
        let authority = self.authority(context);
        let mut builder = builder(&chosen.server, authority.as_deref())?.connect_timeout(time);
        let mut expires = None;
        // Known here, so that `whoami` can tell it without asking.
        if let Some(credential) = credential {
            expires = credential.expires;
            builder = builder.token(credential.token.reveal());
        }
        // The flag wins over what the context says.
        let namespace = self.namespace.clone();
        let namespace = namespace.or_else(|| context.and_then(|context| context.namespace.clone()));
        Ok(ClientSession {
            strict: false,
            client: builder.build()?,
            namespace: namespace.unwrap_or_default(),
            context: context.map(|context| context.name.clone()),
            expires,
        })
    }

    fn authority(&self, context: Option<&ServerContext>) -> Option<PathBuf> {
        let said = self.certificate_authority.clone();
        let said = said.or_else(|| variable("COEVAL_CERTIFICATE_AUTHORITY").map(PathBuf::from));
        said.or_else(|| context.and_then(|context| context.certificate_authority.clone()))
    }
}

/// A client to be, for an address that names no secret.
pub(crate) fn builder(
    url: &str,
    authority: Option<&Path>,
) -> Result<coeval_client::ClientBuilder, Failure> {
    // Without the scheme, and only up to the path: an `@` further behind is no password.
    let after = url.split_once("://").map_or(url, |(_, after)| after);
    let host = after.split(['/', '?', '#']).next().unwrap_or_default();
    if host.contains('@') {
        return Err(Failure::usage(
            "the server's address has a user or a password in it",
            "Give it as http://HOST:PORT or https://HOST, and log in with `coeval login`.",
        ));
    }
    // A server warns with every answer; each text is told once.
    let warn = |text: &str| {
        if let Some(text) = crate::messages::new_warning(text) {
            crate::messages::note(&format!("warning: {text}\n"));
        }
    };
    // A person waits, so a server that is down is not waited for as long as a program would.
    let mut builder = Client::builder(url).reach(REACH).on_warning(warn);
    if let Some(path) = authority {
        let pem = std::fs::read(path).map_err(|error| {
            let path = path.display();
            Failure::config(
                format!("the certificate authority {path} can't be read: {error}"),
                "Give a PEM file with --certificate-authority.",
            )
        })?;
        builder = builder.authority(pem);
    }
    Ok(builder)
}

/// Remembers a server and who is logged in there. The current context stays, unless there is none.
/// Whether it is the current one.
///
/// # Errors
/// If the config folder can't be written.
pub fn save_context(
    name: &str,
    url: &str,
    user: &str,
    token: &str,
    expires: Option<Timestamp>,
) -> Result<bool, ContextError> {
    let context = ServerContext::new(name, url, user);
    let credential = ServerCredential::of(url, AuthToken::new(token.to_owned()), expires);
    ContextFiles::change(|kept| {
        // The one that commands use now stays: this is about a server on the side.
        let before = kept.contexts.current.take();
        kept.remember(context, credential);
        if let Some(before) = before {
            kept.contexts.current = Some(before);
        }
        Ok(kept.contexts.current.as_deref() == Some(name))
    })
}

/// Forgets a context and its token. One that is not there is no error.
///
/// # Errors
/// If the config folder can't be written.
pub fn remove_context(name: &str) -> Result<(), ContextError> {
    ContextFiles::change(|kept| {
        kept.forget(name);
        Ok(())
    })
}
