//! `coeval login`.

mod prompts;

use crate::context::{AuthToken, ContextFiles, ServerContext, ServerCredential, builder};
use crate::failure::Failure;
use crate::output::{OutputOptions, OutputShape, Printable, Printer, TableCell, moment, notes};
use crate::targets;
use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use jiff::Timestamp;
use prompts::{ask_password, ask_user, password_from_stdin};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::ExitCode;

/// Log in to a server, and remember it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  coeval login https://coeval.example --user alice@acme
  coeval login http://127.0.0.1:8080 --user administrator@System --context dev
  coeval login --user ci@acme --password-stdin https://coeval.example < password.txt
  coeval login                  log in again where you were
  coeval login --list           the contexts, and which one is used
  coeval login --use dev        use another one

The password is asked for on the terminal, or read from stdin; never taken from a
flag. What is remembered, a context, is in config.yaml, the token for it in
credentials.yaml, readable by you alone, both in $COEVAL_CONFIG_DIR, else in the
folder `coeval` of your config folder.

Which server a command talks to: --server or --context, else COEVAL_SERVER or
COEVAL_CONTEXT, else the context that is used. COEVAL_TOKEN has the token of a
program, made with `coeval token create`; it is used instead of a login.")]
pub struct LoginOptions {
    /// The server's address; that of the context, if nothing is said
    #[arg(value_name = "URL")]
    url: Option<String>,
    /// Who you are: USER@ORGANIZATION; the provider's organization is System
    #[arg(long, value_name = "USER@ORG")]
    user: Option<String>,
    /// What to call it; after the server's host, if nothing is said [env: COEVAL_CONTEXT]
    #[arg(long, value_name = "NAME", add = ArgValueCompleter::new(targets::contexts))]
    context: Option<String>,
    /// The organization that commands mean where they say none; your own, if nothing is said
    #[arg(short, long, value_name = "ORG")]
    namespace: Option<String>,
    /// PEM file with the authority of the server's certificate, where it is none of the usual ones
    #[arg(long, value_name = "FILE")]
    certificate_authority: Option<PathBuf>,
    /// Read the password from stdin: its first line
    #[arg(long)]
    password_stdin: bool,
    /// Show the contexts
    #[arg(long, conflicts_with_all = ["url", "user", "context", "namespace", "certificate_authority", "password_stdin", "switch"])]
    list: bool,
    /// Use this context from now on
    #[arg(long = "use", id = "switch", value_name = "NAME", add = ArgValueCompleter::new(targets::contexts))]
    #[arg(conflicts_with_all = ["url", "user", "context", "namespace", "certificate_authority", "password_stdin"])]
    switch: Option<String>,
    /// With --list
    #[command(flatten)]
    output: OutputOptions,
}

pub(crate) async fn run(options: LoginOptions) -> Result<ExitCode, Failure> {
    if options.list {
        return list(&options.output);
    }
    if let Some(name) = &options.switch {
        return switch(name);
    }
    let kept = ContextFiles::read()?;
    let before = options.before(&kept)?;
    let context = options.context(&kept, before)?;
    // Of the context, so that a second login works without the flag.
    let authority = context.certificate_authority.clone();
    let client = builder(&context.server, authority.as_deref())?.build()?;
    // Before anything is sent: the server could only say that it knows nobody of that name.
    let (user, organization) = split_user(&context.user)?;
    // Before the password is asked for.
    warn_if_unencrypted(&context.server);
    let password = if options.password_stdin {
        password_from_stdin()?
    } else {
        ask_password(&context.user, &context.server)?
    };
    // Only now the server is asked; nothing is remembered unless it agrees.
    let login = client.log_in(user, organization, &password).await?;
    let credential =
        ServerCredential::of(&context.server, AuthToken::new(login.token), login.expires);
    let (name, server) = (context.name.clone(), context.server.clone());
    let who = context.user.clone();
    // Changed under the lock: another login may have come meanwhile.
    ContextFiles::change(|kept| {
        kept.remember(context, credential);
        Ok(())
    })?;
    let until = login.expires.map(|at| format!(" until {}", moment(at)));
    notes::note(&format!(
        "Logged in to {server} as {who}{}. Commands use the context `{name}` now.",
        until.unwrap_or_default()
    ));
    Ok(ExitCode::SUCCESS)
}

