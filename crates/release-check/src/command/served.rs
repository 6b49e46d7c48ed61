//! What a binary serves.

use super::CommandFailure;
use super::outputs::collect_outputs;
use super::process::ProcessHome;
use coeval_release_check::{ReleaseSurface, print_outputs, read_surface};
use std::path::{Path, PathBuf};
use std::time::Duration;

const SURFACE_LIMIT: Duration = Duration::from_secs(60);

/// A folder with all files of a release, and what they say.
pub(super) struct ServedFiles {
    /// Keeps the folder until all is read.
    home: ProcessHome,
    pub(super) surface: ReleaseSurface,
}

impl ServedFiles {
    pub(super) fn folder(&self) -> PathBuf {
        self.home.path().join("surface")
    }
}

/// Asks the binary; `outputs` says whether its commands are run too, which takes a server.
pub(super) fn ask_binary(binary: &Path, outputs: bool) -> Result<ServedFiles, CommandFailure> {
    // An absolute path: the binary is run in a folder of its own.
    let binary = binary.canonicalize().map_err(|error| {
        CommandFailure::new(format!("{} can't be run: {error}", binary.display()))
    })?;
    let home = ProcessHome::new()?;
    let folder = home.path().join("surface");
    let target = folder.display().to_string();
    let said = home.run(&binary, &["surface", "--out", &target], SURFACE_LIMIT)?;
    if !said.success {
        return Err(CommandFailure::new(format!(
            "{} surface failed: {}",
            binary.display(),
            said.stderr.trim()
        )));
    }
    let surface = read_surface(&folder)?;
    let mut served = ServedFiles { home, surface };
    if outputs {
        let outputs = collect_outputs(&binary)?;
        let text = format!("{:#}\n", print_outputs(&outputs));
        std::fs::write(served.folder().join("outputs.json"), text)?;
        served.surface.outputs = Some(outputs);
    }
    Ok(served)
}
