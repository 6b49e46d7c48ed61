//! The folder of a release, as `coeval surface` writes it and `releases/` keeps it.

use super::{
    DocumentProblem, ReadError, read_commands, read_descriptors, read_errors, read_kind_version,
    read_levels, read_metrics, read_openapi, read_outputs,
};
use crate::model::{ApiStyle, CatalogItem, KeptRelease, ReleaseSurface};
use coeval_releases::Release;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

type ItemReader = fn(&Value) -> Result<Vec<CatalogItem>, DocumentProblem>;

/// All of it. What commands print may be missing: it is no part of what `coeval surface` writes.
pub fn read_surface(folder: &Path) -> Result<ReleaseSurface, ReadError> {
    let json = |name: &str| read_with(&folder.join(name), parse_json);
    let openapi = |style: ApiStyle, name: &str| {
        let document = json(name)?;
        located(&folder.join(name), read_openapi(style, &document))
    };
    let apis = vec![
        openapi(ApiStyle::Webapi, "webapi.json")?,
        openapi(ApiStyle::Cloudapi, "cloudapi.json")?,
        read_with(&folder.join("descriptors.bin"), read_descriptors)?,
    ];
    let mut items = Vec::new();
    let tables: [(&str, ItemReader); 4] = [
        ("errors.json", read_errors),
        ("commands.json", read_commands),
        ("metrics.json", read_metrics),
        ("levels.json", read_levels),
    ];
    for (name, read) in tables {
        items.extend(located(&folder.join(name), read(&json(name)?))?);
    }
    items.extend(kinds(&folder.join("kinds"))?);
    let outputs = folder.join("outputs.json");
    let outputs = if outputs.exists() {
        Some(located(&outputs, read_outputs(&json("outputs.json")?))?)
    } else {
        None
    };
    Ok(ReleaseSurface {
        release: read_with(&folder.join("release"), parse_release)?,
        apis,
        catalog: catalog_by_key(items),
        outputs,
    })
}

/// Those in the folder, the newest first.
pub fn read_kept_releases(releases: &Path) -> Result<Vec<KeptRelease>, ReadError> {
    let mut all = Vec::new();
    for folder in listed(releases)?.into_iter().filter(|path| path.is_dir()) {
        let name = folder.file_name().and_then(|name| name.to_str());
        // A folder that is being written has another name until it is whole.
        let Some(release) = name.and_then(|name| name.parse::<Release>().ok()) else {
            continue;
        };
        let surface = read_surface(&folder)?;
        // Without one of them a rule would be off, and nobody would know.
        for name in ["COMMIT", "outputs.json"] {
            read_with(&folder.join(name), |_| Ok(()))?;
        }
        // A folder under a wrong name would be compared as another release.
        if surface.release != release {
            let problem = format!("it says {}", surface.release);
            return located(&folder.join("release"), Err(DocumentProblem::new(problem)));
        }
        all.push(KeptRelease { surface });
    }
    all.sort_by_key(|kept| std::cmp::Reverse(kept.release()));
    Ok(all)
}

/// By what an item is found again: a flag that becomes a setting is still that flag.
#[must_use]
pub fn catalog_by_key(items: Vec<CatalogItem>) -> BTreeMap<String, CatalogItem> {
    use crate::model::CatalogKind::{Command, ErrorCode, KindVersion, Level, Metric, Setting};
    let key = |item: &CatalogItem| match item.kind {
        Command | Setting => item.name.clone(),
        ErrorCode => format!("code {}", item.name),
        Metric => format!("metric {}", item.name),
        KindVersion => format!("kind {}", item.name),
        Level => format!("level {}", item.name),
    };
    items.into_iter().map(|item| (key(&item), item)).collect()
}

fn kinds(folder: &Path) -> Result<Vec<CatalogItem>, ReadError> {
    let mut all = Vec::new();
    for file in listed(folder)? {
        all.push(read_with(&file, |bytes| {
            let text = std::str::from_utf8(bytes);
            let text = text.map_err(|error| DocumentProblem::new(error.to_string()))?;
            read_kind_version(text)
        })?);
    }
    // Without any there would be nothing to compare, and nobody would know.
    if all.is_empty() {
        return located(folder, Err(DocumentProblem::new("it has no type files")));
    }
    Ok(all)
}

fn parse_json(bytes: &[u8]) -> Result<Value, DocumentProblem> {
    serde_json::from_slice(bytes).map_err(|error| DocumentProblem::new(format!("no JSON: {error}")))
}

fn parse_release(bytes: &[u8]) -> Result<Release, DocumentProblem> {
    let text = String::from_utf8_lossy(bytes);
    let parsed = text.trim().parse::<Release>();
    parsed.map_err(|error| DocumentProblem::new(error.to_string()))
}

fn unreadable(file: &Path) -> impl FnOnce(std::io::Error) -> ReadError {
    let file = file.to_owned();
    move |source| ReadError::Unreadable { file, source }
}

fn located<T>(file: &Path, read: Result<T, DocumentProblem>) -> Result<T, ReadError> {
    read.map_err(|problem| ReadError::Invalid {
        file: file.to_owned(),
        problem,
    })
}

fn read_with<T>(
    file: &Path,
    read: impl FnOnce(&[u8]) -> Result<T, DocumentProblem>,
) -> Result<T, ReadError> {
    let bytes = std::fs::read(file).map_err(unreadable(file))?;
    located(file, read(&bytes))
}

/// What is in a folder, in order.
fn listed(folder: &Path) -> Result<Vec<PathBuf>, ReadError> {
    let entries = std::fs::read_dir(folder).map_err(unreadable(folder))?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = paths
        .collect::<Result<Vec<_>, _>>()
        .map_err(unreadable(folder))?;
    // In order, so that every run tells the same.
    paths.sort();
    Ok(paths)
}
