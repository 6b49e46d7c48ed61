//! Somebody's editor on a file.

use std::io::IsTerminal as _;
use std::path::Path;
use std::process::Command;

/// What is started where nothing is said.
const USUAL: &str = "vi";

/// Opens the file and waits until the editor has ended.
///
/// # Errors
/// Why it can't be said that somebody has edited it.
pub(super) async fn edit(path: &Path) -> Result<(), String> {
    // In the usual order. An empty variable counts as not set.
    let said = ["VISUAL", "EDITOR"].into_iter().find_map(|name| {
        let value = std::env::var(name).ok()?;
        (!value.trim().is_empty()).then_some(value)
    });
    let editor =
        match said {
            Some(said) => said,
            None if std::io::stdin().is_terminal() => USUAL.to_owned(),
            None => return Err(
                "there is no terminal, and neither VISUAL nor EDITOR says what else to edit with"
                    .to_owned(),
            ),
        };
    let mut command = Command::new("sh");
    // The variable may have arguments; the path is never read by the shell.
    command.arg("-c").arg(format!("{editor} \"$1\""));
    command.arg("coeval-edit").arg(path);
    let (ended, end) = tokio::sync::oneshot::channel();
    // A thread of its own, so that Ctrl-C can be waited for meanwhile.
    std::thread::spawn(move || {
        let _ = ended.send(command.status());
    });
    let mut end = std::pin::pin!(end);
    let status = loop {
        // Ctrl-C is for the editor: this process waits on.
        tokio::select! {
            status = &mut end => break status,
            _ = tokio::signal::ctrl_c() => {}
        }
    };
    match status {
        Ok(Ok(status)) if status.success() => Ok(()),
        // An editor that fails may have saved something, so its file is kept.
        Ok(Ok(status)) => Err(format!("the editor `{editor}` ended with {status}")),
        Ok(Err(error)) => Err(format!("the editor `{editor}` can't be started: {error}")),
        Err(_) => Err(format!("the editor `{editor}` was lost")),
    }
}
