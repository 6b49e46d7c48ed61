//! Shapes of code that there should be less of.

use super::sources::{attributes_of, is_for_tests};
use syn::punctuated::Punctuated;
use syn::visit::Visit;
use syn::{Expr, Item, Lit, Pat, Token};

/// How often each was found in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PatternCounts {
    /// `match flag { true => …, false => … }`
    pub(super) bool_matches: usize,
    /// `serde_json::to_vec(…).unwrap_or_default()`
    pub(super) silent_encodings: usize,
    /// `for _ in 0..ATTEMPTS`
    pub(super) retry_loops: usize,
}

/// Counts them; the last two only in what is not for tests.
pub(super) fn count_patterns(file: &syn::File, is_test: bool) -> PatternCounts {
    let mut visitor = PatternVisitor {
        counts: PatternCounts::default(),
        in_tests: is_test,
    };
    visitor.visit_file(file);
    visitor.counts
}

struct PatternVisitor {
    counts: PatternCounts,
    in_tests: bool,
}

impl<'ast> Visit<'ast> for PatternVisitor {
    fn visit_item(&mut self, item: &'ast Item) {
        let before = self.in_tests;
        self.in_tests |= is_for_tests(attributes_of(item));
        syn::visit::visit_item(self, item);
        self.in_tests = before;
    }

    fn visit_expr_match(&mut self, matched: &'ast syn::ExprMatch) {
        if matched.arms.iter().any(|arm| is_bool(&arm.pat)) {
            self.counts.bool_matches += 1;
        }
        syn::visit::visit_expr_match(self, matched);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let is_silent = call.method == "unwrap_or_default" && is_serialization(&call.receiver);
        if is_silent && !self.in_tests {
            self.counts.silent_encodings += 1;
        }
        syn::visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_for_loop(&mut self, looped: &'ast syn::ExprForLoop) {
        if is_attempts(&looped.expr) && !self.in_tests {
            self.counts.retry_loops += 1;
        }
        syn::visit::visit_expr_for_loop(self, looped);
    }

    /// Most macros take expressions; the others have their own grammar and are not looked into.
    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        let parser = Punctuated::<Expr, Token![,]>::parse_terminated;
        if let Ok(arguments) = called.parse_body_with(parser) {
            for argument in &arguments {
                // lives as long as this call only
                let mut inner = PatternVisitor {
                    counts: self.counts,
                    in_tests: self.in_tests,
                };
                inner.visit_expr(argument);
                self.counts = inner.counts;
            }
        }
    }
}

fn is_bool(pattern: &Pat) -> bool {
    match pattern {
        Pat::Lit(literal) => matches!(literal.lit, Lit::Bool(_)),
        Pat::Or(either) => either.cases.iter().any(is_bool),
        Pat::Paren(inner) => is_bool(&inner.pat),
        _ => false,
    }
}

fn is_serialization(receiver: &Expr) -> bool {
    let Expr::Call(call) = receiver else {
        return false;
    };
    let Expr::Path(function) = &*call.func else {
        return false;
    };
    let names: Vec<_> = function
        .path
        .segments
        .iter()
        .map(|one| one.ident.to_string())
        .collect();
    let is_json = names.first().is_some_and(|first| first == "serde_json");
    is_json && names.last().is_some_and(|last| last.starts_with("to_"))
}

fn is_attempts(iterated: &Expr) -> bool {
    let Expr::Range(range) = iterated else {
        return false;
    };
    let Some(Expr::Path(end)) = range.end.as_deref() else {
        return false;
    };
    end.path.segments.last().is_some_and(|last| {
        let name = last.ident.to_string();
        ["ATTEMPTS", "TRIES"]
            .iter()
            .any(|word| name.ends_with(word))
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail")]

    use super::*;

    fn counted(text: &str) -> PatternCounts {
        count_patterns(&syn::parse_file(text).unwrap(), false)
    }

    #[test]
    fn a_match_on_a_bool_is_found_also_in_a_macro_and_one_on_a_tuple_is_not() {
        let text = "fn f(a: bool) { match a { true => 1, false => 2 };
            println!(\"{}\", match a { false => 1, _ => 2 });
            match (a, a) { (true, _) => 1, _ => 2 }; let s = \"match a { true => 1 }\"; }";
        assert_eq!(counted(text).bool_matches, 2);
    }

    #[test]
    fn encodings_that_fail_silently_are_found_and_decodings_are_not() {
        let text = "fn f() { serde_json::to_vec(&1).unwrap_or_default();
            serde_json::from_slice(b).unwrap_or_default(); x.unwrap_or_default(); }
            #[cfg(test)] mod tests { fn g() { serde_json::to_vec(&1).unwrap_or_default(); } }";
        assert_eq!(counted(text).silent_encodings, 1);
    }

    #[test]
    fn loops_of_attempts_are_found_and_others_are_not() {
        let text = "fn f() { for _ in 0..ATTEMPTS {} for n in 1..=a::TRIES {}
            for n in 0..WAYS {} for n in list {} }";
        assert_eq!(counted(text).retry_loops, 2);
    }
}
