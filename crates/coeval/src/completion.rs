//! `coeval completion`, and what shells ask of the binary while somebody types: it completes itself.

use clap::{Args, Command};
use clap_complete::CompleteEnv;
use clap_complete::env::{Bash, Elvish, EnvCompleter, Fish, Powershell, Zsh};
use coeval_cli::Failure;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

/// The environment variable by which a shell says that it asks.
const ASKING: &str = "COEVAL_COMPLETE";

/// Print what makes a shell complete commands, kinds and names.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  coeval completion bash > ~/.local/share/bash-completion/completions/coeval
  coeval completion zsh >> ~/.zshrc
  coeval completion fish > ~/.config/fish/completions/coeval.fish

For this shell only: source <(coeval completion bash)

Kinds, names, versions and contexts are completed too: the shell asks the binary,
and that asks the server of your context. A server that does not answer within a
second is not waited for.")]
pub(crate) struct CompletionOptions {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: CompletionShell,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum CompletionShell {
    Bash,
    Elvish,
    Fish,
    Powershell,
    Zsh,
}

impl CompletionShell {
    const fn completer(self) -> &'static dyn EnvCompleter {
        match self {
            Self::Bash => &Bash,
            Self::Elvish => &Elvish,
            Self::Fish => &Fish,
            Self::Powershell => &Powershell,
            Self::Zsh => &Zsh,
        }
    }
}

/// Answers a shell that asks, and ends; returns if none does.
pub(crate) fn answer_a_shell(command: fn() -> Command) {
    if std::env::var_os(ASKING).is_some() {
        CompleteEnv::with_factory(command).var(ASKING).complete();
    }
}

pub(crate) fn run(options: &CompletionOptions) -> Result<(), Failure> {
    let mut script = Vec::new();
    let completer = options.shell.completer();
    // Into memory first: a pipe that is closed half-way is told from a script that can't be made.
    let written = completer.write_registration(ASKING, "coeval", "coeval", &myself(), &mut script);
    let written = written.and_then(|()| std::io::stdout().write_all(&script));
    match written {
        // A reader that closed the pipe has seen enough.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::internal(format!("can't write to stdout: {error}")))
        }
        _ => Ok(()),
    }
}

/// How the script calls this binary: as it was called, and from everywhere.
fn myself() -> String {
    let called = std::env::args_os().next().unwrap_or_default();
    let path = Path::new(&called);
    match path.components().count() {
        0 => "coeval".to_owned(),
        1 => path.display().to_string(),
        _ => {
            let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
            path.display().to_string()
        }
    }
}
