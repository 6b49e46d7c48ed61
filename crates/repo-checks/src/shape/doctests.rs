//! Examples in the documentation of public items that are compiled and executed.

use super::sources::{attributes_of, is_for_tests};
use syn::visit::Visit;
use syn::{Attribute, Expr, ImplItem, Item, Lit, Meta, TraitItem, Visibility};

/// Words after the opening fence that leave it a test that runs.
const RUNNING: &[&str] = &["", "rust", "should_panic", "edition2021", "edition2024"];

/// How many there are in a file.
pub(super) fn count_doctests(file: &syn::File) -> usize {
    let mut visitor = DocVisitor {
        count: blocks_that_run(&file.attrs),
    };
    visitor.visit_file(file);
    visitor.count
}

struct DocVisitor {
    count: usize,
}

impl<'ast> Visit<'ast> for DocVisitor {
    fn visit_item(&mut self, item: &'ast Item) {
        if is_for_tests(attributes_of(item)) {
            return;
        }
        if is_public_item(item) {
            self.count += blocks_that_run(attributes_of(item));
        }
        syn::visit::visit_item(self, item);
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        if let ImplItem::Fn(method) = item
            && is_public(&method.vis)
        {
            self.count += blocks_that_run(&method.attrs);
        }
    }

    fn visit_trait_item(&mut self, item: &'ast TraitItem) {
        if let TraitItem::Fn(method) = item {
            self.count += blocks_that_run(&method.attrs);
        }
    }

    fn visit_field(&mut self, field: &'ast syn::Field) {
        if is_public(&field.vis) {
            self.count += blocks_that_run(&field.attrs);
        }
    }

    fn visit_variant(&mut self, variant: &'ast syn::Variant) {
        self.count += blocks_that_run(&variant.attrs);
    }
}

fn is_public_item(item: &Item) -> bool {
    match item {
        Item::Const(item) => is_public(&item.vis),
        Item::Enum(item) => is_public(&item.vis),
        Item::Fn(item) => is_public(&item.vis),
        Item::Macro(item) => item
            .attrs
            .iter()
            .any(|one| one.path().is_ident("macro_export")),
        Item::Mod(item) => is_public(&item.vis),
        Item::Static(item) => is_public(&item.vis),
        Item::Struct(item) => is_public(&item.vis),
        Item::Trait(item) => is_public(&item.vis),
        Item::Type(item) => is_public(&item.vis),
        Item::Union(item) => is_public(&item.vis),
        Item::Use(item) => is_public(&item.vis),
        _ => false,
    }
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn blocks_that_run(attributes: &[Attribute]) -> usize {
    let mut is_open = false;
    let mut count = 0;
    for line in attributes.iter().filter_map(doc_line) {
        for line in line.lines() {
            let Some(words) = line.trim().strip_prefix("```") else {
                continue;
            };
            let runs = words.split(',').all(|word| RUNNING.contains(&word.trim()));
            if !is_open && runs {
                count += 1;
            }
            is_open = !is_open;
        }
    }
    count
}

fn doc_line(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(pair) = &attribute.meta else {
        return None;
    };
    let Expr::Lit(literal) = &pair.value else {
        return None;
    };
    match &literal.lit {
        Lit::Str(text) if pair.path.is_ident("doc") => Some(text.value()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail")]

    use super::*;

    #[test]
    fn only_blocks_of_public_items_that_run_are_counted() {
        let block = |words: &str| format!("/// ```{words}\n/// x();\n/// ```\n");
        let mut text = format!("//! ```\n//! x();\n//! ```\n{}pub fn a() {{}}\n", block(""));
        for words in ["text", "ignore", "no_run", "compile_fail", "rust,no_run"] {
            text += &format!("{}pub fn b() {{}}\n", block(words));
        }
        text += &format!("{}fn hidden() {{}}\n", block(""));
        text += &format!("struct S; impl S {{ {}pub fn m() {{}} }}\n", block("rust"));
        assert_eq!(count_doctests(&syn::parse_file(&text).unwrap()), 3);
    }
}
