//! Collects the pages of `docs/errors/`, so that `coeval errors` can show them anywhere.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut pages = Vec::new();
    for entry in fs::read_dir(&root)? {
        let path = entry?.path();
        if let Some(code) = code_of(&path) {
            println!("cargo::rerun-if-changed={}", path.display());
            pages.push((code, path.canonicalize()?));
        }
    }
    pages.sort();
    let mut table = String::from("&[\n");
    for (code, path) in pages {
        let _ = writeln!(table, "    ({code:?}, include_str!({path:?})),");
    }
    table.push(']');
    let out: PathBuf = env::var_os("OUT_DIR").unwrap_or_default().into();
    fs::write(out.join("pages.rs"), table)
}

fn code_of(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let code = name.strip_suffix(".md")?;
    code.starts_with("COEVAL-").then(|| code.to_owned())
}
