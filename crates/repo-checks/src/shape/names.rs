//! Names of types.

use super::sources::{attributes_of, is_for_tests};
use syn::visit::Visit;
use syn::{Ident, Item};

/// The names of all types that a file declares for the product.
pub(super) fn type_names(file: &syn::File) -> Vec<String> {
    let mut visitor = TypeVisitor { names: Vec::new() };
    visitor.visit_file(file);
    visitor.names
}

/// Whether it has one hump: `Place`, not `ListCursor`.
pub(super) fn is_one_word(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next();
    !letters.any(char::is_uppercase)
}

struct TypeVisitor {
    names: Vec<String>,
}

impl<'ast> Visit<'ast> for TypeVisitor {
    fn visit_item(&mut self, item: &'ast Item) {
        if is_for_tests(attributes_of(item)) {
            return;
        }
        let name: Option<&Ident> = match item {
            Item::Enum(item) => Some(&item.ident),
            Item::Struct(item) => Some(&item.ident),
            Item::Trait(item) => Some(&item.ident),
            Item::Type(item) => Some(&item.ident),
            Item::Union(item) => Some(&item.ident),
            _ => None,
        };
        self.names.extend(name.map(ToString::to_string));
        syn::visit::visit_item(self, item);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail")]

    use super::*;

    #[test]
    fn types_of_every_kind_are_found_and_those_of_tests_are_not() {
        let text = "struct A; enum B {} trait C {} type D = A; fn f() { struct E; }
            mod m { struct F; } #[cfg(test)] mod tests { struct G; }";
        let names = type_names(&syn::parse_file(text).unwrap());
        assert_eq!(names, ["A", "B", "C", "D", "E", "F"]);
    }

    #[test]
    fn words_are_counted_by_humps() {
        assert!(is_one_word("Place"));
        assert!(!is_one_word("ListCursor"));
    }
}
