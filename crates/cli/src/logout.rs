//! `coeval logout`.

use crate::context::{ContextFiles, ServerOptions, TOKEN, variable};
use crate::failure::Failure;
use crate::output::notes;
use clap::Args;
use coeval_client::{ClientError, ClientErrorKind};
use coeval_codes::Coded as _;
use coeval_proto::access::v1::LogoutRequest;
use std::process::ExitCode;

/// End the session and forget it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  coeval logout
  coeval logout --context dev --forget
  coeval logout --local         the server can't be reached any more

The session ends on the server, and its token is removed here. The context stays,
so that `coeval login` finds the server again; --forget removes it too.")]
pub struct LogoutOptions {
    /// Forget the context too: the server's address and the user
    #[arg(long)]
    forget: bool,
    /// Only forget it here; on the server the session goes on until it ends by itself
    #[arg(long)]
    local: bool,
    #[command(flatten)]
    server: ServerOptions,
}

pub(crate) async fn run(options: LogoutOptions) -> Result<ExitCode, Failure> {
    // The token of the environment would go on working, and nobody could tell which was ended.
    if variable(TOKEN).is_some() {
        return Err(Failure::usage(
            "COEVAL_TOKEN is set: that token is of no context",
            "Unset it to log out; `coeval token revoke` ends a token.",
        ));
    }
    let name = if options.local {
        options.local_name()?
    } else {
        match options.end().await? {
            Some(name) => name,
            None => return Err(nobody()),
        }
    };
    // The server first: a token that is forgotten here and lives there could no longer be ended.
    ContextFiles::change(|kept| {
        if options.forget {
            kept.forget(&name);
        } else {
            kept.log_out(&name);
        }
        Ok(())
    })?;
    notes::note(&if options.forget {
        format!("Logged out; the context `{name}` is forgotten.")
    } else {
        format!("Logged out of the context `{name}`.")
    });
    Ok(ExitCode::SUCCESS)
}

fn nobody() -> Failure {
    Failure::usage(
        "no context is of this server",
        "`coeval login --list` shows the contexts; name one with --context.",
    )
}

impl LogoutOptions {
    fn local_name(&self) -> Result<String, Failure> {
        let contexts = ContextFiles::read()?.contexts;
        let named = self.server.context.clone();
        let named = named.or_else(|| variable("COEVAL_CONTEXT"));
        let name = named
            .or_else(|| contexts.current.clone())
            .ok_or_else(nobody)?;
        Ok(contexts.find(&name)?.name.clone())
    }

    /// Ends the session on the server. One that is over already is as good as ended.
    async fn end(&self) -> Result<Option<String>, Failure> {
        let session = match self.server.session() {
            Ok(session) => session,
            // The session has ended by itself: only the context is left to clean up.
            Err(failure) if failure.code() == Some(coeval_codes::LOGIN_NEEDED) => {
                return self.local_name().map(Some);
            }
            Err(failure) => return Err(failure),
        };
        let ended = session.client.sessions().logout(LogoutRequest {}).await;
        match ended.map_err(ClientError::from) {
            // Forgotten here by the caller, once the server has agreed.
            Ok(_) => Ok(session.context),
            Err(error) if error.kind() == ClientErrorKind::Unauthenticated => Ok(session.context),
            Err(error) if error.kind() == ClientErrorKind::Unavailable => {
                let advice = error.advice();
                Err(Failure::from(error)
                    .with_advice(format!("{advice} With --local it is only forgotten here.")))
            }
            Err(error) => Err(error.into()),
        }
    }
}
