//! How the fields of a variant or struct are bound, and what is written about them.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Expr, ExprLit, Fields, Ident, Lit, LitStr};

/// A pattern after the name of a variant or struct: each field by its name, those of tuples as `_0`.
pub(crate) fn pattern(fields: &Fields) -> TokenStream {
    let names = names(fields);
    match fields {
        Fields::Named(_) => quote! { { #(#names),* } },
        Fields::Unnamed(_) => quote! { ( #(#names),* ) },
        Fields::Unit => TokenStream::new(),
    }
}

pub(crate) fn names(fields: &Fields) -> Vec<Ident> {
    let named = fields.iter().enumerate();
    let named = named.map(|(index, field)| match &field.ident {
        Some(name) => name.clone(),
        None => format_ident!("_{index}"),
    });
    named.collect()
}

/// An advice as an expression of `String`.
pub(crate) fn advice(advice: &Expr) -> TokenStream {
    let Expr::Lit(ExprLit {
        lit: Lit::Str(text),
        ..
    }) = advice
    else {
        return quote! { ::std::string::String::from(#advice) };
    };
    let written = text.value();
    if !written.contains(['{', '}']) {
        return quote! { ::std::string::String::from(#text) };
    }
    // With the span of the literal, so that a mistake is reported where it was written.
    let format = LitStr::new(&named_positions(&written), text.span());
    quote! { ::std::format!(#format) }
}

/// `{0}` as `{_0}`, by which a format string captures it.
fn named_positions(format: &str) -> String {
    let mut named = String::with_capacity(format.len() + 4);
    let mut rest = format.chars().peekable();
    while let Some(one) = rest.next() {
        named.push(one);
        if one != '{' {
            continue;
        }
        match rest.peek() {
            // `{{` is a brace, and no place.
            Some('{') => named.extend(rest.next()),
            Some(digit) if digit.is_ascii_digit() => named.push('_'),
            _ => {}
        }
    }
    named
}

#[cfg(test)]
mod tests {
    use super::named_positions;

    #[test]
    fn positions_are_named_and_braces_that_are_meant_stay() {
        assert_eq!(named_positions("{0} of {10:?}"), "{_0} of {_10:?}");
        assert_eq!(
            named_positions("{name} {{0}} {{{0}}}"),
            "{name} {{0}} {{{_0}}}"
        );
    }
}
