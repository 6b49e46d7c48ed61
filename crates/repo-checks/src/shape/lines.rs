//! Lines: of product code, of functions, with comments.

use super::sources::{SourceFile, attributes_of, is_for_tests};
use proc_macro2::{Span, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{Block, Item};

/// Lines of a file that are not for tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LineCounts {
    /// All of them.
    pub(super) all: usize,
    /// Those that are neither empty nor comments nor documentation.
    pub(super) code: usize,
    /// Those with a comment between the braces of a function.
    pub(super) comments: usize,
}

/// Counts the lines of a file.
pub(super) fn count_lines(file: &SourceFile) -> LineCounts {
    if file.is_test {
        return LineCounts::default();
    }
    let mut visitor = LineVisitor::default();
    visitor.visit_file(&file.syntax);
    // Where the tokens of a line end: `//` inside of a string is no comment.
    let mut ends = BTreeMap::new();
    note_ends(file.tokens.clone(), &mut ends);
    let mut counts = LineCounts::default();
    for (number, line) in (1..).zip(file.text.lines()) {
        if visitor.of_tests.contains(&number) {
            continue;
        }
        let text = line.trim_start();
        let is_documentation = text.starts_with("///") || text.starts_with("//!");
        let in_function = visitor.of_functions.contains(&number);
        let comment = has_comment(line, ends.get(&number).copied());
        counts.all += 1;
        counts.code += usize::from(ends.contains_key(&number) && !is_documentation);
        counts.comments += usize::from(in_function && comment);
    }
    counts
}

/// Whether a comment follows the last token of a line, or is all that is in it.
fn has_comment(line: &str, last_token_ends: Option<usize>) -> bool {
    let after: String = line.chars().skip(last_token_ends.unwrap_or(0)).collect();
    after.trim_start().starts_with("//")
}

/// For every line that a token is in, the column where its last one ends.
fn note_ends(tokens: TokenStream, ends: &mut BTreeMap<usize, usize>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                note_span(group.span_open(), ends);
                note_ends(group.stream(), ends);
                note_span(group.span_close(), ends);
            }
            other => note_span(other.span(), ends),
        }
    }
}

fn note_span(span: Span, ends: &mut BTreeMap<usize, usize>) {
    let (start, end) = (span.start(), span.end());
    // a token of several lines, a string, ends none of the lines before its last one with a comment
    for line in start.line..end.line {
        ends.insert(line, usize::MAX);
    }
    let column = ends.entry(end.line).or_default();
    *column = end.column.max(*column);
}

#[derive(Default)]
struct LineVisitor {
    of_tests: BTreeSet<usize>,
    of_functions: BTreeSet<usize>,
}

impl LineVisitor {
    fn add_function(&mut self, body: &Block) {
        let braces = body.brace_token.span;
        let (open, close) = (braces.open().start().line, braces.close().end().line);
        // Without the lines of the braces themselves.
        self.of_functions.extend(open + 1..close);
    }
}

impl<'ast> Visit<'ast> for LineVisitor {
    fn visit_item(&mut self, item: &'ast Item) {
        if is_for_tests(attributes_of(item)) {
            let span = item.span();
            self.of_tests.extend(span.start().line..=span.end().line);
            return;
        }
        syn::visit::visit_item(self, item);
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.add_function(&function.block);
        syn::visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.add_function(&function.block);
        syn::visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        if let Some(body) = &function.default {
            self.add_function(body);
        }
        syn::visit::visit_trait_item_fn(self, function);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail")]

    use super::*;

    fn counted(text: &str) -> LineCounts {
        let tokens: TokenStream = text.parse().unwrap();
        count_lines(&SourceFile {
            module: Vec::new(),
            text: text.to_owned(),
            syntax: syn::parse2(tokens.clone()).unwrap(),
            tokens,
            is_test: false,
        })
    }

    #[test]
    fn comments_count_inside_of_functions_and_not_in_strings_or_before_them() {
        let text = "// before\n/// documented\nfn f() {\n    // why\n    g(\"// no\"); // and why\n    \
                    let s = \"a\n// in a string\n\";\n}\n";
        let counts = counted(text);
        assert_eq!(counts.comments, 2);
        assert_eq!(counts.code, 6);
        assert_eq!(counts.all, 9);
    }

    #[test]
    fn lines_of_tests_are_left_out() {
        let text =
            "fn f() {}\n\n#[cfg(test)]\nmod tests {\n    fn g() {\n        // why\n    }\n}\n";
        let counts = counted(text);
        assert_eq!((counts.all, counts.comments), (2, 0));
    }
}
