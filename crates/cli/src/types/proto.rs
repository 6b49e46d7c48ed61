//! `coeval type proto`: the `.proto` files of typed services, from type files or from a server.

mod made;
mod served;

use super::explain::print;
use crate::context::ClientSession;
use crate::failure::Failure;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// A file of a package.
#[derive(Debug, PartialEq, Eq)]
struct ProtoFile {
    /// `acme/app/v1/app.proto`
    path: String,
    text: String,
}

/// What all packages import; they don't compile without it.
const HEADER: &str = "coeval/header/v1/header.proto";

/// With a session the names are those of types there, else those of files.
pub(super) async fn run(
    what: &[PathBuf],
    out: Option<&Path>,
    session: Option<&ClientSession>,
) -> Result<(), Failure> {
    let mut files = match session {
        // The files decide the numbers of fields by their order; a server knows the ones that it
        // gave.
        None => made::of_files(what)?,
        Some(session) => served::of_server(what, session, out.is_some()).await?,
    };
    let Some(out) = out else {
        return print(&printed(&files));
    };
    if session.is_none() {
        files.extend(own_header());
    }
    for file in &files {
        write(out, file)?;
        eprintln!("wrote {}", out.join(&file.path).display());
    }
    Ok(())
}

/// Whether all are names of types rather than files: `acme:app` or `app`, and no such file is there.
pub(super) fn are_types(what: &[PathBuf]) -> bool {
    let is_type = |path: &PathBuf| {
        let name = path.to_str().unwrap_or_default();
        let parts: Vec<_> = name.split(':').collect();
        let named = match parts.as_slice() {
            [vendor, nss] => !vendor.is_empty() && !nss.is_empty(),
            // A file has an ending, or a folder before it; - is stdin.
            [nss] => !nss.is_empty() && *nss != "-" && !nss.contains(['.', '/']),
            _ => false,
        };
        named && !path.exists()
    };
    what.iter().all(is_type)
}

fn own_header() -> Option<ProtoFile> {
    let sources = coeval_proto::SOURCES.iter();
    let mut found = sources.filter(|(path, _)| *path == HEADER);
    found.next().map(|(path, text)| ProtoFile {
        path: (*path).to_owned(),
        text: (*text).to_owned(),
    })
}

/// One file as it is; several with a line before each that says which it is.
fn printed(files: &[ProtoFile]) -> String {
    match files {
        [only] => only.text.clone(),
        files => {
            let each = files.iter();
            let each = each.map(|file| format!("// file: {}\n{}", file.path, file.text));
            each.collect::<Vec<_>>().join("\n")
        }
    }
}

fn write(out: &Path, file: &ProtoFile) -> Result<(), Failure> {
    let failed = |path: &Path, error: std::io::Error| {
        let failure = Failure::internal(format!("can't write {}: {error}", path.display()));
        failure.with_advice("Check the path, the permissions and the free space.")
    };
    // A server's word is no reason to write elsewhere.
    let inside = |part: Component<'_>| matches!(part, Component::Normal(_));
    if !Path::new(&file.path).components().all(inside) {
        let message = format!("{:?} is no path for a .proto file", file.path);
        return Err(Failure::refused(message, "Ask a server that you trust."));
    }
    let path = out.join(&file.path);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
    }
    fs::write(&path, &file.text).map_err(|error| failed(&path, error))
}
