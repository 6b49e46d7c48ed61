//! What the compiler says of a wrong declaration.

use crate::{code_of, coded};
use syn::{DeriveInput, parse_quote};

fn refusal(input: &DeriveInput) -> String {
    coded::implementation(input).unwrap_err().to_string()
}

#[test]
fn a_variant_without_a_code_is_told_what_to_add() {
    let said = refusal(&parse_quote! {
        enum Error {
            #[code(FULL, advice = "Remove something.")]
            Full,
            Empty,
        }
    });
    let wanted = "this variant has no error code: add #[code(NAME, advice = …)]";
    assert!(said.starts_with(wanted), "{said}");
    let said = refusal(&parse_quote! { struct Error; });
    assert!(said.starts_with("this struct has no error code"), "{said}");
}

#[test]
fn a_default_of_the_enum_is_no_code() {
    let said = refusal(&parse_quote! {
        #[code(kind = NotFound, advice = "Look elsewhere.")]
        enum Error { Empty }
    });
    assert!(said.starts_with("this variant has no error code"), "{said}");
}

#[test]
fn every_wrong_variant_is_told_at_once() {
    let input: DeriveInput = parse_quote! { enum Error { One, Two } };
    let errors = coded::implementation(&input).unwrap_err();
    assert_eq!(errors.into_iter().count(), 2);
}

#[test]
fn a_code_needs_advice() {
    let said = refusal(&parse_quote! { #[code(FULL)] struct Error; });
    assert_eq!(said, "what is to be done? add advice = … beside the code");
}

#[test]
fn a_code_is_declared_in_one_place() {
    let said = refusal(&parse_quote! {
        #[code(FULL, advice = "Remove something.")]
        enum Error {
            #[code(BUSY)]
            Busy,
        }
    });
    let wanted = "the code is declared on the enum or on each variant, not on both";
    assert_eq!(said, wanted);
    let said = refusal(&parse_quote! { #[code(FULL, BUSY)] struct Error; });
    assert_eq!(said, "`BUSY` contradicts what is before it");
    let said = refusal(&parse_quote! { #[code(FULL)] #[code(BUSY)] struct Error; });
    assert_eq!(said, "a second #[code(…)]");
}

#[test]
fn transparent_needs_one_field() {
    let said = refusal(&parse_quote! {
        enum Error {
            #[code(transparent)]
            Two(Inner, Inner),
        }
    });
    let wanted = "`transparent` needs exactly one field; name an error with from = …";
    assert_eq!(said, wanted);
    let said = refusal(&parse_quote! { #[code(transparent)] enum Error { One(Inner) } });
    assert_eq!(said, "declare this on each variant that passes an error on");
}

#[test]
fn a_word_that_is_not_known_is_told_with_those_that_are() {
    for input in [
        parse_quote! { #[code(Full, advice = "Remove something.")] struct Error; },
        parse_quote! { #[code(FULL, advise = "Remove something.")] struct Error; },
    ] {
        let said = refusal(&input);
        assert!(said.contains("is not known: write #[code(NAME"), "{said}");
    }
}

#[test]
fn a_code_alone_is_all_that_what_is_no_error_has() {
    let input = parse_quote! {
        enum Flaw {
            #[code(FULL, kind = NotFound)]
            Full,
        }
    };
    let said = code_of::implementation(&input).unwrap_err().to_string();
    assert!(
        said.starts_with("this variant needs #[code(NAME)]"),
        "{said}"
    );
}
