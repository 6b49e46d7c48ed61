//! The source files of a crate, each with the module that it is, found as the compiler finds them:
//! from the roots of its targets along `mod` items. So a file that only tests compile is known.

use super::ShapeError;
use super::crates::entries;
use proc_macro2::TokenStream;
use std::path::{Path, PathBuf};
use syn::{Attribute, Item};

/// A parsed file.
pub(super) struct SourceFile {
    /// The target, then the names of modules: `["lib", "write", "steps"]`.
    pub(super) module: Vec<String>,
    pub(super) text: String,
    pub(super) tokens: TokenStream,
    pub(super) syntax: syn::File,
    /// Whether only tests compile it.
    pub(super) is_test: bool,
}

/// All files of the crate in this folder.
pub(super) fn read_crate(folder: &Path) -> Result<Vec<SourceFile>, ShapeError> {
    let mut files = Vec::new();
    let source = folder.join("src");
    let mut roots = vec![source.join("lib.rs"), source.join("main.rs")];
    for path in entries(&source.join("bin"))? {
        roots.push(if path.is_dir() {
            path.join("main.rs")
        } else {
            path
        });
    }
    for root in roots.iter().filter(|root| root.is_file()) {
        read_module(
            root,
            vec![target_name(root)],
            root_folder(root),
            false,
            &mut files,
        )?;
    }
    for tests in ["tests", "benches"] {
        read_folder(&folder.join(tests), &mut files)?;
    }
    Ok(files)
}

/// Files of test targets: modules shared by `#[path]` would be met many times along `mod` items,
/// and which module they are matters to nobody.
fn read_folder(folder: &Path, files: &mut Vec<SourceFile>) -> Result<(), ShapeError> {
    for path in entries(folder)? {
        if path.is_dir() {
            read_folder(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(read_file(&path, vec![target_name(&path)], true)?);
        }
    }
    Ok(())
}

fn read_module(
    path: &Path,
    module: Vec<String>,
    children: PathBuf,
    is_test: bool,
    files: &mut Vec<SourceFile>,
) -> Result<(), ShapeError> {
    let file = read_file(path, module.clone(), is_test)?;
    let beside = path.parent().unwrap_or(Path::new("")).to_owned();
    let mut declared = Vec::new();
    declared_files(
        &file.syntax.items,
        &children,
        &beside,
        &[],
        is_test,
        &mut declared,
    );
    files.push(file);
    for child in declared {
        // A file that does not exist may be generated, or of another platform.
        let found = child.candidates.iter().find(|path| path.is_file());
        let Some(found) = found else { continue };
        let mut names = module.clone();
        names.extend(child.names);
        // Where its own modules are: beside a `mod.rs` or a redirected file, else in its folder.
        let below = if found.ends_with("mod.rs") || child.is_redirected {
            found.parent().unwrap_or(Path::new("")).to_owned()
        } else {
            found.with_extension("")
        };
        read_module(found, names, below, child.is_test, files)?;
    }
    Ok(())
}

/// A `mod name;` and where its file may be.
struct DeclaredFile {
    names: Vec<String>,
    candidates: Vec<PathBuf>,
    is_redirected: bool,
    is_test: bool,
}

fn declared_files(
    items: &[Item],
    children: &Path,
    beside: &Path,
    outer: &[String],
    is_test: bool,
    found: &mut Vec<DeclaredFile>,
) {
    for item in items {
        let Item::Mod(module) = item else { continue };
        let is_test = is_test || is_for_tests(&module.attrs);
        let name = module.ident.to_string();
        let mut names = outer.to_vec();
        names.push(name.clone());
        if let Some((_, items)) = &module.content {
            let inside = children.join(&name);
            declared_files(items, &inside, &inside, &names, is_test, found);
            continue;
        }
        let redirected = redirected_to(&module.attrs);
        let candidates = match &redirected {
            Some(path) => vec![beside.join(path)],
            None => vec![
                children.join(format!("{name}.rs")),
                children.join(&name).join("mod.rs"),
            ],
        };
        found.push(DeclaredFile {
            names,
            candidates,
            is_redirected: redirected.is_some(),
            is_test,
        });
    }
}

fn read_file(path: &Path, module: Vec<String>, is_test: bool) -> Result<SourceFile, ShapeError> {
    let text = std::fs::read_to_string(path).map_err(|error| ShapeError::Unreadable {
        path: path.to_owned(),
        error,
    })?;
    let syntax_error = |reason: String| ShapeError::Syntax {
        path: path.to_owned(),
        reason,
    };
    let tokens: TokenStream = text
        .parse()
        .map_err(|error: proc_macro2::LexError| syntax_error(error.to_string()))?;
    let syntax =
        syn::parse2(tokens.clone()).map_err(|error: syn::Error| syntax_error(error.to_string()))?;
    Ok(SourceFile {
        module,
        text,
        tokens,
        syntax,
        is_test,
    })
}

fn target_name(root: &Path) -> String {
    let stem = root.file_stem().and_then(|stem| stem.to_str());
    stem.unwrap_or_default().to_owned()
}

fn root_folder(root: &Path) -> PathBuf {
    root.parent().unwrap_or(Path::new("")).to_owned()
}

fn redirected_to(attributes: &[Attribute]) -> Option<String> {
    attributes.iter().find_map(|attribute| {
        let pair = attribute.meta.require_name_value().ok()?;
        match &pair.value {
            syn::Expr::Lit(literal) if pair.path.is_ident("path") => match &literal.lit {
                syn::Lit::Str(text) => Some(text.value()),
                _ => None,
            },
            _ => None,
        }
    })
}

/// Whether an item is compiled for tests only: `#[cfg(test)]`, `#[test]`, `#[tokio::test]`.
pub(super) fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let path = attribute.path();
        if !path.is_ident("cfg") {
            // `#[test]` and its kin, whatever stands before the last name.
            return path
                .segments
                .last()
                .is_some_and(|last| last.ident == "test");
        }
        let Ok(list) = attribute.meta.require_list() else {
            return false;
        };
        // By its text, since `not(test)` must not count.
        let condition = list.tokens.to_string();
        condition == "test"
            || condition.starts_with("all (test")
            || condition.starts_with("all(test")
    })
}

/// The attributes of an item of any kind that can be for tests only.
pub(super) fn attributes_of(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::TraitAlias(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        // syn's enum is not exhaustive
        _ => &[],
    }
}
