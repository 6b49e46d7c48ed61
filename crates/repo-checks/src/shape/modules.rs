//! Which module of a crate names which other one.

use super::sources::{SourceFile, attributes_of, is_for_tests};
use proc_macro2::{TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use syn::visit::Visit;
use syn::{Item, UseTree};

/// The names of modules from the root of a target.
pub(super) type ModulePath = Vec<String>;

/// How often a name may lead to another name before it counts as unresolved.
const MOST_HOPS: usize = 8;

/// The modules of a crate and the paths between them; tests are not in it.
#[derive(Default)]
pub(super) struct ModuleGraph {
    pub(super) modules: BTreeSet<ModulePath>,
    /// From the module that names to the module that is named.
    pub(super) edges: BTreeSet<(ModulePath, ModulePath)>,
    /// What a module imports: its name there, and the path as written, made absolute.
    imports: BTreeMap<(ModulePath, String), ModulePath>,
}

impl ModuleGraph {
    pub(super) fn of(files: &[SourceFile]) -> Self {
        let mut graph = Self::default();
        let product: Vec<_> = files.iter().filter(|file| !file.is_test).collect();
        // In passes: a path is resolved by modules and imports, and all of them must be known.
        for file in &product {
            graph.add_modules(&file.module, &file.syntax.items);
        }
        for file in &product {
            graph.add_imports(&file.module, &file.syntax.items);
        }
        let mut named = Vec::new();
        for file in &product {
            let mut visitor = PathVisitor {
                module: file.module.clone(),
                named: &mut named,
            };
            visitor.visit_file(&file.syntax);
        }
        for (from, path) in named {
            if let Some(path) = graph.absolute(&from, &path)
                && let Some(to) = graph.module_of(path)
                && to != from
            {
                graph.edges.insert((from, to));
            }
        }
        graph
    }

    fn add_modules(&mut self, module: &[String], items: &[Item]) {
        self.modules.insert(module.to_vec());
        for (inner, items) in inline_modules(module, items) {
            self.add_modules(&inner, items);
        }
    }

    fn add_imports(&mut self, module: &[String], items: &[Item]) {
        for item in items {
            if let Item::Use(item) = item
                && !is_for_tests(&item.attrs)
            {
                for (name, path) in written_paths(&item.tree) {
                    if let Some(path) = self.absolute(module, &path) {
                        self.imports.insert((module.to_vec(), name), path);
                    }
                }
            }
        }
        for (inner, items) in inline_modules(module, items) {
            self.add_imports(&inner, items);
        }
    }

    /// A path as it is from the root, if it is one of this crate.
    fn absolute(&self, module: &[String], path: &[String]) -> Option<ModulePath> {
        let (first, rest) = path.split_first()?;
        let mut base: ModulePath = match first.as_str() {
            "crate" => module.first().cloned().into_iter().collect(),
            "self" => module.to_vec(),
            "super" => parent(module)?.to_vec(),
            name => {
                let mut child = module.to_vec();
                child.push(name.to_owned());
                self.modules.contains(&child).then_some(child)?
            }
        };
        for segment in rest {
            if segment == "super" {
                base.pop();
            } else {
                base.push(segment.clone());
            }
        }
        Some(base)
    }

    /// The module that a path leads to, through re-exports.
    fn module_of(&self, mut path: ModulePath) -> Option<ModulePath> {
        // Re-exports may lead in circles.
        for _ in 0..MOST_HOPS {
            // The longest prefix that is a module; what follows is an item in it.
            let known = (1..=path.len())
                .rev()
                .find_map(|length| {
                    path.get(..length)
                        .filter(|&prefix| self.modules.contains(prefix))
                })?
                .to_vec();
            let Some(name) = path.get(known.len()) else {
                return Some(known);
            };
            let Some(leads_to) = self.imports.get(&(known.clone(), name.clone())) else {
                return Some(known);
            };
            let after = path.get(known.len() + 1..).unwrap_or_default();
            let next: ModulePath = leads_to.iter().chain(after).cloned().collect();
            if next == path {
                return Some(known);
            }
            path = next;
        }
        None
    }
}

pub(super) fn parent(module: &[String]) -> Option<&[String]> {
    module.split_last().map(|(_, parent)| parent)
}

fn inline_modules<'a>(
    module: &[String],
    items: &'a [Item],
) -> impl Iterator<Item = (ModulePath, &'a [Item])> {
    items.iter().filter_map(move |item| match item {
        Item::Mod(inner) if !is_for_tests(&inner.attrs) => {
            let (_, items) = inner.content.as_ref()?;
            let mut path = module.to_vec();
            path.push(inner.ident.to_string());
            Some((path, items.as_slice()))
        }
        _ => None,
    })
}

