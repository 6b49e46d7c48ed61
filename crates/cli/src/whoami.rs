//! `coeval whoami`.

use crate::context::ServerOptions;
use crate::failure::Failure;
use crate::output::{
    OutputFormat, OutputOptions, OutputShape, Printable, Printer, TableCell, check_written, moment,
};
use clap::Args;
use coeval_proto::access::v1::WhoAmIRequest;
use jiff::Timestamp;
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::ExitCode;

/// Say who you are, where, and what you may do.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  coeval whoami
  coeval whoami -o json
  coeval whoami -o jsonpath='{.organization}'")]
pub struct WhoamiOptions {
    #[command(flatten)]
    output: OutputOptions,
    #[command(flatten)]
    server: ServerOptions,
}

struct CallerSummary {
    user: String,
    organization: String,
    provider: bool,
    roles: Vec<String>,
    server: String,
    release: String,
    context: Option<String>,
    expires: Option<Timestamp>,
}

impl CallerSummary {
    fn lines(&self) -> Vec<(&'static str, String)> {
        let provider = if self.provider { " (the provider)" } else { "" };
        let release = match self.release.as_str() {
            "" => String::new(),
            release => format!(" (release {release})"),
        };
        let mut lines = vec![
            ("user", self.user.clone()),
            ("organization", format!("{}{provider}", self.organization)),
            ("roles", self.roles.join(", ")),
            ("server", format!("{}{release}", self.server)),
        ];
        lines.extend(self.context.clone().map(|context| ("context", context)));
        lines.extend(self.expires.map(|at| ("until", moment(at))));
        lines
    }
}

impl Printable for CallerSummary {
    fn heads(_: bool) -> Vec<&'static str> {
        vec!["USER", "ORGANIZATION", "ROLES", "SERVER"]
    }

    fn row(&self, _: bool) -> Vec<TableCell> {
        let roles = self.roles.join(", ");
        let row = [&self.user, &self.organization, &roles, &self.server];
        row.map(TableCell::new).into()
    }

    fn name(&self) -> String {
        format!("{}@{}", self.user, self.organization)
    }

    fn value(&self) -> Result<Value, serde_json::Error> {
        Ok(json!({
            "user": self.user,
            "organization": self.organization,
            "provider": self.provider,
            "roles": self.roles,
            "server": self.server,
            "release": self.release,
            "context": self.context,
            "expires": self.expires,
        }))
    }
}

pub(crate) async fn run(options: WhoamiOptions) -> Result<ExitCode, Failure> {
    let session = options.server.session()?;
    let answer = session.client.access().who_am_i(WhoAmIRequest {}).await;
    let answer = answer
        .map_err(coeval_client::ClientError::from)?
        .into_inner();
    let me = CallerSummary {
        user: answer.user.unwrap_or_default().name,
        organization: answer.organization.unwrap_or_default().name,
        provider: answer.provider,
        roles: answer.roles.into_iter().map(|role| role.name).collect(),
        server: session.client.url().to_owned(),
        release: session.client.server_release().unwrap_or_default(),
        context: session.context,
        expires: session.expires,
    };
    // The default is for people; everything else goes the way of all outputs.
    if options.output.output == OutputFormat::Table {
        let mut text = String::new();
        for (what, value) in me.lines() {
            let what = format!("{what}:");
            text.push_str(&format!(
                "{what:14}{}\n",
                crate::columns::single_line(&value)
            ));
        }
        check_written(std::io::stdout().write_all(text.as_bytes()))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut printer = Printer::new(&options.output, OutputShape::One);
    printer.print(&me)?;
    printer.finish()?;
    Ok(ExitCode::SUCCESS)
}
