//! What commands print as JSON, by running them.
//!
//! The binary serves an example to itself, on a free port of this machine and in a folder of its
//! own, and then the commands of [`scenario`] are run in their order. Every release is asked the
//! same, so what it prints can be compared path by path.

mod scenario;

use super::CommandFailure;
use super::process::{OwnedProcess, ProcessHome, text_of, wait_for};
use clap::Args;
use coeval_release_check::{CommandOutputs, print_outputs, types_by_path};
use scenario::{FILES, STEPS, ScenarioStep};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;

const READY: &str = "coeval ready on ";
const START_LIMIT: Duration = Duration::from_secs(60);
const STEP_LIMIT: Duration = Duration::from_secs(30);

/// Write what the commands of a binary print, as types by path
#[derive(Debug, Args)]
pub(crate) struct OutputsOptions {
    /// The binary of coeval to ask
    #[arg(long, value_name = "FILE")]
    binary: PathBuf,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

pub(crate) fn run(options: &OutputsOptions) -> Result<String, CommandFailure> {
    let outputs = collect_outputs(&options.binary.canonicalize()?)?;
    std::fs::write(&options.out, format!("{:#}\n", print_outputs(&outputs)))?;
    let paths: usize = outputs.values().map(std::collections::BTreeMap::len).sum();
    Ok(format!(
        "wrote {} outputs with {paths} paths to {}",
        outputs.len(),
        options.out.display()
    ))
}

/// Starts a server, runs everything, and stops the server.
pub(super) fn collect_outputs(binary: &Path) -> Result<CommandOutputs, CommandFailure> {
    let home = ProcessHome::new()?;
    for (name, text) in FILES {
        std::fs::write(home.path().join(name), text)?;
    }
    // With a name it lives until all steps are done; `_` alone would stop it at once.
    let _server = start_server(&home, binary)?;
    let mut outputs = CommandOutputs::new();
    for step in STEPS {
        let printed = run_step(&home, binary, step)?;
        if let Some(sample) = printed {
            outputs.insert(step.name(), types_by_path(&sample));
        }
    }
    Ok(outputs)
}

fn start_server(home: &ProcessHome, binary: &Path) -> Result<OwnedProcess, CommandFailure> {
    let data = home.path().join("data").display().to_string();
    let arguments = ["dev", "--listen", "127.0.0.1:0", "--data", &data];
    let mut server = home.start(binary, &arguments, "server")?;
    let ready = wait_for(START_LIMIT, || match text_of(&server.stdout) {
        Ok(text) if text.contains(READY) => Some(Ok(true)),
        Ok(_) if server.has_ended() => Some(Ok(false)),
        Ok(_) => None,
        Err(error) => Some(Err(error)),
    })?;
    if ready == Some(true) {
        return Ok(server);
    }
    let said = text_of(&server.stderr)?;
    let last: Vec<&str> = said.lines().rev().take(5).collect();
    Err(CommandFailure::new(format!(
        "the server did not start: {}",
        last.into_iter().rev().collect::<Vec<_>>().join("\n")
    )))
}

/// What it printed, if that is to be kept.
fn run_step(
    home: &ProcessHome,
    binary: &Path,
    step: &ScenarioStep,
) -> Result<Option<Value>, CommandFailure> {
    let arguments = step.arguments();
    let said = home.run(binary, &arguments, STEP_LIMIT)?;
    let fail = |why: &str| {
        let (name, stderr) = (step.name(), said.stderr.trim());
        CommandFailure::new(format!("{name}: {why}\n{stderr}"))
    };
    if !said.success && !step.may_fail {
        return Err(fail("it failed"));
    }
    if step.format.is_empty() {
        return Ok(None);
    }
    let values = serde_json::Deserializer::from_str(&said.stdout).into_iter::<Value>();
    let values = values.collect::<Result<Vec<_>, _>>();
    let values = values.map_err(|error| fail(&format!("it printed no JSON: {error}")))?;
    let mut values = values.into_iter();
    match (values.next(), values.next()) {
        (Some(only), None) => Ok(Some(only)),
        _ => Err(fail("it did not print one JSON document")),
    }
}
