//! Declares the code of an error where the error is declared: on its variant.
//!
//! Use it through `coeval_codes`, which re-exports both derives and explains them:
//! [`Coded`](macro@Coded) for errors, [`CodeOf`](macro@CodeOf) for enums that are no errors.

mod attribute;
mod bindings;
mod code_of;
mod coded;
#[cfg(test)]
mod tests;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Implements the trait `Coded` from what the attribute `code` declares.
///
/// On each variant of an enum, or on a struct:
///
/// | attribute | the error has |
/// |---|---|
/// | `#[code(NAME, advice = …)]` | this code of the table, and this advice |
/// | `#[code(transparent)]` | code, kind and advice of its only field |
/// | `#[code(from = …)]` | those of the error that the expression names |
///
/// - **Fields** are in scope by their names; those of tuples as `_0`, `_1`. An advice that is a string
///   is a format string (`{name}`, and `{0}` for `_0`); any other is an expression of `&str` or
///   `String`, in which `self` is the error.
/// - **`kind = …`** is for the rare case of a code that APIs answer in another way than its line in the
///   table says: an `ErrorKind` by its name, or an expression. A name that only repeats the table
///   does not compile.
/// - **On an enum** `advice` and `kind` are the defaults of the variants that name a code, and
///   `#[code(NAME)]` is the code of all variants, which then name none.
///
/// ```
/// use coeval_codes::{Coded, DAMAGED, KEY_INVALID};
///
/// #[derive(Debug, thiserror::Error, Coded)]
/// enum ShelfError {
///     #[error("{key:?} is not a key")]
///     #[code(KEY_INVALID, advice = "Write a key instead of {key:?}.")]
///     Key { key: String },
///     #[error("record {0} is damaged")]
///     #[code(DAMAGED, advice = restore(*_0))]
///     Damaged(u32),
/// }
///
/// fn restore(number: u32) -> String {
///     let what = if number == 0 { "everything" } else { "the record" };
///     format!("Restore {what} from a backup.")
/// }
///
/// #[derive(Debug, thiserror::Error, Coded)]
/// enum ReaderError {
///     #[error(transparent)]
///     #[code(transparent)]
///     Shelf(#[from] ShelfError),
/// }
///
/// let error = ReaderError::from(ShelfError::Key { key: "/".into() });
/// assert_eq!(error.code(), KEY_INVALID);
/// assert_eq!(error.error_kind(), KEY_INVALID.kind());
/// assert_eq!(error.advice(), "Write a key instead of \"/\".");
/// assert_eq!(ShelfError::Damaged(0).code(), DAMAGED);
/// assert_eq!(ShelfError::Damaged(0).advice(), "Restore everything from a backup.");
/// ```
///
/// A variant without a code does not compile:
///
/// ```compile_fail
/// #[derive(Debug, thiserror::Error, coeval_codes::Coded)]
/// enum ShelfError {
///     #[error("the shelf is full")]
///     Full,
/// }
/// ```
///
/// Nor does one without advice:
///
/// ```compile_fail
/// #[derive(Debug, thiserror::Error, coeval_codes::Coded)]
/// enum ShelfError {
///     #[error("the shelf is full")]
///     #[code(FULL)]
///     Full,
/// }
/// ```
///
/// Nor a code that the table does not have:
///
/// ```compile_fail,E0425
/// #[derive(Debug, thiserror::Error, coeval_codes::Coded)]
/// enum ShelfError {
///     #[error("the shelf is full")]
///     #[code(SHELF_FULL, advice = "Remove something.")]
///     Full,
/// }
/// ```
///
/// Nor a kind that is that of the table:
///
/// ```compile_fail,E0080
/// #[derive(Debug, thiserror::Error, coeval_codes::Coded)]
/// enum ShelfError {
///     #[error("the label is not JSON")]
///     #[code(BODY_NOT_JSON, kind = InvalidArgument, advice = "Correct it.")]
///     Label,
/// }
/// ```
///
/// The same with another kind does:
///
/// ```
/// # use coeval_codes::{Coded, ErrorKind};
/// #[derive(Debug, thiserror::Error, coeval_codes::Coded)]
/// enum ShelfError {
///     #[error("the label is not JSON")]
///     #[code(BODY_NOT_JSON, kind = Internal, advice = "Correct it.")]
///     Label,
/// }
/// assert_eq!(ShelfError::Label.error_kind(), ErrorKind::Internal);
/// ```
#[proc_macro_derive(Coded, attributes(code))]
pub fn derive_coded(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let output = coded::implementation(&input);
    output.unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Gives an enum that is no error by itself a method `code`, from `#[code(NAME)]` on each variant.
///
/// ```
/// #[derive(Clone, Copy, coeval_codes::CodeOf)]
/// enum FlawKind {
///     #[code(KEY_INVALID)]
///     Key,
///     #[code(DAMAGED)]
///     Record,
/// }
///
/// assert_eq!(FlawKind::Key.code(), coeval_codes::KEY_INVALID);
/// assert_eq!(FlawKind::Record.code(), coeval_codes::DAMAGED);
/// ```
///
/// It has neither advice nor a kind of its own:
///
/// ```compile_fail
/// #[derive(coeval_codes::CodeOf)]
/// enum FlawKind {
///     #[code(KEY_INVALID, advice = "Correct it.")]
///     Key,
/// }
/// ```
#[proc_macro_derive(CodeOf, attributes(code))]
pub fn derive_code_of(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let output = code_of::implementation(&input);
    output.unwrap_or_else(syn::Error::into_compile_error).into()
}
