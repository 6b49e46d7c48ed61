//! `coeval version`.

use crate::context::{ServerOptions, variable};
use crate::failure::Failure;
use crate::rows::{OutputOptions, print_one, say};
use clap::Args;
use coeval_client::{ClientError, ClientErrorKind};
use coeval_proto::releases::v1::GetReleaseRequest;
use coeval_releases::{CURRENT, Feature, Release};
use serde_json::{Value, json};
use std::process::ExitCode;

/// Show the release of this program and of the server, and what the server lacks.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  coeval version
  coeval version --client
  coeval version -o json

A server of the release before works with this program. What it lacks is
listed, each with the release that has it.")]
pub struct VersionOptions {
    /// Only this program; no server is asked
    #[arg(long)]
    client: bool,
    #[command(flatten)]
    output: OutputOptions,
    #[command(flatten)]
    server: ServerOptions,
}

impl VersionOptions {
    /// Whether nobody said which server, and none is known.
    fn is_for_no_server(&self, failure: &Failure) -> bool {
        let said = self.server.server.is_some() || self.server.context.is_some();
        let said = said
            || variable("COEVAL_SERVER")
                .or(variable("COEVAL_CONTEXT"))
                .is_some();
        failure.code() == Some(coeval_codes::CONTEXT_UNKNOWN) && !said
    }
}

pub(crate) async fn run(options: VersionOptions) -> Result<ExitCode, Failure> {
    let server = if options.client {
        None
    } else {
        match server_release(&options.server).await {
            Ok(release) => Some(release),
            // Nobody has logged in yet: what is known is shown all the same.
            Err(failure) if options.is_for_no_server(&failure) => {
                say(
                    "no server is known: log in with `coeval login URL`, or give one with --server",
                );
                None
            }
            Err(failure) => {
                // What is known here is told, also if the server does not answer.
                say(&format!("client: {CURRENT}"));
                return Err(failure);
            }
        }
    };
    // A release that can't be read lacks nothing that could be named.
    let known = server.as_deref().and_then(|server| server.parse().ok());
    let lacking = known.map(lacking).unwrap_or_default();
    let needs = |feature: &Feature| format!("{} ({})", feature.what(), feature.since());
    let mut fields = vec![("client", CURRENT.to_string())];
    fields.extend(server.clone().map(|server| ("server", server)));
    fields.extend(
        lacking
            .iter()
            .map(|feature| ("server lacks", needs(feature))),
    );
    print_one(
        &options.output.output,
        "version",
        &fields,
        &described(server.as_deref(), &lacking),
    )?;
    Ok(ExitCode::SUCCESS)
}

/// Every answer says the release, also that of a server without the method, and 0.1.0 asks first who calls.
async fn server_release(server: &ServerOptions) -> Result<String, Failure> {
    let session = server.session()?;
    let mut releases = session.client.releases();
    match releases.get_release(GetReleaseRequest {}).await {
        Ok(answer) => Ok(answer.into_inner().release),
        Err(status) => {
            let error = ClientError::from(status);
            let known = session.client.server_release();
            let answered = [
                ClientErrorKind::Unimplemented,
                ClientErrorKind::Unauthenticated,
                ClientErrorKind::Denied,
            ];
            // A refusal tells the release as well as an answer does.
            match known.filter(|_| answered.contains(&error.kind())) {
                Some(release) => Ok(release),
                None => Err(error.into()),
            }
        }
    }
}

fn lacking(server: Release) -> Vec<Feature> {
    let all = Feature::ALL.iter().copied();
    all.filter(|feature| !feature.is_in(server)).collect()
}

fn described(server: Option<&str>, lacking: &[Feature]) -> Value {
    let lacks = lacking
        .iter()
        .map(|feature| json!({ "feature": feature.what(), "since": feature.since().to_string() }));
    let lacks: Vec<Value> = lacks.collect();
    json!({ "client": CURRENT.to_string(), "server": server, "serverLacks": lacks })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_of_this_release_lacks_nothing_and_an_older_one_what_came_later() {
        assert!(lacking(CURRENT).is_empty());
        let old = lacking(Release::new(0, 1, 0));
        assert!(old.contains(&Feature::ListDeprecations) && !old.contains(&Feature::Upsert));
    }
}
