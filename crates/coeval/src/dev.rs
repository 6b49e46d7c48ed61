//! `coeval dev`: `serve`, with an example loaded and a context that is logged in.
//!
//! - `data`: the folder, and the password in it
//! - `example`: what is loaded
//! - `load`: how it is loaded, and the contexts
//!
//! All of it makes what is absent and never overwrites, so a second start changes nothing.

mod data;
mod example;
mod load;

use crate::serve::{self, ServeOptions};
use clap::{ArgMatches, Args};
use coeval_cli::Failure;
use coeval_engine::identity::{Bootstrap, BootstrapOrg, BootstrapUser, Password};
use data::DevData;
use load::LoadedExample;
use std::io::Write as _;

/// Somebody of the provider.
const ADMINISTRATOR: &str = "administrator";
/// Somebody of the organization that has the example.
const USER: &str = "alice";

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  coeval dev
  coeval dev --data ./data
  coeval dev --listen 127.0.0.1:0

Without --data all is gone when it ends. Port 0 picks a free one.
The contexts `dev` (alice, of acme) and `dev-admin` (the provider's administrator) are logged in.")]
pub(crate) struct DevOptions {
    #[command(flatten)]
    serve: ServeOptions,
}

pub(crate) async fn run(options: &DevOptions, matches: &ArgMatches) -> Result<(), Failure> {
    let serve = &options.serve;
    // The contexts that it makes lead to plain HTTP.
    if serve.has_tls() {
        return Err(Failure::config(
            "`coeval dev` serves plain HTTP",
            "Leave --tls-cert out, or use `coeval serve`.",
        ));
    }
    let data = DevData::of(serve.address.folder(matches)?)?;
    let people = people(&data.password()?);
    let store = crate::store_address::embedded(&data.folder().display().to_string());
    if data.is_temporary() {
        let folder = data.folder().display();
        say(&format!(
            "dev: the data is in {folder}, and goes when this ends; keep it with --data DIR"
        ));
    }
    // Filled by the closure below, and needed after it: the contexts go with the data that they lead to.
    let mut loaded = LoadedExample::default();
    let served = serve::serve(serve, &store, Some(&people), async |engine, url| {
        loaded = load::load(engine, url, &data).await?;
        Ok(())
    });
    let served = served.await;
    if data.is_temporary() {
        loaded.forget();
    }
    served
}

/// A line for whoever started it.
fn say(line: &str) {
    // A closed stderr is no reason not to serve.
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// The organization and its user, and the provider's. Both have the same password.
fn people(password: &str) -> Bootstrap {
    let user = |name: &str, org: Option<&str>, role: &str| BootstrapUser {
        name: name.to_owned(),
        org: org.map(str::to_owned),
        password: Some(Password::new(password)),
        roles: vec![role.to_owned()],
        ..BootstrapUser::default()
    };
    let org = example::ORGANIZATION;
    Bootstrap {
        orgs: vec![BootstrapOrg {
            name: org.to_owned(),
            ..BootstrapOrg::default()
        }],
        users: vec![
            user(ADMINISTRATOR, None, "System Administrator"),
            user(USER, Some(org), "Organization Administrator"),
        ],
        ..Bootstrap::default()
    }
}
