//! Which server a command talks to, and as whom.

use crate::failure::Failure;
use clap::Args;
use coeval_client::Client;

/// The environment variable with a token; none is ever taken from the command line.
const TOKEN: &str = "COEVAL_TOKEN";

/// Where the server is.
#[derive(Clone, Debug, Args)]
pub struct ServerOptions {
    /// The server's address; that of the context, if nothing is said
    #[arg(
        long,
        value_name = "URL",
        env = "COEVAL_SERVER",
        help_heading = "Server"
    )]
    pub server: Option<String>,
    /// The context to use, of those that `coeval login` made
    #[arg(
        long,
        value_name = "NAME",
        env = "COEVAL_CONTEXT",
        help_heading = "Server"
    )]
    pub context: Option<String>,
    /// The organization whose resources are meant; your own, if nothing is said
    #[arg(short, long, value_name = "ORG", help_heading = "Server")]
    pub namespace: Option<String>,
}

/// A client with all that a command needs to know of where it is.
#[derive(Clone, Debug)]
pub struct Session {
    /// The client.
    pub client: Client,
    /// The organization that is meant; empty: the caller's own.
    pub namespace: String,
}

impl ServerOptions {
    /// The server that is meant, with the credentials that there are for it. Nothing is sent yet.
    ///
    /// # Errors
    /// If no server is known.
    pub fn session(&self) -> Result<Session, Failure> {
        let Some(url) = &self.server else {
            return Err(Failure::usage(
                "no server is known",
                "Log in with `coeval login URL`, or give one with --server.",
            ));
        };
        let mut builder = Client::builder(url);
        if let Ok(token) = std::env::var(TOKEN) {
            builder = builder.token(token);
        }
        Ok(Session {
            client: builder.build()?,
            namespace: self.namespace.clone().unwrap_or_default(),
        })
    }
}