impl LoginOptions {
    /// The context that is logged in to again, if it is one.
    fn before<'k>(&self, kept: &'k ContextFiles) -> Result<Option<&'k ServerContext>, Failure> {
        let contexts = &kept.contexts;
        let named = self.context.clone();
        let named = named.or_else(|| crate::context::variable("COEVAL_CONTEXT"));
        match (&named, &self.url) {
            // With an address the context may be new; without one it must be known.
            (Some(name), Some(_)) => Ok(contexts.find(name).ok()),
            (Some(name), None) => Ok(Some(contexts.find(name)?)),
            (None, Some(_)) => Ok(None),
            (None, None) => match &contexts.current {
                Some(name) => Ok(Some(contexts.find(name)?)),
                None => Err(Failure::usage(
                    "no server is known",
                    "Give its address: `coeval login URL --user USER@ORG`.",
                )),
            },
        }
    }

    fn context(
        &self,
        kept: &ContextFiles,
        before: Option<&ServerContext>,
    ) -> Result<ServerContext, Failure> {
        let known = before.map(|before| before.server.clone());
        let server = self.url.clone().or(known).unwrap_or_default();
        // Only if the address stays: what is known of another server is of no use.
        let same = before.filter(|before| before.server == server);
        // It is looked at before anybody is asked for a password.
        builder(&server, None)?.build()?;
        let user = match (&self.user, same) {
            (Some(user), _) => user.clone(),
            (None, Some(same)) if !same.user.is_empty() => same.user.clone(),
            _ => ask_user()?,
        };
        split_user(&user)?;
        let name = match (&self.context, before) {
            (Some(name), _) => name.clone(),
            (None, Some(before)) => before.name.clone(),
            (None, None) => kept.contexts.name_for(&server, &user),
        };
        if name.is_empty() || name.contains(char::is_control) {
            let message = "a context needs a name without line breaks";
            return Err(Failure::usage(message, "Give another one with --context."));
        }
        let mut context = ServerContext::new(&name, &server, &user);
        let kept_namespace = same.and_then(|same| same.namespace.clone());
        context.namespace = self.namespace.clone().or(kept_namespace);
        context.certificate_authority = match &self.certificate_authority {
            // Absolute: the next command may run in another folder.
            Some(path) => Some(std::path::absolute(path).unwrap_or_else(|_| path.clone())),
            None => same.and_then(|same| same.certificate_authority.clone()),
        };
        Ok(context)
    }
}

/// The user's name and the organization's.
fn split_user(user: &str) -> Result<(&str, &str), Failure> {
    // At the last `@`: a name may have one itself.
    match user.rsplit_once('@') {
        Some((name, organization)) if !name.is_empty() && !organization.is_empty() => {
            Ok((name, organization))
        }
        _ => Err(Failure::usage(
            format!("`{user}` does not say of which organization the user is"),
            "Write USER@ORGANIZATION, as --user alice@acme; the provider's organization is System.",
        )),
    }
}

/// A password should not cross a network in clear.
fn warn_if_unencrypted(server: &str) {
    let Some(host) = server.strip_prefix("http://") else {
        return;
    };
    // This machine itself: nobody else can listen there.
    let near = ["127.", "localhost", "[::1]"];
    if !near.iter().any(|near| host.starts_with(near)) {
        notes::warn("the password and the token go over the network unencrypted; use https://");
    }
}

fn switch(name: &str) -> Result<ExitCode, Failure> {
    let context = ContextFiles::change(|kept| {
        let context = kept.contexts.find(name)?.clone();
        kept.contexts.current = Some(name.to_owned());
        Ok(context)
    })?;
    let ServerContext { server, user, .. } = context;
    notes::note(&format!(
        "Commands use the context `{name}` now: {user} at {server}."
    ));
    Ok(ExitCode::SUCCESS)
}

/// A context as it is listed, without its token.
struct ListedContext {
    context: ServerContext,
    current: bool,
    logged_in: bool,
    expires: Option<Timestamp>,
}

impl ListedContext {
    fn session(&self) -> String {
        let now = Timestamp::now();
        match (self.logged_in, self.expires) {
            (false, _) => "logged out".to_owned(),
            (true, Some(at)) if at <= now => "over".to_owned(),
            (true, Some(at)) => format!("until {}", moment(at)),
            (true, None) => "open".to_owned(),
        }
    }
}

impl Printable for ListedContext {
    fn heads(wide: bool) -> Vec<&'static str> {
        let mut heads = vec!["USED", "NAME", "SERVER", "USER", "SESSION"];
        if wide {
            heads.extend(["NAMESPACE", "CERTIFICATE AUTHORITY"]);
        }
        heads
    }

    fn row(&self, wide: bool) -> Vec<TableCell> {
        let context = &self.context;
        let used = if self.current { "*" } else { "" };
        let mut row = vec![
            TableCell::new(used),
            TableCell::new(&context.name),
            TableCell::new(&context.server),
            TableCell::new(&context.user),
            TableCell::new(self.session()),
        ];
        if wide {
            let authority = context.certificate_authority.clone().unwrap_or_default();
            row.push(TableCell::new(
                context.namespace.clone().unwrap_or_default(),
            ));
            row.push(TableCell::new(authority.display().to_string()));
        }
        row
    }

    fn name(&self) -> String {
        self.context.name.clone()
    }

    fn value(&self) -> Result<Value, serde_json::Error> {
        let mut value = serde_json::to_value(&self.context)?;
        if let Some(object) = value.as_object_mut() {
            object.insert("current".into(), json!(self.current));
            object.insert("loggedIn".into(), json!(self.logged_in));
            object.insert("expires".into(), json!(self.expires));
        }
        Ok(value)
    }
}

fn list(output: &OutputOptions) -> Result<ExitCode, Failure> {
    let kept = ContextFiles::read()?;
    let mut printer = Printer::<ListedContext>::new(output, OutputShape::List);
    for context in &kept.contexts.contexts {
        let credential = kept.credentials.of(context);
        printer.print(&ListedContext {
            current: kept.contexts.current.as_ref() == Some(&context.name),
            logged_in: credential.is_some(),
            expires: credential.and_then(|credential| credential.expires),
            context: context.clone(),
        })?;
    }
    if printer.printed() == 0 {
        notes::note("There is no context; `coeval login URL` makes one.");
    }
    printer.finish()?;
    Ok(ExitCode::SUCCESS)
}