/// Every path of a `use`, with the name that it gets.
fn written_paths(tree: &UseTree) -> Vec<(String, Vec<String>)> {
    match tree {
        UseTree::Path(path) => {
            let first = path.ident.to_string();
            let below = written_paths(&path.tree).into_iter();
            below
                .map(|(name, rest)| {
                    // `use a::{self}` gives `a` the name `a`
                    let is_itself = name == "self" && rest == ["self"];
                    let rest = if is_itself { Vec::new() } else { rest };
                    let name = if is_itself { first.clone() } else { name };
                    (name, std::iter::once(first.clone()).chain(rest).collect())
                })
                .collect()
        }
        UseTree::Name(name) => vec![(name.ident.to_string(), vec![name.ident.to_string()])],
        UseTree::Rename(name) => vec![(name.rename.to_string(), vec![name.ident.to_string()])],
        UseTree::Glob(_) => vec![("*".to_owned(), Vec::new())],
        UseTree::Group(group) => group.items.iter().flat_map(written_paths).collect(),
    }
}

/// Collects paths that begin with `crate`, `self` or `super`, with the module that they are in.
struct PathVisitor<'a> {
    module: ModulePath,
    named: &'a mut Vec<(ModulePath, Vec<String>)>,
}

impl PathVisitor<'_> {
    fn add(&mut self, path: Vec<String>) {
        // Other paths begin with an imported name, and the import was counted.
        let first = path.first().map(String::as_str);
        if matches!(first, Some("crate" | "self" | "super")) {
            self.named.push((self.module.clone(), path));
        }
    }

    /// Inside of macros there are only tokens: `crate :: name :: name`.
    fn add_from_tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(name) if colons == 2 => path.push(name.to_string()),
                TokenTree::Ident(name) => {
                    self.add(std::mem::take(&mut path));
                    path.push(name.to_string());
                }
                // Two colons in a row join names; anything else ends the path.
                TokenTree::Punct(mark) if mark.as_char() == ':' => {
                    colons += 1;
                    continue;
                }
                TokenTree::Group(group) => {
                    self.add(std::mem::take(&mut path));
                    self.add_from_tokens(group.stream());
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => self.add(std::mem::take(&mut path)),
            }
            colons = 0;
        }
        self.add(path);
    }
}

impl<'ast> Visit<'ast> for PathVisitor<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_for_tests(attributes_of(item)) {
            syn::visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        self.module.push(module.ident.to_string());
        syn::visit::visit_item_mod(self, module);
        self.module.pop();
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        for (_, path) in written_paths(&item.tree) {
            self.add(path);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names = path
            .segments
            .iter()
            .map(|segment| segment.ident.to_string());
        self.add(names.collect());
        syn::visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        self.add_from_tokens(called.tokens.clone());
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail")]

    use super::*;

    fn file(module: &[&str], text: &str) -> SourceFile {
        let tokens: TokenStream = text.parse().unwrap();
        SourceFile {
            module: module.iter().map(ToString::to_string).collect(),
            text: text.to_owned(),
            syntax: syn::parse2(tokens.clone()).unwrap(),
            tokens,
            is_test: false,
        }
    }

    fn edges(files: &[SourceFile]) -> Vec<String> {
        let graph = ModuleGraph::of(files);
        let edges = graph.edges.iter();
        edges
            .map(|(from, to)| format!("{} -> {}", from.join("::"), to.join("::")))
            .collect()
    }

    #[test]
    fn a_path_leads_to_the_module_that_a_re_export_comes_from() {
        let root = file(&["lib"], "mod a; mod b; pub use a::Thing;");
        let a = file(&["lib", "a"], "pub struct Thing;");
        let b = file(&["lib", "b"], "use crate::Thing;");
        assert_eq!(edges(&[root, a, b]), ["lib::b -> lib::a"]);
    }

    #[test]
    fn paths_in_expressions_types_and_macros_count_and_those_of_tests_do_not() {
        let root = file(&["lib"], "mod a; mod b; mod c; mod d; mod e;");
        let others = ["a", "b", "c", "e"].map(|name| file(&["lib", name], ""));
        let text = "fn f() -> super::a::T { crate::b::g(); println!(\"{}\", crate::c::X); }
            #[cfg(test)] mod tests { use crate::e::Y; }";
        let mut files = vec![root, file(&["lib", "d"], text)];
        files.extend(others);
        let expected = ["lib::d -> lib::a", "lib::d -> lib::b", "lib::d -> lib::c"];
        assert_eq!(edges(&files), expected);
    }

    #[test]
    fn groups_and_nested_modules_are_understood() {
        let root = file(&["lib"], "mod a; mod b;");
        let a = file(&["lib", "a"], "pub mod deep { pub struct T; }");
        let b = file(&["lib", "b"], "use crate::{a::{self, deep::T}};");
        let expected = ["lib::b -> lib::a", "lib::b -> lib::a::deep"];
        assert_eq!(edges(&[root, a, b]), expected);
    }
}
