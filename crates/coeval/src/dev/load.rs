//! Loads the example into a server that runs, and logs in to it. What can't be done is told, and the
//! server serves all the same.

use super::data::DevData;
use super::{ADMINISTRATOR, USER, example, say};
use coeval_cli::Failure;
use coeval_client::{Client, ClientErrorKind};
use coeval_engine::Engine;
use std::fmt::Display;

/// The context of the organization's user.
const CONTEXT: &str = "dev";
/// The context of the provider's administrator, who registers types.
const ADMIN_CONTEXT: &str = "dev-admin";

/// What is to be undone when the data goes.
#[derive(Debug, Default)]
pub(super) struct LoadedExample {
    contexts: Vec<&'static str>,
}

impl LoadedExample {
    /// Forgets the contexts: where they lead to is no more.
    pub(super) fn forget(&self) {
        for name in &self.contexts {
            if let Err(error) = coeval_cli::remove_context(name) {
                tell(&format!("the context {name} is still there"), &error);
            }
        }
    }
}

/// Loads what is absent.
pub(super) async fn load(
    engine: &Engine,
    url: &str,
    data: &DevData,
) -> Result<LoadedExample, Failure> {
    if let Err(error) = engine.bootstrap(&example::types()).await {
        tell("the example's types are not registered", &error);
    }
    let password = data.password()?;
    let mut loaded = LoadedExample::default();
    let user = Client::builder(url).build()?;
    let admin = Client::builder(url).build()?;
    let provider = coeval_access::SYSTEM_ORGANIZATION;
    let mut current = true;
    for (context, client, name, org) in [
        (CONTEXT, &user, USER, example::ORGANIZATION),
        (ADMIN_CONTEXT, &admin, ADMINISTRATOR, provider),
    ] {
        let login = match client.log_in(name, org, &password).await {
            Ok(login) => login,
            Err(error) => {
                let file = data.password_file();
                let what = format!("the password in {} is not {name}'s", file.display());
                tell(&what, &error);
                continue;
            }
        };
        let who = format!("{name}@{org}");
        match coeval_cli::save_context(context, url, &who, &login.token, login.expires) {
            Ok(is_current) => {
                loaded.contexts.push(context);
                current &= is_current || context != CONTEXT;
            }
            Err(error) => tell(&format!("there is no context {context}"), &error),
        }
    }
    if let Err(error) = create(&user).await {
        tell("not all resources of the example are there", &error);
    }
    let next = data.offer(example::NEXT_FILE, example::NEXT)?;
    let context = if current { "" } else { " --context dev" };
    let password = data.password_file();
    let password = password.display();
    say(&format!(
        "dev: {kind} is here in two versions, with some resources. In another terminal try:
  coeval get cluster{context}
  coeval get cluster payments --version 1.0.0{context}
  coeval type register {next} --context {ADMIN_CONTEXT}
dev: users {USER}@{org} and {ADMINISTRATOR}@{provider}; the password is in {password}",
        kind = example::TYPE,
        next = next.display(),
        org = example::ORGANIZATION,
    ));
    Ok(loaded)
}

/// Makes the resources that are not there.
async fn create(client: &Client) -> Result<(), Failure> {
    for resource in example::resources()? {
        let kind = client.resources(example::TYPE);
        match kind.create(&resource).await {
            Ok(_) => {}
            Err(error) if error.kind() == ClientErrorKind::Exists => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// One line for something that is not as it should be.
fn tell(what: &str, why: &dyn Display) {
    say(&format!("dev: {what}: {why}"));
}
